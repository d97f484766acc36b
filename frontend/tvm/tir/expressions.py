"""Expressions of TIR as `arith`, `math` and `tensor.extract` at one point of a program.

Where TVM leaves a choice, ours is that of the dialect: the larger and the smaller of two floats are NaN if one of them is.
"""

# TVM declares few of its types.
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Mapping, MutableMapping
from functools import partial
from typing import Any

import tvm
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerType, i1
from xdsl.ir import Attribute, Block, Region, SSAValue

from ....dialects.relax.dtypes import is_unsigned
from ....lowering.emit import scalar
from ....lowering.emit.op_builder import OpBuilder
from ....lowering.emit.tensor_builder import Size
from ....lowering.relax_to_linalg.builder import signless
from ....lowering.relax_to_linalg.ops import binary
from ..diagnostics import Unsupported
from ..types import element_of, key
from .intrinsics import INTRINSICS
from .nodes import expressions_in, kind, loads_in, operands, operator_name

_COMPARISONS = {"EQ": "eq", "NE": "ne", "LT": "lt", "LE": "le", "GT": "gt", "GE": "ge"}
_ARITHMETIC: Mapping[str, Callable[[OpBuilder, SSAValue, SSAValue], SSAValue]] = {
    "Add": scalar.add,
    "Sub": scalar.sub,
    "Mul": scalar.mul,
    "BitwiseAnd": lambda b, x, y: b.insert(arith.AndIOp(x, y)),
    "BitwiseOr": lambda b, x, y: b.insert(arith.OrIOp(x, y)),
    "BitwiseXor": lambda b, x, y: b.insert(arith.XOrIOp(x, y)),
    "And": OpBuilder.both,
    "Or": OpBuilder.either,
}
_SIGNED: Mapping[str, Callable[[OpBuilder, SSAValue, SSAValue, bool], SSAValue]] = {
    "Max": scalar.maximum,
    "Min": scalar.minimum,
    "LShift": partial(binary.shift, left=True),
    "RShift": partial(binary.shift, left=False),
    "Div": binary.divide,
    "Mod": binary.mod,
    "FloorDiv": binary.floor_divide,
    "FloorMod": binary.floor_mod,
}
"""Operators on numbers whose sign counts; what they do where TVM leaves the result undefined is what the ops of the dialect do."""


def _floor_divide(b: OpBuilder, x: SSAValue, y: SSAValue, unsigned: bool = False) -> SSAValue:
    return b.insert((arith.DivUIOp if unsigned else arith.FloorDivSIOp)(x, y))


def _floor_mod(b: OpBuilder, x: SSAValue, y: SSAValue, unsigned: bool = False) -> SSAValue:
    if unsigned:
        return b.insert(arith.RemUIOp(x, y))
    return scalar.sub(b, x, scalar.mul(b, _floor_divide(b, x, y), y))


_BY_LITERAL: Mapping[str, Callable[[OpBuilder, SSAValue, SSAValue, bool], SSAValue]] = {
    "LShift": lambda b, x, y, unsigned: b.insert(arith.ShLIOp(x, y)),
    "RShift": lambda b, x, y, unsigned: b.insert((arith.ShRUIOp if unsigned else arith.ShRSIOp)(x, y)),
    "Div": scalar.div,
    "Mod": lambda b, x, y, unsigned: b.insert((arith.RemUIOp if unsigned else arith.RemSIOp)(x, y)),
    "FloorDiv": _floor_divide,
    "FloorMod": _floor_mod,
}
"""The same for integers by a positive literal, where every result is defined."""
_CALLED = {"shift_left": "LShift", "shift_right": "RShift"}
_INDEX_ARITHMETIC: Mapping[str, Callable[[OpBuilder, Size, Size], Size]] = {
    "Add": OpBuilder.add,
    "Sub": OpBuilder.sub,
    "Mul": OpBuilder.mul,
    "Min": OpBuilder.minimum,
    "Max": OpBuilder.maximum,
}


