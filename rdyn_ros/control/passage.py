"""What a ramp passes over from: laws that drove before, each with the share that it had and what it was after."""
from typing import NamedTuple

import numpy as np

AIMLESS = ("damping", "gravity_compensation")       # modes that are after nothing
SMALL = 0.01        # share below which a law passes away with a later one of its mode,
LEAST = 1e-3        # and below which it is left out


class Aim(NamedTuple):
    """What a mode is after: a motion (None: the one in force), a pose (4, 4) of the tool and a posture (n,)."""

    mode: str | None            # None: a torque
    motion: object = None
    target: np.ndarray | None = None
    posture: np.ndarray | None = None
    torque: np.ndarray | None = None    # (n,) [N m or N] at the beginning of a stream


def left(parts, share, aim):
    """[(share, Aim)] from which a ramp passes over that begins while `aim` has this share of the torque.

    Its share joins what is left of those before. They stay few, however often the mode changes.
    """
    parts, kept = [*(((1.0 - share) * part, before) for part, before in parts), (share, aim)], []
    for k, (part, before) in enumerate(parts):
        later = [j for j in range(k + 1, len(parts)) if parts[j][1].mode == before.mode]
        if later and (part < SMALL or before.mode in AIMLESS):
            parts[later[0]] = parts[later[0]][0] + part, parts[later[0]][1]
        elif part >= LEAST:
            kept.append((part, before))
    total = sum(part for part, _ in kept)
    return [(part / total, before) for part, before in kept]
