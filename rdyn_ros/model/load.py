"""Any robot source -> Description -> Model."""
from .assemble import assemble
from .findings import Findings
from .robot_yaml import read_yaml
from .source import read_source
from .urdf import read_urdf
from .xacro_file import expand_xacro


def load_model(source, floating_base=None, arguments=None, allow_massless=False):
    """Model of a robot from a path (.urdf .xacro .yaml), a URDF or YAML text, or the name of a shipped robot.

    floating_base frees the root link (True) or holds it (False); None: as the file says. arguments {name: value}
    go to xacro. A moving link without mass is refused unless allow_massless, which warns. RobotFileError names
    file, line and reason.
    """
    return read_model(source, floating_base, arguments, allow_massless)[0]


def read_model(source, floating_base=None, arguments=None, allow_massless=False):
    """The same, with the Description it was made of and the Findings."""
    description, findings = describe(source, arguments)
    findings.raise_errors()
    model = assemble(description, findings, floating_base, allow_massless)
    findings.raise_errors()
    return model, description, findings


def describe(source, arguments=None):
    """Description of a robot source and the Findings made while reading it."""
    text, where, path = read_source(source)
    findings = Findings(where)
    if path is not None and path.suffix == ".xacro":
        text = expand_xacro(path, arguments or {})
    elif arguments:
        message = f"arguments ({', '.join(arguments)}) are for xacro files; this is none"
        findings.error("arguments", None, "", message)
    read = read_urdf if text.lstrip().startswith("<") else read_yaml
    return read(text, findings), findings
