"""Storage ids of graphs, each rule by a graph of its own; worked out by hand."""

from __future__ import annotations

from xdsl.dialects.builtin import TensorType, f16, f32, i64
from xdsl.ir import Attribute
from xdsl_relax.targets.graph_json.plan_memory import PlannedNode, storage_ids


def tensor(count, element: Attribute = f32):
    return TensorType(element, [count])


def argument(count, element: Attribute = f32):
    return PlannedNode([tensor(count, element)], is_input=True)


def call(count, *inputs, element: Attribute = f32):
    return PlannedNode([tensor(count, element)], [(number, 0) for number in inputs])


def ids(nodes, *heads):
    return [number for numbers in storage_ids(nodes, [(number, 0) for number in heads]) for number in numbers]


def test_a_chain_alternates():
    assert ids([argument(200), *(call(200, number) for number in range(6))], 6) == [0, 1, 2, 1, 2, 1, 2]


def test_arguments_are_never_free():
    assert ids([argument(4), argument(4), call(4, 0, 1), call(4, 2)], 3) == [0, 1, 2, 3]


def test_results_are_never_free():
    assert ids([argument(4), call(4, 0), call(4, 0), call(4, 2)], 1, 3) == [0, 1, 2, 3]


def test_a_diamond_keeps_both_sides():
    assert ids([argument(4), call(4, 0), call(4, 1), call(4, 1), call(4, 2, 3)], 4) == [0, 1, 2, 3, 1]


def test_element_types_do_not_matter():
    assert ids([argument(4), call(4, 0), call(8, 1, element=f16), call(2, 2, element=i64)], 3) == [0, 1, 2, 1]


def test_sixteen_times_is_the_limit():
    assert ids([argument(4), call(64, 0), call(64, 1), call(4, 2)], 3) == [0, 1, 2, 1]
    assert ids([argument(4), call(65, 0), call(65, 1), call(4, 2)], 3) == [0, 1, 2, 3]


def test_a_smaller_storage_grows():
    nodes = [argument(4), call(4, 0), call(4, 1), call(60, 2), call(4, 3), call(60, 4)]
    assert ids(nodes, 5) == [0, 1, 2, 1, 2, 1]


def test_the_smallest_that_fits_is_taken():
    nodes = [argument(4), call(40, 0), call(20, 0), call(10, 1, 2), call(15, 3)]
    assert ids(nodes, 4) == [0, 1, 2, 3, 2]


def test_a_reshape_shares_its_input():
    nop = PlannedNode([tensor(4)], [(1, 0)], shares_input=True)
    assert ids([argument(4), call(4, 0), nop, call(4, 2), call(4, 3)], 4) == [0, 1, 1, 2, 1]


def test_an_output_that_nobody_reads_is_free_at_once():
    pair = PlannedNode([tensor(4), tensor(4)], [(0, 0)])
    nodes = [argument(4), pair, PlannedNode([tensor(4)], [(1, 0)])]
    assert storage_ids(nodes, [(2, 0)]) == [[0], [1, 2], [2]]
