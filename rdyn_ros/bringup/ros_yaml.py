"""YAML of parameters as ROS reads it: 1e3 is a number and y is true; 1:30, 2026-11-16 and null are texts."""
import re

import yaml

SCALARS = {
    "null": "",  # nothing at all; ROS refuses it
    "bool": r"[YyNn]|yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF",
    "int": r"[-+]?(0x[0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)",
    "float": r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
}


class Loader(yaml.SafeLoader):
    """Reads a text without quotes as what ROS takes it for."""

    yaml_implicit_resolvers = {}
    bool_values = yaml.SafeLoader.bool_values | {"y": True, "n": False}


class Dumper(yaml.SafeDumper):
    """Quotes the texts that ROS would take for something else."""

    yaml_implicit_resolvers = {}


for kind in (Loader, Dumper):
    for tag, pattern in SCALARS.items():
        kind.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(f"(?:{pattern})$", re.ASCII), None)


def parameter_text(value):
    """A parameter's value as one line of YAML; a text that looks like a number is quoted."""
    style = '"' if isinstance(value, str) and "\n" in value else None
    text = yaml.dump(value, Dumper=Dumper, default_style=style, default_flow_style=True, width=float("inf"),
                     allow_unicode=True)
    return text.removesuffix("...\n").strip()
