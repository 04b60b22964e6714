"""Attributes of URDF elements as numbers and placements; what is missing or wrong becomes a finding."""
import math
import re
import sys

import numpy as np

from ..spatial import quaternion_matrix
from .description import IDENTITY, Placement
from .parts import frozen_rotation
from .placements import origin, unit

NUMBER = re.compile(r"[-+]?(([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?|inf)\Z")
HUGE = 1e9  # SI; no length, mass or inertia of a robot comes near
MAX_NAME = 200
UNLIMITED = sys.float_info.max  # a limit that is none: other parsers refuse "inf"
ZERO = (0.0, 0.0, 0.0)


class UrdfAttributes:
    """Readers of attributes; `thing` is what a finding is about, e.g. "link 'arm'"."""

    def __init__(self, findings):
        self.findings = findings

    def only(self, element, tag, thing):
        """The one child of that tag, or None; a finding when there are several."""
        found = element.all(tag)
        if len(found) > 1:
            self.findings.error("ambiguous", found[1].line, thing, f"<{tag}> is given twice")
        return found[0] if found else None

    def attribute(self, element, key, thing):
        """A required attribute as text ("" after recording that it is missing)."""
        value = element.attributes.get(key, "")
        if not value:
            message = f"<{element.tag}> has no attribute '{key}', which URDF requires"
            self.findings.error("missing", element.line, thing, message)
        return value

    def name(self, element, key, thing):
        """A required name of at most 200 characters."""
        value = self.attribute(element, key, thing)
        if len(value) > MAX_NAME:
            message = f"a name of {len(value)} characters; at most {MAX_NAME} are read"
            self.findings.error("size", element.line, thing, message)
        return value[:MAX_NAME]

    def vector(self, element, key, default, size, thing, bound=HUGE):
        """`size` numbers of an attribute; the default (None: required) when the attribute is not there."""
        if key not in element.attributes:
            if default is None:
                self.attribute(element, key, thing)
            return np.array(ZERO[:1] * size if default is None else default)
        words = element.attributes[key].split()
        given = f"<{element.tag} {key}=\"{' '.join(words)[:60]}\">"
        if len(words) != size or not all(NUMBER.match(word) for word in words):
            what = "one finite number" if size == 1 else f"{size} finite numbers"
            self.findings.error("number", element.line, thing, f"{given}: {what} expected")
            return np.zeros(size)
        values = np.array([float(word) for word in words])
        overflown = np.isinf(values).any() and "inf" not in given
        if np.abs(values).max() > bound or overflown:
            message = f"{given}: beyond {HUGE:g} in SI units, no robot is like that"
            self.findings.error("huge", element.line, thing, message)
            return np.zeros(size)
        return values

    def number(self, element, key, default, thing, bound=HUGE):
        """One number of an attribute."""
        return float(self.vector(element, key, None if default is None else (default,), 1, thing, bound)[0])

    def limit(self, element, key, default, thing):
        """One number of an attribute, infinite where it is UNLIMITED."""
        value = self.number(element, key, default, thing, math.inf)
        return math.copysign(math.inf, value) if abs(value) == UNLIMITED else value

    def placement(self, element, thing):
        """Placement of the <origin> child (rpy, or quat_xyzw of URDF 1.2); identity when there is none."""
        node = self.only(element, "origin", thing)
        if node is None:
            return IDENTITY
        xyz = self.vector(node, "xyz", ZERO, 3, thing)
        if "quat_xyzw" not in node.attributes:
            return origin(xyz, self.vector(node, "rpy", ZERO, 3, thing))
        quaternion = self.vector(node, "quat_xyzw", None, 4, thing)
        if not abs(np.linalg.norm(quaternion) - 1.0) < 1e-3:
            message = f"quat_xyzw has length {np.linalg.norm(quaternion):.6g}; a unit quaternion is expected"
            self.findings.error("number", node.line, thing, message)
            return IDENTITY
        return Placement(frozen_rotation(quaternion_matrix(unit(quaternion))), xyz)