class Bounds:
    """What is known of the values of variables, asked of TVM's analyzer."""

    def __init__(self) -> None:
        self._analyzer = tvm.sym.Analyzer()

    def bind(self, variable: Any, low: Any, extent: Any) -> None:
        """Notes the range of a variable."""
        self._analyzer.bind(variable, tvm.ir.Range.from_min_extent(low, extent), True)

    def bind_size(self, variable: Any) -> None:
        """Notes that a variable is a size."""
        self._analyzer.update(variable, tvm.sym.ConstIntBound(0, tvm.sym.ConstIntBound.POS_INF), True)

    def equal(self, a: Any, b: Any) -> bool:
        """Returns whether two sizes are provably equal."""
        return bool(self._analyzer.can_prove_equal(a, b))

    def not_negative(self, value: Any) -> bool:
        """Returns whether a value is provably at least 0."""
        return bool(self._analyzer.can_prove(value >= 0))

    def inside(self, load: Any) -> bool:
        """Returns whether a load provably reads an element that exists."""
        if any(kind(part) in ("TensorLoad", "Call") for index in load.indices for part in expressions_in(index)):
            return False
        return all(
            self.not_negative(index) and bool(self._analyzer.can_prove(index < size))
            for index, size in zip(load.indices, load.source.ty.shape, strict=True)
        )


def element_type(node: Any) -> Attribute:
    """Returns the type of an expression, or of the elements of a buffer; integers have no sign."""
    return signless(element_of(node.ty.dtype))


def unsigned(node: Any) -> bool:
    """Returns whether an expression is an unsigned integer."""
    return is_unsigned(element_of(node.ty.dtype))


