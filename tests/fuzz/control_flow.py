"""Recipes of branches and loops; what is inside of them is made by a function that the caller gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.dialects import arith, scf, tensor
from xdsl.dialects.builtin import IndexType, IntegerAttr, i1
from xdsl.ir import Block, Region

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


def _of_the_same_type(s: Scope, x: Value) -> Value:
    """Returns a value of the type of another one, mostly computed from such."""
    same = [v for v in s.values if v.ssa.type == x.ssa.type]
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


def _carried(s: Scope, block: Block, x: Value) -> Value:
    """Adds the argument of a loop's body that carries a value, which is that of the first iteration as far as the scope knows."""
    ssa = block.insert_arg(x.ssa.type, len(block.args))
    for env, data in zip(s.envs, x.data, strict=True):
        env[ssa] = data
    value = Value(ssa, x.data)
    s.values.append(value)
    return value


def for_loop(s: Scope, fill: Fill) -> Any:
    """An `scf.for` that carries a tensor."""
    x = s.pick()
    if s.in_dataflow or x is None or None in x.dims:
        return None
    bounds = [_index(s, number) for number in (0, s.rng.randint(0, MOST_ITERATIONS), s.rng.choice((1, 1, 2)))]
    low, high, step = (bound.ssa for bound in bounds if bound is not None)
    block = Block(arg_types=[IndexType()])
    known = list(s.values)
    carried = _carried(s, block, x)
    for env in s.envs:
        env[block.args[0]] = 0
    result = _body(s, block, carried, fill, s.rng.randint(1, 4))
    s.values = [value for value in s.values if value in known or value.ssa in s.entry.args]
    block.add_op(scf.YieldOp(result.ssa))
    return s.add(scf.ForOp(low, high, step, [x.ssa], block))


def while_loop(s: Scope, fill: Fill) -> Any:
    """An `scf.while` that counts, and carries a tensor."""
    x = s.pick()
    if s.in_dataflow or x is None or None in x.dims:
        return None
    bounds = [_index(s, number) for number in (0, s.rng.randint(0, MOST_ITERATIONS), 1)]
    low, high, step = (bound.ssa for bound in bounds if bound is not None)
    types = [IndexType(), x.ssa.type]
    before, after = Block(arg_types=types), Block(arg_types=[IndexType()])
    again = arith.CmpiOp(before.args[0], high, "slt")
    before.add_ops([again, scf.ConditionOp(again.result, *before.args)])
    known = list(s.values)
    carried = _carried(s, after, x)
    for env in s.envs:
        env[after.args[0]] = 0
    result = _body(s, after, carried, fill, s.rng.randint(1, 4))
    s.values = [value for value in s.values if value in known or value.ssa in s.entry.args]
    count = arith.AddiOp(after.args[0], step)
    after.add_ops([count, scf.YieldOp(count.result, result.ssa)])
    return s.add(scf.WhileOp([low, x.ssa], types, Region(before), Region(after)))
