"""Damaged files of every kind are accepted or refused in words."""

from bench.fuzz.guard import guarded


def test_damaged_files_are_accepted_or_refused_in_words(outcomes):
    outcomes(guarded("bench.fuzz.readers:reader_trials", 1500))
