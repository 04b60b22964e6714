"""Broken robot files, made from two good ones: {name: text or bytes}."""

import re

URDF = """<robot name="good">
  <link name="a"/>
  <link name="b">
    <inertial>
      <origin xyz="0 0 0.1" rpy="0 0 0"/>
      <mass value="1.5"/>
      <inertia ixx="0.02" ixy="0.001" ixz="0.002" iyy="0.03" iyz="0.003" izz="0.04"/>
    </inertial>
  </link>
  <link name="c">
    <inertial>
      <mass value="0.5"/>
      <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.04"/>
    </inertial>
  </link>
  <joint name="j" type="revolute">
    <parent link="a"/>
    <child link="b"/>
    <origin xyz="0 0 0.2" rpy="0.1 0 0"/>
    <axis xyz="0 0 1"/>
    <limit lower="-1" upper="2" velocity="3" effort="4"/>
    <dynamics damping="0.1" friction="0.2"/>
  </joint>
  <joint name="k" type="prismatic">
    <parent link="b"/>
    <child link="c"/>
    <limit lower="0" upper="1" velocity="3" effort="4"/>
    <mimic joint="j" multiplier="2" offset="0.5"/>
  </joint>
</robot>
"""

YAML = """name: good
gravity: [0, 0, -9.81]
floating_base: false
base: {name: base}
links:
  - name: b
    parent: base
    origin: {xyz: [0, 0, 0.2], rpy: [0.1, 0, 90 deg]}
    joint:
      name: j
      type: revolute
      axis: [0, 0, 1]
      limits: {lower: -1, upper: 2, velocity: 3, effort: 4}
      friction: {viscous: 0.1, coulomb: 0.2}
      rotor: {inertia: 1.0e-4, gear_ratio: 100}
    inertia: {mass: 1.5, com: [0, 0, 0.1], tensor: {xx: 0.02, yy: 0.03, zz: 0.04}}
  - name: c
    parent: b
    dh: {a: 0.1, alpha: 0, d: 0.2, theta: 0, convention: standard}
    joint: {name: k, type: prismatic, mimic: {joint: j, ratio: 2, offset: 0.5}}
    parts: [{shape: cylinder, mass: 1, radius: 0.1, length: 0.2}]
frames:
  - {name: tool, link: c, installation: {angles: [0, 0, 0], length: [0, 0, 0.1]}}
tips: [tool]
"""

BAD_NUMBERS = ("nan", "abc", "", "1 2 3 4", "1,5", "1e999", "0x10")
ENTITY_BOMB = (
    '<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa">'
    + "".join(f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">' for i in range(12))
    + ']><robot name="&m;"/>'
)
EXTERNAL_ENTITY = (
    '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/hostname">]>\n<robot name="&x;"><link name="a"/></robot>'
)
ALIAS_BOMB = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n" + "".join(
    f"a{i + 1}: &a{i + 1} [{', '.join([f'*a{i}'] * 10)}]\n" for i in range(9)
)


def changed(text, old, new):
    """The text with one thing changed; the thing must be there."""
    assert old in text, old
    return text.replace(old, new, 1)


