"""Calls from threads with small stacks: kernels have panels and tiles there."""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
import threading
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xdsl_relax
from xdsl_relax.runtime.cache.settings import FOLDER_VARIABLE
from xdsl_relax.runtime.interface.json_form import from_json, to_json
from xdsl_relax.runtime.machine.stacks import RESERVE, StackError, stack_bytes
from xdsl_relax.runtime.machine.threads import find_openmp

needs_torch = pytest.mark.skipif(find_spec("torch") is None, reason="needs torch")
needs_unlimited_stacks = pytest.mark.skipif(
    resource.getrlimit(resource.RLIMIT_STACK)[1] != resource.RLIM_INFINITY,
    reason="the limit of stacks cannot be raised",
)

TYPES = "(tensor<1x32x24x24xf32>, tensor<32x32x3x3xf32>) -> tensor<1x32x24x24xf32>"
CONVOLUTION = f"""
func.func @main(%x: tensor<1x32x24x24xf32>, %w: tensor<32x32x3x3xf32> {{relax.name = "w"}}) -> tensor<1x32x24x24xf32>
    attributes {{relax.num_input = 1 : i64}} {{
  %y = relax.nn.conv2d %x, %w {{padding = array<i64: 1, 1, 1, 1>}} : {TYPES}
  return %y : tensor<1x32x24x24xf32>
}}
func.func @small(%x: tensor<4xf32>) -> tensor<4xf32> {{
  %y = relax.nn.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}}
"""


