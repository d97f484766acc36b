"""Names of values in a model: each is defined once, and nodes are behind those that define what they read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush
from typing import Any, TypeAlias

from onnx import GraphProto, ModelProto, NodeProto

from ..model.problems import ModelImportError

Names: TypeAlias = dict[str, str]
"""Names, each with what reads or defines it."""


def label_of(proto: NodeProto) -> str:
    """Returns the name of a node; that of an output, or of the op, if it has none."""
    return proto.name or next((name for name in proto.output if name), proto.op_type)


def with_nodes_in_order(model: ModelProto, owned: bool) -> ModelProto:
    """Returns a model whose nodes, also those of its subgraphs and functions, are behind those that define what they read.

    It is the same one if nothing has to move, or if it is `owned` by the import. Raises `ModelImportError` for a name that nothing
    defines, or several things do, and for nodes that wait for each other.
    """
    unordered = _lists_out_of_order(model)
    if unordered and not owned:
        copied = ModelProto()
        copied.CopyFrom(model)
        model, unordered = copied, _lists_out_of_order(copied)
    for nodes, places in unordered:
        # The keys are asked for in the order of the list.
        rank = iter(places)
        nodes.sort(key=lambda _, rank=rank: next(rank))
    return model


def _lists_out_of_order(model: ModelProto) -> list[tuple[Any, list[int]]]:
    """Returns the lists of nodes that have to be sorted, those inside of others first, each with the new places of its nodes."""
    names = _Scopes()
    _require_defined(names.graph(model.graph, is_outermost=True), names)
    for function in model.functions:
        defined: Names = {}
        for name in function.input:
            _define(defined, name, "an input")
        reads = names.nodes(function.node, defined)
        for name in function.output:
            if name not in defined:
                reads.setdefault(name, "an output is")
        _require_defined(reads, names, f"function '{function.name}': ")
    return names.unordered


def _require_defined(reads: Names, names: _Scopes, where: str = "") -> None:
    for name, reader in reads.items():
        reason = "only a subgraph defines" if name in names.inside else "nothing defines"
        raise ModelImportError(f"{where}{reader} '{name}', which {reason}")


def _define(defined: Names, name: str, definer: str) -> None:
    if not name:
        raise ModelImportError(f"{definer} has no name")
    if name in defined:
        raise ModelImportError(f"the name '{name}' is defined twice: by {defined[name]} and by {definer}")
    defined[name] = definer


class _Scopes:
    """What the graphs of a model define and read."""

    def __init__(self) -> None:
        self.unordered: list[tuple[Any, list[int]]] = []
        self.inside: set[str] = set()
        """The names that subgraphs define."""

    def graph(self, graph: GraphProto, is_outermost: bool = False) -> Names:
        """Returns what a graph reads and does not define."""
        defined: Names = {}
        for info in graph.input:
            _define(defined, info.name, "an input")
        # An input may have an initializer: what it is if it is not given.
        stored: Names = {}
        for proto in graph.initializer:
            _define(stored, proto.name, "an initializer")
        for sparse in graph.sparse_initializer:
            _define(stored, sparse.values.name, "an initializer")
        defined |= stored
        reads = self.nodes(graph.node, defined)
        outputs: Names = {}
        for info in graph.output:
            if is_outermost or not info.name:
                _define(outputs, info.name, "an output")
            if info.name not in defined:
                reads.setdefault(info.name, "an output is")
        if not is_outermost:
            self.inside.update(defined)
        return reads

    def nodes(self, nodes: Sequence[NodeProto], defined: Names) -> Names:
        """Returns what a list of nodes reads from around it; what it defines is added to `defined`."""
        definer: dict[str, int] = {}
        reads: list[Names] = []
        for place, proto in enumerate(nodes):
            described = f"node '{label_of(proto)}' ({proto.op_type})"
            for name in proto.output:
                if name:
                    _define(defined, name, described)
                    definer[name] = place
            reads.append(self._read(proto, described))
        awaited = [{definer[name] for name in read if name in definer} for read in reads]
        if any(place <= max(places, default=-1) for place, places in enumerate(awaited)):
            self.unordered.append((nodes, _places(awaited, nodes)))
        return {name: reader for read in reads for name, reader in read.items() if name not in defined}

    def _read(self, proto: NodeProto, described: str) -> Names:
        """Returns what a node reads: its operands, and what its subgraphs take from around them."""
        read: Names = {name: f"{described} reads" for name in proto.input if name}
        for attribute in proto.attribute:
            for graph in (*((attribute.g,) if attribute.HasField("g") else ()), *attribute.graphs):
                for name, reader in self.graph(graph).items():
                    read.setdefault(name, reader)
        return read


def _places(awaited: Sequence[Iterable[int]], nodes: Sequence[NodeProto]) -> list[int]:
    """Returns where each node goes, so that it is behind those that it waits for, and else in the order of the model."""
    # Invariant: `ready` has the nodes that are not placed, and all of whose operands are.
    waiting = [len(set(places)) for places in awaited]
    readers: dict[int, list[int]] = defaultdict(list)
    for place, places in enumerate(awaited):
        for before in places:
            readers[before].append(place)
    ready = [place for place, count in enumerate(waiting) if not count]
    heapify(ready)
    result = [-1] * len(waiting)
    for number in range(len(waiting)):
        if not ready:
            place = _on_cycle(awaited, result)
            label = label_of(nodes[place])
            raise ModelImportError(
                f"node '{label}' ({nodes[place].op_type}) reads what is computed from its own results"
            )
        place = heappop(ready)
        result[place] = number
        for reader in readers[place]:
            waiting[reader] -= 1
            if not waiting[reader]:
                heappush(ready, reader)
    return result


def _on_cycle(awaited: Sequence[Iterable[int]], placed: Sequence[int]) -> int:
    """Returns a node that waits for itself: each that is not placed waits for another one that is not."""
    seen: set[int] = set()
    place = placed.index(-1)
    while place not in seen:
        seen.add(place)
        place = next(before for before in awaited[place] if placed[before] < 0)
    return place
