"""Joint limits as a box: steps that stop at its walls, turns that lead into it (the twin of _starts.h)."""
import numpy as np

ROUNDING = 1e-11        # outside a limit by less is inside, as in _task.h
TURN = 2.0 * np.pi


def box_step(x, lower, upper, H, g, damping):
    """d with (H + damping) d = g on the free coordinates; the others stop at the wall and the rest is solved again."""
    down, up = lower - x, upper - x
    fixed, d = ((down >= 0.0) & (g < 0.0)) | ((up <= 0.0) & (g > 0.0)), np.zeros(len(g))
    while not fixed.all():
        free = ~fixed
        A = H[np.ix_(free, free)] + damping * np.eye(free.sum())
        d[free] = np.linalg.solve(A, g[free] - H[np.ix_(free, fixed)] @ d[fixed])
        clipped = np.clip(d, down, up)
        hit = free & (clipped != d)
        d, fixed = np.where(free, clipped, d), fixed | hit
        if not hit.any():
            break
    return d


def nearest_turns(x, seed, turns, lower, upper):
    """x, whole turns added where `turns`, next to the seed inside the box or as little outside as turns allow."""
    low, high = lower - ROUNDING, upper + ROUNDING
    y = x + TURN * np.round((seed - x) / TURN)
    y = np.where(y < low, y + TURN * np.ceil((low - y) / TURN, where=y < low, out=np.zeros_like(y)), y)
    y = np.where(y > high, y - TURN * np.ceil((y - high) / TURN, where=y > high, out=np.zeros_like(y)), y)
    y = np.where((y < lower) & (lower - y > y + TURN - upper), y + TURN, y)
    return np.where(turns, y, x)


def onto_walls(x, lower, upper):
    """x with coordinates that rounding left outside the box put on its wall."""
    clipped = np.clip(x, lower, upper)
    return np.where(abs(x - clipped) < ROUNDING, clipped, x)
