"""Inserts ops at one place of a program, or into a dataflow block: every op of the dialect is a method, with its result types inferred."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue, TypeAttribute
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import VerifyException

from ..dialects.relax.base import RelaxOp, drafts
from ..dialects.relax.calls import call_result_types
from ..dialects.relax.dense import dense_from_numpy
from ..dialects.relax.dtypes import element_from_numpy
from ..dialects.relax.function_signature import Attributes
from ..dialects.relax.known_ops import verify_draft
from ..dialects.relax.ops.core import ConstantOp, DataflowOp, MatchCastOp, OutputOp, ShapeOp
from ..dialects.upstream.func_ops import CallOp
from . import control_flow
from .arguments import ArgumentsError, OpSignature, Parameter, signature_of
from .calls import checked
from .errors import BuilderError, reason_of
from .inserter import Inserter, Names
from .locations import Location
from .numbers import converted, element_of, number_array, with_element
from .op_methods import find_method, method_names, op_named
from .types import ElementType, SizeLike, element_type, is_sizes, shape, unmasked


@runtime_checkable
class Function(Protocol):
    """A function that is being built."""

    def complete(self, where: LocationAttr) -> func.FuncOp:
        """Returns the function. Raises `BuilderError` if its results are not known yet."""
        ...


class BlockBuilder(Inserter):
    """Inserts ops at the end of a block, at an insertion point, or through one of xDSL's builders.

    `g.matmul(x, w)` and `g.nn.conv2d(x, w, strides=[1, 1])` insert `relax.matmul` and `relax.nn.conv2d`: operands first, in order or by
    name, then attributes by name, as Python values. They return the result, a tuple of several, or `None`. Every op takes
    `name=` (of the results, in the text), `location=` (else it is that of the caller's line), `result_types=` (else they are inferred) and
    `attributes=` (that the op's definition does not name) as well. What does not fit raises `BuilderError`.

    Without a place, ops go where xDSL's `ImplicitBuilder` puts them. With a `location` all ops have that, in place of the caller's lines.
    """

    def __getattr__(self, name: str) -> Any:
        return find_method(self.op, name)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *method_names("")]

    # Ops

    @checked
    def op(
        self,
        op: str | type[RelaxOp],
        *operands: Any,
        name: Names = None,
        location: Location | None = None,
        result_types: Sequence[Attribute] | None = None,
        attributes: Mapping[str, Attribute] | None = None,
        **arguments: Any,
    ) -> Any:
        """Inserts an op, by its name or class, and returns its result, a tuple of several, or `None`."""
        where = self._locations.resolve(location)
        op_type = op_named(op, where) if isinstance(op, str) else op
        _verify_types(result_types, where)
        signature = signature_of(op_type)
        element = self._element_of_numbers(signature, operands, arguments)
        made: list[Operation] = []

        def lift(parameter: Parameter, given: Any) -> SSAValue:
            value = self._value(given, parameter, element, where)
            if not isinstance(given, SSAValue | Operation) and isinstance(value.owner, Operation):
                made.append(value.owner)
            return value

        try:
            values, properties = signature.bind(operands, arguments, lift)
            if result_types is not None:
                _verify_draft(op_type, values, properties, result_types)

            def build() -> RelaxOp:
                built = op_type.build_from(*values, result_types=result_types, **properties)
                built.attributes.update(attributes or {})
                return built

            return self._insert(build, name, where)
        except (ArgumentsError, BuilderError, VerifyException) as error:
            for made_op in reversed(made):
                Rewriter.erase_op(made_op)
            if isinstance(error, BuilderError):
                raise
            message = str(error) if isinstance(error, ArgumentsError) else f"{op_type.name}: {error}"
            raise BuilderError(where, message) from None

    def _element_of_numbers(
        self, signature: OpSignature, operands: Sequence[Any], arguments: Mapping[str, Any]
    ) -> Attribute | None:
        """Returns the element type of numbers of Python among operands: the first of a tensor operand with which the op is valid.

        It is `None` without such numbers or tensors, and the last one if none is valid.
        """
        names = [operand.name for operand in signature.operands if operand.name in arguments]
        given = [*operands, *(arguments[name] for name in names)]
        if not any(isinstance(item, int | float) for item in given):
            return None
        elements = list(dict.fromkeys(element for item in given if (element := element_of(item)) is not None))
        if len(elements) < 2:
            return elements[0] if elements else None
        for element in elements:
            scratch = Block()
            trial = BlockBuilder(scratch, locations=self._locations)
            try:
                typed = {name: with_element(arguments[name], element) for name in names}
                trial.op(signature.op_type, *with_element(operands, element), **{**arguments, **typed})
            except (BuilderError, ValueError):
                continue
            finally:
                for op in scratch.ops:
                    op.drop_all_references()
            return element
        return elements[-1]

    @checked
    def results(self, op: str | type[RelaxOp], *operands: Any, **arguments: Any) -> tuple[SSAValue, ...]:
        """Inserts an op as `op` does, and returns its results, however many these are, as a tuple."""
        made = self.op(op, *operands, **arguments)
        if made is None:
            return ()
        return made if isinstance(made, tuple) else (made,)  # pyright: ignore[reportUnknownVariableType]

    def _value(self, given: Any, parameter: Parameter, element: Attribute | None, where: LocationAttr) -> SSAValue:
        """Returns an operand as a value. Raises `TypeError` or `ValueError` for what cannot be one."""
        # Invariant: what returns is a value in the program; the words of an error say what to write instead.
        if isinstance(given, SSAValue):
            return given
        if isinstance(given, Operation):
            return SSAValue.get(given)
        if isinstance(given, np.ndarray | np.generic):
            return self.constant(given, location=where)
        if "shape" in parameter.kinds and is_sizes(given):
            return self.shape(*given, location=where)
        if parameter.is_variadic and isinstance(given, list | tuple):
            raise TypeError(f"expected {parameter.expected}; give each of them as an operand of its own")
        if isinstance(given, int | float) and "tensor" in parameter.kinds:
            if element is not None:
                return self.constant(number_array(given, element), location=where)
            raise TypeError(
                f"expected {parameter.expected}; give a number an element type, such as np.float32({given!r})"
            )
        raise TypeError(f"expected {parameter.expected}")

    # Ops that say more than their operands do

    @checked
    def constant(
        self, value: Any, element: ElementType | None = None, *, name: Names = None, location: Location | None = None
    ) -> SSAValue:
        """Inserts a constant tensor with the data of an array, a number or nested lists, converted to an element type if that is given."""
        where = self._locations.resolve(location)
        try:
            array = np.asarray(unmasked(value))
            dtype = element_from_numpy(array.dtype) if element is None else element_type(element)
            held = number_array(value, dtype) if isinstance(value, int | float) else converted(array, dtype)
            data = dense_from_numpy(held, dtype)
        except (OverflowError, TypeError, ValueError) as error:
            raise BuilderError(where, f"relax.constant: {reason_of(error)}") from None
        return self._insert(lambda: ConstantOp.build_from(value=data), name, where)

    @checked
    def shape(self, *sizes: SizeLike, name: Names = None, location: Location | None = None) -> SSAValue:
        """Inserts a shape value with these dims."""
        return self.op(ShapeOp, result_types=[shape(sizes)], name=name, location=location)

    @checked
    def match_cast(
        self, value: SSAValue, expected: Attribute, *, name: Names = None, location: Location | None = None
    ) -> SSAValue:
        """Inserts a check at run time that a value has a type; symbols that stand alone in it are defined by it."""
        return self.op(MatchCastOp, value, result_types=[expected], name=name, location=location)

    @checked
    def call(
        self,
        function: Function | func.FuncOp,
        *operands: SSAValue,
        name: Names = None,
        location: Location | None = None,
    ) -> Any:
        """Inserts a call of a function of the module; symbols of the callee become what the operands say."""
        where = self._locations.resolve(location)
        callee = function if isinstance(function, func.FuncOp) else function.complete(where)
        label, module = callee.sym_name.data, self._locations.module
        if module is not None and callee.parent_op() is not module:
            raise BuilderError(where, f"call of @{label}: expected a function of this module, got one of another")
        try:
            results = call_result_types(callee.function_type, [operand.type for operand in operands])
        except VerifyException as error:
            raise BuilderError(where, f"call of @{label}: {error}") from None
        return self._insert(lambda: CallOp(label, operands, results), name, where)

    @checked
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

    @checked
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

    @checked
    def dataflow(self, *, location: Location | None = None) -> DataflowBuilder:
        """Adds a dataflow block: `with f.dataflow() as g: ...; y = g.output(...)`."""
        return DataflowBuilder(self, self._locations.resolve(location))

    @checked
    def inner(self, block: Block) -> BlockBuilder:
        """Returns a builder at the end of another block, with the locations of this one."""
        return BlockBuilder(block, locations=self._locations)


class DataflowBuilder(BlockBuilder):
    """Builds a dataflow block: pure, straight-line ops. `output` ends it and inserts it; before, it has no op around it."""

    def __init__(self, outer: BlockBuilder, where: LocationAttr):
        self._body = Block()
        super().__init__(self._body, locations=outer._locations)
        self._outer = outer
        self._where = where
        self._is_complete = False

    @checked
    def output(self, *values: SSAValue, name: Names = None, location: Location | None = None) -> Any:
        """Ends the block and returns what the function sees of these values: one, a tuple of several, or `None`."""
        where = self._locations.resolve(location)
        self.insert(lambda: OutputOp(*values), location=where)
        self._is_complete = True
        types = [value.type for value in values]
        return self._outer.insert(lambda: DataflowOp(self._body, types), name=name, location=self._where)

    def _ended_by(self, last: Operation) -> str:
        return "the dataflow block has its output already"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None and not self._is_complete:
            raise BuilderError(self._where, "the dataflow block has no output, end it with output(...)")


def _verify_types(result_types: Sequence[Attribute] | None, where: LocationAttr) -> None:
    """Raises `BuilderError` for result types that are other attributes."""
    for item in result_types or ():
        if not isinstance(item, TypeAttribute):
            raise BuilderError(where, f"result_types takes types, got {item}")


def _verify_draft(
    op_type: type[RelaxOp], operands: Sequence[SSAValue], properties: Attributes, result_types: Sequence[Attribute]
) -> None:
    """Raises `VerifyException` if an op may not have the types that it is given."""
    with drafts():
        draft = op_type.build_from(*operands, result_types=result_types, **properties)
    try:
        verify_draft(draft)
    finally:
        draft.drop_all_references()
