"""`rdyn VERB ...`: finds the file of the verb and runs it; a refusal is one line on stderr.

Exit codes: 0 done; 1 the answer is no (a check failed, nothing was found); 2 wrong usage or a refused input;
130 interrupted.
"""
import argparse
import sys
import warnings
from importlib import import_module

from .. import __version__
from ..errors import RdynError

# each a module here, "-" as "_": HELP, add_arguments, run
VERBS = ("info", "check", "convert", "plot", "up", "demo")
EXIT_CODES = "exit codes: 0 done, 1 the answer is no, 2 wrong usage or refused input, 130 interrupted"


def main(arguments=None):
    """Run the command and return its exit code; a verb's `run` returns its own, or None for 0."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    chosen = words[:1] if words[:1] and words[0] in VERBS else VERBS       # import only what is asked for
    try:
        parsed = parser(chosen).parse_args(words)
        with warnings.catch_warnings():
            warnings.showwarning = show_warning
            return parsed.run(parsed) or 0
    except RdynError as error:
        print(f"rdyn: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:                      # the reader of our output has gone: `rdyn info | head`
        sys.stderr.close()
        return 0
    except KeyboardInterrupt:
        return 130


def show_warning(message, *_, **__):
    """A warning of the library as one line on stderr."""
    print(f"rdyn: warning: {message}", file=sys.stderr)


def parser(verbs=VERBS):
    """Argument parser of these verbs."""
    about = "Rigid-body dynamics of any robot."
    top = argparse.ArgumentParser(prog="rdyn", description=about, epilog=EXIT_CODES)
    top.add_argument("--version", action="version", version=f"rdyn {__version__}")
    actions = top.add_subparsers(metavar="VERB", required=True)
    for verb in verbs:
        module = import_module(f".{verb.replace('-', '_')}", __package__)
        below = actions.add_parser(verb, help=module.HELP, description=module.HELP, epilog=EXIT_CODES)
        module.add_arguments(below)
        below.set_defaults(run=module.run)
    return top


if __name__ == "__main__":
    sys.exit(main())
