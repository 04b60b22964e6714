"""Machine code on disk: kept, shared, and never loaded when it could be somebody else's."""
import os
import stat
import subprocess
import sys
import warnings

import numpy as np
import pytest

from rdyn_ros import Robot
from rdyn_ros.kernels import cache, machine
from support.compiler import wait_until_idle
from support.trees import random_tree

MODEL = random_tree(seed=8, bodies=3)
Q = np.array([0.1, 0.2, 0.3])


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    wait_until_idle()               # what other tests asked for must not land in this folder
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(cache, "_warned", False)
    return tmp_path / "rdyn_ros"


@pytest.fixture
def compilations(monkeypatch):
    """How often machine code was made."""
    made, real = [], machine.object_code
    monkeypatch.setattr(machine, "object_code", lambda ir: made.append(1) or real(ir))
    return made


def answer():
    robot = Robot(MODEL)
    robot.compile("gravity_torque")
    return robot.gravity_torque(Q)


def only_file(folder):
    path, = folder.iterdir()
    return path


def test_the_second_robot_finds_the_code_of_the_first(folder, compilations):
    first = answer()
    assert len(compilations) == 1
    np.testing.assert_array_equal(answer(), first)
    assert len(compilations) == 1
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_another_robot_or_gravity_has_its_own_code(folder, compilations):
    answer()
    other = Robot(MODEL).with_gravity([0.0, 0.0, -1.62])
    other.compile("gravity_torque")
    assert len(compilations) == 2


@pytest.mark.parametrize("damage", [
    lambda data: b"", lambda data: data[:40], lambda data: data[:-1], lambda data: b"ELF" + data,
    lambda data: data[:-9] + b"\xcc" + data[-8:], lambda data: b"\0" * len(data)])
def test_a_damaged_file_is_ignored_and_rebuilt(folder, compilations, damage):
    expected = answer()
    path = only_file(folder)
    path.write_bytes(damage(path.read_bytes()))
    np.testing.assert_array_equal(answer(), expected)
    assert len(compilations) == 2
    np.testing.assert_array_equal(answer(), expected)
    assert len(compilations) == 2


def test_a_file_under_another_name_is_ignored(folder):
    cache.save("one", {}, b"code")
    assert cache.load("one") == ({}, b"code")
    (folder / "one").rename(folder / "two")
    assert cache.load("two") is None


def test_a_file_that_others_can_write_is_never_loaded(folder, compilations):
    answer()
    only_file(folder).chmod(0o666)
    answer()
    assert len(compilations) == 2


def test_a_link_is_never_followed(folder, compilations, tmp_path):
    answer()
    path = only_file(folder)
    target = path.rename(tmp_path / "elsewhere")
    path.symlink_to(target)
    answer()
    assert len(compilations) == 2


def test_a_file_of_another_user_is_never_loaded(folder, compilations, monkeypatch):
    answer()
    owner = only_file(folder).stat().st_uid
    monkeypatch.setattr(cache.os, "geteuid", lambda: owner + 1)     # only root could give the file away instead
    with pytest.warns(RuntimeWarning, match="belongs to another user"):
        answer()
    assert len(compilations) == 2


def test_a_folder_that_others_can_write_is_not_used(folder, compilations):
    folder.mkdir()
    folder.chmod(0o777)
    with pytest.warns(RuntimeWarning, match="not kept"):
        answer()
    assert not list(folder.iterdir())


def test_a_folder_that_others_can_read_is_closed_to_them(folder, compilations):
    folder.mkdir()
    for _ in ("saved", "loaded"):
        folder.chmod(0o755)
        answer()
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert len(compilations) == 1


def test_nothing_is_loaded_from_a_folder_that_others_can_write(folder, compilations):
    answer()
    folder.chmod(0o777)
    with pytest.warns(RuntimeWarning, match="not kept"):
        answer()
    assert len(compilations) == 2


def test_a_disk_that_cannot_be_written_costs_one_warning(folder, compilations):
    folder.parent.joinpath("rdyn_ros").write_text("a file where the folder should be")
    with pytest.warns(RuntimeWarning, match="not kept"):
        answer()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        answer()
    assert len(compilations) == 2


def test_a_full_disk_costs_one_warning_and_leaves_nothing_behind(folder, compilations, monkeypatch):
    def full(descriptor, mode):
        os.close(descriptor)
        raise OSError(28, "No space left on device")
    monkeypatch.setattr(cache.os, "fdopen", full)
    with pytest.warns(RuntimeWarning, match="No space left"):
        answer()
    assert not list(folder.iterdir())


def test_a_user_without_a_home_gets_code_and_one_warning(compilations, monkeypatch):
    def homeless():
        raise RuntimeError("Could not determine home directory.")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(cache.Path, "home", homeless)
    with pytest.warns(RuntimeWarning, match="home directory"):
        answer()
    assert len(compilations) == 1


def test_the_oldest_files_go_when_there_are_too_many(folder, monkeypatch):
    monkeypatch.setattr(cache, "MOST_FILES", 3)
    for k in range(5):
        cache.save(f"kernel{k}", {}, b"code")
        os.utime(folder / f"kernel{k}", (k, k))
    assert sorted(path.name for path in folder.iterdir()) == ["kernel2", "kernel3", "kernel4"]


def test_two_may_forget_the_same_files_at_once(folder, monkeypatch):
    """Both list the folder before either has deleted anything."""
    monkeypatch.setattr(cache, "MOST_FILES", 1)
    listed = os.scandir

    def other_was_faster(where):
        entries = list(listed(where))
        for entry in entries:
            os.unlink(entry.path)
        return entries

    for name in ("one", "two"):
        cache.save(name, {}, b"code")
    (folder / "three").write_bytes(b"code")
    monkeypatch.setattr(os, "scandir", other_was_faster)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cache.save("four", {}, b"code")


def test_processes_may_share_the_folder(folder):
    script = ("import numpy as np, rdyn_ros as rdyn\n"
              "robot = rdyn.load('planar_2r')\n"
              "robot.compile('gravity_torque', 'fk')\n"
              "print(robot.gravity_torque(np.array([0.1, 0.2])).tolist())")
    command = [sys.executable, "-W", "error", "-c", script]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    answers = [process.communicate(timeout=120)[0] for process in processes]
    assert answers[0]
    assert len(set(answers)) == 1
    assert len(list(folder.iterdir())) == 2
