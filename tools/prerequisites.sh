#!/bin/sh
# Says in one sentence what this machine lacks for the set-up, before anything is downloaded. Usage: prerequisites.sh PYTHON
python=$1
missing=
lacks() { missing="${missing:+$missing, }$1"; }

if ! command -v "$python" >/dev/null; then
    lacks "Python >= 3.11 ($python)"
elif ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    lacks "Python >= 3.11 ($python is $("$python" -c 'import platform; print(platform.python_version())'))"
else
    "$python" -c 'import ensurepip, venv' 2>/dev/null || lacks "Python's venv module (python3-venv)"
    "$python" -c 'import os, sysconfig as s; open(os.path.join(s.get_path("include"), "Python.h"))' 2>/dev/null \
        || lacks "Python's headers (python3-dev)"
fi
command -v cmake >/dev/null || lacks "cmake >= 3.21 (cmake)"
command -v "${CC:-cc}" >/dev/null || lacks "a C compiler (gcc)"
command -v "${CXX:-c++}" >/dev/null || lacks "a C++ compiler (g++)"
case "$(uname -s) $(uname -m)" in
    "Linux x86_64") ;;
    *) lacks "Linux on x86_64, for which ROS 2 wheels exist (elsewhere use your ROS 2 installation and colcon build)" ;;
esac

[ -z "$missing" ] && exit 0
echo "rdyn_ros cannot be set up: install what is missing and run make again: $missing." >&2
exit 2