@pytest.fixture(scope="module")
def with_cache(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Returns the environment of processes that compile a program once, whichever of them comes first."""
    return {**os.environ, FOLDER_VARIABLE: str(tmp_path_factory.mktemp("cache"))}


def in_thread(nbytes: int, function: Callable[[], Any]) -> Any:
    """Returns what a function returns, or raises, in a thread with such a stack."""
    results: list[Any] = []

    def run() -> None:
        try:
            results.append(function())
        except StackError as error:
            results.append(error)

    before = threading.stack_size(nbytes)
    thread = threading.Thread(target=run)
    thread.start()
    threading.stack_size(before)
    thread.join()
    return results[0]


def test_the_header_of_a_library_says_what_functions_need(tmp_path: Path):
    exe = xdsl_relax.compile(CONVOLUTION, lift=True)
    (needed,) = [item.stack_bytes for item in exe.interface.functions if item.signature.name == "main"]
    xdsl_relax.compile_library(CONVOLUTION, tmp_path, name="net", lift=True, linker="none")
    before_main, _, behind = (tmp_path / "net.h").read_text().partition("relax_status net_main(")
    note = f"Kernels need {-(-needed // 1024)} KiB on the stack of each thread that computes."
    assert note in before_main
    assert note not in behind


@pytest.mark.parametrize("threads", [1, 2])
def test_a_stack_without_room_for_the_kernels_is_an_error(threads: int):
    exe = xdsl_relax.compile(CONVOLUTION, threads=threads, lift=True)
    x = np.random.default_rng(0).standard_normal((1, 32, 24, 24)).astype(np.float32)
    params = exe.transform_params({"w": np.ones((32, 32, 3, 3), np.float32)})
    needed = next(item.stack_bytes for item in exe.interface.functions if item.signature.name == "main")
    assert needed > 1 << 20
    expected, enough = exe["main"](x, params), -(-(needed + RESERVE) // 4096) * 4096
    for _ in range(70):  # Calls after the 64th like it go another way.
        assert exe["main"](x, params).tobytes() == expected.tobytes()
    error = in_thread(256 << 10, lambda: exe["main"](x, params))
    kib = -(-(needed + RESERVE) // 1024)
    assert isinstance(error, StackError)
    assert re.match(rf"main: kernels need a stack of {kib} KiB, this thread has \d+ KiB: ", str(error))
    assert in_thread(enough, lambda: exe["main"](x, params)).tobytes() == expected.tobytes()
    assert in_thread(128 << 10, lambda: exe["small"](np.ones(4, np.float32))).tolist() == [1] * 4
    assert from_json(to_json(exe.interface)) == exe.interface


@pytest.mark.skipif(find_openmp() is None, reason="needs an OpenMP runtime")
def test_memory_that_threads_share_and_their_own_are_on_one_stack():
    """The data of a convolution by Winograd, which two threads transform for one another, and the products of one of them."""
    types = "(tensor<1x256x16x16xf32>, tensor<6x6x256x256xf32>) -> tensor<1x256x14x14xf32>"
    exe = xdsl_relax.compile(
        f"""func.func @main(%x: tensor<1x256x16x16xf32>, %k: tensor<6x6x256x256xf32>) -> tensor<1x256x14x14xf32> {{
          %y = relax.nn.winograd_conv2d %x, %k {{padding = array<i64: 0, 0, 0, 0>}} : {types}
          return %y : tensor<1x256x14x14xf32>
        }}""",
        threads=2,
        target="x86-64-v3",
    )
    rng = np.random.default_rng(0)
    args = [rng.standard_normal(shape, np.float32) for shape in ((1, 256, 16, 16), (6, 6, 256, 256))]
    needed = next(item.stack_bytes for item in exe.interface.functions)
    assert 5 << 19 < needed < 6 << 19
    expected, enough = exe["main"](*args), -(-(needed + RESERVE) // 4096) * 4096
    assert isinstance(in_thread(needed // 2 + RESERVE, lambda: exe["main"](*args)), StackError)
    assert in_thread(enough, lambda: exe["main"](*args)).tobytes() == expected.tobytes()


def test_the_size_of_a_stack_is_that_of_the_thread():
    for nbytes in (128 << 10, 9 << 20):
        # glibc gives a thread the stack of an earlier one that is up to four times as large.
        assert nbytes <= in_thread(nbytes, stack_bytes) <= 4 * nbytes


def test_a_command_whose_stack_is_too_small_says_what_the_shell_must_give(tmp_path: Path, with_cache: dict[str, str]):
    (tmp_path / "p.mlir").write_text(CONVOLUTION)
    command = [sys.executable, "-m", "xdsl_relax.tools.relax_run", "p.mlir"]

    def run(limit: str) -> subprocess.CompletedProcess[str]:
        shell = ["sh", "-c", f'{limit} && exec "$@"', "sh", *command]
        return subprocess.run(shell, cwd=tmp_path, capture_output=True, text=True, env=with_cache)

    small = run("ulimit -s 1024")
    said = re.fullmatch(
        r"relax-run: error: main: kernels need a stack of \d+ KiB, this thread has \d+ KiB: "
        r"say '(ulimit -s \d+)' in the shell first\n",
        small.stderr,
    )
    assert small.returncode == 1 and said is not None, small.stderr
    enough = run(said[1])
    assert (enough.returncode, enough.stderr) == (0, "")


SEVERAL = f"""
import numpy as np, xdsl_relax
exe = xdsl_relax.compile({CONVOLUTION!r}, threads=2, lift=True)
params = exe.transform_params({{"w": np.ones((32, 32, 3, 3), np.float32)}})
print(exe["main"](np.ones((1, 32, 24, 24), np.float32), params)[0, 0, 1, 1].round())
"""


@needs_unlimited_stacks
@pytest.mark.skipif(find_openmp() is None, reason="needs an OpenMP runtime")
def test_threads_of_a_call_have_room_where_stacks_are_not_limited(with_cache: dict[str, str]):
    command = ["sh", "-c", 'ulimit -s unlimited && exec "$0" -c "$1"', sys.executable, SEVERAL]
    run = subprocess.run(command, capture_output=True, text=True, env=with_cache)
    assert (run.returncode, run.stdout) == (0, "288.0\n"), run.stderr


@pytest.mark.skipif(find_openmp() is None, reason="needs an OpenMP runtime")
@pytest.mark.parametrize(
    ("shell", "before"),
    [
        ("OMP_STACKSIZE=1M", ""),
        pytest.param("ulimit -s unlimited &&", "import torch\n", marks=[needs_torch, needs_unlimited_stacks]),
    ],
)
def test_threads_of_a_call_without_room_are_an_error(shell: str, before: str, with_cache: dict[str, str]):
    """Whoever loads the OpenMP runtime decides how large their stacks are."""
    caught = (
        SEVERAL.replace("print(", "try:\n    print(").rstrip() + "\nexcept RuntimeError as error:\n    print(error)\n"
    )
    environment = {name: value for name, value in with_cache.items() if not name.endswith("STACKSIZE")}
    command = ["sh", "-c", f'{shell} exec "$0" -c "$1"', sys.executable, before + caught]
    run = subprocess.run(command, capture_output=True, text=True, env=environment)
    expected = (
        r"main: kernels need a stack of (\d+) KiB, threads of the OpenMP runtime have \d+ KiB: "
        r"set OMP_STACKSIZE=\1K in the environment before the process begins\n"
    )
    assert run.returncode == 0 and re.fullmatch(expected, run.stdout), (run.stdout, run.stderr)
    said = re.search(r"OMP_STACKSIZE=\d+K", run.stdout)
    assert said is not None
    again = subprocess.run(
        ["sh", "-c", f'{shell} {said[0]} exec "$0" -c "$1"', *command[3:]],
        capture_output=True,
        text=True,
        env=environment,
    )
    assert (again.returncode, again.stdout) == (0, "288.0\n"), again.stderr
