"""The pass `relax-bind-element-types`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute
from xdsl.utils.exceptions import PassFailedException

from ...dialects.relax.base import ConstraintError
from ...dialects.relax.dtypes import ALL
from ...dialects.relax.function_signature import argument_names
from ...dialects.relax.symbol_ranges import declared_ranges
from ...dialects.relax.unknown_elements import is_unknown, with_element
from ...dialects.symbolic.conditions import SizeContext
from ..analysis.call_graph import named_functions, required_function
from ..options import PassWithOptions
from ..rewriting.value_types import retype
from .infer_shapes import called_signatures, refine_types

ELEMENT_TYPES: Mapping[str, Attribute] = {str(element_type): element_type for element_type in ALL}


def bind_element_types(module: ModuleOp, function: func.FuncOp, given: Mapping[str, Attribute]) -> None:
    """Gives arguments of a function the element types that they lack, and derives those of what it computes.

    Raises `PassFailedException` for a name that is no argument of unknown element type, a function that is called, and an op that does not
    take the element types.
    """
    name = function.sym_name.data
    signatures = called_signatures(module)
    if name in signatures:
        raise PassFailedException(f"@{name} is called; the element types of its arguments follow from the calls")
    args = dict(zip(argument_names(function), function.body.block.args, strict=True))
    open_args = {label: arg for label, arg in args.items() if is_unknown(arg.type)}
    for label in given:
        if label not in open_args:
            listed = ", ".join(open_args) or "none"
            raise PassFailedException(f"@{name} has no argument {label} of unknown element type; it has {listed}")
    for label, element_type in given.items():
        retype(open_args[label], with_element(open_args[label].type, element_type))
    try:
        refine_types(function, signatures, SizeContext(declared_ranges(function)))
    except ConstraintError as error:
        raise PassFailedException(f"@{name}: {error}") from None


@dataclass(frozen=True)
class BindElementTypesPass(PassWithOptions):
    """Gives arguments of unknown element type an element type, and derives those of what follows from them.

    ```mlir
    func.func @main(%x: tensor<4x!relax.unknown>) -> tensor<4x!relax.unknown> {
      %y = relax.exp %x : (tensor<4x!relax.unknown>) -> tensor<4x!relax.unknown>
    ```
    becomes, with `types="x=f32"`,
    ```mlir
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %y = relax.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    ```

    *Requires* a function that no other one calls. *Leaves* other functions as they are.
    """

    name = "relax-bind-element-types"

    types: tuple[str, ...] = field(default=())
    """The element types, each as `"argument=type"`."""
    function: str = field(default="main")
    """The function."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        function = required_function(named_functions(op, declarations=False), self.function)
        bind_element_types(op, function, dict(map(parse_element_type, self.types)))


def parse_element_type(text: str) -> tuple[str, Attribute]:
    """Returns the name and the element type in `name=type`."""
    name, separator, written = text.partition("=")
    element_type = ELEMENT_TYPES.get(written.strip())
    if not separator or element_type is None:
        raise PassFailedException(
            f'an element type is written "argument=type", of {", ".join(ELEMENT_TYPES)}, got "{text}"'
        )
    return name.strip(), element_type
