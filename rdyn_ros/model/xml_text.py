"""Untrusted XML to a tree of elements with line numbers: no entities, no document types, bounded depth."""
import itertools
from dataclasses import dataclass, field
from xml.parsers import expat

MAX_DEPTH, MAX_ELEMENTS = 100, 200_000


@dataclass
class Element:
    """An XML element: tag, attributes, child elements and the line where it begins."""

    tag: str
    attributes: dict
    line: int
    children: list = field(default_factory=list)

    def all(self, tag):
        """Child elements of that tag."""
        return [child for child in self.children if child.tag == tag]

    def first(self, tag):
        """First child element of that tag, or None."""
        return next((child for child in self.children if child.tag == tag), None)


class _RefusedError(Exception):
    pass


def parse_xml(text, findings):
    """Root Element of an XML text; None, with a finding, when it is ill-formed or not harmless."""
    parser = expat.ParserCreate("utf-8")
    stack, roots, count = [], [], itertools.count(1)
    begun = text.lstrip()                               # expat wants no blank line before <?xml
    above = text[:len(text) - len(begun)].count("\n")

    def refuse(message):
        raise _RefusedError(message)

    def start(tag, attributes):
        if len(stack) >= MAX_DEPTH:
            refuse(f"elements are nested deeper than {MAX_DEPTH}; a robot needs about 6")
        if next(count) > MAX_ELEMENTS:
            refuse(f"more than {MAX_ELEMENTS} elements; robots have fewer")
        element = Element(tag, attributes, above + parser.CurrentLineNumber)
        (stack[-1].children if stack else roots).append(element)
        stack.append(element)

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda tag: stack.pop()
    parser.StartDoctypeDeclHandler = lambda *_: refuse("document types and entities are not allowed")
    try:
        parser.Parse(begun.encode("utf-8"), True)
    except _RefusedError as refusal:
        findings.error("unsafe", above + parser.CurrentLineNumber, "", str(refusal))
        return None
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
        findings.error("syntax", above + error.lineno, "", f"not well-formed XML: {reason}")
        return None
    return roots[0]
