"""Tests that run again in the same session, compiled for another target than the rest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest
from xdsl_relax.targets.cpu import TARGET_VARIABLE
from xdsl_relax.targets.cpu.table import CPU_TARGETS

from harness.sampling import is_sampled, sampling_at

E2E = Path(__file__).parents[1] / "e2e"

ANY_TARGET = frozenset(
    f"test_{name}.py"
    for name in """
    aarch64 bisect bounds_checks branch_sizes bufferize cache call_sizes calls_like_before channels_last compiling_threads
    control_flow convert_layout data_dependent_sizes depth devices docs executable explain foreign_arrays
    foreign_linalg fuzz generated_symbols graph_passes interface interleaved jit_memory library library_c
    library_wasm lift_transform_params lifted_subroutines loops mlc_models mlir_runner
    nn_checked_calls nn_effects nn_extern nn_generate nn_kernel_bounds nn_locations nn_ported_files
    nn_scripts onnx_checked_sizes onnx_export onnx_export_models onnx_node_suite out out_of_tree packed
    parameter_passes pass_programs processes profile repeated_calls report run_state shape_functions
    shown_functions shown_sizes size_arguments size_conditions sizes_from_data sizes_from_outside stablehlo
    stablehlo_damaged stablehlo_export stablehlo_export_ops stablehlo_platform stablehlo_stored_data symbol_ranges
    tile_registers torch_compile torch_ops unbounded_sizes unwritable workspaces xdsl_unchanged
    """.split()
)
"""End-to-end tests of what is the same at each target (importers, passes, tools, processes, what is refused, sizes, control flow, who owns
which array), or that name their target themselves."""

_AT = pytest.StashKey[tuple[str, int]]()


def depends_on_target(item: pytest.Item) -> bool:
    """Returns whether an end-to-end test can do something else where code is compiled for another target."""
    if not _may_depend(item.path) or item.get_closest_marker("any_target"):
        return False
    callspec = getattr(item, "callspec", None)
    parameters = callspec.params.values() if callspec else ()
    return not any(isinstance(value, str) and value in CPU_TARGETS for value in parameters)


@cache
def _may_depend(path: Path) -> bool:
    return E2E in path.parents and path.name not in ANY_TARGET


def sample_at(target: str, share: int, items: Iterable[pytest.Item]) -> Iterator[pytest.Item]:
    """Yields about one of `share` tests once more, for a target; all of those that take a share of their cases themselves."""
    for item in items:
        if isinstance(item, pytest.Function) and depends_on_target(item):
            if item.get_closest_marker("sampled_inside") or is_sampled(f"{target} {item.nodeid}", share):
                yield _at(target, share, item)


def _at(target: str, share: int, item: pytest.Function) -> pytest.Function:
    """Returns a test that does the same for a target, as `test_name@TARGET[parameters]`."""
    function = f"{item.originalname}@{target}"
    callspec = getattr(item, "callspec", None)
    assert item.parent is not None
    copy = pytest.Function.from_parent(
        item.parent,
        name=f"{function}[{callspec.id}]" if callspec else function,
        callspec=callspec,
        callobj=item.obj,
        fixtureinfo=item._fixtureinfo,
        originalname=function,
    )
    copy.stash[_AT] = target, share
    return copy


def target_of(item: pytest.Item) -> str | None:
    """Returns the target that `sample_at` has made a test for."""
    return item.stash[_AT][0] if _AT in item.stash else None


@contextmanager
def at_its_target(item: pytest.Item) -> Iterator[None]:
    """Lets code be compiled for the target of a test that `sample_at` has made, where none is given."""
    if _AT not in item.stash:
        yield
        return
    target, share = item.stash[_AT]
    with pytest.MonkeyPatch.context() as patch, sampling_at(target, share):
        patch.setenv(TARGET_VARIABLE, target)
        yield
