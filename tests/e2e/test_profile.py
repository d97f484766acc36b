"""Programs that measure themselves: what they count is what is computed, times fit into those around them, and results stay the same."""

from __future__ import annotations

import importlib.util
import json
import pickle
import threading
import time
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xdsl_relax
from xdsl_relax.dialects.relax.profile_layout import MOST_EVENTS
from xdsl_relax.interpreter.host.errors import ArgumentError
from xdsl_relax.interpreter.host.value_types import TensorValue
from xdsl_relax.runtime.executable.native_function import ExecutionError
from xdsl_relax.runtime.interface.json_form import from_json, to_json
from xdsl_relax.runtime.profile import peak
from xdsl_relax.runtime.profile.peak import Peak, machine_peak, measure_peak
from xdsl_relax.runtime.profile.profile import COLUMNS, Profile, Row
from xdsl_relax.targets.cpu import host_target

ROOT = Path(__file__).resolve().parents[2]
LINEAR = ROOT / "examples/linear.mlir"

LAYER = """
func.func @main(%x: tensor<?x64xf32, #relax.sym<n>>, %w: tensor<64x96xf32> {relax.name = "w"}, %b: tensor<96xf32> {relax.name = "b"})
    -> tensor<?x96xf32, #relax.sym<n>> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %y = relax.matmul %x, %w : (tensor<?x64xf32, #relax.sym<n>>, tensor<64x96xf32>) -> tensor<?x96xf32, #relax.sym<n>>
    %z = relax.add %y, %b : (tensor<?x96xf32, #relax.sym<n>>, tensor<96xf32>) -> tensor<?x96xf32, #relax.sym<n>>
    relax.output %z : tensor<?x96xf32, #relax.sym<n>>
  } : tensor<?x96xf32, #relax.sym<n>>
  return %r : tensor<?x96xf32, #relax.sym<n>>
}
func.func @other(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = relax.tanh %x : (tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}
"""

LOOP = """
func.func @main(%x: tensor<16xf32>, %t: index) -> tensor<16xf32> {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %r, %i = scf.while (%a = %x, %i = %0) : (tensor<16xf32>, index) -> (tensor<16xf32>, index) {
    %more = arith.cmpi slt, %i, %t : index
    scf.condition(%more) %a, %i : tensor<16xf32>, index
  } do {
  ^bb0(%a: tensor<16xf32>, %i: index):
    %b = relax.cos %a : (tensor<16xf32>) -> tensor<16xf32>
    %next = arith.addi %i, %1 : index
    scf.yield %b, %next : tensor<16xf32>, index
  }
  return %r : tensor<16xf32>
}
"""

SLEEP = """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = relax.call_dps_packed %x {callee = "profile.sleep"} : (tensor<4xf32>) -> tensor<4xf32>
  %z = relax.exp %y : (tensor<4xf32>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}
"""

ONE_PEAK = Peak("cpu", 1, 1e11, 1e10, 1e11, 1 << 20)


@pytest.fixture
def fixed_peak(monkeypatch: pytest.MonkeyPatch) -> None:
    """Takes the peak as known, as measuring it takes seconds."""
    monkeypatch.setattr("xdsl_relax.runtime.profile.profile.machine_peak", lambda threads: ONE_PEAK)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]


@cache
def compiled(program: str | Path, **options: Any) -> xdsl_relax.Executable:
    """Returns a program that measures itself, compiled once for all tests."""
    return xdsl_relax.compile(program, profile=True, cache=False, **options)


def row_of(profile: Profile, name: str) -> Row:
    return next(row for row in profile.kernels if row.name == name)


def layer_arguments(rows: int) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [rng.standard_normal(shape, np.float32) for shape in ((rows, 64), (64, 96), (96,))]


