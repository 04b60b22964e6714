"""`make soak`: breaks everything it can for as long as it takes, and writes bench/soak.md.

python -m bench.soak [--minutes 10] [--inputs 100000] [--only fuzz,limits,faults,endurance]
"""
import argparse
import itertools
import os
import signal
import sys
import time
from pathlib import Path

from rdyn_ros.bringup.domain import TRIALS, silent_domain
from rdyn_ros.bringup.loopback import keep_to_this_machine

from .outcomes import Outcome, in_rows, markdown, print_outcomes

PAGE = Path(__file__).parent / "soak.md"


@in_rows
def fuzz(name, arguments):
    """Damaged files and damaged messages."""
    from .fuzz.guard import all_guarded, guarded
    from .fuzz.readers import READERS
    from .fuzz.wire import NODES
    jobs = [("bench.fuzz.readers:reader_trials", arguments.inputs * 6 // 10, [reader]) for reader in READERS]
    jobs += [("bench.fuzz.wire:wire_trials", node, arguments.inputs // 10) for node in NODES]
    total = 0
    for row in itertools.chain(all_guarded(jobs), guarded("bench.fuzz.over_dds:dds_trials", arguments.inputs // 40)):
        total += row.times
        yield row
    yield Outcome("damaged files and messages in all", total, "counted", f"{arguments.inputs}",
                  total >= arguments.inputs)


@in_rows
def limits(name, arguments):
    """Floods and giants."""
    from .limits import limit_trials
    yield from limit_trials()


@in_rows
def faults(name, arguments):
    """Faults in a running system."""
    from .faults.run import fault_trials
    yield from fault_trials(long=True)


@in_rows
def endurance(name, arguments):
    """1 kHz without a pause, and the memory of all nodes."""
    from .endurance import endurance_trials, simulation_trials
    yield from endurance_trials(60.0 * arguments.minutes)
    yield from simulation_trials(24.0 * arguments.minutes)


PARTS = {part.__name__: part for part in (fuzz, limits, faults, endurance)}


def run(arguments):
    """Runs the parts asked for; writes the page when these are all; whether no row failed."""
    rows, start = [], time.monotonic()
    for name in arguments.only.split(","):
        print(f"{name}: {PARTS[name].__doc__}", flush=True)
        for row in PARTS[name](name, arguments):
            rows.append(row)
            minutes = (time.monotonic() - start) / 60.0
            print(f"  {minutes:4.1f} min  {row.verdict:9} {row.tried}: {row.happened}", flush=True)
    print_outcomes(rows)
    if arguments.only == ",".join(PARTS):
        took = (time.monotonic() - start) / 60.0
        PAGE.write_text("# What was tried to break it, and what happened\n\n"
                        f"Written by `make soak`, {time.strftime('%Y-%m-%d')}, {os.cpu_count()} cores, "
                        f"{took:.0f} minutes.\n\n" + markdown(rows))
    return not any(row.failed for row in rows)


def main():
    """Exit code 1 when a row did not hold."""
    parser = argparse.ArgumentParser(prog="python -m bench.soak", description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--only", default=",".join(PARTS))
    arguments = parser.parse_args()
    os.environ["ROS_DOMAIN_ID"] = str(silent_domain(TRIALS[::-1]))  # demos take from the other end
    keep_to_this_machine()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that what was started is ended
    sys.exit(not run(arguments))


if __name__ == "__main__":
    main()
