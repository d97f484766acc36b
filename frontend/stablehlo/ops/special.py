"""Normalization, random bits, calls of what is outside, and what runs on several replicas."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from ....builder import BlockBuilder
from ....dialects.relax.dtypes import ui32, ui64
from ....dialects.symbolic.expressions import product
from ....dialects.symbolic.nodes import Known
from ...model.problems import Unsupported
from ...model.value_types import sizes_of
from ..node import Node, Outputs, known_sizes
from ..table import Table, converters
from ..values import Value
from .lapack import CALLS

TABLE: Table = {}
op = converters(TABLE)

ANNOTATIONS = (
    "Sharding",
    "annotate_device_placement",
    "SPMDFullToShardShape",
    "SPMDShardToFullShape",
    "LayoutConstraint",
)
"""Calls that say where a value lives; there is one place."""

SHAPE_ASSERTION = "shape_assertion"
"""What jax asserts of symbolic sizes; ops check those that they need."""


def verify_call(node: Node) -> None:
    """Raises `Unsupported` for a custom call that nobody writes."""
    name = str(node.attr("call_target_name"))
    if node.importer.custom_call(name) is None and name not in (*CALLS, *ANNOTATIONS, SHAPE_ASSERTION):
        raise Unsupported("the call has no counterpart (custom_calls takes a function that writes it)")


@op("custom_call")
def _custom_call(node: Node) -> Outputs:
    name = str(node.attr("call_target_name"))
    convert = node.importer.custom_call(name) or CALLS.get(name)
    if convert is not None:
        return convert(node)
    return list(node.inputs) if name in ANNOTATIONS else []


# Collectives: there is one replica.


def _group_sizes(node: Node) -> None:
    """Raises `Unsupported` for groups of more than one process."""
    if len(node.ints("replica_groups")) > 1:
        raise Unsupported("there is one replica, and groups of several have no counterpart")


@op("all_reduce", "all_gather", "all_to_all", "reduce_scatter", "collective_broadcast")
def _collective(node: Node) -> Sequence[Value]:
    _group_sizes(node)
    return list(node.inputs)


@op("collective_permute")
def _permute(node: Node) -> SSAValue:
    pairs = node.ints("source_target_pairs")
    if pairs not in ([], [0, 0]):
        raise Unsupported("there is one replica, and others have no counterpart")
    return node.x(0) if pairs else node.g.zeros_like(node.x(0))


# Normalization


def _along(node: Node, x: SSAValue, rank: int, axis: int) -> SSAValue:
    sizes: list[Known] = [1] * rank
    sizes[axis] = sizes_of(x)[0]
    return node.g.reshape(x, sizes)


def _normalized(node: Node, mean: SSAValue, variance: SSAValue) -> SSAValue:
    g, x = node.g, node.x(0)
    rank, axis = node.rank(0), int(node.attr("feature_index"))
    scale, offset, mean, variance = (_along(node, item, rank, axis) for item in (node.x(1), node.x(2), mean, variance))
    deviation = g.sqrt(g.add(variance, float(node.attr("epsilon"))))
    return g.add(g.multiply(g.divide(g.subtract(x, mean), deviation), scale), offset)


@op("batch_norm_inference")
def _batch_norm_inference(node: Node) -> SSAValue:
    return _normalized(node, node.x(3), node.x(4))


def _others(node: Node) -> list[int]:
    return [axis for axis in range(node.rank(0)) if axis != int(node.attr("feature_index"))]


@op("batch_norm_training")
def _batch_norm_training(node: Node) -> list[SSAValue]:
    g, x, axes = node.g, node.x(0), _others(node)
    mean, variance = g.mean(x, axis=axes), g.variance(x, axis=axes)
    return [_normalized(node, mean, variance), mean, variance]


@op("batch_norm_grad")
def _batch_norm_grad(node: Node) -> list[SSAValue]:
    """Converts an op: the gradients of normalization by the statistics of the batch."""
    g, x, gradient, axes = node.g, node.x(0), node.x(4), _others(node)
    rank, axis = node.rank(0), int(node.attr("feature_index"))
    scale, mean, variance = (_along(node, node.x(index), rank, axis) for index in (1, 2, 3))
    deviation = g.sqrt(g.add(variance, float(node.attr("epsilon"))))
    centered = g.subtract(x, mean)
    count = node.cast(node.number(product([node.shape(0)[other] for other in axes]) or 0), node.element())
    offset_gradient = g.sum(gradient, axis=axes)
    weighted = g.sum(g.multiply(gradient, centered), axis=axes)
    scale_gradient = g.divide(weighted, g.reshape(deviation, list(sizes_of(weighted))))
    spread = _along(node, weighted, rank, axis)
    correction = g.divide(g.multiply(centered, spread), g.add(variance, float(node.attr("epsilon"))))
    total = _along(node, offset_gradient, rank, axis)
    inner = g.subtract(g.subtract(g.multiply(gradient, count), total), correction)
    return [g.multiply(g.divide(g.divide(scale, deviation), count), inner), scale_gradient, offset_gradient]


# Random bits, by the counter-based generators


@op("rng_bit_generator")
def _random_bits(node: Node) -> list[SSAValue]:
    algorithm = node.word("rng_algorithm")
    if algorithm != "THREE_FRY":
        raise Unsupported(f"the algorithm {algorithm} has no counterpart, THREE_FRY has")
    result = node.results[1]
    if result.element not in (ui32, ui64):
        raise Unsupported(f"random bits are ui32 or ui64, got {result.element}")
    sizes = known_sizes([size for size in result.sizes if size is not None], "the sizes of the result")
    return _three_fry(node, sizes)


def _three_fry(node: Node, sizes: Sequence[int]) -> list[SSAValue]:
    """Returns the next state and the bits: key and counter are the state, each block of which gives two words."""
    g, state, element = node.g, node.x(0), node.results[1].element
    count = 1
    for size in sizes:
        count *= size
    # 64 bits take both words of a block, 32 bits one of them.
    blocks = count if element == ui64 else -(-count // 2)
    key = _words(g, g.strided_slice(state, axes=[0], begin=[0], end=[1]))
    counter = g.strided_slice(state, axes=[0], begin=[1], end=[2])
    numbers = g.add(counter, g.arange(start=0, end=blocks, dtype=ui64))
    low, high = three_fry(g, key, _words(g, numbers))
    if element == ui64:
        bits = g.bitwise_or(g.astype(low, dtype=ui64), g.left_shift(g.astype(high, dtype=ui64), g.constant(32, ui64)))
    else:
        bits = g.strided_slice(g.concat(low, high, axis=0), axes=[0], begin=[0], end=[count])
    following = g.concat(
        g.strided_slice(state, axes=[0], begin=[0], end=[1]), g.add(counter, g.constant(blocks, ui64)), axis=0
    )
    return [following, g.reshape(bits, list(sizes))]


def _words(g: BlockBuilder, x: SSAValue) -> tuple[SSAValue, SSAValue]:
    """Returns the low and the high half of numbers."""
    return g.astype(x, dtype=ui32), g.astype(g.right_shift(x, g.constant(32, ui64)), dtype=ui32)


ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))


def three_fry(
    g: BlockBuilder, key: tuple[SSAValue, SSAValue], counter: tuple[SSAValue, SSAValue]
) -> tuple[SSAValue, SSAValue]:
    """Returns the blocks of Threefry-2x32 with 20 rounds (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3")."""
    third = g.bitwise_xor(g.bitwise_xor(key[0], key[1]), g.constant(0x1BD11BDA, ui32))
    keys = (key[0], key[1], third)
    x, y = g.add(counter[0], key[0]), g.add(counter[1], key[1])
    for round_number in range(5):
        for rotation in ROTATIONS[round_number % 2]:
            x = g.add(x, y)
            left = g.left_shift(y, g.constant(rotation, ui32))
            y = g.bitwise_xor(x, g.bitwise_or(left, g.right_shift(y, g.constant(32 - rotation, ui32))))
        x = g.add(x, keys[(round_number + 1) % 3])
        y = g.add(g.add(y, keys[(round_number + 2) % 3]), g.constant(round_number + 1, ui32))
    return x, y