@pytest.mark.parametrize("rows", [1, 7, 300])
@pytest.mark.parametrize("options", [{}, {"opt_level": 3}, {"threads": 2}, {"target": "x86-64-v3"}], ids=str)
def test_work_is_that_of_the_sizes_of_the_call(rows: int, options: dict[str, Any]):
    arguments = layer_arguments(rows)
    profile = compiled(LAYER, **options)["main"].profile(*arguments, calls=3)
    row = row_of(profile, "fused_matmul_add")
    assert row.calls == 3
    assert row.flops == 3 * rows * 96 * (2 * 64 + 1)
    assert row.bytes == 3 * 4 * (rows * 64 + 64 * 96 + 96 + rows * 96)
    assert {kernel.name for kernel in profile.kernels} == {"fused_matmul_add"}
    assert row.region is not None and [place.rsplit(":", 2)[1:] for place in row.region.places] == [
        ["6", "5"],
        ["5", "5"],
    ]


@pytest.mark.parametrize(
    ("window", "work"),
    [(4, 4 * 5 * (2 * 16 * 3 * 5 + 32 * 5 + 24 * 3)), (6, 2 * 3 * (2 * 36 * 3 * 5 + 384 * 5 + 260 * 3))],
)
def test_work_of_winograd_is_what_it_computes(window: int, work: int):
    """16 or 36 products for each tile, and the arithmetic of the transforms: far fewer than points of the contraction."""
    kernel = f"tensor<{window}x{window}x5x3xf32>"
    program = f"""
func.func @main(%x: tensor<?x5x7x9xf32, #relax.sym<n>>, %k: {kernel}) -> tensor<?x3x7x9xf32, #relax.sym<n>> {{
  %y = relax.nn.winograd_conv2d %x, %k {{padding = array<i64: 1, 1, 1, 1>}}
      : (tensor<?x5x7x9xf32, #relax.sym<n>>, {kernel}) -> tensor<?x3x7x9xf32, #relax.sym<n>>
  return %y : tensor<?x3x7x9xf32, #relax.sym<n>>
}}"""
    arguments = np.ones((2, 5, 7, 9), np.float32), np.ones((window, window, 5, 3), np.float32)
    (row,) = compiled(program)["main"].profile(*arguments, calls=1).kernels
    assert row.flops == 2 * work


@pytest.mark.parametrize("lift", [False, True])
def test_a_kernel_without_points_reads_nothing(lift: bool):
    exe = xdsl_relax.compile(LAYER, profile=True, lift=lift)
    weights = {"w": np.ones((64, 96), np.float32), "b": np.ones(96, np.float32)}
    params = exe.transform_params(weights) if lift else weights
    with exe.profiling() as profiling:
        exe["main"](np.ones((0, 64), np.float32), params)
    assert {(row.flops, row.bytes) for row in profiling.profile.kernels} == {(0, 0)}
    assert all(
        cells[5:] == ("-", "-", "-", "-") for cells in profiling.profile.table()[: len(profiling.profile.kernels)]
    )


@pytest.mark.parametrize("threads", [1, 2])
def test_work_of_blocks_that_threads_share_is_counted_once(threads: int):
    """What lies on the stack or in the workspace does not count."""
    shape = "tensor<64x4096xf32>"
    op = f"relax.cumsum %x {{axis = 0 : i64}} : ({shape}) -> {shape}"
    program = f"func.func @main(%x: {shape}) -> {shape} {{ %r = {op} return %r : {shape} }}"
    main = xdsl_relax.compile(program, threads=threads, profile=True, cache=False)["main"]
    data = np.ones((64, 4096), np.float32)
    for _ in range(20):
        (kernel,) = main.profile(data, calls=1).kernels
        assert (kernel.flops, kernel.bytes) == (data.size, 2 * data.nbytes)


def test_every_op_that_is_not_fused_has_a_row():
    profile = compiled(LAYER, opt_level=0)["main"].profile(*layer_arguments(5), calls=2)
    assert {row.name: row.flops for row in profile.kernels} == {"matmul": 2 * 2 * 5 * 64 * 96, "add": 2 * 5 * 96}


