"""The functions a verb works on, by public name or by the name of the field."""
from ..errors import RdynError
from ..kernels import FUNCTIONS

NICKNAMES = {"rnea": "inverse_dynamics", "crba": "mass_matrix", "aba": "forward_dynamics",
             "gravity": "gravity_torque", "coriolis": "coriolis_torque", "friction": "friction_torque",
             "rnea_derivatives": "inverse_dynamics_derivatives",
             "aba_derivatives": "forward_dynamics_derivatives"}


def function_names(text):
    """Public names from a list such as "rnea,crba,fk"; "all" is all of them."""
    if text == "all":
        return list(FUNCTIONS)
    names = [NICKNAMES.get(word.strip(), word.strip()) for word in text.split(",")]
    if strange := [name for name in names if name not in FUNCTIONS]:
        raise RdynError(f"no function '{strange[0]}'; allowed are all, {', '.join([*FUNCTIONS, *NICKNAMES])}")
    return list(dict.fromkeys(names))
