"""xacro file -> URDF text. Only from a path: xacro runs expressions and reads files; a text may not."""
import contextlib
import io

from ..errors import RobotFileError


def expand_xacro(path, arguments):
    """URDF text of a xacro file with its arguments {name: value}; RobotFileError with xacro's own reason."""
    try:
        import xacro
    except ImportError:
        raise RobotFileError(f"{path.name}: reading xacro needs `pip install xacro`") from None
    words = {name: str(value) for name, value in arguments.items()}
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            return xacro.process_file(str(path), mappings=words).toxml()
    except (Exception, SystemExit) as error:  # xacro lets any error of an expression through
        reason = " ".join(str(error).split()) or type(error).__name__
        raise RobotFileError(f"{path.name}: xacro cannot expand it: {reason}") from None