def test_results_are_the_same_to_the_bit():
    for program, name, arguments in ((LAYER, "main", layer_arguments(33)), (LOOP, "main", [np.ones(16, "f"), 5])):
        plain = xdsl_relax.compile(program, cache=False)[name](*arguments)
        assert np.array_equal(compiled(program)[name](*arguments), plain)


def test_times_lie_inside_of_each_other():
    exe = compiled(LAYER)
    start = time.perf_counter()
    profile = exe["main"].profile(*layer_arguments(1000), calls=20)
    elapsed = time.perf_counter() - start
    inside = sum(row.seconds for row in profile.kernels)
    assert 0 < inside <= profile.native_seconds <= profile.seconds <= elapsed
    assert sum(row.share for row in profile.rows) == pytest.approx(1, abs=1e-9)
    assert profile.kernel_share == pytest.approx(inside / profile.native_seconds)


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="needs the extra torch")
def test_models_of_files_measure_themselves(tmp_path: Path):
    import torch

    linear = torch.nn.Linear(5, 3).eval()
    torch.export.save(torch.export.export(linear, (torch.ones(2, 5),)), tmp_path / "model.pt2")
    model: Any = xdsl_relax.compile(tmp_path / "model.pt2", profile=True)
    with model.profiling() as profiling:
        model(np.ones((2, 5), np.float32))
    assert sum(row.flops or 0 for row in profiling.profile.kernels) >= 2 * 2 * 5 * 3
    x = np.ones((2, 5), np.float32)
    assert {row.calls for row in model.profile(x, calls=7).kernels} == {7}
    by_name = {model.inputs[0]: x}
    np.testing.assert_array_equal(model["main"](*model.arguments(**by_name)), model(x))
    assert model["main"].workspace_bytes(*model.arguments(x)) >= 0
    with pytest.raises(ArgumentError, match="expected the inputs"):
        model.arguments(x, x)


def test_the_fastest_call_is_one_of_them():
    exe, x = compiled(LOOP), np.ones(16, np.float32)
    counts = 300, 2, 500
    with exe.profiling() as profiling:
        for iterations in counts:
            exe["main"](x, iterations)
    profile = profiling.profile
    assert row_of(profile, "cos").calls == 802
    ticks = [call.end - call.begin for call in profile.recording.calls]
    assert profile.fastest().seconds == pytest.approx(min(ticks) * profile.recording.seconds_per_tick)
    for index, iterations in enumerate(counts):
        # A machine that others use may delay any of them: here, all but one are said to have been longer.
        calls = [
            call if number == index else replace(call, end=call.end + max(ticks))
            for number, call in enumerate(profile.recording.calls)
        ]
        fastest = Profile(replace(profile.recording, calls=tuple(calls)), profile.threads).fastest()
        row = row_of(fastest, "cos")
        assert (row.calls, row.flops, row.bytes) == (iterations, 16 * iterations, 2 * 64 * iterations)
        assert fastest.seconds == pytest.approx(ticks[index] * fastest.recording.seconds_per_tick)
        assert sum(row.share for row in fastest.rows) == pytest.approx(1, abs=1e-9)
    many = exe["main"].profile(x, 40_000, calls=2)
    assert many.fastest().recording is many.recording


def test_kernels_of_a_large_product_are_the_call():
    arguments = [np.ones(shape, np.float32) for shape in ((4000, 64), (64, 96), (96,))]
    # The fastest of many calls: what else the machine does meets some.
    assert compiled(LAYER)["main"].profile(*arguments, calls=200).kernel_share >= 0.95


