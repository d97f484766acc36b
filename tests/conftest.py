"""Makes the modules beside this file importable from the tests; options that choose the CPU and a part of the tests."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol
from xdsl.dialects.builtin import ModuleOp
from xdsl_relax.runtime.cache.settings import FOLDER_VARIABLE, OFF
from xdsl_relax.runtime.executable.executable import Executable
from xdsl_relax.runtime.machine.jit import ForeignCodeError
from xdsl_relax.targets.cpu import TARGET_VARIABLE, UnknownTargetError, cpu_target, lacking
from xdsl_relax.tools import parsed_program

sys.path.insert(0, str(Path(__file__).parent))

from harness.at_targets import ANY_TARGET, at_its_target, sample_at, target_of
from harness.sampling import sampled, set_share, spread

# Threads of torch and of ours that wait for work leave the processor to the tests of other processes.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

# What tests compile is compiled, in processes that they start as well; the tests of the cache give it folders of their own.
os.environ[FOLDER_VARIABLE] = OFF


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--target", metavar="CPU", help="compile what the tests run for this CPU (default: native)")
    parser.addoption(
        "--mlc",
        metavar="PATH",
        default=os.environ.get("MLC_LLM"),
        help="a checkout of MLC-LLM, whose model files are run (default: the environment variable MLC_LLM)",
    )
    parser.addoption(
        "--also-at",
        action="append",
        default=[],
        metavar="CPU",
        help="run about one of N end-to-end tests that depend on it also for this CPU, chosen by the checksum of its name and the target's",
    )
    parser.addoption("--sample", type=int, default=10, metavar="N", help="the N of `--also-at` (default: 10)")
    parser.addoption(
        "--sweeps",
        type=int,
        default=1,
        metavar="N",
        help="run about one of N cases of the sweeps, or of as many as a sweep names, chosen by the checksum of its name; "
        "all of everything else (default: 1, all of all)",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "sweep: tries one mechanism on many cases, of which `--sweeps` runs a share; "
        "sweep(N): on fewer, of which it runs about one of N, and each value that several cases have at least once",
    )
    config.addinivalue_line(
        "markers", "any_target: does the same whatever the target is, so that no sample at a target has it"
    )
    config.addinivalue_line(
        "markers", "sampled_inside: at a target, runs with a share of its cases, in place of a share of such tests"
    )
    share = config.getoption("--sweeps")
    assert isinstance(share, int)
    set_share(share)
    for name in _also_at(config):
        _check_target("--also-at", name)
    target = config.getoption("--target")
    if target is not None:
        _check_target("--target", target)
        os.environ[TARGET_VARIABLE] = target


def _check_target(option: str, name: str) -> None:
    """Refuses a target that is unknown, or whose code this machine cannot run."""
    try:
        reason = lacking(cpu_target(name))
    except UnknownTargetError as error:
        raise pytest.UsageError(f"{option}: {error}") from None
    if reason:
        raise pytest.UsageError(f"{option} {name}: {reason}")


def _also_at(config: pytest.Config) -> list[str]:
    names = config.getoption("--also-at")
    assert isinstance(names, list)
    return names


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return True if config.getoption("--target") and collection_path.name in ANY_TARGET else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    sample = config.getoption("--sample")
    assert isinstance(sample, int)
    sweeps: dict[str, list[pytest.Function]] = {}
    for item in items:
        if item.get_closest_marker("sweep") and isinstance(item, pytest.Function) and hasattr(item, "callspec"):
            sweeps.setdefault(item.nodeid.partition("[")[0], []).append(item)
    left_out = {item for cases in sweeps.values() for item in {*cases} - {*_share_of(cases)}}
    config.hook.pytest_deselected(items=[item for item in items if item in left_out])
    items[:] = [item for item in items if item not in left_out]
    items += [copy for target in _also_at(config) for copy in sample_at(target, sample, [*items])]


def _share_of(cases: list[pytest.Function]) -> list[pytest.Function]:
    """Returns the cases of a sweep that run: of one that names its share, each value that several cases have is in one of them."""
    mark = cases[0].get_closest_marker("sweep")
    share = mark.args[0] if mark and mark.args else None
    chosen = sampled(cases, lambda case: case.nodeid, share)
    return chosen if share is None else spread(cases, chosen, _values)


def _values(case: pytest.Function) -> list[tuple[str, int]]:
    """Returns the parameters of a case with their values, as objects that cases share."""
    return [(name, id(value)) for name, value in case.callspec.params.items()]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool:
    """Runs a test for its target; what fixtures have compiled is not for tests at another one."""
    follows = nextitem is not None and target_of(nextitem) == target_of(item)
    with at_its_target(item):
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        runtestprotocol(item, nextitem=nextitem if follows else None)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    if nextitem is None or nextitem.path != item.path:
        _keep_what_is_left()
    return True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Iterator[None]:
    """Skips a test that runs code for a processor that this machine is not, and says what it lacks."""
    try:
        return (yield)
    except ForeignCodeError as error:
        pytest.skip(str(error))


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
    _keep_what_is_left()
    gc.set_threshold(50_000, 10, 10)


def _keep_what_is_left() -> None:
    """Keeps the cycle collector from walking what stays for the whole run: packages, and what tests of earlier files have cached.

    Tests that collect by themselves would take a second each time.
    """
    gc.collect()
    gc.freeze()
