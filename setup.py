"""The rdyn_ros package: an ament_python package that pip installs as well."""
import os
import sysconfig
from pathlib import Path

from setuptools import Extension, find_packages, setup

try:
    import numpy
    INCLUDE = [numpy.get_include()]
except ImportError:
    INCLUDE = []

NAME = "rdyn_ros"
ROS = [Path(prefix) for prefix in os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep) if prefix]
EXTENSIONS = {  # module: sources; each has a slower stand-in in Python, so a failed build is no error
    "rdyn_ros.kernels._call": ["rdyn_ros/kernels/_call.c"],
    "rdyn_ros.ik._solve": ["rdyn_ros/ik/_solve.c"],
    "rdyn_ros.nodes._answer": ["rdyn_ros/nodes/_answer.c", "rdyn_ros/nodes/_rcl_calls.cpp"],
}
PINNED = ["setup.py", "constraints.txt"]  # options, and versions of what is compiled against
LOCK = Extension(  # has no stand-in: nodes say so where it could not be built
    "rdyn_ros.nodes._fast_cdr", ["rdyn_ros/nodes/_fast_cdr.cpp"], libraries=["fastcdr"], optional=True, depends=PINNED,
    include_dirs=[str(prefix / "include") for prefix in ROS],
    library_dirs=[str(prefix / "lib" / below) for prefix in ROS
                  for below in ("", sysconfig.get_config_var("MULTIARCH") or "")])
NODES = ("dynamics_node", "control_node", "simulator_node", "viewer_node")


def shared(folder, pattern):
    """(target, files) pairs that put the files of a folder under share/rdyn_ros, as they lie."""
    folders = {}
    for path in sorted(Path(folder).rglob(pattern)):
        if path.is_file() and path.suffix != ".pyc":
            folders.setdefault(f"share/{NAME}/{path.parent}", []).append(str(path))
    return list(folders.items())


setup(
    name=NAME,
    version="0.1.0",
    description="Rigid-body kinematics and dynamics of any robot, as a Python library and as ROS 2 nodes.",
    maintainer="rdyn_ros developers",
    maintainer_email="dev@example.com",
    license="Apache-2.0",
    python_requires=">=3.11",
    packages=find_packages(include=[NAME, f"{NAME}.*"]),
    package_data={NAME: ["**/*.json", "**/*.yaml", "**/*.c", "**/*.cpp", "**/*.h", "**/*.in", "**/*.xml"]},
    ext_modules=[Extension(name, sources, include_dirs=INCLUDE, optional=True,
                           extra_compile_args=["-fno-math-errno"],      # roots without a call, and in vectors
                           depends=[*sorted(map(str, Path(sources[0]).parent.glob("*.h"))), *PINNED])
                 for name, sources in EXTENSIONS.items() if Path(sources[0]).exists()] + [LOCK],
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
        *shared("launch", "*.py"),
        *shared("config", "*"),
    ],
    install_requires=["jsonschema", "llvmlite", "numpy", "pyyaml", "rich", "scipy"],
    extras_require={"viewer": ["pycollada", "viser"], "xacro": ["xacro"], "recording": ["matplotlib", "rosbags"]},
    zip_safe=False,
    entry_points={
        "console_scripts": [
            f"{command} = {NAME}.cli.executables:{command}" for command in ("rdyn", *NODES)
        ],
    },
)
