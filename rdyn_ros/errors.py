"""What can go wrong, said in words: what was given, what is allowed, what to do."""


class RdynError(ValueError):
    """Base of every refusal of this package."""


class RobotFileError(RdynError):
    """A robot file or text that cannot be read as a robot; the message names the place in it."""


class RobotWarning(UserWarning):
    """A robot that can be used, but that its author should look at."""
