"""Storage ids of the nodes of a graph, as the graph executor of Relay numbers them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from math import prod

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute

from ...dialects.relax.ops.memory import element_bytes
from ...passes.memory.storage_pool import Storage, StoragePool
from ...records import record

Entry = tuple[int, int]
"""An output of a node: the number of the node, and of the output."""


@record
class PlannedNode:
    """What planning needs to know of a node."""

    outputs: Sequence[TensorType[Attribute]]
    inputs: Sequence[Entry] = field(default_factory=tuple[Entry, ...])
    is_input: bool = False
    """Whether it is an argument or a constant, whose memory is never free."""
    shares_input: bool = False
    """Whether its output is the memory of its input."""


@record(frozen=False)
class _Token:
    """One use of a storage, from the node that takes it to the last that reads it."""

    storage: Storage
    uses: int


def size_of(value_type: TensorType[Attribute]) -> int:
    """Returns the bytes of a tensor of static shape."""
    return prod(value_type.get_shape()) * element_bytes(value_type.element_type)


def storage_ids(nodes: Sequence[PlannedNode], heads: Sequence[Entry]) -> list[list[int]]:
    """Returns the storage of each output of each node; storages are numbered in the order in which they are needed first.

    The rules are those of Relay's GraphPlanMemory. An output takes the smallest free storage of its size to 16 times its size, else the
    largest of a 16th at least, which grows, else a new one; element types do not matter. After a node, those of its outputs that nobody
    reads are free, then those of its inputs that nobody reads any more.
    """
    uses: dict[Entry, int] = {}
    for entry in (*heads, *(entry for node in nodes for entry in node.inputs)):
        uses[entry] = uses.get(entry, 0) + 1
    pool, numbers, tokens = StoragePool(), dict[Storage, int](), dict[Entry, _Token]()

    def take(entry: Entry, size: int, can_share: bool) -> None:
        storage = pool.request(size, None) if can_share else None
        if storage is None:
            storage = Storage(size, None)
            numbers[storage] = len(numbers)
        # An argument counts as used once more, so that it is never free.
        tokens[entry] = _Token(storage, uses.get(entry, 0) + (not can_share))

    def free(token: _Token, count: int) -> None:
        token.uses -= count
        if token.uses == 0:
            pool.release(token.storage)

    for number, node in enumerate(nodes):
        if node.shares_input:
            token = tokens[node.inputs[0]]
            token.uses += uses.get((number, 0), 0)
            tokens[number, 0] = token
        else:
            for index, output in enumerate(node.outputs):
                take((number, index), size_of(output), not node.is_input)
            for index in range(len(node.outputs)):
                free(tokens[number, index], 0)
        for entry in node.inputs:
            free(tokens[entry], 1)
    return [
        [numbers[tokens[number, index].storage] for index in range(len(node.outputs))]
        for number, node in enumerate(nodes)
    ]
