"""Inserts ops at one place of a program: every op of the dialect is a method, with its result types inferred."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from ..dialects.relax.base import RelaxOp, drafts
from ..dialects.relax.calls import call_result_types
from ..dialects.relax.dense import dense_from_numpy
from ..dialects.relax.dtypes import element_from_numpy, numpy_dtype
from ..dialects.relax.ops.core import ConstantOp, MatchCastOp, ShapeOp
from ..dialects.upstream.func_ops import CallOp
from . import control_flow
from .arguments import ArgumentsError, Parameter, signature_of
from .errors import BuilderError
from .inserter import Inserter, Names
from .locations import Location
from .op_methods import find_method, method_names, op_named
from .types import ElementType, SizeLike, element_type, is_sizes, shape


class Completable(Protocol):
    """A function that is being built."""

    def complete(self, where: LocationAttr) -> func.FuncOp:
        """Returns the function. Raises `BuilderError` if its results are not known yet."""
        ...


class BlockBuilder(Inserter):
    """Inserts ops at the end of a block, at an insertion point, or through one of xDSL's builders.

    `g.matmul(x, w)` and `g.nn.conv2d(x, w, strides=[1, 1])` insert `relax.matmul` and `relax.nn.conv2d`: operands first, in order or by
    name, then attributes by name, as Python values. They return the result, a tuple of several, or `None`. Every op takes
    `name=` (of the results, in the text), `location=` (else it is that of the caller's line) and `result_types=` (else they are
    inferred) as well. What does not fit raises `BuilderError`.

    Without a place, ops go where xDSL's `ImplicitBuilder` puts them.
    """

    def __getattr__(self, name: str) -> Any:
        return find_method(self.op, name)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *method_names("")]

    # Ops

    def op(
        self,
        op: str | type[RelaxOp],
        *operands: Any,
        name: Names = None,
        location: Location | None = None,
        result_types: Sequence[Attribute] | None = None,
        **arguments: Any,
    ) -> Any:
        """Inserts an op, by its name or class, and returns its result, a tuple of several, or `None`."""
        where = self._locations.resolve(location)
        op_type = op_named(op, where) if isinstance(op, str) else op

        def lift(parameter: Parameter, given: Any) -> SSAValue:
            return self._value(given, parameter, where)

        try:
            values, attributes = signature_of(op_type).bind(operands, arguments, lift)
            return self.insert(
                lambda: op_type.build_from(*values, result_types=result_types, **attributes), name=name, location=where
            )
        except ArgumentsError as error:
            raise BuilderError(where, str(error)) from None
        except VerifyException as error:
            raise BuilderError(where, f"{op_type.name}: {error}") from None

    def _value(self, given: Any, parameter: Parameter, where: LocationAttr) -> SSAValue:
        """Returns the value that stands for an operand. Raises `TypeError` or `ValueError` for what is none."""
        if isinstance(given, SSAValue):
            return given
        if isinstance(given, Operation):
            return SSAValue.get(given)
        if isinstance(given, np.ndarray | np.generic):
            return self.constant(given, location=where)
        if "shape" in parameter.kinds and is_sizes(given):
            return self.shape(*given, location=where)
        raise TypeError(f"expected {parameter.expected}")

    # Ops that say more than their operands do

    def constant(
        self, value: Any, element: ElementType | None = None, *, name: Names = None, location: Location | None = None
    ) -> SSAValue:
        """Inserts a constant tensor with the data of an array, a number or nested lists, converted to an element type if that is given."""
        where = self._locations.resolve(location)
        try:
            array = np.asarray(value)
            dtype = element_from_numpy(array.dtype) if element is None else element_type(element)
            data = dense_from_numpy(np.asarray(array, numpy_dtype(dtype)), dtype)
        except (TypeError, ValueError) as error:
            raise BuilderError(where, f"relax.constant: {error}") from None
        return self.insert(lambda: ConstantOp.build_from(value=data), name=name, location=where)

    def shape(self, *sizes: SizeLike, name: Names = None, location: Location | None = None) -> SSAValue:
        """Inserts a shape value with these dims."""
        return self._typed(ShapeOp, (), shape(sizes), name, location)

    def match_cast(
        self, value: SSAValue, expected: Attribute, *, name: Names = None, location: Location | None = None
    ) -> SSAValue:
        """Inserts a check at run time that a value has a type; symbols that stand alone in it are defined by it."""
        return self._typed(MatchCastOp, (value,), expected, name, location)

    def _typed(
        self,
        op_type: type[RelaxOp],
        operands: Sequence[SSAValue],
        result: Attribute,
        name: Names,
        location: Location | None,
    ) -> SSAValue:
        """Inserts an op whose result type is given, and verifies it."""
        where = self._locations.resolve(location)

        with drafts():
            draft = op_type.build_from(*operands, result_types=[result])
        try:
            draft.verify_()
        except VerifyException as error:
            raise BuilderError(where, f"{op_type.name}: {error}") from None
        finally:
            draft.drop_all_references()
        return self.insert(lambda: op_type.build_from(*operands, result_types=[result]), name=name, location=where)

    def call(
        self,
        function: Completable | func.FuncOp,
        *operands: SSAValue,
        name: Names = None,
        location: Location | None = None,
    ) -> Any:
        """Inserts a call of a function of the module; symbols of the callee become what the operands say."""
        where = self._locations.resolve(location)
        callee = function if isinstance(function, func.FuncOp) else function.complete(where)
        label = callee.sym_name.data
        try:
            results = call_result_types(callee.function_type, [operand.type for operand in operands])
        except VerifyException as error:
            raise BuilderError(where, f"call of @{label}: {error}") from None
        return self.insert(lambda: CallOp(label, operands, results), name=name, location=where)

    def if_(
        self,
        condition: SSAValue,
        then: Callable[[BlockBuilder], Any],
        otherwise: Callable[[BlockBuilder], Any],
        *,
        name: Names = None,
        location: Location | None = None,
    ) -> Any:
        """Inserts `scf.if`. Each branch gets a builder of its block and returns its values, of the same types in both.

        The condition is an `i1`, or a tensor that holds one. Returns the result, a tuple of several, or `None`.
        """
        return control_flow.insert_if(self, condition, then, otherwise, name, self._locations.resolve(location))

    def while_(
        self,
        initial: Sequence[SSAValue],
        condition: Callable[..., SSAValue],
        body: Callable[..., Any],
        *,
        name: Names = None,
        location: Location | None = None,
    ) -> Any:
        """Inserts `scf.while`. `condition` and `body` get a builder and the current values; `body` returns the next ones.

        A value has the same type in every round: a dim that changes from round to round must be unknown in the type of the first one.
        Returns the last value, or a tuple of several.
        """
        return control_flow.insert_while(self, initial, condition, body, name, self._locations.resolve(location))

    def inner(self, block: Block) -> BlockBuilder:
        """Returns a builder at the end of another block, with the locations of this one."""
        return BlockBuilder(block, locations=self._locations)
