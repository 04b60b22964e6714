"""What a robot is: an immutable tree of bodies, and the files it is read from."""
from .load import describe, load_model
from .parts import Body, Frame, Joint, Limits, Mimic
from .tree import GRAVITY, Model
from .write_urdf import write_urdf
from .write_yaml import write_yaml

__all__ = ["Body", "Frame", "GRAVITY", "Joint", "Limits", "Mimic", "Model", "describe", "load_model",
           "write_urdf", "write_yaml"]
