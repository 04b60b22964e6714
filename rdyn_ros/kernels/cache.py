"""Machine code on disk, so that the next process starts with it.

Code is loaded only from files that belong to this user and that nobody else can write. Writing is atomic, so
any number of processes may share the folder; a file that is truncated, changed or foreign is ignored and
rebuilt. A disk that cannot be written costs one warning and no more.
"""
import hashlib
import json
import os
import stat
import tempfile
import warnings
from contextlib import suppress
from functools import cache
from pathlib import Path

import llvmlite
import numpy as np

from .. import __version__

MAGIC = b"rdyn_ros kernel 1\n"
DIGEST = 32             # bytes of a sha256
MOST_FILES = 1000       # the oldest go first
_PACKAGE = Path(__file__).parent.parent
_warned = False


def folder():
    """Folder of the cache: rdyn_ros in the user's cache folder; OSError when the user has no home."""
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rdyn_ros"
    except RuntimeError as error:
        raise FileNotFoundError(str(error)) from None


@cache
def _sources():
    """Hash of the Python sources that decide what the machine code does."""
    digest = hashlib.sha256()
    for name in ("spatial", "model", "algorithms", "kernels", "ik"):
        for path in sorted((_PACKAGE / name).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()


def key(*parts):
    """File name for what depends on the given parts, the sources, the versions of the packages."""
    everything = [*parts, _sources(), __version__, np.__version__, llvmlite.__version__]
    return hashlib.sha256(json.dumps(everything).encode()).hexdigest()


def load(name):
    """(facts, code) stored under a name, or None."""
    try:
        descriptor = os.open(_made() / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or not _ours(status):
            return None
        content = file.read()
    start = len(MAGIC) + DIGEST
    body = content[start:]
    if content[:start] != _seal(name, body):
        return None
    facts, _, code = body.partition(b"\n")
    return json.loads(facts), code


def save(name, facts, code):
    """Stores code with its facts (JSON) under a name; warns once when that is not possible."""
    body = json.dumps(facts).encode() + b"\n" + code
    try:
        where = _made()
        descriptor, temporary = tempfile.mkstemp(dir=where, prefix=".new")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(_seal(name, body) + body)
            os.replace(temporary, where / name)
        except BaseException:
            os.unlink(temporary)
            raise
        _forget_oldest(where)
    except OSError as error:
        _warn(f"compiled kernels are not kept: {error}; each process compiles anew (set XDG_CACHE_HOME to a "
              "folder of your own to change that)")


def _seal(name, body):
    """What a file begins with: it fits neither other content nor another name."""
    return MAGIC + hashlib.sha256(name.encode() + body).digest()


def _ours(status):
    return status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _made():
    """The folder, there and closed to others."""
    where = folder()
    where.parent.mkdir(parents=True, exist_ok=True)
    where.mkdir(mode=0o700, exist_ok=True)
    status = where.stat()
    if not _ours(status):
        raise PermissionError(f"{where} belongs to another user or can be written by others")
    if status.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        with suppress(OSError):     # on a disk that cannot be written nobody can change it
            where.chmod(0o700)
    return where


def _forget_oldest(where):
    files = [entry for entry in os.scandir(where) if not entry.name.startswith(".")]
    if len(files) > MOST_FILES:
        for entry in sorted(files, key=_written)[:len(files) - MOST_FILES]:
            Path(entry.path).unlink(missing_ok=True)


def _written(entry):
    try:
        return entry.stat().st_mtime
    except FileNotFoundError:       # another process has forgotten it already
        return 0.0


def _warn(text):
    global _warned
    if not _warned:
        _warned = True
        warnings.warn(text, RuntimeWarning, stacklevel=3)
