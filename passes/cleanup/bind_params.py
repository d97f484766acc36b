"""The pass `relax-bind-params`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, TensorType, UnrankedTensorType
from xdsl.ir import BlockArgument
from xdsl.utils.exceptions import PassFailedException

from ...dialects.relax.attrs import dims_of, on_device, vdevice_of
from ...dialects.relax.dense import dense_from_numpy
from ...dialects.relax.dtypes import numpy_dtype
from ...dialects.relax.function_signature import argument_attributes, update_signature
from ...dialects.relax.ops.core import ConstantOp
from ...dialects.relax.vocabulary.attributes import NAME, NUM_INPUT
from ...dialects.symbolic.expressions import Symbol, equal
from ...dialects.upstream.block_arguments import erase_arguments
from ..analysis.call_graph import named_functions, required_function
from ..options import PassWithOptions
from .bind_symbolic_vars import bind_symbolic_vars
from .infer_shapes import infer_again


def bind_params(function: func.FuncOp, arrays: Mapping[str, np.ndarray[Any, Any]]) -> None:
    """Replaces arguments of a function, found by external name or name in the text, by constants; sizes follow from their shapes.

    Raises `PassFailedException` for a name that no argument has, and for an array that does not fit.
    """
    block = function.body.block
    attributes = argument_attributes(function)
    bound: dict[BlockArgument, np.ndarray[Any, Any]] = {}
    for name, array in arrays.items():
        arg = next(
            (arg for arg, entry in zip(block.args, attributes, strict=True) if name in (NAME.of(entry), arg.name_hint)),
            None,
        )
        if arg is None:
            raise PassFailedException(f"@{function.sym_name.data} has no argument '{name}'")
        bound[arg] = np.ascontiguousarray(array)
    # Sizes are bound while the arguments are there, which define the symbols.
    sizes: dict[str, int] = {}
    for arg, array in bound.items():
        sizes |= _sizes(arg, array, sizes)
    if sizes:
        bind_symbolic_vars(function, sizes)
    count = NUM_INPUT.of(function)
    if count is not None:
        NUM_INPUT.set(function, count - sum(arg.index < count for arg in bound))
    kept = [entry for arg, entry in zip(block.args, attributes, strict=True) if arg not in bound]
    first = block.first_op
    assert first is not None
    for arg, array in bound.items():
        assert isinstance(arg.type, TensorType | UnrankedTensorType)
        constant_type = TensorType(arg.type.element_type, array.shape)
        value = dense_from_numpy(array, arg.type.element_type)
        constant = ConstantOp.build_from(value=value, result_types=[on_device(constant_type, vdevice_of(arg.type))])
        constant.result.name_hint = arg.name_hint
        block.insert_op_before(constant, first)
        arg.replace_all_uses_with(constant.result)
    erase_arguments(block, bound)
    update_signature(function, kept)


def _sizes(arg: BlockArgument, array: np.ndarray[Any, Any], earlier: Mapping[str, int]) -> dict[str, int]:
    """Returns the symbols that an array tells, after checking it against the type."""
    if not isinstance(arg.type, TensorType | UnrankedTensorType):
        raise PassFailedException(f"argument '{arg.name_hint}' is no tensor: {arg.type}")
    dtype = numpy_dtype(arg.type.element_type)
    known = dims_of(arg.type)
    dims = [None] * array.ndim if known is None else known
    sizes = {dim.name: size for dim, size in zip(dims, array.shape, strict=False) if isinstance(dim, Symbol)}
    fits = array.dtype == dtype and len(dims) == array.ndim
    fits = fits and all(
        dim is None or equal(dim, size) is not False for dim, size in zip(dims, array.shape, strict=True)
    )
    fits = fits and all(earlier.get(name, size) == size for name, size in sizes.items())
    if not fits:
        raise PassFailedException(
            f"argument '{arg.name_hint}': expected {arg.type}, got an array of {array.dtype} {list(array.shape)}"
        )
    return sizes


def read_arrays(path: Path) -> dict[str, np.ndarray[Any, Any]]:
    """Returns the arrays of a `.safetensors` or `.npz` file by name."""
    try:
        if path.suffix == ".npz":
            with np.load(path) as file:
                return dict(file)
        # Gives numpy the dtype bfloat16 by name, which safetensors asks for.
        import ml_dtypes  # noqa: F401  # pyright: ignore[reportUnusedImport]
        from safetensors.numpy import load_file

        return load_file(path)
    except Exception as error:
        raise PassFailedException(f"{path}: cannot be read ({error})") from None


@dataclass(frozen=True)
class BindParamsPass(PassWithOptions):
    """Replaces arguments of a function by constants from a file.

    ```mlir
    func.func @main(%x: tensor<4xf32>, %w: tensor<4xf32> {relax.name = "fc.weight"}) attributes {relax.num_input = 1 : i64}
    ```
    becomes
    ```mlir
    func.func @main(%x: tensor<4xf32>) attributes {relax.num_input = 1 : i64} {
      %w = relax.constant {value = dense<...> : tensor<4xf32>} : () -> tensor<4xf32>
    ```

    An array binds the argument with its name, as `relax.name` or in the text. Symbols take the sizes that the arrays give them, tensors of
    unknown rank and dims their shapes.
    *Requires* a function with a body. *Leaves* the arguments that the file does not name.
    """

    name = "relax-bind-params"

    params: str = field(default="")
    """A `.safetensors` or `.npz` file."""
    function: str = field(default="main")
    """The function."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        function = required_function(named_functions(op, declarations=False), self.function)
        if not self.params:
            raise PassFailedException('name the file of arrays: relax-bind-params{params="weights.safetensors"}')
        bind_params(function, read_arrays(Path(self.params)))
        infer_again(op, [function])
