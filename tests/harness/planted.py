"""Miscompiles on purpose: after a pass, a program is changed so that it computes something else; each must be found."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

from xdsl.dialects import arith, func, llvm, memref, scf
from xdsl.dialects.builtin import BytesAttr, DenseIntOrFPElementsAttr, FloatAttr, IntegerAttr, ModuleOp, i64
from xdsl.ir import Attribute, Operation
from xdsl_relax.dialects.relax.ops.core import ConstantOp
from xdsl_relax.runtime.compiler import available_passes

Change = Callable[[ModuleOp], None]


def ops_named(module: ModuleOp, name: str) -> list[Operation]:
    """Returns the ops of a name; there is at least one."""
    ops = [op for op in module.walk() if op.name == name]
    assert ops, f"there is no {name} to change"
    return ops


def swapped(name: str) -> Change:
    """Swaps the operands of the ops of a name."""

    def change(module: ModuleOp) -> None:
        for op in ops_named(module, name):
            op.operands = [op.operands[1], op.operands[0], *op.operands[2:]]

    return change


def skipped(name: str) -> Change:
    """Uses the first operand of the last op of a name in place of its result."""

    def change(module: ModuleOp) -> None:
        op = ops_named(module, name)[-1]
        assert op.operands[0].type == op.results[0].type
        op.results[0].replace_all_uses_with(op.operands[0])

    return change


def instead(name: str, other: type[Operation]) -> Change:
    """Puts another op in place of the last op of a name."""

    def change(module: ModuleOp) -> None:
        op = ops_named(module, name)[-1]
        new = other.create(
            operands=op.operands, result_types=[r.type for r in op.results], properties=dict(op.properties)
        )
        block = op.parent
        assert block is not None
        block.insert_op_before(new, op)
        for old, result in zip(op.results, new.results, strict=True):
            old.replace_all_uses_with(result)
        op.detach()
        op.erase()

    return change


def with_property(name: str, key: str, value: Attribute) -> Change:
    """Changes a property of the last op of a name."""

    def change(module: ModuleOp) -> None:
        ops_named(module, name)[-1].properties[key] = value

    return change


def other_constants(module: ModuleOp) -> None:
    """Flips the sign of each constant tensor of floats."""
    for op in module.walk():
        if isinstance(op, ConstantOp) and isinstance(op.value, DenseIntOrFPElementsAttr):
            data = bytearray(op.value.data.data)
            for position in range(3, len(data), 4):
                data[position] ^= 0x80
            op.properties["value"] = DenseIntOrFPElementsAttr(op.value.type, BytesAttr(bytes(data)))


def without_a_tail(module: ModuleOp) -> None:
    """Leaves out the last loop over a size in the kernels of means, which takes what does not fill a vector."""
    kernels = [op for op in module.walk() if isinstance(op, func.FuncOp) and "mean" in op.sym_name.data]
    loops = [op for kernel in kernels for op in kernel.walk() if isinstance(op, scf.ForOp)]
    open_ended = [loop for loop in loops if not isinstance(loop.ub.owner, arith.ConstantOp)]
    assert open_ended, "there is no loop over a size"
    open_ended[-1].operands[1] = open_ended[-1].lb


def other_callee(module: ModuleOp) -> None:
    """Calls the same function where two of equal type are called."""
    calls = [op for op in module.walk() if isinstance(op, func.CallOp)]
    for first in calls:
        for other in calls:
            if first.callee != other.callee and first.operand_types == other.operand_types:
                if [r.type for r in first.results] == [r.type for r in other.results]:
                    other.properties["callee"] = first.callee
                    return
    raise AssertionError("no two functions have the same type")


def overlapping(module: ModuleOp) -> None:
    """Puts all buffers of the arena at its start."""
    views = [op for op in module.walk() if isinstance(op, memref.ViewOp)]
    assert len(views) > 1, "fewer than two buffers lie in the arena"
    for view in views[1:]:
        view.operands[1] = views[0].operands[1]


def other_factors(module: ModuleOp) -> None:
    """Doubles the coefficients of polynomials: the floats that the pass wrote."""
    constants = [op for op in module.walk() if isinstance(op, arith.ConstantOp)]
    changed = [op for op in constants if _is_coefficient(op.value)]
    assert changed, "there is no coefficient"
    for op in changed:
        op.properties["value"] = _doubled(op.value)


def _is_coefficient(value: Attribute) -> bool:
    return any(isinstance(number, float) and 0.01 < abs(number) < 0.9 for number in _numbers(value)[:1])


def _numbers(value: Attribute) -> Sequence[Any]:
    match value:
        case FloatAttr():
            return [value.value.data]
        case DenseIntOrFPElementsAttr():
            return value.get_values()
        case _:
            return []


def _doubled(value: Attribute) -> Attribute:
    numbers = [2 * float(number) for number in _numbers(value)]
    if isinstance(value, DenseIntOrFPElementsAttr):
        return DenseIntOrFPElementsAttr.from_list(value.type, numbers)  # pyright: ignore
    assert isinstance(value, FloatAttr)
    return FloatAttr(numbers[0], value.type)


ELEMENTWISE = """
func.func @main(%x: tensor<?x8xf32, #relax.sym<n>>, %y: tensor<?x8xf32, #relax.sym<n>>, %w: tensor<8x8xf32>) -> tensor<?x8xf32, #relax.sym<n>> {
  %0 = relax.matmul %x, %w : (tensor<?x8xf32, #relax.sym<n>>, tensor<8x8xf32>) -> tensor<?x8xf32, #relax.sym<n>>
  %1 = relax.nn.relu %0 : (tensor<?x8xf32, #relax.sym<n>>) -> tensor<?x8xf32, #relax.sym<n>>
  %2 = relax.subtract %1, %y : (tensor<?x8xf32, #relax.sym<n>>, tensor<?x8xf32, #relax.sym<n>>) -> tensor<?x8xf32, #relax.sym<n>>
  %3 = relax.tanh %2 : (tensor<?x8xf32, #relax.sym<n>>) -> tensor<?x8xf32, #relax.sym<n>>
  %4 = relax.maximum %3, %x : (tensor<?x8xf32, #relax.sym<n>>, tensor<?x8xf32, #relax.sym<n>>) -> tensor<?x8xf32, #relax.sym<n>>
  %5 = relax.matmul %4, %w : (tensor<?x8xf32, #relax.sym<n>>, tensor<8x8xf32>) -> tensor<?x8xf32, #relax.sym<n>>
  %6 = relax.add %5, %y : (tensor<?x8xf32, #relax.sym<n>>, tensor<?x8xf32, #relax.sym<n>>) -> tensor<?x8xf32, #relax.sym<n>>
  return %6 : tensor<?x8xf32, #relax.sym<n>>
}
"""

BLOCKS = """
func.func @main(%x: tensor<?x6xf32, #relax.sym<n>>, %u: tensor<6x6xf32>, %v: tensor<6x6xf32>) -> (tensor<?x6xf32, #relax.sym<n>>, tensor<?x6xf32, #relax.sym<n>>) attributes {relax.num_input = 1 : i64} {
  %0:2 = relax.dataflow {
    %c = relax.constant {value = dense<[1.5, 2.0, -0.5, 3.0, 0.25, -1.0]> : tensor<6xf32>} : () -> tensor<6xf32>
    %d = relax.multiply %c, %c : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %ut = relax.permute_dims %u {axes = array<i64: 1, 0>} : (tensor<6x6xf32>) -> tensor<6x6xf32>
    %us = relax.exp %ut : (tensor<6x6xf32>) -> tensor<6x6xf32>
    %vs = relax.tanh %v : (tensor<6x6xf32>) -> tensor<6x6xf32>
    %a = relax.matmul %x, %us : (tensor<?x6xf32, #relax.sym<n>>, tensor<6x6xf32>) -> tensor<?x6xf32, #relax.sym<n>>
    %b = relax.matmul %x, %vs : (tensor<?x6xf32, #relax.sym<n>>, tensor<6x6xf32>) -> tensor<?x6xf32, #relax.sym<n>>
    %e = relax.multiply %a, %d : (tensor<?x6xf32, #relax.sym<n>>, tensor<6xf32>) -> tensor<?x6xf32, #relax.sym<n>>
    %s = relax.nn.softmax %b {axis = -1 : i64} : (tensor<?x6xf32, #relax.sym<n>>) -> tensor<?x6xf32, #relax.sym<n>>
    %f = func.call @half(%e, %s) : (tensor<?x6xf32, #relax.sym<n>>, tensor<?x6xf32, #relax.sym<n>>) -> tensor<?x6xf32, #relax.sym<n>>
    relax.output %f, %s : tensor<?x6xf32, #relax.sym<n>>, tensor<?x6xf32, #relax.sym<n>>
  } : tensor<?x6xf32, #relax.sym<n>>, tensor<?x6xf32, #relax.sym<n>>
  return %0#0, %0#1 : tensor<?x6xf32, #relax.sym<n>>, tensor<?x6xf32, #relax.sym<n>>
}
func.func private @half(%x: tensor<?x6xf32, #relax.sym<m>>, %y: tensor<?x6xf32, #relax.sym<m>>) -> tensor<?x6xf32, #relax.sym<m>> {
  %0 = relax.divide %x, %y : (tensor<?x6xf32, #relax.sym<m>>, tensor<?x6xf32, #relax.sym<m>>) -> tensor<?x6xf32, #relax.sym<m>>
  %1 = relax.cumsum %0 {axis = 0 : i64} : (tensor<?x6xf32, #relax.sym<m>>) -> tensor<?x6xf32, #relax.sym<m>>
  return %1 : tensor<?x6xf32, #relax.sym<m>>
}
"""

SIZES = """
func.func @main(%x: tensor<?x?xf32, #relax.sym<n, m>>) -> (tensor<?xf32, #relax.sym<2 * n>>, tensor<?x?xf32, #relax.sym<m, n>>) {
  %0 = relax.concat %x, %x {axis = 0 : i64} : (tensor<?x?xf32, #relax.sym<n, m>>, tensor<?x?xf32, #relax.sym<n, m>>) -> tensor<?x?xf32, #relax.sym<2 * n, m>>
  %1 = relax.mean %0 {axis = array<i64: 1>} : (tensor<?x?xf32, #relax.sym<2 * n, m>>) -> tensor<?xf32, #relax.sym<2 * n>>
  %2 = relax.cumsum %1 {axis = 0 : i64} : (tensor<?xf32, #relax.sym<2 * n>>) -> tensor<?xf32, #relax.sym<2 * n>>
  %3 = relax.permute_dims %x {axes = array<i64: 1, 0>} : (tensor<?x?xf32, #relax.sym<n, m>>) -> tensor<?x?xf32, #relax.sym<m, n>>
  %4 = relax.negative %3 : (tensor<?x?xf32, #relax.sym<m, n>>) -> tensor<?x?xf32, #relax.sym<m, n>>
  %5 = relax.tril %4 {k = 0 : i64} : (tensor<?x?xf32, #relax.sym<m, n>>) -> tensor<?x?xf32, #relax.sym<m, n>>
  return %2, %5 : tensor<?xf32, #relax.sym<2 * n>>, tensor<?x?xf32, #relax.sym<m, n>>
}
"""

SHAPES = """
func.func @main(%x: tensor<?xf32, #relax.sym<n>>, %s: !relax.shape<[n, m]>, %t: tuple<tensor<?xf32, #relax.sym<n>>, !relax.shape<[m]>>) -> (tensor<?x?xf32, #relax.sym<m, n>>, !relax.shape<[n + m]>) {
  %0 = relax.tuple_get_item %t {index = 0 : i64} : (tuple<tensor<?xf32, #relax.sym<n>>, !relax.shape<[m]>>) -> tensor<?xf32, #relax.sym<n>>
  %1 = relax.subtract %x, %0 : (tensor<?xf32, #relax.sym<n>>, tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
  %2 = relax.tanh %1 : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
  %3 = relax.shape : () -> !relax.shape<[m, n]>
  %4 = relax.broadcast_to %2, %3 : (tensor<?xf32, #relax.sym<n>>, !relax.shape<[m, n]>) -> tensor<?x?xf32, #relax.sym<m, n>>
  %5 = relax.cumsum %4 {axis = 0 : i64} : (tensor<?x?xf32, #relax.sym<m, n>>) -> tensor<?x?xf32, #relax.sym<m, n>>
  %6 = relax.shape : () -> !relax.shape<[n + m]>
  return %5, %6 : tensor<?x?xf32, #relax.sym<m, n>>, !relax.shape<[n + m]>
}
"""

FOREIGN = """
func.func @main(%x: tensor<4x6xf32>, %y: tensor<4x6xf32>) -> tensor<6x8xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<4x6xf32>
  %1 = linalg.sub ins(%x, %y : tensor<4x6xf32>, tensor<4x6xf32>) outs(%0 : tensor<4x6xf32>) -> tensor<4x6xf32>
  %2 = tensor.pad %1 low[1, 0] high[3, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<4x6xf32> to tensor<8x6xf32>
  %3 = tensor.empty() : tensor<6x8xf32>
  %4 = linalg.transpose ins(%2 : tensor<8x6xf32>) outs(%3 : tensor<6x8xf32>) permutation = [1, 0]
  return %4 : tensor<6x8xf32>
}
"""


@dataclass(frozen=True)
class Plant:
    """A change of what a pass makes of a program, and the settings with which it shows."""

    pass_name: str
    change: Change
    program: str
    options: tuple[str, ...] = ()
    sizes: dict[str, int] = field(default_factory=lambda: {"n": 13})

    @contextmanager
    def planted(self) -> Generator[None]:
        """Makes the pass wrong."""
        pass_type = available_passes()[self.pass_name]()
        apply = pass_type.apply

        def wrong(self_: Any, ctx: Any, module: ModuleOp) -> None:
            apply(self_, ctx, module)
            try:
                self.change(module)
            except AssertionError:
                # Programs that are cut may lack what would be changed.
                pass

        with patch.object(pass_type, "apply", wrong):
            yield


LEVEL3 = ("-O", "3")
LEVEL1 = ("-O", "1")
THREADS = ("--threads", "2")
N_AND_M = {"n": 7, "m": 5}


PLANTS: dict[str, Plant] = {
    # Passes of the relax stages.
    "inferred shapes, operands swapped": Plant("relax-infer-shapes", swapped("relax.subtract"), ELEMENTWISE),
    "inferred shapes, rows kept": Plant(
        "relax-infer-shapes", with_property("relax.tril", "k", IntegerAttr(1, i64)), SIZES, sizes=N_AND_M
    ),
    "dead code, shapes as arguments": Plant(
        "relax-dead-code-elimination", skipped("relax.tanh"), SHAPES, sizes=N_AND_M
    ),
    "dead code, an op skipped": Plant("relax-dead-code-elimination", skipped("relax.tanh"), ELEMENTWISE),
    "value semantics, an op skipped": Plant("relax-convert-to-value-semantics", skipped("relax.nn.relu"), ELEMENTWISE),
    "inlined, operands swapped": Plant("relax-inline", swapped("relax.divide"), BLOCKS),
    "simplified, another axis": Plant(
        "relax-simplify-inference", with_property("relax.nn.softmax", "axis", IntegerAttr(0, i64)), BLOCKS
    ),
    "folded, another sign": Plant("relax-fold-constant", other_constants, BLOCKS),
    "scales, an op skipped": Plant("relax-fold-scale-axis", skipped("relax.exp"), BLOCKS),
    "cse, an op skipped": Plant("relax-eliminate-common-subexpr", skipped("relax.cumsum"), BLOCKS),
    "combined, parts in another order": Plant("relax-combine-parallel-matmul", swapped("relax.concat"), BLOCKS),
    "expanded, a term less": Plant("relax-expand-matmul-of-sum", skipped("relax.add"), ELEMENTWISE, LEVEL3),
    "reordered, an operand less": Plant("relax-adjust-matmul-order", skipped("relax.subtract"), ELEMENTWISE, LEVEL3),
    "dataflow, an op skipped": Plant("relax-convert-to-dataflow", skipped("relax.add"), ELEMENTWISE),
    "lifted, a transposition forgotten": Plant("relax-lift-transform-params", skipped("relax.permute_dims"), BLOCKS),
    "packed, an op skipped": Plant("relax-pack-weights", skipped("relax.exp"), BLOCKS),
    "kernels, operands swapped": Plant("relax-fuse-ops", swapped("relax.subtract"), ELEMENTWISE, LEVEL1),
    # The stages linalg and fuse.
    "linalg, operands swapped": Plant("relax-to-linalg", swapped("arith.subf"), ELEMENTWISE),
    "linalg, a minimum": Plant("relax-to-linalg", instead("arith.maximumf", arith.MinimumfOp), ELEMENTWISE, LEVEL1),
    "linalg, a mean of sizes": Plant("relax-to-linalg", swapped("arith.divf"), SIZES, sizes=N_AND_M),
    "linalg, a comparison of sizes": Plant("relax-to-linalg", swapped("arith.cmpi"), SIZES, sizes=N_AND_M),
    "generalized, operands swapped": Plant("generalize-linalg", swapped("arith.subf"), FOREIGN, sizes={}),
    "decomposed, operands swapped": Plant("decompose-tensor", swapped("arith.subf"), FOREIGN, sizes={}),
    "functions, another callee": Plant("deduplicate-functions", other_callee, ELEMENTWISE, ("-O", "0")),
    "views, operands swapped": Plant("fold-views", swapped("arith.subf"), ELEMENTWISE),
    "fused, operands swapped": Plant("fuse-linalg", swapped("arith.subf"), ELEMENTWISE),
    "fused, a sum of sizes": Plant("fuse-linalg", instead("arith.addf", arith.MaximumfOp), SIZES, sizes=N_AND_M),
    "linalg, shapes as arguments": Plant("relax-to-linalg", swapped("arith.subf"), SHAPES, sizes=N_AND_M),
    "fused, shapes as arguments": Plant("fuse-linalg", swapped("arith.subf"), SHAPES, sizes=N_AND_M),
    # Native code alone.
    "buffers, operands swapped": Plant("bufferize", swapped("arith.subf"), ELEMENTWISE),
    "arena, buffers overlap": Plant("plan-arena", overlapping, BLOCKS, ("-O", "0")),
    "loops, a tail less": Plant("linalg-to-loops", without_a_tail, SIZES, sizes=N_AND_M),
    "loops, operands swapped": Plant("linalg-to-loops", swapped("arith.subf"), ELEMENTWISE),
    "loops, shapes as arguments": Plant("linalg-to-loops", swapped("arith.subf"), SHAPES, sizes=N_AND_M),
    "math, other coefficients": Plant("expand-math", other_factors, ELEMENTWISE),
    "threads, operands swapped": Plant("outline-parallel", swapped("arith.subf"), ELEMENTWISE, THREADS),
    "llvm, operands swapped": Plant("convert-to-llvm", swapped("llvm.fsub"), ELEMENTWISE),
    "llvm, a product": Plant("convert-to-llvm", instead("llvm.fadd", llvm.FMulOp), SIZES, sizes=N_AND_M),
}
