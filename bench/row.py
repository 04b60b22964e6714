"""One figure of a benchmark."""
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """Ours beside a peer's. The target is the least theirs/ours or, without a peer, the most ours may be."""

    what: str                       # "inverse dynamics, Panda"
    ours: float
    unit: str = "µs"
    peer: str = ""                  # "Pinocchio"
    theirs: float | None = None
    target: float | None = None

    @property
    def ratio(self):
        """How many times less ours is; None without a peer."""
        return None if self.theirs is None else self.theirs / self.ours

    @property
    def held(self):
        """Whether the target is reached; None when there is none."""
        if self.target is None:
            return None
        return bool(self.ours <= self.target if self.ratio is None else self.ratio >= self.target)

    @property
    def cells(self):
        """The row as words: what, ours, peer, theirs, ratio, target, verdict."""
        least = self.ratio is not None
        target = ""
        if self.target is not None:
            target = f">= {self.target:.3g}x" if least else f"<= {self.target:g} {self.unit}"
        return (self.what, f"{self.ours:.3g} {self.unit}", self.peer,
                f"{self.theirs:.3g} {self.unit}" if least else "", f"{self.ratio:.1f}x" if least else "",
                target, {None: "", True: "reached", False: "MISSED"}[self.held])


HEADINGS = ("what", "ours", "peer", "theirs", "ratio", "target", "verdict")