def test_a_function_of_python_is_a_row_of_the_time_that_it_takes():
    exe = compiled(SLEEP)

    def sleep(x: np.ndarray, out: np.ndarray) -> None:
        time.sleep(0.02)
        out[:] = x

    exe.bind_packed({"profile.sleep": sleep})
    start = time.perf_counter()
    profile = exe["main"].profile(np.zeros(4, np.float32), calls=2)
    elapsed = time.perf_counter() - start
    slowest = profile.kernels[0]
    assert slowest.region is not None and slowest.region.kind == "packed" and slowest.flops is None
    assert 0.04 <= slowest.seconds <= elapsed
    assert slowest.share > 0.9 or elapsed > 0.1
    assert profile.kernels[1].name == "exp"


def test_iterations_of_a_loop_count_and_events_that_are_too_many_are_said():
    exe, x = compiled(LOOP), np.ones(16, np.float32)
    profile = exe["main"].profile(x, 17, calls=2)
    assert row_of(profile, "cos").calls == 34 and row_of(profile, "cos").flops == 34 * 16
    assert profile.recording.lost_events == 0
    many = exe["main"].profile(x, 40_000, calls=1)
    row = row_of(many, "cos")
    ran = sum(row.calls for row in many.kernels) + 1
    assert row.calls == 40_000 and row.flops == 40_000 * 16
    assert len(many.recording.events) == MOST_EVENTS and many.recording.lost_events == ran - MOST_EVENTS > 0
    # The next recording starts from nothing.
    assert row_of(exe["main"].profile(x, 3, calls=1), "cos").calls == 3


def test_transforms_and_several_functions_are_recorded_together():
    exe = compiled(LAYER, lift=True)
    x, w, b = layer_arguments(9)
    with exe.profiling() as profiling:
        params = exe.transform_params({"w": w, "b": b})
        exe["main"](x, params)
        exe["main"](x, params)
        exe["other"](np.zeros(8, np.float32))
    rows = {row.name: row for row in profiling.profile.kernels}
    assert rows["tanh"].calls == 1 and rows["fused_packed_matmul_add"].calls == 2
    transforms = [row for row in rows.values() if row.region and "transform_params" in row.region.function]
    assert [row.name for row in transforms] == ["pack_weight"]
    assert [call.function for call in profiling.profile.recording.calls][1:] == ["main", "main", "other"]


def test_functions_in_steps_are_profiled():
    program = """
func.func @main(%t: tensor<2xi64>) -> tensor<?x?xf32> {
  %s = relax.tensor_to_shape %t : (tensor<2xi64>) -> !relax.shape<[?, ?]>
  %c = relax.match_cast %s : (!relax.shape<[?, ?]>) -> !relax.shape<[rows, columns]>
  %y = relax.ones %c {dtype = f32} : (!relax.shape<[rows, columns]>) -> tensor<?x?xf32, #relax.sym<rows, columns>>
  %z = relax.exp %y : (tensor<?x?xf32, #relax.sym<rows, columns>>) -> tensor<?x?xf32, #relax.sym<rows, columns>>
  %r = relax.match_cast %z : (tensor<?x?xf32, #relax.sym<rows, columns>>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}"""
    profile = compiled(program)["main"].profile(np.array([3, 5]), calls=4)
    row = row_of(profile, "fused_ones_exp")
    assert row.calls == 4 and row.flops == 4 * 15
    assert sum(row.seconds for row in profile.kernels) <= profile.native_seconds <= profile.seconds


def test_loops_of_foreign_programs_have_rows():
    exe = compiled(ROOT / "tests/e2e/foreign/torch_mlp.mlir")
    function = exe["main"]
    types = [argument.type for argument in function.signature.arguments]
    arguments = [np.ones(value_type.dims, "f") for value_type in types if isinstance(value_type, TensorValue)]  # pyright: ignore
    profile = function.profile(*arguments, calls=2)
    kinds = {row.region.kind for row in profile.kernels if row.region}
    assert kinds == {"linalg"} and all(row.bytes for row in profile.kernels)
    assert all(row.region and row.region.places for row in profile.kernels)


