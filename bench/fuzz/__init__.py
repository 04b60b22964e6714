"""Damaged input of every kind: each must be accepted or refused in words, quickly, and never crash."""