def broken_urdf():
    """(name, text) of URDF texts with one fault each."""
    for number in re.finditer(r'(\w+)="[-0-9. ]+"', URDF):
        for bad in BAD_NUMBERS[:5] if number[1] not in ("value", "upper") else BAD_NUMBERS:
            fault = f'{URDF[: number.start()]}{number[1]}="{bad}"{URDF[number.end() :]}'
            yield f"{number[1]} at {number.start()} is {bad!r}", fault
    for tag in (
        '<mass value="1.5"/>',
        '<parent link="a"/>',
        '<child link="b"/>',
        '<link name="b">',
        '<limit lower="-1" upper="2" velocity="3" effort="4"/>',
        "</joint>",
        "</robot>",
        "<inertial>",
    ):
        yield f"without {tag}", changed(URDF, tag, "")
    yield "without inertia", re.sub(r"<inertia .*/>", "", URDF, count=1)
    yield "without inertial", re.sub(r"<inertial>.*?</inertial>", "", URDF, count=1, flags=re.S)
    for attribute in (
        'name="good"',
        'name="a"',
        'name="j"',
        ' type="revolute"',
        ' velocity="3"',
        ' effort="4"',
        ' value="1.5"',
        ' ixx="0.02"',
        ' izz="0.04"',
        ' link="a"',
        ' link="b"',
        ' joint="j"',
    ):
        yield f"without {attribute}", changed(URDF, attribute, "")
    for old, new in (
        ('value="1.5"', 'value="-1.5"'),
        ('value="1.5"', 'value="0"'),
        ('velocity="3"', 'velocity="-3"'),
        ('effort="4"', 'effort="-4"'),
        ('damping="0.1"', 'damping="-0.1"'),
        ('ixx="0.02"', 'ixx="-0.02"'),
        ('ixy="0.001"', 'ixy="7"'),
        ('lower="-1"', 'lower="3"'),
        ('xyz="0 0 1"', 'xyz="0 0 0"'),
        ('value="1.5"', 'value="1e300"'),
        ('xyz="0 0 0.2"', 'xyz="0 0 1e12"'),
        ('lower="-1"', 'lower="inf"'),
        ('type="revolute"', 'type="planar"'),
        ('type="revolute"', 'type="floating"'),
        ('type="revolute"', 'type="spherical"'),
        ('type="revolute"', 'type="Revolute"'),
        ('name="c"', 'name="b"'),
        ('name="k"', 'name="j"'),
        ('<parent link="a"/>', '<parent link="x"/>'),
        ('<child link="b"/>', '<child link="x"/>'),
        ('<parent link="a"/>', '<parent link="b"/>'),
        ('<parent link="a"/>', '<parent link="c"/>'),
        ('<child link="c"/>', '<child link="b"/>'),
        ('<child link="c"/>', '<child link="a"/>'),
        ('mimic joint="j"', 'mimic joint="k"'),
        ('mimic joint="j"', 'mimic joint="x"'),
        ("</robot>", '<link name="alone"/></robot>'),
        ("<robot", "<bot"),
        ("<robot", "< robot"),
        ("</robot>", "</robot><robot/>"),
        ('"a"', "'a\""),
        ("<link", "<xacro:macro/><link"),
        ("<robot ", '<robot xmlns="&undefined;" '),
    ):
        yield f"{old} -> {new}", changed(URDF, old, new)
    chain = changed(URDF, "<mimic", '<mimic joint="m"/><unused').replace(
        "</robot>",
        """
      <link name="d"><inertial><mass value="1"/>
        <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
      <joint name="m" type="continuous"><parent link="a"/><child link="d"/><mimic joint="j"/></joint>
    </robot>""",
    )
    yield "mimic chain", chain
    for length in range(40, len(URDF) - 10, 150):
        yield f"cut after {length}", URDF[:length]
    yield "deep nesting", "<robot name='r'>" + "<a>" * 100_000 + "</a>" * 100_000 + "</robot>"
    yield "entity bomb", ENTITY_BOMB
    yield "external entity", EXTERNAL_ENTITY
    yield "no links", '<robot name="r"></robot>'
    yield (
        "too many links",
        f'<robot name="r">{"".join(f"<link name={chr(34)}l{i}{chr(34)}/>" for i in range(6000))}</robot>',
    )


