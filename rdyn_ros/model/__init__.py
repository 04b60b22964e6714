"""What a robot is: an immutable tree of bodies, and the files it is read from."""
from .load import load_model
from .parts import Body, Frame, Joint, Limits, Mimic
from .tree import GRAVITY, Model

__all__ = ["Body", "Frame", "GRAVITY", "Joint", "Limits", "Mimic", "Model", "load_model"]
