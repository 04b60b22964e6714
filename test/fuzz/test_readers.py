"""Damaged files of every kind are accepted or refused in words."""

from bench.fuzz.readers import reader_trials


def test_damaged_files_are_accepted_or_refused_in_words(outcomes):
    outcomes(reader_trials(3000))
