"""`rdyn convert`: a robot as YAML or URDF, without loss of what the dynamics needs."""
from pathlib import Path

from ..errors import RdynError
from ..model import write_urdf, write_yaml
from .robot_arguments import add_robot_arguments, given_model, xacro_arguments

HELP = "write a robot as YAML or URDF, without loss of what the dynamics needs"
WRITERS = {"yaml": write_yaml, "urdf": write_urdf}


def add_arguments(parser):
    """Declares the arguments of the verb."""
    add_robot_arguments(parser)
    parser.add_argument("--to", choices=WRITERS, help="format (default: by the ending of the output file)")
    parser.add_argument("-o", "--output", help="file to write (default: standard output)")
    parser.add_argument("--force", action="store_true", help="replace the output file when it exists")
    parser.add_argument("--allow-massless", action="store_true", help="even if moving links have no mass")


def run(arguments):
    """Write the converted robot."""
    target = Path(arguments.output) if arguments.output else None
    ending = target.suffix.lstrip(".").replace("yml", "yaml") if target else ""
    to = arguments.to or ending
    if to not in WRITERS:
        xacro_arguments(arguments.xacro)            # an output file without -o is told as such
        raise RdynError("which format? give --to yaml, --to urdf, or an output file that ends so")
    text = WRITERS[to](given_model(arguments, arguments.allow_massless))
    if target is None:
        print(text, end="")
        return
    if target.exists() and not arguments.force:
        raise RdynError(f"{target} exists; give --force to replace it")
    try:
        target.write_text(text, encoding="utf-8")
    except OSError as error:
        raise RdynError(f"{target} cannot be written: {error.strerror}") from None
