"""Recipes of branches and loops; what is inside of them is made by a function that the caller gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.dialects import arith, scf, tensor
from xdsl.dialects.builtin import IndexType, IntegerAttr, i1
from xdsl.ir import Attribute, Block, Region
from xdsl_relax.dialects.relax.attrs import dims_of, element_type_of, tensor_type

from .recipes.elementwise import UNARY
from .scope import Scope, Value

Fill = Callable[[Scope, int], None]
"""Adds about so many ops."""
MOST_ITERATIONS = 4


def condition(s: Scope) -> Value | None:
    """Returns a scalar `i1`: an element of a tensor, or an argument."""
    scalars = [v for v in s.tensors(i1) if v.rank == 0]
    if scalars and s.rng.random() < 0.6:
        results = s.add(tensor.ExtractOp(s.rng.choice(scalars).ssa, [], i1))
        return results[0] if results else None
    flag = next((v for v in reversed(s.values) if v.ssa.type == i1), None)
    if flag is None and s.fresh:
        return s.argument(i1, [np.bool_(s.rng.random() < 0.5) for _ in range(s.runs)])
    return flag


def alike(s: Scope, x: Value) -> list[Value]:
    """Returns the values of the type and the sizes of another one.

    The sizes may differ where the type does not say them; code has no memory for a tensor that grows in a loop, or for one that a branch makes
    larger, where nothing bounds it.
    """
    sizes = list(map(np.shape, x.data)) if x.is_tensor else None
    values = [v for v in s.values if v.ssa.type == x.ssa.type]
    return [v for v in values if sizes is None or list(map(np.shape, v.data)) == sizes]


def _of_the_same_type(s: Scope, x: Value) -> Value:
    """Returns a value of the type and the sizes of another one, mostly computed from such."""
    same = alike(s, x)
    result = s.rng.choice(same) if same else x
    if s.rng.random() < 0.7:
        accepted = [op for op in UNARY if x.element in getattr(op, "ACCEPTED", ())]
        again = s.apply_single(s.rng.choice(accepted), result) if accepted else None
        result = again if again is not None and again.ssa.type == x.ssa.type else result
    return result


def _body(s: Scope, block: Block, x: Value, fill: Fill, count: int) -> Value:
    """Fills a block, and returns a value of the type of another one."""
    with s.inside(block):
        fresh, s.fresh = s.fresh, False
        fill(s, count)
        result = _of_the_same_type(s, x)
        s.fresh = fresh
    return result


def branch(s: Scope, fill: Fill) -> Any:
    """An `scf.if` whose branches yield values of the same type."""
    if s.in_dataflow:
        return None
    flag, x = condition(s), s.pick()
    if flag is None or x is None:
        return None
    regions: list[Region] = []
    for _ in range(2):
        block = Block()
        result = _body(s, block, x, fill, s.rng.randint(0, 3))
        block.add_op(scf.YieldOp(result.ssa))
        regions.append(Region(block))
    return s.add(scf.IfOp(flag.ssa, [x.ssa.type], regions[0], regions[1]))


def _index(s: Scope, number: int) -> Value | None:
    results = s.add(arith.ConstantOp(IntegerAttr(number, IndexType())))
    return results[0] if results else None


def _carried(s: Scope, block: Block, x: Value, carried_type: Attribute) -> Value:
    """Adds the argument of a loop's body that carries a value, which is that of the first iteration as far as the scope knows."""
    ssa = block.insert_arg(carried_type, len(block.args))
    for env, data in zip(s.envs, x.data, strict=True):
        env[ssa] = data
    value = Value(ssa, x.data)
    s.values.append(value)
    return value


def _initial(s: Scope) -> list[Value]:
    """Returns what a loop starts with: some tensors, one of them maybe twice, some of a type that says less than what made them."""
    first = s.pick()
    if first is None or (None in first.dims and first.ssa not in s.loose):
        return []
    same = alike(s, first)
    chosen = [first, *(s.rng.choice(same) for _ in range(s.rng.choice((0, 0, 1, 2))))]
    if s.rng.random() < 0.3:
        loose = {v.ssa.type: forgotten(s, v.ssa.type) for v in chosen}
        chosen = [_said_less_of(s, v, loose[v.ssa.type]) for v in chosen]
        if len({v.ssa.type for v in chosen}) != len(loose):
            return []
    return chosen


def forgotten(s: Scope, value_type: Attribute) -> Attribute:
    """Returns a tensor type without one of its dims."""
    dims = list(dims_of(value_type) or ())
    if dims:
        dims[s.rng.randrange(len(dims))] = None
    return tensor_type(dims, element_type_of(value_type))


