"""Units of a robot's joints in words: all turn, all slide, or some of each."""


def units(model):
    """(unit of positions, unit of efforts), as "rad", "N m" for an arm whose joints all turn, or that has none."""
    words = {(body.joint.unit, body.joint.effort_unit) for body in model.bodies[1:]} or {("rad", "N m")}
    return tuple(" or ".join(each) for each in zip(*sorted(words, reverse=True), strict=True))


def milli(unit):
    """A thousandth of a unit in words: "mrad or mm" of "rad or m"."""
    return " or ".join(f"m{word}" for word in unit.split(" or "))
