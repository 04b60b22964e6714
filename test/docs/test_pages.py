"""Every command and every piece of Python on the pages is run in its order; outputs must agree."""
import contextlib
import doctest
import io
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
from importlib.util import find_spec
from pathlib import Path

import pytest

from rdyn_ros import Robot, load
from rdyn_ros.bringup import describe
from rdyn_ros.cli.main import main
from rdyn_ros.cli.up import split

SOURCE = Path(__file__).resolve().parents[2]
PAGES = sorted(str(path.relative_to(SOURCE)) for path in (SOURCE / "docs").rglob("*.md"))
README = "README.md"
INLINE = re.compile(r"`(?:\.venv/bin/)?((?:rdyn|make|python|ros2 launch) [^`]+)`")
BLOCK = re.compile(r"^```(python|sh|console|pycon|text)\n(.*?)^```$(\n```text\n(.*?)^```$)?", re.M | re.S)
ENDLESS = re.compile(r"rdyn up(?!.*--(dry-run|help))|\w+_node\b")
OUTSIDE = ("make", "colcon", "source", "export", "ssh", "ros2 bag", "ros2 security", "ros2 service", "ros2 topic")
READY = re.compile(r"^\[INFO\] .*\]: ready")
LIMIT = 90.0        # [s] for anything that must end, and for nodes to be ready


class Terminal:
    """Runs the blocks of one page in a folder that looks like the repository.

    What never ends is ended at once, unless `talks`: blocks of the page talk to the nodes that others started.
    """

    def __init__(self, folder, talks):
        self.folder, self.talks, self.names, self.running = folder, talks, {}, []
        for name in ("config", "docs", "examples", "launch", "tools", "requirements.txt"):
            (folder / name).symlink_to(SOURCE / name)

    def python(self, code, expected):
        """Blocks share their names; one that talks to nodes is a process of its own."""
        if "rclpy" in code:
            done = subprocess.run([sys.executable, "-c", code], cwd=self.folder, timeout=LIMIT, text=True,
                                  capture_output=True)
            assert done.returncode == 0, done.stderr
            printed = done.stdout
        else:
            with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.chdir(self.folder):
                exec(compile(code, "page", "exec"), self.names)
            printed = out.getvalue()
        assert not expected or printed == expected

    def pycon(self, session, expected):
        """An interactive session."""
        test = doctest.DocTestParser().get_doctest(session, self.names, "page", None, 0)
        assert not doctest.DocTestRunner().run(test, clear_globs=False).failed

    def sh(self, commands, expected):
        """Lines of a shell script; `ros2 launch` runs as `rdyn up`, which starts the same, `ros2 run` by itself.

        Tools from OUTSIDE are passed over: what `make` does is the set-up of this test and test_demo.py, what
        `colcon` builds is in test_colcon.py, and the wheels of ROS 2 come without its command line.
        """
        assert not expected, "what commands print stands in a console block"
        for line in commands.splitlines():
            words = shlex.split(line, comments=True)
            if line.startswith(tuple(f"{tool} " for tool in OUTSIDE)):
                continue
            if words[:3] == ["ros2", "run", "rdyn_ros"]:
                words = words[3:]
            if words[:3] == ["ros2", "launch", "rdyn_ros"]:
                words = ["rdyn", "up", words[3].removesuffix(".launch.py"), *words[4:]]
            if words and ENDLESS.match(" ".join(words)):
                self.beside(words)
                if not self.talks:
                    self.close()
            elif words:
                self.command(shlex.join(words), None)

    def console(self, text, expected):
        """Commands after `$`, each followed by what it prints; a line `...` stands for any lines."""
        for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
            command, _, output = part.partition("\n")
            self.command(command, output)

    def command(self, command, expected):
        """Runs a command to its end."""
        done = subprocess.run(command, shell=True, cwd=self.folder, timeout=LIMIT, text=True,
                              capture_output=True)
        assert done.returncode == 0, f"{command}: {done.stderr}"
        if expected:
            pattern = re.escape(expected.strip()).replace(r"\.\.\.", ".*?")
            assert re.fullmatch(pattern, done.stdout.strip(), re.S), f"{command} printed\n{done.stdout}"

    def beside(self, words):
        """Starts what never ends and waits until each of its nodes is ready."""
        count = 1
        if words[:2] == ["rdyn", "up"]:
            with contextlib.chdir(self.folder):
                count = len(describe(words[2], **dict(map(split, words[3:]))))
        process = subprocess.Popen(words, cwd=self.folder, text=True, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT)
        decided, lines = threading.Event(), []

        def ready():
            return sum(bool(READY.match(line)) for line in lines) == count

        def listen():
            for line in process.stdout:
                lines.append(line)
                if ready() or "error:" in line:
                    decided.set()
            decided.set()

        threading.Thread(target=listen, daemon=True).start()
        self.running.append((words, process, lines))
        assert decided.wait(LIMIT) and ready(), f"{words}, of {count} nodes: {''.join(lines)}"

    def close(self):
        """Ctrl-C for all that still runs; a clean end is asked of each."""
        for _, process, _ in self.running:
            process.send_signal(signal.SIGINT)
        running, self.running = self.running, []
        ends = [(words, process.wait(LIMIT), lines) for words, process, lines in running]
        bad = [(words, code, "".join(lines)) for words, code, lines in ends if code not in (0, 130)]
        assert not bad, bad