def test_a_call_that_fails_leaves_a_profile_of_the_others():
    program = """
func.func @main(%x: tensor<?xf32, #relax.sym<n>>, %i: index) -> tensor<?xf32, #relax.sym<n>> {
  %0 = arith.constant 0 : index
  %ok = arith.cmpi sgt, %i, %0 : index
  cf.assert %ok, "i is not positive"
  %y = relax.exp %x : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
  return %y : tensor<?xf32, #relax.sym<n>>
}"""
    exe, x = compiled(program), np.ones(6, np.float32)
    with exe.profiling() as profiling:
        exe["main"](x, 1)
        with pytest.raises(ExecutionError, match="i is not positive"):
            exe["main"](x, 0)
        exe["main"](x, 2)
    assert row_of(profiling.profile, "exp").calls == 2


def test_calls_of_other_threads_wait_for_a_recording_and_are_not_in_it():
    exe = compiled(LAYER)
    arguments, done = layer_arguments(3), list[int]()

    def call() -> None:
        for _ in range(20):
            exe["main"](*arguments)
        done.append(1)

    threads = [threading.Thread(target=call) for _ in range(3)]
    with exe.profiling() as profiling:
        for thread in threads:
            thread.start()
        for _ in range(5):
            exe["main"](*arguments)
    for thread in threads:
        thread.join()
    assert row_of(profiling.profile, "fused_matmul_add").calls == 5 and len(done) == 3


@pytest.mark.parametrize("copied", ["json", "pickle"])
def test_saved_programs_measure_themselves(copied: str):
    exe = compiled(LAYER)
    if copied == "json":
        exe = xdsl_relax.link(from_json(to_json(exe.interface)), exe.code)
    else:
        exe = pickle.loads(pickle.dumps(exe))
    assert row_of(exe["main"].profile(*layer_arguments(4)), "fused_matmul_add").calls == 10


def test_the_cache_keeps_both_kinds_apart(tmp_path: Path):
    for _ in range(2):
        profiled = xdsl_relax.compile(LINEAR, profile=True, cache=tmp_path)
        plain = xdsl_relax.compile(LINEAR, cache=tmp_path)
        assert profiled.interface.profile is not None and plain.interface.profile is None
        assert plain.code != profiled.code


def test_programs_that_are_not_asked_to_do_not_measure_themselves():
    exe = xdsl_relax.compile(LAYER, cache=False)
    with pytest.raises(ArgumentError, match="compile it with profile=True"):
        exe["main"].profile(*layer_arguments(1))
    with pytest.raises(ArgumentError, match="compile it with profile=True"), exe.profiling():
        pass
    with pytest.raises(ArgumentError, match="main: expected at least 1 call to profile, got 0"):
        compiled(LAYER)["main"].profile(*layer_arguments(1), calls=0)
    with pytest.raises(ValueError, match="profile: expected True or False, got 'yes'"):
        xdsl_relax.compile(LAYER, cache=False, profile="yes")  # pyright: ignore[reportArgumentType]


@pytest.mark.usefixtures("fixed_peak")
def test_the_table_compares_with_the_memory_that_holds_the_data():
    profile = compiled(LAYER)["main"].profile(*layer_arguments(1000))
    cells = dict(zip(COLUMNS, profile.table()[0], strict=True))
    row = profile.kernels[0]
    assert row.flops_per_second is not None and row.bytes_per_second is not None
    assert cells["GFLOP/s>"] == f"{row.flops_per_second / 1e9:.1f}"
    assert profile.table()[0][6] == f"{100 * row.flops_per_second / 1e11:.0f} %"
    assert profile.table()[0][8] == f"{100 * row.bytes_per_second / 1e11:.0f} %"
    large = compiled(LAYER)["main"].profile(*layer_arguments(5000))
    assert large.table()[0][8] == f"{100 * (large.kernels[0].bytes_per_second or 0) / 1e10:.0f} %"
    assert str(profile).splitlines()[2].split()[:3] == ["kernel", "source", "calls"]
    assert len(large.table(most=0)) == 2


