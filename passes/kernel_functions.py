"""Outlines groups of ops into private kernel functions, one for structurally equal groups."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FunctionType, ModuleOp, UnitAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from ..dialects.relax.attrs import ShapeType
from ..dialects.relax.base import RelaxOp
from ..dialects.relax.core import ConstantOp, ShapeOp
from ..dialects.relax.scope import defined_symbols, used_symbols
from ..dialects.relax.symbolic import Symbol

PRIMITIVE = "relax.primitive"


def is_kernel(function: func.FuncOp) -> bool:
    """Returns whether a function is a kernel."""
    return PRIMITIVE in function.attributes


class KernelFunctions:
    """The kernels of a module, by structure."""

    def __init__(self, module: ModuleOp):
        self.module = module
        self._kernels: dict[object, str] = {}
        self._names = {op.sym_name.data for op in module.body.block.ops if isinstance(op, func.FuncOp)}

    def functions(self) -> list[func.FuncOp]:
        """Returns the functions with a body that are no kernels."""
        return [
            op
            for op in self.module.body.block.ops
            if isinstance(op, func.FuncOp) and op.body.blocks and not is_kernel(op)
        ]

    def outline(self, ops: Sequence[RelaxOp]) -> None:
        """Replaces ops of one block, in program order, by a call of a kernel that stands at the last of them.

        Only the last op may have results that are used by others.
        """
        last = ops[-1]
        inlined, inputs = _operands(ops)
        symbols = _free_symbols([*inlined, *ops], inputs)
        key = _structure(ops, inlined, inputs, symbols)
        if key not in self._kernels:
            self._kernels[key] = self._create(ops, inlined, inputs, symbols)
        block = last.parent
        assert block is not None
        operands: list[SSAValue] = list(inputs)
        if symbols:
            shape = ShapeOp.build_from(result_types=[_shape_type(symbols)])
            block.insert_op_before(shape, last)
            operands.append(shape.result)
        call = func.CallOp(self._kernels[key], operands, [result.type for result in last.results])
        call.location = last.location
        block.insert_op_before(call, last)
        for old, new in zip(last.results, call.results, strict=True):
            new.name_hint = old.name_hint
            old.replace_all_uses_with(new)
        for op in reversed(ops):
            op.detach()
            op.erase()

    def _create(
        self, ops: Sequence[RelaxOp], inlined: Sequence[Operation], inputs: Sequence[SSAValue], symbols: Sequence[str]
    ) -> str:
        name = self._fresh_name(ops)
        types: list[Attribute] = [value.type for value in inputs]
        if symbols:
            types.append(_shape_type(symbols))
        block = Block(arg_types=types)
        mapping: dict[SSAValue, SSAValue] = dict(zip(inputs, block.args))
        for arg, value in zip(block.args, inputs):
            arg.name_hint = value.name_hint
        for op in (*inlined, *ops):
            block.add_op(op.clone(mapping))
        last = block.last_op
        assert last is not None
        block.add_op(func.ReturnOp(*last.results))
        kernel = func.FuncOp(
            name, FunctionType.from_lists(types, [result.type for result in last.results]), Region(block), "private"
        )
        kernel.attributes[PRIMITIVE] = UnitAttr()
        self.module.body.block.add_op(kernel)
        return name

    def _fresh_name(self, ops: Sequence[RelaxOp]) -> str:
        stems = [op.name.removeprefix("relax.").removeprefix("nn.") for op in ops]
        # Names of deep kernels would otherwise grow without bound.
        stem = stems[0] if len(stems) == 1 else "fused_" + "_".join(stems[:12])
        name, count = stem, 0
        while name in self._names:
            count += 1
            name = f"{stem}{count}"
        self._names.add(name)
        return name


def _shape_type(symbols: Sequence[str]) -> ShapeType:
    return ShapeType(tuple(Symbol(name) for name in symbols))


def _stays_inline(op: object) -> bool:
    """Returns whether an op is copied into a kernel rather than passed to it: shapes and one-element constants."""
    if isinstance(op, ShapeOp):
        return True
    return isinstance(op, ConstantOp) and isinstance(op.value, DenseIntOrFPElementsAttr) and _elements(op) == 1


def _elements(op: ConstantOp) -> int:
    count = 1
    for size in op.value.type.get_shape():
        count *= size
    return count


def _operands(ops: Sequence[RelaxOp]) -> tuple[list[Operation], list[SSAValue]]:
    """Returns the ops that are copied into the kernel, and the values that are passed, both in order of first use."""
    inside = set(ops)
    inlined: dict[Operation, None] = {}
    inputs: dict[SSAValue, None] = {}
    for op in ops:
        for operand in op.operands:
            owner = operand.owner
            if owner in inside:
                continue
            if isinstance(owner, Operation) and _stays_inline(owner):
                inlined[owner] = None
            else:
                inputs[operand] = None
    return list(inlined), list(inputs)


def _free_symbols(ops: Sequence[Operation], inputs: Sequence[SSAValue]) -> list[str]:
    """Returns the symbols that the ops use and the inputs' types do not define, sorted."""
    used: set[str] = set()
    defined: set[str] = set()
    for value in inputs:
        used |= used_symbols(value.type)
        defined |= defined_symbols(value.type)
    for op in ops:
        for result in op.results:
            used |= used_symbols(result.type)
    return sorted(used - defined)


def _structure(
    ops: Sequence[RelaxOp], inlined: Sequence[Operation], inputs: Sequence[SSAValue], symbols: Sequence[str]
) -> object:
    """Returns a key that is equal for groups with the same ops, types and connections."""
    numbers: dict[SSAValue, int] = {value: index for index, value in enumerate(inputs)}
    parts: list[object] = [tuple(value.type for value in inputs), tuple(symbols)]
    for op in (*inlined, *ops):
        operands = tuple(numbers[operand] for operand in op.operands)
        results = tuple(result.type for result in op.results)
        properties = tuple(sorted(op.properties.items(), key=lambda item: item[0]))
        parts.append((op.name, operands, properties, results))
        for result in op.results:
            numbers[result] = len(numbers)
    return tuple(parts)
