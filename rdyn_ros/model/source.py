"""Where a robot comes from: a text, a path, or the name of a shipped robot; read with a bound on its size."""
import os
import re
import sysconfig
from pathlib import Path
from typing import NamedTuple

from ..errors import RobotFileError

MAX_CHARACTERS = 10_000_000
ROBOT_TEXT = "robot text"
MARK = "\ufeff"     # of byte order, which some editors put first
ENCODING = re.compile(rb"""\s*<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")


class Source(NamedTuple):
    """Text of a robot, where it came from (for messages), and its path (None when given as text)."""

    text: str
    where: str
    path: Path | None


def read_source(source):
    """Source of a robot given as text (XML or YAML), path or name of a shipped robot.

    A string is text when it has several lines or begins like XML; everything else is a path or a name.
    """
    if isinstance(source, str) and is_text(source):
        return Source(bounded(source.removeprefix(MARK), ROBOT_TEXT), ROBOT_TEXT, None)
    if not isinstance(source, (str, os.PathLike)):
        given = type(source).__name__
        raise RobotFileError(f"a robot is a text, a path or the name of a shipped robot, not a {given}")
    path = find(os.fspath(source))
    try:
        with path.open("rb") as file:
            data = file.read(4 * MAX_CHARACTERS + 4)
        return Source(bounded(decoded(data, path.name), path.name), path.name, path)
    except OSError as error:
        raise RobotFileError(f"{path}: cannot be read: {error.strerror}") from None


def decoded(data, name):
    """Text of a file in UTF-8 or, where it is not, in the encoding that it names."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        named = ENCODING.match(data)
        if not named:
            raise RobotFileError(f"{name}: not UTF-8 text (byte {error.start})") from None
    code = named[1].decode()
    try:
        return data.decode(code)
    except (LookupError, UnicodeError):
        raise RobotFileError(f"{name}: neither UTF-8 text nor {code}, as it says; save it as UTF-8") from None


def is_text(source):
    """Whether a string is a robot's text rather than a path or name."""
    begins = source.removeprefix(MARK).lstrip().startswith(("<", "{"))
    return begins or "\n" in source or "\r" in source or len(source) > 4096


def bounded(text, where):
    """The text, or a refusal when it is empty, too long or no Unicode."""
    if len(text) > MAX_CHARACTERS:
        raise RobotFileError(f"{where}: longer than {MAX_CHARACTERS} characters; robots are shorter")
    if not text.strip():
        raise RobotFileError(f"{where}: it is empty; a URDF, xacro or YAML robot is expected")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise RobotFileError(f"{where}: not Unicode text (character {error.start})") from None
    return text


def find(name):
    """Path of a robot file, or of the shipped robot of that name."""
    if os.path.isfile(name):
        return Path(name)
    shipped = shipped_robots()
    if name in shipped:
        return shipped[name]
    if os.path.exists(name):
        what = "a folder; name a file in it" if os.path.isdir(name) else "no regular file; save it as one"
        raise RobotFileError(f"{name[:200]!r} is {what}: .urdf, .xacro or .yaml")
    raise RobotFileError(f"{name[:200]!r}: no such file, and no shipped robot of that name; "
                         f"shipped are {', '.join(shipped) or 'none'}")


def shipped_robots():
    """Shipped robot files by name."""
    return shipped("robots")


def shipped(folder):
    """YAML files of config/<folder> by name: of the source tree, else a workspace, else this Python."""
    prefixes = [*os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep), sysconfig.get_path("data")]
    shares = [Path(prefix, "share", "rdyn_ros") for prefix in prefixes if prefix]
    for root in [Path(__file__).resolve().parents[2], *shares]:
        files = sorted((root / "config" / folder).glob("*.yaml"))
        if files:
            return {file.stem: file for file in files}
    return {}
