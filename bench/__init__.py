"""Benchmarks: `python -m bench [section ...] [--strict]`, or `make bench`.

A section is a module of this package, listed in SECTIONS, with a TITLE and a function rows() that yields
bench.row.Row objects, one per figure; each carries what was measured, the peer's figure from the same run,
and the target if there is one. Contenders run in turns (bench.measure: in one process, medians), so that a busy or
slow machine changes all of them alike. What peers need is in requirements-bench.txt.
"""
SECTIONS = ("single", "batch", "compilation", "growth", "ik", "budgets", "node", "changes", "serialized", "control")
