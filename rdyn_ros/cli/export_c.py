"""`rdyn export-c`: functions of a robot as C99."""
from ..kernels.export_c import export_c
from .function_names import function_names
from .robot_arguments import add_robot_arguments, given_model

HELP = "write functions of a robot as dependency-free C99 with a self-test"


def add_arguments(parser):
    """Declares the arguments of the verb."""
    add_robot_arguments(parser)
    parser.add_argument("--functions", default="rnea,crba,fk,jacobian,gravity",
                        help="comma-separated: rnea, crba, aba, fk, ... or any method's name; all for all")
    parser.add_argument("-o", "--output", default=".", metavar="DIR",
                        help="folder to write to, made if missing")
    parser.add_argument("--force", action="store_true", help="replace files that exist")
    parser.add_argument("--float", action="store_true", help="single precision, for microcontrollers")


def run(arguments):
    """Writes the files and names them."""
    files = export_c(given_model(arguments), function_names(arguments.functions), arguments.output, arguments.float,
                     arguments.force)
    print("\n".join(map(str, files)))