def broken_yaml():
    """(name, text) of YAML texts with one fault each."""
    for number in re.finditer(r"(?<=[ \[])-?[0-9.]+(e-4)?(?=[,}\]])", YAML):
        limit = YAML[: number.start()].endswith(("lower: ", "upper: ", "velocity: ", "effort: "))
        for bad in ("word", ".nan", "[1]") if limit else ("word", ".nan", "[1]", "1e300"):
            yield (
                f"{number[0]} at {number.start()} is {bad}",
                YAML[: number.start()] + bad + YAML[number.end() :],
            )
    for key in (
        "name: good\n",
        "    parent: base\n",
        "      name: j\n",
        "      type: revolute\n",
        "mass: 1.5, ",
        "com: [0, 0, 0.1], ",
        "xx: 0.02, ",
        "a: 0.1, ",
        ", convention: standard",
        "shape: cylinder, ",
        "radius: 0.1, ",
        ", length: 0.2",
        "link: c, ",
        ", length: [0, 0, 0.1]",
        "joint: j, ",
    ):
        yield f"without {key.strip()}", changed(YAML, key, "")
    for old, new in (
        ("name: good", "name: [good]"),
        ("name: good", "name: ''"),
        ("name: good", "nom: good"),
        ("revolute", "hinge"),
        ("cylinder", "cone"),
        ("standard", "classic"),
        ("false", "perhaps"),
        ("mass: 1.5", "mass: -1.5"),
        ("mass: 1.5", "mass: 0"),
        ("xx: 0.02", "xx: -0.02"),
        ("radius: 0.1", "radius: 0"),
        ("lower: -1", "lower: 3"),
        ("velocity: 3", "velocity: -3"),
        ("viscous: 0.1", "viscous: -0.1"),
        ("inertia: 1.0e-4", "inertia: -1.0e-4"),
        ("axis: [0, 0, 1]", "axis: [0, 0, 0]"),
        ("axis: [0, 0, 1]", "axis: [0, 1]"),
        ("90 deg", "90 grad"),
        ("90 deg", "deg"),
        ("parent: base", "parent: nobody"),
        ("parent: base", "parent: c"),
        ("parent: b\n", "parent: c\n"),
        ("name: c", "name: b"),
        ("name: k", "name: j"),
        ("name: tool", "name: b"),
        ("link: c", "link: nobody"),
        ("tips: [tool]", "tips: [nobody]"),
        ("tips: [tool]", "tips: []"),
        ("joint: j,", "joint: k,"),
        ("joint: j,", "joint: nobody,"),
        ("    dh:", "    origin: {xyz: [0, 0, 0]}\n    dh:"),
        ("type: prismatic", "type: prismatic, axis: [0, 0, 1]"),
        ("type: prismatic", "type: fixed"),
        ("    inertia:", "    parts: [{shape: point, mass: 1}]\n    inertia:"),
        ("type: revolute", "type: continuous"),
        ("gravity:", "links: []\ngravity:"),
        ("gravity: [0, 0, -9.81]", "gravity: down"),
        ("name: good", "name: !!python/name:os.system x"),
        ("links:", "links: 5\nlinks:"),
        ("frames:", "frames:\n\t"),
        ("[0, 0, 1]", "[0, 0, 1"),
        ("name: good", "? [a]\n: b"),
        ("base: {name: base}", "base: &x {name: *x}"),
        ("name: b\n", "name: *nowhere\n"),
        ("parts: [{", "parts: {"),
        ("parts: [", "parts: [] # ["),
    ):
        yield f"{old} -> {new}", changed(YAML, old, new)
    yield "deep nesting", "name: x\nlinks: " + "[" * 50_000
    yield "deep blocks", "\n".join(" " * i + "a:" for i in range(2000))
    yield "alias bomb", ALIAS_BOMB
    yield "a list", "- a\n- b\n"
    yield "a word", "robot\n"
    yield "two documents", YAML + "---\n" + YAML
    yield "half a character", YAML.replace("good", "\ud800")
    yield "control characters", "name: \x00\x01\x02\n"


def large_texts():
    """(name, text) of texts that are not too long, but would take for ever if taken seriously."""
    yield "many links", '<robot name="r">' + '<link name="a"/>' * 300_000 + "</robot>"
    yield "long name", f'<robot name="r"><link name="{"a" * 9_000_000}"/></robot>'
    yield "long vector", URDF.replace('xyz="0 0 0.2"', f'xyz="{"0 " * 4_000_000}"')
    yield "long list", "name: a\nlinks: [" + "1," * 4_000_000 + "]"
    yield "many empty links", "name: a\nlinks: [" + "{}," * 60_000 + "]"
    yield "deep flow", "[\n" * 4_000_000


def broken_files():
    """(name, bytes) of files that are no robots at all."""
    yield "empty", b""
    yield "blank", b"  \n\n"
    yield "binary", bytes(range(256)) * 40
    yield "latin 1", URDF.replace("good", "gr\u00fcn").encode("latin-1")
    yield "utf 16", URDF.encode("utf-16")
    yield "zip", b"PK\x03\x04\x14\x00\x00\x00\x08\x00"
    yield "too long", b"#" * 10_000_001
