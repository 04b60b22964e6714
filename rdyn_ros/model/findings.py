"""What is wrong with a robot file, and where: collected, so that a check can tell everything at once."""
from dataclasses import asdict, dataclass

from ..errors import RobotFileError

SEVERITIES = ("error", "warning", "info")


@dataclass(frozen=True)
class Finding:
    """One remark about a robot: how bad, what kind (a stable word), where in the file, and the sentence."""

    severity: str
    code: str
    place: str
    message: str

    def __str__(self):
        return f"{self.severity}: {self.place}: {self.message} [{self.code}]"

    def as_dict(self):
        """The finding as plain data, for machine-readable output."""
        return asdict(self)


class Findings:
    """Collector of findings about one file; `where` is the file's name or "robot text"."""

    def __init__(self, where):
        self.where = where
        self.items = []

    def place(self, line, thing=""):
        """Place in the file: name, line (when known) and thing, e.g. "arm.urdf:12: joint 'j1'"."""
        spot = self.where if line is None else f"{self.where}:{line}"
        return f"{spot}: {thing}" if thing else spot

    def add(self, severity, code, line, thing, message):
        """Record one finding."""
        self.items.append(Finding(severity, code, self.place(line, thing), message))

    def error(self, code, line, thing, message):
        """Record something that makes the robot unusable."""
        self.add("error", code, line, thing, message)

    def warning(self, code, line, thing, message):
        """Record something that is probably wrong, though the robot can be used."""
        self.add("warning", code, line, thing, message)

    @property
    def errors(self):
        """The findings that make the robot unusable."""
        return [item for item in self.items if item.severity == "error"]

    def refuses(self, thing):
        """Whether there is an error about a thing such as "joint 'j1'"."""
        return any(item.place.endswith(f": {thing}") for item in self.errors)

    def raise_errors(self):
        """Raise RobotFileError with the first error and the number of further ones, if any."""
        if self.errors:
            first, more = self.errors[0], len(self.errors) - 1
            tail = f" (and {more} more; `rdyn check` lists all)" if more else ""
            raise RobotFileError(f"{first.place}: {first.message}{tail}")
