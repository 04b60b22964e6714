"""Untrusted YAML to plain data with line numbers: bounded depth and size, no tags, no duplicate keys.

Scalars follow YAML 1.2: `1e-3` is a number, `no` and `1:30` are words.
"""
import math
import re

import yaml

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
MAX_DEPTH, MAX_NODES = 30, 200_000
INTEGER = re.compile(r"[-+]?[0-9]{1,18}\Z")
FLOAT = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?\Z")
PLAIN_TAGS = {f"tag:yaml.org,2002:{name}" for name in (
    "str", "int", "float", "bool", "null", "map", "seq", "timestamp", "value", "merge")}
WORDS = {"": None, "~": None, "null": None, "true": True, "false": False,
         ".inf": math.inf, "+.inf": math.inf, "-.inf": -math.inf, ".nan": math.nan}


def parse_yaml(text, findings):
    """(data, lines) of a YAML text; lines {path: line}, a path is a tuple of keys and indices."""
    reader = _Reader(findings)
    try:
        depth = 0
        for count, event in enumerate(yaml.parse(text, Loader=LOADER)):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > MAX_DEPTH:
                raise _RefusedError(event.start_mark, f"nested deeper than {MAX_DEPTH} levels")
            if count > 2 * MAX_NODES:
                raise _RefusedError(event.start_mark, f"more than {MAX_NODES} values")
        data = reader.value(yaml.compose(text, Loader=LOADER), ())
    except _RefusedError as refusal:
        mark, message = refusal.args
        findings.error("unsafe", mark.line + 1, "", message)
        return None, {}
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "cannot be read"
        findings.error("syntax", mark.line + 1 if mark else None, "", f"not well-formed YAML: {problem}")
        return None, {}
    return data, reader.lines


class _RefusedError(Exception):
    pass


class _Reader:
    def __init__(self, findings):
        self.findings, self.lines, self.count = findings, {}, 0

    def value(self, node, path):
        """Plain data of a node; its line is remembered under its path."""
        self.count += 1
        if self.count > MAX_NODES or len(path) > MAX_DEPTH:
            raise _RefusedError(node.start_mark, f"more than {MAX_NODES} values, aliases counted")
        if node and node.tag not in PLAIN_TAGS:
            raise _RefusedError(node.start_mark, f"the tag {node.tag[:60]} is not allowed")
        line = self.lines[path] = node.start_mark.line + 1 if node else 1
        if isinstance(node, yaml.MappingNode):
            return self.mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self.value(item, (*path, index)) for index, item in enumerate(node.value)]
        data = scalar(node) if node else None
        if isinstance(data, float) and math.isnan(data):
            self.findings.error("number", line, dotted(path), "not a number (.nan); a number expected")
        return data

    def mapping(self, node, path):
        data = {}
        for key, value in node.value:
            line = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                raise _RefusedError(key.start_mark, "a key must be a word")
            if key.value in data:
                thing = dotted((*path, key.value))
                self.findings.error("duplicate-name", line, thing, "this key is given twice")
            data[key.value] = self.value(value, (*path, key.value))
        return data


def scalar(node):
    """None, bool, int, float or str of a scalar node; quoted scalars are always str."""
    text = node.value
    if node.style:
        return text
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    if INTEGER.match(text):
        return int(text)
    return float(text) if FLOAT.match(text) else text


def dotted(path):
    """A path as people write it: links[2].joint.type."""
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path).lstrip(".")
