"""What `expand-math` builds: size, sharing of constants, no calls, errors."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import ModuleOp

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks"))

from math_kernels import loop_source, parse
from xdsl_relax.dialects.upstream.op_error import OpError
from xdsl_relax.lowering.cpu.math.expand_math import EXPANDED, expand_math
from xdsl_relax.lowering.llvm.convert_to_llvm import ConvertToLLVMPass
from xdsl_relax.targets.cpu import cpu_target
from xdsl_relax.targets.llvm_ir.to_ir import print_llvm_ir


def expanded(call: str, types: list[str], lanes: int) -> ModuleOp:
    module = parse(loop_source(call, types, types[0], lanes))
    assert expand_math(module) == 1
    module.verify()
    return module


def call_of(name: str) -> tuple[str, list[str]]:
    if name in ("math.powf", "math.atan2", "arith.remf"):
        return f"{name} %x0, %x1 : T0", ["f64", "f64"]
    if name == "math.ipowi":
        return f"{name} %x0, %x1 : T0", ["i32", "i32"]
    if name == "math.fpowi":
        return f"{name} %x0, %x1 : T0, T1", ["f64", "i32"]
    return f"{name} %x0 : T0", ["f64"]


@pytest.mark.parametrize("name", sorted(EXPANDED))
@pytest.mark.parametrize("lanes", [1, 8])
def test_nothing_is_left_to_the_c_library(name: str, lanes: int) -> None:
    module = expanded(*call_of(name), lanes)
    assert not [op.name for op in module.walk() if op.name in EXPANDED]
    ConvertToLLVMPass().apply(Context(), module)
    ir = print_llvm_ir(module)
    declared = {line.split("@llvm.")[1].split(".")[0] for line in ir.splitlines() if line.startswith("declare")}
    assert declared <= {"fma", "fabs", "sqrt", "floor", "roundeven", "copysign", "vector", "smax", "x86"}
    assert all("@llvm." in line for line in ir.splitlines() if line.startswith("declare"))


@pytest.mark.parametrize(
    ("name", "target", "most"),
    [
        ("exp", "x86-64-v3", 27),
        ("exp", "x86-64-v4", 14),
        ("erf", "x86-64-v3", 36),
        ("erf", "x86-64-v4", 23),
    ],
)
def test_exp_and_erf_are_short(name: str, target: str, most: int) -> None:
    module = parse(loop_source(f"math.{name} %x0 : T0", ["f32"], "f32", 16))
    assert expand_math(module, cpu_target(target)) == 1
    body = next(op for op in module.walk() if op.name == "scf.for").regions[0].block
    assert sum(op.name not in ("vector.load", "vector.store", "scf.yield") for op in body.ops) <= most


def test_constants_are_shared_and_outside_the_loop() -> None:
    source = loop_source("math.exp %x0 : T0", ["f32"], "f32", 16)
    once = parse(source)
    expand_math(once)
    twice = parse(source.replace("    vector.store %y", "    %z = math.exp %y : vector<16xf32>\n    vector.store %z"))
    assert expand_math(twice) == 2

    def constants(module: ModuleOp) -> list[arith.ConstantOp]:
        return [op for op in module.walk() if isinstance(op, arith.ConstantOp)]

    assert len(constants(once)) == len(constants(twice))
    assert all(isinstance(op.parent_op(), func.FuncOp) for op in constants(twice))


def test_the_result_is_the_same_each_time() -> None:
    texts = {str(expanded("math.sin %x0 : T0", ["f64"], 8)) for _ in range(2)}
    assert len(texts) == 1


@pytest.mark.parametrize(("type_", "shown"), [
    ("vector<2x4xf32>", "found vector<2x4xf32>"),
    ("vector<[4]xf32>", "found vector<[4]xf32>"),
    ("tensor<4xf32>", "found tensor<4xf32>"),
    ("f128", "found f128"),
])  # fmt: skip
def test_other_types_are_refused(type_: str, shown: str) -> None:
    module = parse(
        f"func.func @f(%x: {type_}) -> {type_} {{\n %y = math.exp %x : {type_}\n func.return %y : {type_}\n}}"
    )
    with pytest.raises(OpError, match=r"math\.exp needs") as error:
        expand_math(module)
    assert shown in str(error.value)


def test_an_index_has_no_power() -> None:
    module = parse("func.func @f(%x: index) -> index {\n %y = math.ipowi %x, %x : index\n func.return %y : index\n}")
    with pytest.raises(OpError, match=r"math\.ipowi needs integers of a fixed width, found index"):
        expand_math(module)
