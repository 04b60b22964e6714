"""A bar that turns without limits, about a vertical axis."""
BAR = """
name: bar
links:
  - name: bar
    parent: base
    joint: {name: hinge, type: continuous, axis: [0, 0, 1], limits: {velocity: 3.0, effort: 50.0}}
    inertia: {mass: 4.0, com: [0.1, 0, 0], tensor: {xx: 0.01, yy: 0.05, zz: 0.05}}
"""
