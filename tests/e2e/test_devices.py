"""Programs on several devices: planned modules compute what the program says, and no value is used where it is not.

`RELAX_DEVICE_MODULES=2000` runs more modules.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xdsl_relax
from generators.device_modules import SHAPE, DeviceModule, without_devices
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import PassFailedException
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.interpreter.host.device import DeviceArray, DeviceError, device_of, on_host, placed
from xdsl_relax.interpreter.host.errors import ArgumentError
from xdsl_relax.interpreter.rule import InterpreterError
from xdsl_relax.passes.devices.plan_devices import PlanDevicesPass
from xdsl_relax.passes.devices.verify_devices import VerifyDevicesPass
from xdsl_relax.runtime.session import host_call
from xdsl_relax.runtime.signatures import signatures

MODULES = int(os.environ.get("RELAX_DEVICE_MODULES", "40"))
NATIVE = max(3, MODULES // 100)
EXAMPLE = Path(__file__).parents[2] / "examples" / "devices.mlir"
CPU1 = xdsl_relax.device("cpu", 1)
PLACED = '#relax.vdevice<"cpu", 1, "global">'
DYNAMIC = f"[#relax.sym<n>, {PLACED}]"


def planned(seed: int, fallback: str | None) -> ModuleOp:
    module = DeviceModule(seed, tuples=True).module()
    PlanDevicesPass(fallback=fallback).apply(Context(), module)
    module.verify()
    return module


def arrays(module: ModuleOp) -> list[Any]:
    data = np.random.default_rng(0)
    return [data.standard_normal(SHAPE, dtype="f") for _ in signatures(module)["main"].arguments]


@pytest.mark.parametrize("fallback", [None, "cpu:1"])
def test_planned_modules_compute_the_same(fallback: str | None):
    copies = 0
    for seed in range(MODULES):
        module = planned(seed, fallback)
        VerifyDevicesPass().apply(Context(), module)
        args = arrays(module)
        expected = Interpreter(without_devices(module)).call("main", *args)
        original = Interpreter(without_devices(DeviceModule(seed, tuples=True).module())).call("main", *args)
        results = host_call(Interpreter(module).call, signatures(module))("main", *args)
        for result, two, three in zip(results, expected, original, strict=True):
            assert np.array_equal(result, two) and np.array_equal(result, three), seed
        text = str(module)
        copies += text.count("relax.device_copy")
        PlanDevicesPass().apply(Context(), module)
        assert str(module) == text, f"{seed}: a second run changes something"
    assert copies > MODULES // 2


@pytest.mark.parametrize("seed", range(NATIVE))
def test_native_results_are_those_of_the_interpreter(seed: int):
    module = planned(seed, None)
    functions = signatures(module)
    args = arrays(module)
    expected = host_call(Interpreter(module).call, functions)("main", *args)
    executable = xdsl_relax.compile(module)
    results = executable["main"].call(
        *[placed(x, a.type) for x, a in zip(args, functions["main"].arguments, strict=True)]
    )
    for result, two, declared in zip(results, expected, functions["main"].results, strict=True):
        assert device_of(result) == device_of(placed(two, declared))
        np.testing.assert_allclose(on_host(result), two, rtol=1e-5, atol=1e-6)


PROGRAM = f"""
func.func @main(%x: tensor<?x64xf32, #relax.sym<n>>, %w: tensor<64x64xf32, {PLACED}>) -> tensor<?x64xf32, #relax.sym<n>> {{
  %r = relax.dataflow {{
    %a = relax.exp %x : (tensor<?x64xf32, #relax.sym<n>>) -> tensor<?x64xf32, #relax.sym<n>>
    %b = relax.to_vdevice %a {{dst_vdevice = {PLACED}}} : (tensor<?x64xf32, #relax.sym<n>>) -> tensor<?x64xf32, {DYNAMIC}>
    %c = relax.matmul %b, %w : (tensor<?x64xf32, {DYNAMIC}>, tensor<64x64xf32, {PLACED}>) -> tensor<?x64xf32, {DYNAMIC}>
    %d = relax.to_vdevice %c {{dst_vdevice = #relax.vdevice<"cpu">}} : (tensor<?x64xf32, {DYNAMIC}>) -> tensor<?x64xf32, #relax.sym<n>>
    %e = relax.add %d, %a : (tensor<?x64xf32, #relax.sym<n>>, tensor<?x64xf32, #relax.sym<n>>) -> tensor<?x64xf32, #relax.sym<n>>
    relax.output %e : tensor<?x64xf32, #relax.sym<n>>
  }} : tensor<?x64xf32, #relax.sym<n>>
  return %r : tensor<?x64xf32, #relax.sym<n>>
}}
"""


def holds(workspace: np.ndarray[Any, Any], values: np.ndarray[Any, Any]) -> bool:
    """Returns whether values lie somewhere in a workspace."""
    words = workspace[: workspace.nbytes // 4 * 4].view("f")
    starts = range(0, words.size - values.size + 1, 16)
    return any(np.allclose(words[k : k + values.size], values.ravel(), rtol=1e-4, atol=1e-3) for k in starts)


def test_intermediate_values_are_in_the_memory_of_their_device():
    function = xdsl_relax.compile(PROGRAM)["main"]
    data = np.random.default_rng(0)
    w = data.standard_normal((64, 64), dtype="f")
    for n in (3, 70, 1):
        x = data.standard_normal((n, 64), dtype="f")
        result = function(x, xdsl_relax.to_device(w, CPU1))
        np.testing.assert_allclose(result, np.exp(x) @ w + np.exp(x), rtol=1e-4, atol=1e-3)
        host, there = function._workspaces[-1]
        assert CPU1.memory.owns(there.__array_interface__["data"][0])
        assert not CPU1.memory.owns(host.__array_interface__["data"][0])
        assert holds(there, np.exp(x) @ w)
        assert holds(host, np.exp(x))


def test_python_is_called_on_the_host():
    seen: list[Any] = []
    xdsl_relax.register_packed("tests.seen", lambda array: seen.append(array.copy()) or array * 2)
    text = PROGRAM.replace("relax.exp %x :", 'relax.call_packed %x {callee = "tests.seen", pure = true} :')
    x = np.ones((2, 64), "f")
    w = xdsl_relax.to_device(np.eye(64, dtype="f"), CPU1)
    assert np.array_equal(xdsl_relax.compile(text)["main"](x, w), 4 * x)
    assert np.array_equal(seen, [x])
    there = PROGRAM.replace("relax.matmul %b, %w", 'relax.call_packed %b, %w {callee = "tests.seen", pure = true}')
    with pytest.raises(
        PassFailedException, match=r"relax\.call_packed: .* got cpu:0 \(relax\.call_packed runs on the host\)"
    ):
        xdsl_relax.compile(there)
    with pytest.raises(InterpreterError, match=r"relax\.call_packed: operand 0 'b' is on cpu:1, expected cpu:0"):
        Interpreter(xdsl_relax.load(there)).call("main", x, w)


def test_a_copy_is_a_copy():
    host = np.arange(6, dtype="f").reshape(SHAPE)
    there = xdsl_relax.to_device(host, CPU1)
    host[0, 0] = 100
    assert there.data[0, 0] == 0
    assert CPU1.memory.owns(there.data.__array_interface__["data"][0])
    assert not CPU1.memory.owns(host.__array_interface__["data"][0])
    back = on_host(there)
    back[0, 1] = 50
    assert there.data[0, 1] == 1


def test_memory_goes_back():
    before = CPU1.memory.used
    there = xdsl_relax.to_device(np.zeros(1000), CPU1)
    assert CPU1.memory.used == before + 8000
    view = there.data[5:]
    del there
    assert CPU1.memory.used == before + 8000
    del view
    assert CPU1.memory.used == before


def test_numpy_cannot_use_an_array_of_another_device():
    there = xdsl_relax.to_device(np.zeros(4), CPU1)
    with pytest.raises(DeviceError, match="the array is on cpu:1, not on cpu:0"):
        np.add(there, 1)


def test_arguments_on_the_wrong_device_are_refused():
    executable = xdsl_relax.compile(PROGRAM)
    x, w = np.zeros((2, 64), "f"), np.zeros((64, 64), "f")
    with pytest.raises(ArgumentError, match="main: argument 'w': expected an array on cpu:1, got one on cpu:0"):
        executable["main"](x, w)
    with pytest.raises(ArgumentError, match="main: argument 'x': expected an array on cpu:0, got one on cpu:1"):
        executable["main"](xdsl_relax.to_device(x, CPU1), xdsl_relax.to_device(w, CPU1))
    with pytest.raises(ArgumentError, match="expected an array on cpu:1, got one on cpu:2"):
        executable["main"](x, xdsl_relax.to_device(w, xdsl_relax.device("cpu", 2)))


@pytest.mark.parametrize("opt_level", range(4))
def test_the_example(opt_level: int):
    executable = xdsl_relax.compile(EXAMPLE, opt_level=opt_level)
    data = np.random.default_rng(0)
    x, w = data.standard_normal((7, 64), dtype="f"), data.standard_normal((64, 64), dtype="f")
    result = executable["main"](x, xdsl_relax.to_device(w, CPU1))
    np.testing.assert_allclose(result, np.tanh(x) @ w + np.tanh(x), rtol=1e-4, atol=1e-4)
    with pytest.raises(PassFailedException, match=r"operand 0 'a' is on cpu:0 .*, expected cpu:1"):
        xdsl_relax.compile(EXAMPLE, passes=["relax-plan-devices{copies=false}"])


MIXED = f"""
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32, {PLACED}>) -> tensor<4xf32> {{
  %z = relax.add %x, %y : (tensor<4xf32>, tensor<4xf32, {PLACED}>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}}
"""


def test_the_interpreter_refuses_to_mix_devices():
    there = xdsl_relax.to_device(np.ones(4, "f"), CPU1)
    interpreter = Interpreter(xdsl_relax.load(MIXED))
    with pytest.raises(InterpreterError, match=r"relax\.add: operand 1 'y' is on cpu:1, operand 0 'x' on cpu:0"):
        interpreter.call("main", np.ones(4, "f"), there)
    with pytest.raises(InterpreterError, match=r"main: argument '.*' is on cpu:0, expected cpu:1"):
        interpreter.call("main", np.ones(4, "f"), np.ones(4, "f"))


def test_constants_are_where_they_are_read():
    text = f"""
func.func @main(%x: tensor<4xf32, {PLACED}>, %y: tensor<4xf32>) -> (tensor<4xf32, {PLACED}>, tensor<4xf32>) {{
  %c = relax.constant {{value = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>}} : () -> tensor<4xf32>
  %a = relax.add %x, %c : (tensor<4xf32, {PLACED}>, tensor<4xf32>) -> tensor<4xf32, {PLACED}>
  %b = relax.add %y, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %a, %b : tensor<4xf32, {PLACED}>, tensor<4xf32>
}}"""
    x, k = np.arange(4, dtype="f"), np.arange(1, 5, dtype="f")
    for call in (
        xdsl_relax.compile(text)["main"].call,
        lambda *args: Interpreter(xdsl_relax.load(text)).call("main", *args),
    ):
        at_device, two = call(xdsl_relax.to_device(x, CPU1), x)
        assert isinstance(at_device, DeviceArray) and at_device.device == CPU1
        assert np.array_equal(on_host(at_device), x + k) and np.array_equal(two, x + k)


def test_operations_on_constants_are_folded_where_they_are():
    text = f"""
func.func @main(%x: tensor<4xf32, {PLACED}>) -> tensor<4xf32, {PLACED}> {{
  %k = relax.constant {{value = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>}} : () -> tensor<4xf32>
  %h = relax.hint_on_device %k {{dst_vdevice = {PLACED}}} : (tensor<4xf32>) -> tensor<4xf32>
  %m = relax.to_vdevice %k {{dst_vdevice = {PLACED}}} : (tensor<4xf32>) -> tensor<4xf32, {PLACED}>
  %e = relax.exp %m : (tensor<4xf32, {PLACED}>) -> tensor<4xf32, {PLACED}>
  %a = relax.add %x, %h : (tensor<4xf32, {PLACED}>, tensor<4xf32>) -> tensor<4xf32, {PLACED}>
  %b = relax.add %a, %e : (tensor<4xf32, {PLACED}>, tensor<4xf32, {PLACED}>) -> tensor<4xf32, {PLACED}>
  return %b : tensor<4xf32, {PLACED}>
}}"""
    k = np.arange(1, 5, dtype="f")
    result = xdsl_relax.compile(text)["main"](xdsl_relax.to_device(k, CPU1))
    np.testing.assert_allclose(on_host(result), 2 * k + np.exp(k), rtol=1e-6)


def test_branches_have_results_on_several_devices():
    text = f"""
func.func @main(%c: i1, %x: tensor<4xf32, {PLACED}>, %y: tensor<4xf32>) -> (tensor<4xf32, {PLACED}>, tensor<4xf32>) {{
  %r, %s = scf.if %c -> (tensor<4xf32, {PLACED}>, tensor<4xf32>) {{
    %a = relax.exp %x : (tensor<4xf32, {PLACED}>) -> tensor<4xf32, {PLACED}>
    scf.yield %a, %y : tensor<4xf32, {PLACED}>, tensor<4xf32>
  }} else {{
    %b = relax.exp %y : (tensor<4xf32>) -> tensor<4xf32>
    %d = relax.to_vdevice %b {{dst_vdevice = {PLACED}}} : (tensor<4xf32>) -> tensor<4xf32, {PLACED}>
    scf.yield %d, %b : tensor<4xf32, {PLACED}>, tensor<4xf32>
  }}
  %z = relax.negative %r : (tensor<4xf32, {PLACED}>) -> tensor<4xf32, {PLACED}>
  return %z, %s : tensor<4xf32, {PLACED}>, tensor<4xf32>
}}"""
    x, y = np.full(4, 1, "f"), np.full(4, 2, "f")
    for call in (
        xdsl_relax.compile(text)["main"].call,
        lambda *args: Interpreter(xdsl_relax.load(text)).call("main", *args),
    ):
        for condition, there, here in ((True, -np.exp(x), y), (False, -np.exp(y), np.exp(y))):
            at_device, two = call(np.bool_(condition), xdsl_relax.to_device(x, CPU1), y)
            np.testing.assert_allclose(on_host(at_device), there, rtol=1e-6)
            np.testing.assert_allclose(two, here, rtol=1e-6)


def test_lifted_parameters_are_on_their_device(tmp_path: Path):
    weight, data = f"tensor<4x4xf32, {PLACED}>", f"tensor<2x4xf32, {PLACED}>"
    text = f"""
func.func @main(%x: {data}, %w: {weight} {{relax.name = "w"}}) -> {data} attributes {{relax.num_input = 1 : i64}} {{
  %r = relax.dataflow {{
    %t = relax.permute_dims %w : ({weight}) -> {weight}
    %y = relax.matmul %x, %t : ({data}, {weight}) -> {data}
    relax.output %y : {data}
  }} : {data}
  return %r : {data}
}}"""
    executable = xdsl_relax.compile(text, lift=True)
    numbers = np.random.default_rng(0)
    w, x = numbers.standard_normal((4, 4), dtype="f"), numbers.standard_normal((2, 4), dtype="f")
    params = executable.transform_params({"w": w})
    assert all(device_of(value) == CPU1 for value in params.values)
    assert params.nbytes >= w.nbytes
    executable.save_params(params, tmp_path / "w.safetensors")
    for param_set in (params, executable.load_params(tmp_path / "w.safetensors")):
        result = executable["main"](xdsl_relax.to_device(x, CPU1), param_set)
        np.testing.assert_allclose(on_host(result), x @ w.T, rtol=1e-5, atol=1e-6)


def test_devices_that_do_not_exist():
    with pytest.raises(DeviceError, match="no device cuda:0"):
        xdsl_relax.device("cuda")
    with pytest.raises(ArgumentError, match="no device cuda:0"):
        xdsl_relax.compile("""
func.func @main(%x: tensor<4xf32, #relax.vdevice<"cuda">>) -> tensor<4xf32, #relax.vdevice<"cuda">> {
  return %x : tensor<4xf32, #relax.vdevice<"cuda">>
}""")
