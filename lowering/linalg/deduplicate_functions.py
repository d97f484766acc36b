"""The pass `deduplicate-functions`."""

from __future__ import annotations

from collections.abc import Hashable

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import IndexType, ModuleOp, SymbolRefAttr
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ...dialects.relax.function_signature import is_private
from ...dialects.relax.vocabulary.attributes import DIMS, DONATE, VDEVICE
from ...dialects.symbolic.nodes import Dim
from ...dialects.walks import ops_inside
from ...passes.analysis.remarks import Topic, remark
from ...passes.analysis.structure import Structure


class DeduplicateFunctionsPass(ModulePass):
    """Keeps one of several private functions with the same body and redirects the calls of the others to it.

    ```mlir
    func.func private @k0(%a: tensor<?xf32>) -> tensor<?xf32> { ... math.exp %a ... }
    func.func private @k1(%x: tensor<?xf32>) -> tensor<?xf32> { ... math.exp %x ... }
    %r = func.call @k0(%a)
    %s = func.call @k1(%r)
    ```
    becomes
    ```mlir
    func.func private @k0(%a: tensor<?xf32>) -> tensor<?xf32> { ... math.exp %a ... }
    %r = func.call @k0(%a)
    %s = func.call @k0(%r)
    ```

    Names of functions, values and symbols do not count: at the linalg stage the kernels of `prefill` with `n` and of `decode` with
    `m` are the same. Which sizes of arguments are declared equal does: a kernel of `n` and `n` may read one size for both, which is
    wrong for `n` and `m`. *Leaves* every private function different from all others.
    """

    name = "deduplicate-functions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kept: dict[Hashable, str] = {}
        replaced: dict[str, str] = {}
        functions = [function for function in op.body.block.ops if isinstance(function, func.FuncOp)]
        for function in functions:
            if function.is_declaration or not is_private(function):
                continue
            name = function.sym_name.data
            first = kept.setdefault(_structure(function), name)
            if first != name:
                replaced[name] = first
                remark(Topic.KERNEL, name, (), f"@{name} is the same as @{first}", kernel=first)
                Rewriter.erase_op(function)
        for inner in ops_inside(op) if replaced else ():
            if isinstance(inner, func.CallOp) and inner.callee.string_value() in replaced:
                inner.callee = SymbolRefAttr(replaced[inner.callee.string_value()])


def _structure(function: func.FuncOp) -> Hashable:
    """Returns a key that is equal for functions that differ in names alone."""
    body = tuple(map(Structure().of_block, function.body.blocks))
    return (function.function_type, frozenset(function.attributes), _places(function), _equal_sizes(function), body)


def _equal_sizes(function: func.FuncOp) -> Hashable:
    """Returns which sizes of arguments are declared equal, by argument and dim, and which indices are sizes at all.

    Of a function that lends memory the expressions themselves, as sizes of results are compared with them.
    """
    types = function.function_type.inputs.data
    declared = [DIMS.of_argument(function, index) for index in range(len(types))]
    if any(DONATE.is_on_argument(function, index) for index in range(len(types))):
        return tuple(declared)
    alike: dict[Dim, list[tuple[int, int]]] = {}
    for index, dims in enumerate(declared):
        for axis, dim in enumerate(dims or ()):
            if dim is not None and not isinstance(dim, int):
                alike.setdefault(dim, []).append((index, axis))
    sizes = [index for index, dims in enumerate(declared) if dims is not None and isinstance(types[index], IndexType)]
    return frozenset(tuple(places) for places in alike.values() if len(places) > 1), tuple(sizes)


def _places(function: func.FuncOp) -> Hashable:
    """Returns where arguments and results are: a kernel belongs to a device, a donated argument lends its memory."""
    return tuple(
        frozenset(
            (index, attribute.of(entry))
            for attribute in (VDEVICE, DONATE)
            for index, entry in enumerate(entries.data)
            if attribute.is_on(entry)
        )
        if entries is not None
        else frozenset[object]()
        for entries in (function.arg_attrs, function.res_attrs)
    )