def _said_less_of(s: Scope, x: Value, value_type: Attribute) -> Value:
    """Returns what an op computes of a value, with a type that says less than what would be inferred."""
    accepted = [op for op in UNARY if x.element in getattr(op, "ACCEPTED", ())]
    if not accepted:
        return x
    op = s.rng.choice(accepted).build_from(x.ssa)
    if op.results[0].type != x.ssa.type:
        op.drop_all_references()
        return x
    op.drop_all_references()
    results = s.add(type(op).create(operands=[x.ssa], properties=dict(op.properties), result_types=[value_type]))
    if results is None:
        return x
    if value_type != x.ssa.type:
        s.loose.add(results[0].ssa)
    return results[0]


def _next(s: Scope, block: Block, carried: list[Value], fill: Fill, count: int) -> list[Value]:
    """Fills the body of a loop; returns what it yields: new values, and carried ones as they are or in other places."""
    with s.inside(block):
        fresh, s.fresh = s.fresh, False
        fill(s, count)
        yielded = [_of_the_same_type(s, x) if s.rng.random() < 0.6 else x for x in carried]
        s.fresh = fresh
    if s.rng.random() < 0.4 and len({x.ssa.type for x in yielded}) == 1:
        s.rng.shuffle(yielded)
    return yielded


def _leave(s: Scope, known: list[Value]) -> None:
    """Forgets what the body of a loop defines."""
    s.values = [value for value in s.values if value in known or value.ssa in s.entry.args]


def for_loop(s: Scope, fill: Fill) -> Any:
    """An `scf.for` that carries tensors."""
    initial = [] if s.in_dataflow else _initial(s)
    if not initial:
        return None
    bounds = [_index(s, number) for number in (0, s.rng.randint(0, MOST_ITERATIONS), s.rng.choice((1, 1, 2)))]
    low, high, step = (bound.ssa for bound in bounds if bound is not None)
    block = Block(arg_types=[IndexType()])
    known = list(s.values)
    carried = [_carried(s, block, x, x.ssa.type) for x in initial]
    s.loose.update(x.ssa for x in carried)
    for env in s.envs:
        env[block.args[0]] = 0
    yielded = _next(s, block, carried, fill, s.rng.randint(1, 4))
    _leave(s, known)
    block.add_op(scf.YieldOp(*(x.ssa for x in yielded)))
    return _loosened(s, s.add(scf.ForOp(low, high, step, [x.ssa for x in initial], block)))


def while_loop(s: Scope, fill: Fill) -> Any:
    """An `scf.while` that counts, and carries tensors, which its condition may pass on in other places."""
    initial = [] if s.in_dataflow else _initial(s)
    if not initial:
        return None
    bounds = [_index(s, number) for number in (0, s.rng.randint(0, MOST_ITERATIONS), 1)]
    low, high, step = (bound.ssa for bound in bounds if bound is not None)
    types = [IndexType(), *(x.ssa.type for x in initial)]
    before, after = Block(arg_types=types), Block(arg_types=[IndexType()])
    again = arith.CmpiOp(before.args[0], high, "slt")
    places = list(range(len(initial)))
    if s.rng.random() < 0.3:
        s.rng.shuffle(places)
    passed = [before.args[1 + place] for place in places]
    before.add_ops([again, scf.ConditionOp(again.result, before.args[0], *passed)])
    known = list(s.values)
    carried = [_carried(s, after, initial[place], initial[place].ssa.type) for place in places]
    s.loose.update(x.ssa for x in carried)
    for env in s.envs:
        env[after.args[0]] = 0
    # What the second region yields has the types of what the loop starts with, which may be in another order.
    ordered = [carried[places.index(place)] for place in range(len(initial))]
    yielded = _next(s, after, ordered, fill, s.rng.randint(1, 4))
    _leave(s, known)
    count = arith.AddiOp(after.args[0], step)
    after.add_ops([count, scf.YieldOp(count.result, *(x.ssa for x in yielded))])
    results = [IndexType(), *(x.type for x in passed)]
    return _loosened(s, s.add(scf.WhileOp([low, *(x.ssa for x in initial)], results, Region(before), Region(after))))


def _loosened(s: Scope, results: list[Value] | None) -> list[Value] | None:
    """Notes that the dims of what a loop carries are known where they are not declared."""
    s.loose.update(x.ssa for x in results or () if x.is_tensor and None in x.dims)
    return results
