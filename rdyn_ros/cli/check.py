"""`rdyn check`: the audit of a robot."""
import json

from ..audit import audit
from ..model.findings import SEVERITIES
from .counted import counted
from .robot_arguments import add_robot_arguments, xacro_arguments

HELP = "audit a robot: everything wrong or doubtful, with severity and place; exit code 1 when it fails"


def add_arguments(parser):
    """Declares the arguments of the verb."""
    add_robot_arguments(parser)
    parser.add_argument("--strict", action="store_true", help="fail on warnings too")
    parser.add_argument("--json", action="store_true", help="machine-readable output")


def run(arguments):
    """Print the findings; 0 when the robot passes, 1 when not."""
    result = audit(arguments.robot, xacro_arguments(arguments.xacro), arguments.floating_base)
    passed = result.passed(arguments.strict)
    if arguments.json:
        print(json.dumps({"robot": result.where, "passed": passed, "strict": arguments.strict,
                          "findings": [finding.as_dict() for finding in result.findings]}, indent=2))
    else:
        for finding in result.findings:
            print(finding)
        counts = ", ".join(counted(result.count(severity), severity) for severity in SEVERITIES[:2])
        print(f"{result.where}: {'passed' if passed else 'FAILED'} ({counts})")
    return 0 if passed else 1
