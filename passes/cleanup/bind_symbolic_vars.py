"""The pass `relax-bind-symbolic-vars`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.ir import Attribute
from xdsl.traits import SymbolTable
from xdsl.utils.exceptions import PassFailedException, VerifyException

from ...dialects.relax.calls import verify_call
from ...dialects.relax.symbol_ranges import declared_ranges
from ...dialects.relax.type_dims import map_dims
from ...dialects.symbolic.expressions import Dim, substitute
from ...dialects.walks import walk_values
from ..analysis.call_graph import named_functions, required_function
from ..analysis.symbol_map import symbols_in
from ..options import PassWithOptions
from ..rewriting.value_types import retype


def bind_symbolic_vars(function: func.FuncOp, sizes: Mapping[str, int]) -> None:
    """Replaces symbols of a function by sizes, in all types.

    Raises `PassFailedException` for a name that the function does not use, a size that is negative or outside of its
    declared range, and a call whose callee does not take it.
    """
    symbols = {name for arg in function.body.block.args for name in symbols_in(arg.type)}
    name, ranges = function.sym_name.data, declared_ranges(function)
    for symbol, size in sizes.items():
        if symbol not in symbols:
            has = ", ".join(sorted(symbols)) or "none"
            raise PassFailedException(f"@{name} has no symbol {symbol} in its arguments; it has {has}")
        if size < 0:
            raise PassFailedException(f"the size of {symbol} is negative: {size}")
        if not ranges.holds(symbol, size):
            raise PassFailedException(f"@{name}: expected {ranges.text(symbol)}, got {size}")
    dims: dict[str, Dim] = dict(sizes)

    def bound(value_type: Attribute) -> Attribute:
        if not symbols_in(value_type) & sizes.keys():
            return value_type
        return map_dims(value_type, lambda dim: substitute(dim, dims))

    # Every call is checked before a type changes, so that an error leaves the function as it was.
    for op in function.walk():
        callee = SymbolTable.lookup_symbol(op, op.callee) if isinstance(op, func.CallOp) else None
        if isinstance(callee, func.FuncOp):
            try:
                operands = [bound(value.type) for value in op.operands]
                verify_call(callee.function_type, operands, [bound(value.type) for value in op.results])
            except VerifyException as error:
                raise PassFailedException(
                    f"@{name} passes {', '.join(sizes)} on to @{callee.sym_name.data}, which would not fit: {error}"
                ) from None
    for value in walk_values(function):
        retype(value, bound(value.type))
    outputs = [bound(value_type) for value_type in function.function_type.outputs.data]
    function.function_type = FunctionType.from_lists([arg.type for arg in function.body.block.args], outputs)


@dataclass(frozen=True)
class BindSymbolicVarsPass(PassWithOptions):
    """Gives symbols of a function fixed sizes.

    ```mlir
    func.func @main(%x: tensor<?x8xf32, #relax.sym<n>>) -> tensor<?x8xf32, #relax.sym<2 * n>>
    ```
    becomes, with `sizes="n=4"`,
    ```mlir
    func.func @main(%x: tensor<4x8xf32>) -> tensor<8x8xf32>
    ```

    *Requires* that the functions it calls take these sizes. *Leaves* other functions as they are.
    """

    name = "relax-bind-symbolic-vars"

    sizes: tuple[str, ...] = field(default=())
    """The sizes, each as `"name=size"`."""
    function: str = field(default="main")
    """The function."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        function = required_function(named_functions(op, declarations=False), self.function)
        bind_symbolic_vars(function, dict(map(parse_size, self.sizes)))


def parse_size(text: str) -> tuple[str, int]:
    """Returns the name and the size in `name=size`."""
    name, separator, size = text.partition("=")
    try:
        if separator:
            return name.strip(), int(size)
    except ValueError:
        pass
    raise PassFailedException(f'a size is written "name=size", got "{text}"')
