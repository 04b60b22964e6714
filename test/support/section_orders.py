"""Parameter files in which a robot is named in the last of two sections that hold for the node /dynamics."""
FILES = {first: f"{first}: {{ros__parameters: {{diagnostics_period: 2.0}}}}\n"
                "/**/dynamics: {ros__parameters: {robot: planar_2r}}\n" for first in ("/**", "/dynamics")}
