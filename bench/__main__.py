"""Runs the sections, prints them, writes bench/results.md and bench/results.png."""
import argparse
import os
import sys
from importlib import import_module

from rdyn_ros.bringup.domain import silent_domain
from rdyn_ros.bringup.loopback import keep_to_this_machine

from . import SECTIONS
from .report import show, verdicts, write_page, write_picture


def main():
    """All sections, or those named; with --strict a missed target makes the exit code 1."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=main.__doc__)
    parser.add_argument("sections", nargs="*", help=f"of {', '.join(SECTIONS)}")
    parser.add_argument("--strict", action="store_true", help="exit with 1 when a target is missed")
    parser.add_argument("--write", action="store_true", help="write the page also when sections are named")
    arguments = parser.parse_args()
    if strange := set(arguments.sections) - set(SECTIONS):
        parser.error(f"no section {', '.join(sorted(strange))}; there are {', '.join(SECTIONS)}")
    os.environ["ROS_DOMAIN_ID"] = str(silent_domain())
    keep_to_this_machine()
    modules = [import_module(f"bench.{name}") for name in arguments.sections or SECTIONS]
    results = {module.TITLE: show(module.TITLE, module.rows()) for module in modules}
    if arguments.write or not arguments.sections:
        write_page(results)
        write_picture(results)
    return int(not verdicts(results) and arguments.strict)


if __name__ == "__main__":
    sys.exit(main())
