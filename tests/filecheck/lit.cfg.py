# ruff: noqa: F821 (lit defines config and lit_config)
"""How lit finds and runs the FileCheck tests."""

import importlib.util
import os
import platform
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness.in_process_lit import InProcessShTest

config.name = "xdsl-relax"
# One hung test must not hang the run.
config.test_format = InProcessShTest(seconds=300)
config.suffixes = [".mlir"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.environ.get("RELAX_LIT_OUTPUT", os.path.join(os.path.dirname(__file__), "Output"))
config.environment["COLUMNS"] = "120"

config.maxIndividualTestTime = 300

# The tools beside this interpreter: the virtual environment's, whether it is activated or not.
scripts = str(Path(sys.executable).parent)
config.environment["PATH"] = os.pathsep.join([scripts, os.environ.get("PATH", "")])
config.substitutions.append(("%examples", str(Path(__file__).parents[2] / "examples")))
config.substitutions.append(("%python", sys.executable))

config.available_features.add(platform.machine())

if importlib.util.find_spec("tvm") is not None:
    config.available_features.add("tvm")

# Upstream MLIR of the LLVM that we generate code with: a test says `// REQUIRES: mlir-opt` and calls `mlir-opt`.
UPSTREAM = {"mlir-opt": "22", "mlir-runner": "22", "mlir-translate": "22"}
for tool, version in UPSTREAM.items():
    path = shutil.which(f"{tool}-{version}")
    if path is not None:
        config.available_features.add(tool)
        # The name alone, not as part of another one (mlir-opt-22) or of an option.
        config.substitutions.append((rf"(?<![\w/-]){tool}(?![\w-])", path))
    elif os.environ.get("RELAX_REQUIRE_UPSTREAM"):
        lit_config.fatal(f"RELAX_REQUIRE_UPSTREAM is set and {tool}-{version} is not installed (Debian: mlir-22-tools)")
if {*UPSTREAM} <= config.available_features:
    config.available_features.add("upstream-mlir")
