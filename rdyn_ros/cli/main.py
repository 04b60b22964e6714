"""`rdyn VERB ...`: finds the file of the verb and runs it; a refusal is one line on stderr.

Exit codes: 0 done; 1 the answer is no (a check failed, nothing was found); 2 wrong usage or a refused input;
130 interrupted.
"""
import argparse
import ast
import re
import sys
import warnings
from importlib import import_module
from importlib.resources import files

from .. import __version__
from ..errors import RdynError

# each a module here, "-" as "_": HELP, add_arguments, run
VERBS = ("info", "check", "ik", "convert", "compare", "compile", "export-c", "plot", "up", "demo")
NAMED = re.compile(r"[^-:=\s][^:=\s]*:=")
EXIT_CODES = "exit codes: 0 done, 1 the answer is no, 2 wrong usage or refused input, 130 interrupted"


def main(arguments=None):
    """Run the command and return its exit code; a verb's `run` returns its own, or None for 0."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    try:
        parsed = parser(words[0] if words else None).parse_args(words)
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


class Parser(argparse.ArgumentParser):
    """Tells wrong usage in one line; -1e-3 is a number, as from Python 3.14 on."""

    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        self._negative_number_matcher = re.compile(r"-\.?\d")

    def parse_known_args(self, args=None, namespace=None):
        """As usual, but name:=value may stand anywhere, behind options with any number of values, too."""
        place = next((action.dest for action in self._actions if str(action.metavar).lower() == "name:=value"), None)
        named = [word for word in args if NAMED.match(word)] if place else []
        parsed, unknown = super().parse_known_args([word for word in args if word not in named], namespace)
        if named:
            setattr(parsed, place, getattr(parsed, place) + named)
        if unknown and self._subparsers is None:        # told by the verb, whose help is meant
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return parsed, unknown

    def error(self, message):
        """Ends with exit code 2."""
        self.exit(2, f"{self.prog}: {message}; {self.prog} --help tells more\n")


def parser(chosen=None):
    """Argument parser that knows all verbs by name and the arguments of the chosen one."""
    about = "Rigid-body dynamics of any robot."
    top = Parser(prog="rdyn", description=about, epilog=EXIT_CODES)
    top.add_argument("--version", action="version", version=f"rdyn {__version__}")
    actions = top.add_subparsers(metavar="VERB", required=True)
    for verb in VERBS:
        below = actions.add_parser(verb, help=help_of(verb), description=help_of(verb), epilog=EXIT_CODES)
        if verb == chosen:
            module = import_module(f".{module_of(verb)}", __package__)
            module.add_arguments(below)
            below.set_defaults(run=module.run)
    return top


def module_of(verb):
    """Name of a verb's module: export-c is export_c."""
    return verb.replace("-", "_")


def help_of(verb):
    """HELP of a verb's module, read without importing it: `rdyn --help` answers at once."""
    source = files(__package__).joinpath(f"{module_of(verb)}.py").read_text(encoding="utf-8")
    assigned = (node for node in ast.parse(source).body if isinstance(node, ast.Assign))
    return next(ast.literal_eval(node.value) for node in assigned if node.targets[0].id == "HELP")


if __name__ == "__main__":
    sys.exit(main())
