"""Benchmarks: `python -m bench [section ...] [--strict]`, or `make bench`.

A section is a module of this package, listed in SECTIONS, with a TITLE and a function rows() that yields
bench.row.Row objects, one per figure; each carries what was measured, the peer's figure from the same run,
and the target if there is one. bench.measure runs contenders in turns in one process and gives medians, so
that a busy or slow machine changes all of them alike. A section that needs a package which is not installed
leaves those rows out.
"""
SECTIONS = ("single", "batch", "compilation", "growth", "ik", "node", "changes", "serialized", "control")
