# make demo | test | bench | soak | lint | docs | setup | clean
# Every target sets up what it needs in .venv, once: stamps in .venv/stamps remember what is done.

PYTHON  ?= python3
SECONDS ?= 0
WORKERS ?= 3

V      := $(CURDIR)/.venv
PY     := $(V)/bin/python
STAMPS := $(V)/stamps
LOG    := $(V)/setup.log
NODES  := dynamics_node control_node simulator_node viewer_node

# A sourced ROS 2 installation must not mix with the one in .venv.
unexport PYTHONPATH LD_LIBRARY_PATH CMAKE_PREFIX_PATH COLCON_PREFIX_PATH _ROS_WHEELS_BOOTSTRAP_COMPLETE
# Without kept bytecode a node takes twice the time to start.
unexport PYTHONDONTWRITEBYTECODE
export AMENT_PREFIX_PATH := $(V)
export PATH := $(V)/bin:$(PATH)
export PIP_DISABLE_PIP_VERSION_CHECK := 1

INTERFACES := $(shell find rdyn_interfaces cmake -type f)
SOURCES    := setup.py setup.cfg package.xml $(shell find rdyn_ros launch config resource -type f \
                -not -name '*.pyc' -not -name '*.so' 2>/dev/null)

.DELETE_ON_ERROR:
.PHONY: demo test bench soak lint docs setup setup-test clean

demo: setup
	@$(V)/bin/rdyn demo --seconds $(SECONDS)

# pytest ends with 5 where it finds no test; ARGS may name tests of one kind only, but some.
test: lint
	@$(PY) -m pytest -q -n $(WORKERS) -m "not alone" $(ARGS); first=$$?; [ $$first = 0 -o $$first = 5 ] || exit $$first; \
	echo "pytest: what measures times, while nothing else runs"; \
	$(PY) -m pytest -q -m alone $(ARGS); second=$$?; [ $$first = 0 -a $$second = 5 ] || exit $$second

bench: $(STAMPS)/bench setup
	@$(PY) -m bench $(ARGS)

soak: setup-test
	@$(PY) -m bench.soak $(ARGS)

lint: setup-test
	@echo "ruff: style and likely mistakes"
	@$(V)/bin/ruff check .

docs: setup-test
	@$(PY) -m rdyn_ros.nodes.parameter_files config
	@$(PY) -m tools.parameter_reference
	@$(PY) -m tools.interface_reference
	@$(PY) -m tools.robot_reference
	@$(PY) -m sphinx -W -q -b html docs build/docs && echo "the site is in build/docs/index.html"

setup: $(STAMPS)/package
setup-test: $(STAMPS)/test setup

clean:
	rm -rf $(V) build install log .pytest_cache .ruff_cache .hypothesis
	find rdyn_ros bench test -name '*.so' -delete -o -name '*.pyc' -delete

# Runs a command quietly; when it fails, shows the end of the log and where the rest is.
define quietly
{ $(1); } >>$(LOG) 2>&1 || { tail -n 20 $(LOG); echo "rdyn_ros: the set-up stopped here; all of its output is in $(LOG)" >&2; exit 1; }
endef

define install
set -o pipefail; $(PY) -m pip install --no-compile --progress-bar off -r $(1) -c constraints.txt 2>>$(LOG) | tee -a $(LOG) | awk -v live=$$(test -t 2 && echo 1) -f tools/count_packages.awk \
  || { tail -n 20 $(LOG); echo "rdyn_ros: packages could not be installed; all of pip's output is in $(LOG)" >&2; exit 1; }
endef
SHELL := /bin/bash

$(STAMPS)/venv:
	@tools/prerequisites.sh $(PYTHON)
	@echo "[1/4] a Python environment in .venv ($(shell $(PYTHON) --version 2>&1))"
	@mkdir -p $(STAMPS)
	@$(call quietly,$(PYTHON) -m venv $(V))
	@touch $@

$(STAMPS)/requirements: requirements.txt constraints.txt | $(STAMPS)/venv
	@echo "[2/4] pinned packages, ROS 2 among them (about 400 MB; a minute or two)"
	@$(call install,$<)
	@touch $@

$(STAMPS)/interfaces: $(INTERFACES) | $(STAMPS)/requirements
	@echo "[3/4] rdyn_interfaces: generating and compiling the services (one to two minutes)"
	@$(call quietly,cmake -S rdyn_interfaces -B build/rdyn_interfaces -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF \
	  -DCMAKE_PREFIX_PATH=$(V) -DPython3_EXECUTABLE=$(PY) -DCMAKE_INSTALL_PREFIX=$(V) \
	  -DCMAKE_PROJECT_INCLUDE=$(CURDIR)/cmake/ros_wheels_fix.cmake)
	@$(call quietly,cmake --build build/rdyn_interfaces -j $(shell nproc) && cmake --install build/rdyn_interfaces)
	@touch $@

# What was compiled stays: setuptools makes it anew where its sources have changed.
# pip puts executables in bin; ros2 run and launch look for them in lib/rdyn_ros.
$(STAMPS)/package: $(SOURCES) $(STAMPS)/interfaces
	@echo "[4/4] rdyn_ros itself (about a minute)"
	@rm -rf build/bdist*
	@mkdir -p build && find build -path 'build/lib*' -type f -not -name '*.so' -delete
	@$(call quietly,$(PY) setup.py -q build_ext --inplace)
	@$(call quietly,$(PY) -m pip install --no-deps --no-build-isolation --force-reinstall .)
	@mkdir -p $(V)/lib/rdyn_ros
	@for node in $(NODES) rdyn; do ln -sf ../../bin/$$node $(V)/lib/rdyn_ros/$$node; done
	@touch $@

$(STAMPS)/test: requirements-test.txt constraints.txt | $(STAMPS)/requirements
	@echo "[+]   packages for tests"
	@$(call install,$<)
	@touch $@

$(STAMPS)/bench: requirements-bench.txt constraints.txt | $(STAMPS)/test
	@echo "[+]   packages for benchmarks"
	@$(call install,$<)
	@touch $@