def test_events_of_a_trace_lie_inside_of_their_call(tmp_path: Path):
    exe = compiled(LAYER)
    exe["main"].profile(*layer_arguments(50), calls=4).save_trace(tmp_path / "trace.json")
    events = [e for e in json.loads((tmp_path / "trace.json").read_text())["traceEvents"] if e["ph"] == "X"]
    by_kind = {kind: [e for e in events if e["cat"] == kind] for kind in ("call", "function", "kernel")}
    assert {kind: len(kind_events) for kind, kind_events in by_kind.items()} == {"call": 4, "function": 4, "kernel": 4}
    for call, function, kernel in zip(*by_kind.values(), strict=True):
        for outer, inner in ((call, function), (function, kernel)):
            assert outer["ts"] <= inner["ts"]
            assert inner["ts"] + inner["dur"] <= outer["ts"] + outer["dur"] + 1e-3
    assert by_kind["kernel"][0]["name"] == "fused_matmul_add" and ":6:5" in by_kind["kernel"][0]["args"]["source"]


@pytest.mark.usefixtures("fixed_peak")
def test_a_roofline_has_a_circle_for_each_kernel(tmp_path: Path):
    compiled(LAYER, opt_level=0)["main"].profile(*layer_arguments(50)).save_roofline(tmp_path / "roofline.svg")
    tree = ElementTree.parse(tmp_path / "roofline.svg")
    space = "{http://www.w3.org/2000/svg}"
    titles = [title.text or "" for title in tree.iter(f"{space}title")]
    assert sorted(title.split()[0] for title in titles) == ["add", "matmul"]
    assert len(list(tree.iter(f"{space}polyline"))) == 2
    for circle in tree.iter(f"{space}circle"):
        assert 0 <= float(circle.attrib["cx"]) <= 900 and 0 <= float(circle.attrib["cy"]) <= 560


@pytest.mark.usefixtures("fixed_peak")
def test_a_roofline_of_nothing_has_the_roofs_alone(tmp_path: Path):
    compiled(LOOP)["main"].profile(np.ones(16, np.float32), 0).save_roofline(tmp_path / "roofline.svg")
    assert "<circle" not in (tmp_path / "roofline.svg").read_text()


def test_the_peak_is_measured_once_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    measured: list[int] = []

    def measure(_: object, threads: int) -> Peak:
        measured.append(threads)
        return Peak(host_target().cpu, threads, 1e11, 1e10, 5e10, host_target().l2.size)

    monkeypatch.setattr(peak, "measure_peak", measure)
    monkeypatch.setenv("RELAX_CACHE", str(tmp_path / "cache"))
    for _ in range(2):
        machine_peak.cache_clear()
        assert machine_peak(2).memory == 1e10
    assert measured == [2]
    (kept,) = (tmp_path / "cache").glob("peak-*.json")
    for damage in ("{", "[]", '{"flops": -1.0, "memory": 1.0, "cache": 1.0}', '{"flops": "x"}', ""):
        kept.write_text(damage)
        machine_peak.cache_clear()
        assert machine_peak(2).flops == 1e11
    assert len(measured) == 6
    monkeypatch.setenv("RELAX_CACHE", "off")
    machine_peak.cache_clear()
    assert machine_peak(2).flops == 1e11 and len(measured) == 7
    machine_peak.cache_clear()


def test_no_kernel_is_faster_than_the_measured_peak():
    measured = measure_peak(host_target(), 1)
    assert measured.memory > 1e8 and measured.cache > measured.memory / 2
    arguments = [np.ones(shape, np.float32) for shape in ((2000, 64), (64, 96), (96,))]
    row = compiled(LAYER)["main"].profile(*arguments).kernels[0]
    # Others use the machine as well, so that the peak itself may be missed.
    assert row.flops_per_second is not None and row.flops_per_second < 4 * measured.flops
