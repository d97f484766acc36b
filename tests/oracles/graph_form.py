"""The form of results of graph passes, ours and the reference's, in which they are compared: whatever both may write in several ways."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from io import StringIO
from typing import Any

import tvm_ffi
from tvm import relax
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr, UnitAttr
from xdsl.printer import Printer
from xdsl.rewriter import Rewriter
from xdsl_relax.dialects.relax.base import element
from xdsl_relax.dialects.relax.function_signature import is_private
from xdsl_relax.dialects.relax.ops.core import TupleGetItemOp, TupleOp
from xdsl_relax.dialects.relax.ops.linear_algebra import MatmulOp
from xdsl_relax.dialects.relax.vocabulary.attributes import CODEGEN, COMPOSITE, GLOBAL_SYMBOL
from xdsl_relax.frontend.tvm import from_relax, to_relax
from xdsl_relax.frontend.tvm.kernel_text import kernel_from_text
from xdsl_relax.frontend.tvm.vocabulary import FREE_SIZES, KERNEL, PACKED, RESULT_SIZES, SIZES, TIR
from xdsl_relax.passes.analysis.call_graph import call_graph, components, named_functions
from xdsl_relax.passes.rewriting.inline_call import Caller, inline_call

from oracles.graph_differences import Difference
from oracles.normal_form import normal_form


def named_by_content(module: ModuleOp) -> None:
    """Gives private functions names that follow from what they do; equal ones become one."""
    known = named_functions(module)
    names: dict[str, str] = {}
    for name in [name for component in components(call_graph(module)) for name in component]:
        function = known[name]
        for op in function.walk():
            if isinstance(op, func.CallOp):
                callee = op.callee.string_value()
                op.callee = SymbolRefAttr(names.get(callee, callee))
        if not is_private(function):
            continue
        digest = content_digest(function)
        if digest in names.values():
            function.detach()
            function.erase(safe_erase=False)
        names[name] = digest
        if function.parent is not None:
            function.sym_name = StringAttr(digest)
            if TIR in function.attributes:
                # The functions of one kernel, with different types, share its name.
                function.attributes[KERNEL] = StringAttr(digest.partition(".")[0])


SYMBOLS = re.compile(r"(?<=#relax\.sym<)[^>]*(?=>)|(?<=!relax\.shape<\[)[^\]]*(?=\])")
WORDS = re.compile(r"[A-Za-z_]\w*")


def content_digest(function: func.FuncOp) -> str:
    """Returns a name that functions share which differ in names only."""
    kernel = function.attributes.get(TIR)
    if isinstance(kernel, StringAttr):
        code = tvm_ffi.structural_hash(kernel_from_text(kernel.data), map_free_vars=True)
        signature = f"{function.function_type} {function.attributes.get(FREE_SIZES)}"
        return f"kernel_{code:x}.{hashlib.sha256(signature.encode()).hexdigest()[:8]}"
    copy = function.clone()
    copy.sym_name = StringAttr("f")
    for op in copy.walk():
        for value in (*op.results, *(arg for region in op.regions for block in region.blocks for arg in block.args)):
            value._name = None
    text = StringIO()
    Printer(text, print_generic_format=True).print_op(copy)
    order: dict[str, str] = {}

    def renamed(place: re.Match[str]) -> str:
        words = ("floordiv", "mod", "min", "max")
        return WORDS.sub(
            lambda word: word.group() if word.group() in words else order.setdefault(word.group(), f"s{len(order)}"),
            place.group(),
        )

    return "private_" + hashlib.sha256(SYMBOLS.sub(renamed, text.getvalue()).encode()).hexdigest()[:12]


def plainer(module: Any) -> Any:
    """Returns a module of TVM whose tuples are read item by item, in order, and whose products have no `out_dtype` that says nothing.

    Sizes are written in one way, `M + 640` for what the reference, as it puts it together, calls `640 + M`.
    """
    imported = from_relax(module)
    for op in imported.walk():
        op.attributes.pop(SIZES, None)
        op.attributes.pop(RESULT_SIZES, None)
    for op in list(imported.walk()):
        if isinstance(op, TupleGetItemOp) and isinstance(op.tuple_value.owner, TupleOp):
            made = op.tuple_value.owner
            op.result.replace_all_uses_with(made.fields[op.index.value.data])
            Rewriter.erase_op(op)
            if made.result.first_use is None:
                Rewriter.erase_op(made)
        elif isinstance(op, TupleOp) and op.fields and [*op.fields] == [*getattr(op.fields[0].owner, "results", ())]:
            op.attributes[PACKED] = UnitAttr()
        if isinstance(op, MatmulOp) and op.out_dtype == element(op.lhs):
            del op.properties["out_dtype"]
    return to_relax(imported)


def inline_single_calls(module: ModuleOp) -> None:
    """Inlines groups of one kernel: the reference makes them where an op alone reads an item of a tuple."""
    known = named_functions(module)
    single: set[str] = set()
    for name, function in known.items():
        first, *rest = function.body.block.ops
        if "tvm.Primitive" in function.attributes and isinstance(first, func.CallOp) and len(rest) == 1:
            if [*rest[0].operands] == [*first.results]:
                single.add(name)
    for function in known.values():
        for op in list(function.walk()):
            if isinstance(op, func.CallOp) and op.callee.string_value() in single:
                inline_call(op, known[op.callee.string_value()], Caller(function))
    for name in single:
        known[name].detach()
        known[name].erase(safe_erase=False)


def comparable(module: Any, differences: Sequence[Difference], strict: bool = False) -> Any:
    """Returns a module of TVM without what both sides may write in several ways, names of private functions included.

    Computations that repeat or that nothing reads count if it is to be `strict`.
    """
    clean = (lambda module: module) if strict else relax.transform.DeadCodeElimination()
    live = from_relax(clean(module))
    for difference in differences:
        difference.results(live)
    imported = from_relax(normal_form(plainer(to_relax(live)), strict))
    inline_single_calls(imported)
    for function in named_functions(imported).values():
        function.attributes.pop(SIZES, None)
        if CODEGEN.is_on(function):
            # In Relax regions are public, and their composite functions local ones that are not marked as kernels.
            function.sym_visibility = StringAttr("private")
            GLOBAL_SYMBOL.clear(function)
        if COMPOSITE.is_on(function):
            function.attributes.pop("tvm.Primitive", None)
    named_by_content(imported)
    return clean(to_relax(imported))