@pytest.mark.processes
@pytest.mark.timeout(300)
@pytest.mark.parametrize("page", [README, *PAGES])
def test_what_the_page_shows_is_what_happens(page, tmp_path):
    text = (SOURCE / page).read_text()
    terminal = Terminal(tmp_path, talks="rclpy" in text)
    try:
        for language, code, _, output in BLOCK.findall(text):
            assert language != "text", f"output of nothing: {code}"
            getattr(terminal, language)(code, output)
    finally:
        terminal.close()


@pytest.mark.parametrize("page", [README, "CONTRIBUTING.md", *PAGES])
def test_commands_within_sentences_work(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for command in INLINE.findall(prose(page)):
        match shlex.split(command):
            case ["make", target]:
                assert subprocess.run(["make", "-n", "-C", SOURCE, target], capture_output=True).returncode == 0
            case ["python", "-m", module, *_]:
                assert find_spec(module)
            case ["ros2", "launch", "rdyn_ros", file, *given]:
                assert main(("up", file.removesuffix(".launch.py"), *given, "--dry-run")) == 0
            case ["rdyn", verb, *words] if words and not any(word.isupper() for word in words):
                assert main((verb, *words)) == 0
            case ["rdyn", verb, *_]:            # alone, or with a PLACEHOLDER
                with pytest.raises(SystemExit, match="0"):
                    main((verb, "--help"))
            case words:
                pytest.fail(f"no test knows the command {words}")


def prose(page):
    """Text of a page without its blocks."""
    return re.sub(r"^```.*?^```$", "", (SOURCE / page).read_text(), flags=re.M | re.S)


@pytest.mark.parametrize("page", [README, *PAGES])
def test_every_block_has_a_language_so_that_none_is_passed_over(page):
    fences = re.findall(r"^```(.*)$", (SOURCE / page).read_text(), flags=re.M)
    known = {"python", "sh", "console", "pycon", "text", "yaml", "xml", "c", "mermaid", "{toctree}"}
    assert set(fences[::2]) <= known and set(fences[1::2]) <= {""}


def test_the_site_builds_without_a_warning(tmp_path):
    command = [sys.executable, "-m", "sphinx", "-W", "-q", "-b", "html", SOURCE / "docs", tmp_path]
    done = subprocess.run(command, text=True, capture_output=True, timeout=LIMIT,
                          env={**os.environ, "LC_ALL": "C.UTF-8"})
    assert done.returncode == 0, done.stderr
    index = (tmp_path / "index.html").read_text()
    for page in PAGES:
        assert (name := page.removeprefix("docs/").removesuffix(".md")) == "index" or f"{name}.html" in index


def test_generated_pages_are_up_to_date():
    from tools import interface_reference, robot_reference
    for tool in (interface_reference, robot_reference):
        assert tool.PAGE.read_text() == tool.page(), f"run: python -m {tool.__name__}"


def test_the_page_of_the_robot_names_all_that_a_robot_has():
    robot = load("planar_2r")
    page = (SOURCE / "docs/robot.md").read_text()
    attributes = {name for name, value in vars(robot).items() if name[0] != "_" and not callable(value)}
    methods = {name for name in dir(Robot) if name[0] != "_"}
    assert set(re.findall(r"^\| `(\w+)` \|", page, re.M)) == attributes
    assert set(re.findall(r"^\| `robot\.(\w+)\(", page, re.M)) == methods


def test_links_and_pictures_exist():
    for page in (README, *PAGES):
        for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", (SOURCE / page).read_text()):
            assert (SOURCE / page).parent.joinpath(target).exists(), f"{page}: {target}"


@pytest.mark.parametrize("page", ["docs/troubleshooting.md", "docs/viewer.md", "docs/plot.md",
                                  "docs/tutorials/gravity_compensation.md", "docs/tutorials/computed_torque.md"])
def test_every_name_on_the_page_exists(page):
    files = [path for folder in ("rdyn_ros", "rdyn_interfaces", "config") for path in (SOURCE / folder).rglob("*")
             if path.suffix in (".py", ".srv", ".msg", ".yaml")]
    words = set(re.findall(r"\w+", " ".join(path.read_text() for path in files)))
    names = {name for code in re.findall(r"`([^`]+)`", prose(page)) for name in re.findall(r"\b[a-z]+_[a-z_]+\b", code)}
    assert names <= words, names - words
