"""The audit of a robot: everything that is wrong or doubtful, with severity and place in the file."""
from typing import NamedTuple

from ..model import Model, describe
from ..model.assemble import assemble
from ..model.findings import SEVERITIES, Finding
from ..model.load import read_model
from ..robot import Robot
from .dynamics import check_dynamics
from .plausibility import check_joints, check_links, check_mass_ratios

__all__ = ["Audit", "audit", "load_audited"]


class Audit(NamedTuple):
    """Outcome of an audit: file, findings (worst first) and the model (None when it cannot be built)."""

    where: str
    findings: tuple[Finding, ...]
    model: Model | None

    def count(self, severity):
        """Number of findings of a severity ("error", "warning", "info")."""
        return sum(finding.severity == severity for finding in self.findings)

    def passed(self, strict=False):
        """Whether the robot can be used: no error and, when strict, no warning."""
        return not (self.count("error") or (strict and self.count("warning")))


def audit(source, arguments=None, floating_base=None):
    """Audit of a robot given as for load_model; RobotFileError only when the source cannot be read at all."""
    description, findings = describe(source, arguments)
    model = None
    if description is not None:
        model = assemble(description, findings, floating_base)
        check_links(description, findings)
        check_joints(description, findings)
    if model is not None:
        check_mass_ratios(model, description, findings)
        check_dynamics(model, findings)
    ranked = sorted(findings.items, key=lambda finding: SEVERITIES.index(finding.severity))
    return Audit(findings.where, tuple(ranked), model)


def load_audited(source):
    """Robot of a source, and the findings about its masses: what costs next to nothing beside reading it."""
    model, description, findings = read_model(source)
    check_links(description, findings)
    check_mass_ratios(model, description, findings)
    return Robot(model), tuple(finding for finding in findings.items if finding.severity != "info")
