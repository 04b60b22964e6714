"""Numbers of the solvers; a test holds equal those that the one in C tells."""
import numpy as np

TURN = 2.0 * np.pi
ROUNDING = 1e-11        # [rad, m] outside a limit by less is inside
SLIDING = 2             # rounds in which the slides of a start are put right
SINGULAR = 1e-5         # ratio of speeds that counts as a lost direction
SPACING = 1e-14         # of numbers beside their size, with something to spare
EXACT, POLISH = 2e-11, 40   # residual that a refined branch keeps under [m, rad], and the steps it may take
SHARP = 1e-10           # [m, rad] the most that is left of the error of a solution by closed form
APART = 1e-6            # [rad, m] branches nearer to each other are one
BESIDE = 100.0          # times the tolerance: joints of a branch so little outside their limits are tried on them
RIGID = 1e-6            # how far a pose may be from a rigid one
KNOWN = 256             # starts of the sequence whose poses are known
LEAST = 1e-5            # [s] that an enquiry gets when its time is spent
LANES = 4               # searches of a batch that go side by side
STATUSES = ("converged", "singular", "exhausted", "timeout", "beyond")      # how a search ends
