"""What each import of a graph does where it inserts ops: sizes get names, tensors become values once, refusals are noted."""

from __future__ import annotations

from abc import ABC
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.exceptions import VerifyException

from ...builder import BlockBuilder, BuilderError
from ...builder.functions import FunctionBuilder
from ...dialects.relax.attrs import dims_of, element_type_of, tensor_type
from ...dialects.relax.function_signature import fresh
from ...dialects.symbolic.expressions import Symbol, equal
from ...dialects.symbolic.nodes import Known
from .problems import Problem, Unsupported
from .sizes import SizeArray, dims_in, is_symbolic
from .stored_masks import computed_mask, mask_of
from .weights import Weights

REFUSALS = (Unsupported, VerifyException, BuilderError)
"""What an op raises that has no counterpart, or none for its operands."""


class OpInserter(ABC):
    """Inserts ops into a function."""

    def __init__(self, function: FunctionBuilder):
        self.builder: BlockBuilder = function
        """Inserts ops where the import stands."""
        self.function = function
        self.problems: list[Problem] = []
        self.symbols: set[str] = set()
        """The names of sizes that are taken."""

    def note(self, error: Exception, what: str, where: str) -> None:
        """Notes one of `REFUSALS`, so that the import can go on; one without a reason stands for others that have been noted."""
        reason = " ".join((error.message if isinstance(error, BuilderError) else str(error)).split())
        if reason:
            inputs = error.inputs if isinstance(error, Unsupported) else ()
            self.problems.append(Problem(what, reason, where, inputs))

    def fresh_symbol(self, stem: str) -> Symbol:
        """Returns a size that has no name yet."""
        name = fresh(stem, self.symbols)
        self.symbols.add(name)
        return Symbol(name)

    def named(self, value: SSAValue, stem: str = "d") -> SSAValue:
        """Returns a value whose sizes all have names: those that are only known when the program runs get new ones."""
        dims = dims_of(value.type)
        if dims is None:
            raise Unsupported("the number of dims depends on data")
        if None not in dims:
            return value
        named = [self.fresh_symbol(stem) if dim is None else dim for dim in dims]
        return self.builder.match_cast(value, tensor_type(named, element_type_of(value.type)))

    def matched(self, value: SSAValue, sizes: Sequence[Known]) -> SSAValue | None:
        """Returns a value with the sizes that the model declares, checked when the program runs if need be; `None` if they differ."""
        dims = dims_of(value.type)
        own = [None] * len(sizes) if dims is None else dims
        if len(own) != len(sizes):
            return None
        decided = [equal(a, b) for a, b in zip(own, sizes, strict=True)]
        if all(decided):
            return value
        if False in decided:
            return None
        return self.builder.match_cast(value, tensor_type(sizes, element_type_of(value.type)))

    @contextmanager
    def inserting(self, builder: BlockBuilder) -> Generator[None, None, None]:
        """Inserts into another block."""
        outer, self.builder = self.builder, builder
        try:
            yield
        finally:
            self.builder = outer


class Tensor(Protocol):
    """A tensor of a model: a value of the program, or elements that the import knows."""

    @property
    def value(self) -> SSAValue | None:
        """What computes it, `None` while the program has no need of its elements."""
        ...

    @property
    def weight(self) -> str | None:
        """The parameter that its elements are stored as, if they are."""
        ...

    @property
    def shape(self) -> tuple[Known, ...]:
        """The dims."""
        ...

    @property
    def element(self) -> Attribute:
        """The element type that it is kept in."""
        ...

    @property
    def array(self) -> SizeArray:
        """The elements, in the type that they are kept in, or expressions of sizes."""
        ...


AnyTensor = TypeVar("AnyTensor", bound=Tensor)


class TensorInserter(OpInserter, Generic[AnyTensor]):
    """Inserts ops into a function, with tensors that are computed during the import until the program needs them."""

    def __init__(self, function: FunctionBuilder, weights: Weights):
        super().__init__(function)
        self.weights = weights
        self._made: list[dict[int, tuple[AnyTensor, SSAValue]]] = [{}]

    def materialized(self, tensor: AnyTensor) -> SSAValue:
        """Returns a tensor as a value of the program: a parameter, a constant, or what computes it."""
        if tensor.value is not None:
            return tensor.value
        if tensor.weight is not None and tensor.weight in self.function.params:
            return self.function.params[tensor.weight]
        for made in reversed(self._made):
            if id(tensor) in made:
                return made[id(tensor)][1]
        if tensor.weight is None:
            value = self._computed(tensor.array, tensor.element)
        elif mask := mask_of(tensor.shape, tensor.element, lambda: np.asarray(tensor.array)):
            value = computed_mask(self.builder, mask, tensor.shape, tensor.element)
        else:
            # An argument of the function: it is there for every region.
            self.weights.add(tensor.weight, lambda: tensor.array)
            self.function.param(tensor.weight, tensor_type(tensor.shape, tensor.element))
            return self.function.params[tensor.weight]
        # The tensor is kept as well: its id is that of another one when it is gone.
        self._made[-1][id(tensor)] = (tensor, value)
        return value

    def _computed(self, array: SizeArray, element: Attribute) -> SSAValue:
        if not is_symbolic(array):
            return self.inserted_constant(array, element)
        g = self.builder
        shape = g.shape(*dims_in(array))
        value = g.symbol_value(shape) if array.ndim == 0 else g.shape_to_tensor(shape)
        value = value if array.ndim < 2 else g.reshape(value, list(array.shape))
        return value if element == i64 else g.astype(value, dtype=element)

    def inserted_constant(self, array: np.ndarray[Any, Any], element: Attribute) -> SSAValue:
        """Returns numbers as a value of the program."""
        return self.builder.constant(array, element)

    @contextmanager
    def inserting(self, builder: BlockBuilder) -> Generator[None, None, None]:
        """Inserts into another block, whose constants the blocks around it do not see."""
        self._made.append({})
        try:
            with super().inserting(builder):
                yield
        finally:
            self._made.pop()