class Expressions:
    """Evaluates expressions at one point; an expression is evaluated once.

    `variables` holds what variables stand for, by key: numbers, values of type `index`, or of the variable's own type.
    `tensors` holds the tensor of each buffer, `loaded` the elements that are values already, by load.
    """

    def __init__(
        self,
        b: OpBuilder,
        bounds: Bounds,
        variables: Mapping[int, Size],
        tensors: Mapping[int, SSAValue],
        loaded: Mapping[int, SSAValue] | None = None,
    ):
        self.b = b
        self.bounds = bounds
        self.variables = dict(variables)
        self.tensors = tensors
        self.loaded = loaded or {}
        self._values: MutableMapping[int, SSAValue] = {}
        self._indices: MutableMapping[int, Size] = {}

    def _nested(self, block: Block) -> Expressions:
        """Returns the same in a block inside of this one."""
        inner = Expressions(self.b.nested(block), self.bounds, self.variables, self.tensors, self.loaded)
        inner._values = ChainMap({}, self._values)
        inner._indices = ChainMap({}, self._indices)
        return inner

    def bind(self, variable: Any, value: Any) -> None:
        """Lets a variable stand for an expression's value."""
        self.variables[key(variable)] = self.value(value)

    def index(self, expression: Any) -> Size:
        """Returns an integer expression as a number, or as a value of type `index`."""
        if kind(expression) == "IntImm":
            return int(expression.value)
        index = self._indices.get(key(expression))
        if index is None:
            index = self._indices[key(expression)] = self._index(expression)
        return index

    def _index(self, expression: Any) -> Size:
        # A size is a number as long as its operands are; where it is no arithmetic of sizes, it is a value that is cast.
        name = kind(expression)
        if name == "Var":
            value = self._variable(expression)
            is_size = isinstance(value, int) or isinstance(value.type, IndexType)
            return value if is_size else scalar.cast(self.b, value, IndexType(), unsigned(expression))
        if name == "Cast" and _widens(expression):
            return self.index(expression.value)
        if name in _INDEX_ARITHMETIC:
            lhs, rhs = self.index(expression.a), self.index(expression.b)
            if isinstance(lhs, int) and isinstance(rhs, int) and name in ("Min", "Max"):
                return min(lhs, rhs) if name == "Min" else max(lhs, rhs)
            return _INDEX_ARITHMETIC[name](self.b, lhs, rhs)
        if name in ("FloorDiv", "FloorMod"):
            return self._floor(expression, self.index(expression.a), self.index(expression.b))
        return scalar.cast(self.b, self.value(expression), IndexType(), unsigned(expression))

    def _is_place(self, expression: Any) -> bool:
        """Returns whether an expression is made of sizes and loop variables alone: its value is the same as one of type `index`."""
        name = kind(expression)
        if not str(expression.ty.dtype).startswith("int"):
            return False
        if name == "Var":
            value = self.variables.get(key(expression))
            return isinstance(value, int) or (value is not None and isinstance(value.type, IndexType))
        if name == "Cast" and not _widens(expression):
            return False
        if name in ("IntImm", "Cast", *_INDEX_ARITHMETIC, "FloorDiv", "FloorMod"):
            return all(map(self._is_place, operands(expression)))
        return False

    def _floor(self, expression: Any, lhs: Size, rhs: Size) -> Size:
        """Returns a quotient rounded down, or what is left of it."""
        quotient = kind(expression) == "FloorDiv"
        if isinstance(lhs, int) and isinstance(rhs, int) and rhs != 0:
            return lhs // rhs if quotient else lhs % rhs
        if self.bounds.not_negative(expression.a) and isinstance(rhs, int) and rhs > 0:
            x, y = self.b.as_index(lhs), self.b.index(rhs)
            return self.b.insert(arith.DivSIOp(x, y) if quotient else arith.RemSIOp(x, y))
        x, y = self.b.as_index(lhs), self.b.as_index(rhs)
        return (_floor_divide if quotient else _floor_mod)(self.b, x, y)

    def _variable(self, variable: Any) -> Size:
        value = self.variables.get(key(variable))
        if value is None:
            raise Unsupported(f"variable {variable.name} has no value")
        return value

    def value(self, expression: Any) -> SSAValue:
        """Returns an expression as a value of its own type."""
        if _is_literal(expression):
            # The hashes of literals are those of their values, whatever their types.
            return self.b.constant(expression.value, element_type(expression))
        value = self._values.get(key(expression))
        if value is None:
            value = self._values[key(expression)] = self._value(expression)
        return value

    def _value(self, expression: Any) -> SSAValue:
        # An expression of positions is computed as an index and cast to its type; each other one in the type that it has.
        name = kind(expression)
        if name != "Var" and self._is_place(expression):
            wanted, index = element_type(expression), self.index(expression)
            return self.b.constant(index, wanted) if isinstance(index, int) else scalar.cast(self.b, index, wanted)
        if name in _ARITHMETIC and not (name in ("And", "Or") and not self._is_safe(expression.b)):
            return _ARITHMETIC[name](self.b, self.value(expression.a), self.value(expression.b))
        if name in _SIGNED:
            return self._signed(name, expression.a, expression.b)
        if name in _COMPARISONS:
            places = self._is_place(expression.a) and self._is_place(expression.b)
            evaluate = (lambda e: self.b.as_index(self.index(e))) if places else self.value
            lhs, rhs = evaluate(expression.a), evaluate(expression.b)
            return scalar.compare(self.b, _COMPARISONS[name], lhs, rhs, unsigned(expression.a))
        match name:
            case "Var":
                value, wanted = self._variable(expression), element_type(expression)
                return self.b.constant(value, wanted) if isinstance(value, int) else scalar.cast(self.b, value, wanted)
            case "TensorLoad":
                return self._load(expression)
            case "Cast":
                return scalar.cast(
                    self.b,
                    self.value(expression.value),
                    element_type(expression),
                    unsigned(expression.value),
                    unsigned(expression),
                )
            case "Not":
                return scalar.logical_not(self.b, self.value(expression.a))
            case "BitwiseNot":
                ones = self.b.constant(-1, element_type(expression))
                return self.b.insert(arith.XOrIOp(self.value(expression.a), ones))
            case "And":
                return self._choose(
                    expression, expression.a, lambda e: e.value(expression.b), lambda e: _truth(e, False)
                )
            case "Or":
                return self._choose(
                    expression, expression.a, lambda e: _truth(e, True), lambda e: e.value(expression.b)
                )
            case "Select":
                return self._conditional(
                    expression, expression.condition, expression.true_value, expression.false_value
                )
            case "Let":
                self.bind(expression.var, expression.value)
                return self.value(expression.body)
            case "Call":
                return self._call(expression)
            case _:
                raise Unsupported(f"an expression of kind {name} has no counterpart")

    def _load(self, load: Any) -> SSAValue:
        loaded = self.loaded.get(key(load))
        if loaded is not None:
            return loaded
        tensor = self.tensors.get(key(load.source))
        if tensor is None:
            raise Unsupported(f"buffer {load.source.name} is read before it is written")
        return self.b.extract(tensor, [self.index(index) for index in load.indices])

    def _signed(self, name: str, a: Any, b: Any) -> SSAValue:
        lhs, rhs = scalar.widen(self.b, self.value(a)), scalar.widen(self.b, self.value(b))
        operators = _BY_LITERAL if name in _BY_LITERAL and _is_harmless(name, lhs, b) else _SIGNED
        return scalar.cast(self.b, operators[name](self.b, lhs, rhs, unsigned(a)), element_type(a))

    def _call(self, call: Any) -> SSAValue:
        name = operator_name(call)
        if name == "if_then_else":
            return self._conditional(call, *call.args)
        if name in _CALLED:
            return self._signed(_CALLED[name], *call.args)
        intrinsic = INTRINSICS.get(name)
        if intrinsic is None:
            raise Unsupported(f"a call of {name} has no counterpart")
        return intrinsic(self.b, [self.value(arg) for arg in call.args], element_type(call))

    # Branches.

    def _is_safe(self, expression: Any) -> bool:
        """Returns whether an expression may be evaluated where its value is not asked for."""
        return all(key(load) in self.loaded or self.bounds.inside(load) for load in loads_in(expression))

    def _conditional(self, expression: Any, condition: Any, then: Any, otherwise: Any) -> SSAValue:
        if self._is_safe(then) and self._is_safe(otherwise):
            return scalar.select(self.b, self.value(condition), self.value(then), self.value(otherwise))
        return self._choose(expression, condition, lambda e: e.value(then), lambda e: e.value(otherwise))

    def _choose(
        self,
        expression: Any,
        condition: Any,
        then: Callable[[Expressions], SSAValue],
        otherwise: Callable[[Expressions], SSAValue],
    ) -> SSAValue:
        """Inserts an `scf.if`: only the side that is asked for is evaluated."""
        holds = self.value(condition)
        regions: list[Region] = []
        for branch in (then, otherwise):
            block = Block()
            inner = self._nested(block)
            inner.b.insert_op(scf.YieldOp(branch(inner)))
            regions.append(Region(block))
        return self.b.insert(scf.IfOp(holds, [element_type(expression)], *regions))


def _truth(expressions: Expressions, value: bool) -> SSAValue:
    return expressions.b.constant(value, i1)


def _is_harmless(name: str, lhs: SSAValue, rhs: Any) -> bool:
    """Returns whether an operator on integers has a literal to its right with which all its results are defined."""
    if not isinstance(lhs.type, IntegerType) or kind(rhs) != "IntImm":
        return False
    return 0 < int(rhs.value) < (lhs.type.width.data if name in _CALLED.values() else 1 << 63)


def _is_literal(expression: Any) -> bool:
    """Returns whether an expression is a literal."""
    return kind(expression) in ("IntImm", "FloatImm")


def _widens(cast: Any) -> bool:
    """Returns whether a conversion keeps the value of every signed integer."""
    source, target = str(cast.value.ty.dtype), str(cast.ty.dtype)
    return source.startswith("int") and target.startswith("int") and int(source[3:]) <= int(target[3:])
