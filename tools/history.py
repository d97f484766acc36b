"""What passes did with a program on its way to native code: their remarks, the graph of kernels, and ops that went away."""

from __future__ import annotations

from collections.abc import Container, Generator
from contextlib import contextmanager

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from ..dialects.upstream.positions import all_positions
from ..passes.analysis.call_graph import named_functions
from ..passes.analysis.remarks import Remark, recording, short
from ..passes.rewriting.kernel_functions import is_kernel
from .explanation import Explained, note_gone, source_ops
from .report_pictures import KernelNode

FUSION = "relax-fuse-ops"
"""The pass behind which all computation is in kernels."""


class History:
    """Collects what is known of a program while it is compiled; nothing if it is not on."""

    def __init__(self, original: ModuleOp, *, is_on: bool):
        self._is_on = is_on
        self.remarks: list[Remark] = []
        self.passes: set[str] = set()
        """The names of the passes that ran."""
        self.ops: list[Explained] = [*source_ops(original)] if is_on else []
        self.graphs: dict[str, list[KernelNode]] = {}
        """The calls of kernels in each function."""

    @contextmanager
    def recording(self) -> Generator[None, None, None]:
        """Records the remarks of passes that run inside."""
        if not self._is_on:
            yield
            return
        with recording() as remarks:
            yield
        self.remarks += remarks

    def observe(self, pass_name: str, module: ModuleOp) -> None:
        """Notes what a pass has left."""
        if not self._is_on:
            return
        name = pass_name.partition("{")[0]
        self.passes.add(name)
        note_gone(self.ops, module, name)
        if name == FUSION:
            functions = named_functions(module)
            kernels = {name for name, function in functions.items() if is_kernel(function)}
            for name, function in functions.items():
                self.graphs[name] = kernel_graph(function, kernels)


def kernel_graph(function: func.FuncOp, kernels: Container[str]) -> list[KernelNode]:
    """Returns the calls of kernels of a function in order, each with those that it reads, through ops that compute nothing."""
    nodes: list[KernelNode] = []
    sources: dict[Operation, frozenset[int]] = {}

    def behind(value: SSAValue) -> frozenset[int]:
        return sources.get(value.owner, frozenset()) if isinstance(value.owner, Operation) else frozenset()

    for op in function.body.walk():
        read = frozenset[int]().union(*map(behind, op.operands))
        if isinstance(op, func.CallOp) and op.callee.string_value() in kernels:
            places = tuple(dict.fromkeys(short(position) for position in all_positions(op.location)))
            sources[op] = frozenset((len(nodes),))
            nodes.append(KernelNode(op.callee.string_value(), places, tuple(sorted(read))))
        else:
            sources[op] = read
    return nodes
