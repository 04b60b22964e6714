"""Units of a robot's joints in words: all turn, all slide, or some of each."""


def units(model):
    """(unit of positions, unit of efforts), as "rad", "N m" for an arm whose joints all turn, or that has none."""
    sliding = {body.joint.kind == "prismatic" for body in model.bodies[1:]}
    words = [("m", "N") if slides else ("rad", "N m") for slides in sorted(sliding) or [False]]
    return tuple(" or ".join(each) for each in zip(*words, strict=True))


def milli(unit):
    """A thousandth of a unit in words: "mrad or mm" of "rad or m"."""
    return " or ".join(f"m{word}" for word in unit.split(" or "))
