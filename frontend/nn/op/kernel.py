"""Kernels in a model: expressions of indices, builder callbacks, and kernels of TVM."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ....builder.locations import raised_location
from ....builder.types import Size, dim, tensor
from ....dialects.symbolic.expressions import symbols
from ....lowering.relax_to_linalg.builder import LinalgBuilder
from .. import te
from ..annotations import checked
from ..errors import ModelError
from ..kernels import call_kernel
from ..scope import named_location
from ..te.compute import tensors_of, walk
from ..te.emit import emit_tensor
from ..te.expressions import Axis, SizeValue
from ..tensor import Tensor, wrapped


@checked
def tensor_expr_op(
    tensor_expr_func: Callable[..., Any], name_hint: str, args: Sequence[Any], *, attrs: dict[str, Any] | None = None
) -> Any:
    """Returns what a function of `nn.te` computes: it gets `te` tensors for tensors, all else as it is, and returns one or several.

    ```python
    nn.op.tensor_expr_op(lambda x: nn.te.compute(x.shape, lambda i, j: x[i, j] * 2), "double", [x])
    ```
    """
    try:
        given = [te.Tensor(arg.shape, arg.dtype) if isinstance(arg, Tensor) else arg for arg in args]
        computed = tensor_expr_func(*given)
    except (TypeError, ValueError) as error:
        raise ModelError(f"{name_hint}: {error}", location=raised_location(error)) from None
    results: list[Any] = list(computed) if isinstance(computed, tuple | list) else [computed]
    if not results or not all(isinstance(result, te.Tensor) for result in results):
        raise ModelError(f"{name_hint}: expected tensors of te.compute, got {computed!r}")
    inputs = [item for item in given if isinstance(item, te.Tensor)]
    ordered = tensors_of(results)
    stray = [item for item in ordered if item.body is None and item not in inputs]
    if stray:
        raise ModelError(f"{name_hint}: a tensor of shape {stray[0].shape} is read, but is no argument")

    def body(b: LinalgBuilder, values: Sequence[Any]) -> list[Any]:
        known = dict(zip(inputs, values, strict=True))
        for item in ordered:
            if item not in known:
                assert item.location is not None
                with b.located(named_location(item.location)):
                    known[item] = emit_tensor(b, item, known)
        return [known[result] for result in results]

    operands = [arg.value for arg in args if isinstance(arg, Tensor)]
    types = [tensor([dim(size) for size in result.shape], result.dtype) for result in results]
    return wrapped(call_kernel(name_hint, operands, types, _symbols(ordered), body))


def _symbols(tensors: Sequence[te.Tensor]) -> set[str]:
    """Returns the symbols of all sizes that tensors are computed with."""
    sizes = [size for item in tensors for size in item.shape]
    for inner in (inner for item in tensors if item.body is not None for inner in walk(item.body)):
        if isinstance(inner, SizeValue):
            sizes.append(inner.size)
        elif isinstance(inner, Axis):
            sizes.append(inner.extent)
    axes = [axis for item in tensors for axis in getattr(item.body, "axes", ())]
    sizes += [axis.extent for axis in axes]
    return {name for size in sizes if isinstance(size, Size) for name in symbols(size.dim)}


@checked
def tensor_ir_op(func: Callable[..., Any], name_hint: str, args: Tensor | Sequence[Any], out: Any) -> Any:
    """Returns what a kernel computes, with the types of placeholders `out`: a tensor, or several.

    `func(b, *tensors)` inserts linalg by the builder `b` and returns values of the types of `out` without symbols; sizes among `args` are
    passed to it as `index` values or numbers.
    """
    given = [args] if isinstance(args, Tensor) else list(args)
    outputs: list[Tensor] = [out] if isinstance(out, Tensor) else list(out)

    def body(b: LinalgBuilder, values: Sequence[Any]) -> list[Any]:
        remaining = iter(values)
        passed = [next(remaining) if isinstance(arg, Tensor) else b.size(dim(arg)) for arg in given]
        made = func(b, *passed)
        return list(made) if isinstance(made, tuple | list) else [made]

    operands = [arg.value for arg in given if isinstance(arg, Tensor)]
    used = {name for arg in given if isinstance(arg, Size) for name in symbols(arg.dim)}
    return wrapped(call_kernel(name_hint, operands, [item.value.type for item in outputs], used, body))


@checked
def tensor_ir_inplace_op(
    func: Callable[..., Any], name_hint: str, args: Tensor | Sequence[Any], inplace_indices: int | list[int], out: Any
) -> Any:
    """Returns what `tensor_ir_op` does. That results may take the memory of arguments is what the compiler finds out by itself."""
    return tensor_ir_op(func, name_hint, args, out)
