"""Numbers of things in words."""


def counted(number, thing):
    """"1 error", "2 errors"."""
    return f"{number} {thing}{'' if number == 1 else 's'}"
