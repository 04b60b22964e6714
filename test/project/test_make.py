"""make sets up once, says what is missing first, and starts at once the second time."""
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from support.clean_environment import clean_environment

STEPS = ("venv", "requirements", "interfaces", "package", "test")


def make(source, *arguments, **environment):
    """Runs make on the repository's Makefile."""
    return subprocess.run(["make", "-C", source, *arguments], text=True, capture_output=True,
                          env=clean_environment(**environment))


@pytest.fixture
def ready(tmp_path):
    """A folder that looks to make like an environment in which everything is done."""
    stamps = tmp_path / "stamps"
    stamps.mkdir()
    for age, step in enumerate(reversed(STEPS)):
        (stamps / step).touch()
        os.utime(stamps / step, (time.time() + 60 - age,) * 2)
    return tmp_path


def test_a_second_run_has_nothing_to_set_up_and_starts_within_three_seconds(source, ready):
    before = os.times()
    answer = make(source, "-q", "setup-test", f"V={ready}")
    after = os.times()
    assert answer.returncode == 0, answer.stdout + answer.stderr
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    assert spent < 3.0  # [s] of a processor: a busy machine does not count


@pytest.mark.parametrize(("changed", "steps"), [
    ("requirements-test.txt", {"+"}), ("rdyn_ros/__init__.py", {"4/4"}), ("requirements.txt", {"2/4"}),
    ("constraints.txt", {"2/4", "+"}),
    ("rdyn_interfaces/srv/SetMode.srv", {"3/4", "4/4"}), ("config/robots/planar_2r.yaml", {"4/4"})])
def test_only_what_changed_is_set_up_again(source, ready, changed, steps):
    answer = make(source, "-n", f"-W{changed}", "setup-test", f"V={ready}")
    assert set(re.findall(r'echo "\[(.+?)\]', answer.stdout)) == steps


def only(folder, *names):
    """A PATH on which nothing but the named commands is found."""
    folder.mkdir()
    for name in names:
        (folder / name).symlink_to(shutil.which(name))
    return str(folder)


@pytest.mark.parametrize(("lacking", "said"), [
    ("cmake", "cmake >= 3.21"), ("cc", "a C compiler"), ("c++", "a C++ compiler"),
    ("python3", "Python >= 3.11")])
def test_a_missing_prerequisite_is_told_in_one_sentence_before_any_download(source, tmp_path, lacking, said):
    names = {"sh", "bash", "make", "uname", "find", "python3", "cmake", "cc", "c++"} - {lacking}
    path = only(tmp_path / "bin", *names)
    answer = make(source, "setup", f"V={tmp_path / 'venv'}", PATH=path)
    assert answer.returncode == 2
    sentences = [line for line in answer.stderr.splitlines() if "cannot be set up" in line]
    assert len(sentences) == 1 and said in sentences[0]
    assert not (tmp_path / "venv").exists()


@pytest.mark.parametrize(("failing", "said"), [("import ensurepip", "venv module"), ("Python.h", "headers")])
def test_a_python_without_venv_or_headers_is_told(source, tmp_path, failing, said):
    python = tmp_path / "python3"
    fails = f'case "$2" in *"{failing}"*) exit 1 ;; esac'
    python.write_text(f'#!/bin/sh\n{fails}\nexec {shutil.which("python3")} "$@"\n')
    python.chmod(0o755)
    answer = make(source, "setup", f"V={tmp_path / 'venv'}", f"PYTHON={python}")
    assert said in answer.stderr
    assert not (tmp_path / "venv").exists()


def test_the_gate_calls_make_test(source):
    gate = Path(source, ".ci", "run")
    assert os.access(gate, os.X_OK)
    assert "make test" in gate.read_text()
