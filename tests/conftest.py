"""Makes the modules beside this file importable from the tests; options that choose the CPU and a part of the tests."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl_relax.runtime.cache.settings import FOLDER_VARIABLE, OFF
from xdsl_relax.runtime.executable.executable import Executable
from xdsl_relax.targets.cpu import TARGET_VARIABLE, UnknownTargetError, cpu_target, lacking
from xdsl_relax.tools import parsed_program

sys.path.insert(0, str(Path(__file__).parent))

from harness.sampling import is_sampled, sampled, set_share

# Threads of torch and of ours that wait for work leave the processor to the tests of other processes.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

# What tests compile is compiled, in processes that they start as well; the tests of the cache give it folders of their own.
os.environ[FOLDER_VARIABLE] = OFF

ANY_TARGET = frozenset(
    f"test_{name}.py"
    for name in """
    aarch64 bisect cache compiling_threads depth docs explain foreign_arrays fuzz generated_symbols interface
    jit_memory library library_c library_wasm mlc_models mlir_runner onnx_checked_sizes onnx_export
    onnx_export_models onnx_node_suite out_of_tree processes profile report run_state shown_functions shown_sizes
    stablehlo stablehlo_damaged stablehlo_export stablehlo_export_ops stablehlo_platform torch_compile torch_ops
    xdsl_unchanged
    """.split()
)
"""End-to-end tests of what is the same at each target (importers, tools, processes): no sample at a target has them."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--target", metavar="CPU", help="compile what the tests run for this CPU (default: native)")
    parser.addoption(
        "--mlc",
        metavar="PATH",
        default=os.environ.get("MLC_LLM"),
        help="a checkout of MLC-LLM, whose model files are run (default: the environment variable MLC_LLM)",
    )
    parser.addoption(
        "--sample",
        type=int,
        default=1,
        metavar="N",
        help="run about one of N tests (at a target, of those that depend on it), chosen by the checksum of its name and the target's",
    )
    parser.addoption(
        "--sweeps",
        type=int,
        default=1,
        metavar="N",
        help="run about one of N cases of the sweeps, chosen by the checksum of its name; all of everything else",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "sweep: tries one mechanism on many cases, of which `--sweeps` runs a share")
    share = config.getoption("--sweeps")
    assert isinstance(share, int)
    set_share(share)
    name = config.getoption("--target")
    if name is None:
        return
    try:
        reason = lacking(cpu_target(name))
    except UnknownTargetError as error:
        raise pytest.UsageError(f"--target: {error}") from None
    if reason:
        raise pytest.UsageError(f"--target {name}: {reason}")
    os.environ[TARGET_VARIABLE] = name


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return True if config.getoption("--target") and collection_path.name in ANY_TARGET else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    count, target = config.getoption("--sample"), config.getoption("--target") or ""
    assert isinstance(count, int)

    sweeps: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("sweep") and hasattr(item, "callspec"):
            sweeps.setdefault(item.nodeid.partition("[")[0], []).append(item)
    left_out = {item for cases in sweeps.values() for item in {*cases} - {*sampled(cases, lambda case: case.nodeid)}}

    def runs(item: pytest.Item) -> bool:
        return item not in left_out and (count == 1 or is_sampled(f"{target} {item.nodeid}", count))

    kept = {item for item in items if runs(item)}
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = [item for item in items if item in kept]


@pytest.fixture(scope="module")
def compiled_once() -> Iterator[None]:
    """Makes `relax-run` compile a program once for all calls of it in a file, whatever their entries and sizes."""
    executables: dict[object, Executable] = {}
    compile_module = parsed_program.compile_module

    def compile_once(module: ModuleOp, **options: Any) -> Executable:
        key = str(module), *options.items()
        if key not in executables:
            executables[key] = compile_module(module, **options)
        return executables[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parsed_program, "compile_module", compile_once)
        yield


def pytest_collection_finish() -> None:
    """Keeps the cycle collector from walking what stays for the whole run, and from walking each module that a test makes."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 10, 10)
