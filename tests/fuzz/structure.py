"""Recipes of structure: cases of the op tables, calls, `scf.if`, tuples, casts, packed functions; and whole programs."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from harness.op_cases import Case
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, TensorType, TupleType
from xdsl_relax.dialects.relax.attrs import ShapeType, tensor_type
from xdsl_relax.dialects.relax.dtypes import ALL, FLOATS, NUMERIC
from xdsl_relax.dialects.relax.function_signature import update_signature
from xdsl_relax.dialects.relax.ops import core, indexing, manipulate, unary
from xdsl_relax.dialects.relax.program import verify_program
from xdsl_relax.dialects.relax.scope import defined_symbols, used_symbols
from xdsl_relax.dialects.relax.vocabulary.attributes import NAME, NUM_INPUT
from xdsl_relax.dialects.symbolic.expressions import Symbol
from xdsl_relax.dialects.upstream.func_ops import CallOp
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.interpreter.host.packed_functions import register_packed

from . import control_flow
from .recipes import RECIPES
from .recipes.choose import maybe, shape_value
from .scope import Scope, Value

RUNS = 2
"""Each program runs with this many sets of arguments and sizes."""


@dataclass
class Program:
    """A module, and the arguments of each run of `@main`."""

    module: ModuleOp
    arguments: list[list[Any]]


@cache
def table() -> Sequence[Sequence[Any]]:
    """Returns the cases of all op families, op by op."""
    folder = Path(__file__).parent.parent / "cases"
    names = sorted(path.stem for path in folder.glob("*.py") if path.stem != "__init__")
    by_op: dict[Any, list[Any]] = {}
    for case in (case for name in names for case in import_module(f"cases.{name}").CASES):
        if isinstance(case, Case):
            by_op.setdefault(case.op, []).append(case)
    return list(by_op.values())


def table_case(s: Scope) -> Any:
    """A case of the tables, on values in reach where they fit."""
    case = s.rng.choice(s.rng.choice(table()))
    if len(s.bindings[0].sizes) > 40:
        return None
    names: dict[str, Symbol] = {}
    operands: list[Value | None] = []
    for arg in case.args:
        for dim in arg.dims:
            if isinstance(dim, str) and dim not in names:
                known = case.sizes[dim]
                names[dim] = s.symbol(
                    [
                        known,
                        *(
                            known if s.rng.random() < 0.6 else s.rng.choice((0, 1, 2, 3, 5, 17))
                            for _ in range(s.runs - 1)
                        ),
                    ]
                )
        dims = tuple(names[dim] if isinstance(dim, str) else dim for dim in arg.dims)
        if arg.shape_value:
            operands.append(_shape_argument(s, dims))
            continue
        same = [v for v in s.values if v.ssa.type == tensor_type(dims, arg.element)]
        if arg.values is None and same and s.rng.random() < 0.8:
            operands.append(s.rng.choice(same))
        else:
            operands.append(s.tensor(dims, arg.element, arg.values) or adapted(s, dims, arg.element))
    known = [operand for operand in operands if operand is not None]
    return s.apply(case.op, *known, **case.attrs) if len(known) == len(operands) else None


def adapted(s: Scope, dims: Sequence[Any], element: Any) -> Value | None:
    """Returns some value in reach, brought into a known shape and type."""
    if any(not isinstance(dim, int) for dim in dims):
        return None
    x = s.pick()
    if x is None or None in x.dims:
        return None
    count = int(np.prod(dims))
    flat = s.apply_single(manipulate.FlattenOp, x)
    least = min((data.size for data in x.data), default=0)
    if flat is None or not least or count > 500 * least:
        return None
    flat = s.apply_single(manipulate.TileOp, flat, repeats=[-(-count // least)])
    flat = flat and s.apply_single(indexing.StridedSliceOp, flat, axes=[0], begin=[0], end=[count])
    if flat is None or flat.dims != (count,):
        return None
    flat = s.apply_single(unary.AsTypeOp, flat, dtype=element) if flat.element != element else flat
    return s.apply_single(manipulate.ReshapeOp, flat, shape_value(s, *dims))


def _shape_argument(s: Scope, dims: tuple[Any, ...]) -> Value | None:
    shape_type = ShapeType(dims)
    if used_symbols(shape_type) - s.defined():
        if not s.fresh:
            return None
        return s.argument(shape_type, [bindings.dims(dims) for bindings in s.bindings])
    results = s.add(core.ShapeOp.create(result_types=[shape_type]))
    return results[0] if results else None


def make_tuple(s: Scope) -> Any:
    """A tuple of values, and one of its fields."""
    if not s.values:
        return None
    fields = [s.rng.choice(s.values) for _ in range(s.rng.randint(1, 3))]
    bundle = s.apply_single(core.TupleOp, *fields)
    return bundle and s.apply_single(core.TupleGetItemOp, bundle, index=s.rng.randrange(len(fields)))


def take_field(s: Scope) -> Any:
    tuples = [
        (v, len(v.ssa.type.types)) for v in s.values if isinstance(v.ssa.type, TupleType) and v.ssa.type.types.data
    ]
    if not tuples:
        return None
    value, count = s.rng.choice(tuples)
    return s.apply_single(core.TupleGetItemOp, value, index=s.rng.randrange(count))


def match_cast(s: Scope) -> Any:
    """Names an unknown dim, forgets a known one, or says what a symbol is."""
    x = s.pick(rank=1)
    if x is None:
        return None
    dims = []
    for axis, dim in enumerate(x.dims):
        sizes = [data.shape[axis] for data in x.data]
        kind = s.rng.random()
        if dim is None and kind < 0.6:
            name = f"c{len(s.bindings[0].sizes)}_{len(s.block.ops)}"
            dims.append(Symbol(name) if name not in s.bindings[0].sizes else None)
        elif kind < 0.15:
            dims.append(None)
        elif kind < 0.25 and len(set(sizes)) == 1:
            dims.append(sizes[0])
        else:
            dims.append(dim)
    return s.add(core.MatchCastOp.create(operands=[x.ssa], result_types=[tensor_type(tuple(dims), x.element)]))


_PACKED = {
    "fuzz.negate": lambda x: np.negative(x),
    "fuzz.copy": lambda x: np.array(x),
    "fuzz.reverse": lambda x: np.ascontiguousarray(x[::-1]),
}


def _write_double(x: Any, out: Any) -> None:
    out[...] = (x + x).astype(out.dtype)


def register_functions() -> None:
    """Registers the packed functions that programs call."""
    for name, function in _PACKED.items():
        register_packed(name, function)
    register_packed("fuzz.double", _write_double)


def call_packed(s: Scope) -> Any:
    register_functions()
    x = s.pick(*NUMERIC, rank=1)
    if x is None or None in x.dims:
        return None
    if s.rng.random() < 0.3:
        return s.add(core.CallDPSPackedOp.build_from(x.ssa, callee="fuzz.double", result_types=[x.ssa.type]))
    pure = True if s.in_dataflow else maybe(s, s.rng.random() < 0.5)
    return s.add(
        core.CallPackedOp.build_from(x.ssa, callee=s.rng.choice(list(_PACKED)), pure=pure, result_types=[x.ssa.type])
    )


def call(s: Scope) -> Any:
    """Calls a new private or public function on values in reach."""
    candidates = [v for v in s.values if not used_symbols(v.ssa.type) - s.defined()]
    if not candidates or s.in_dataflow or len(s.interpreter.functions) > 5:
        return None
    chosen = s.rng.sample(candidates, min(len(candidates), s.rng.randint(1, 4)))
    # A value that goes takes the symbols along that it defines for others.
    while not {n for v in chosen for n in used_symbols(v.ssa.type)} <= (
        defined := {n for v in chosen for n in defined_symbols(v.ssa.type)}
    ):
        chosen = [v for v in chosen if used_symbols(v.ssa.type) <= defined]
    if not chosen:
        return None
    inner = Scope(s.rng, s.interpreter, s.runs, fresh=False)
    arguments = [inner.argument(v.ssa.type, v.data) for v in chosen]
    fill(inner, s.rng.randint(1, 5))
    results = results_of(inner, {name for v in arguments for name in used_symbols(v.ssa.type)})
    name = f"callee_{len(s.interpreter.functions)}"
    function = inner.function(name, results, s.rng.random() < 0.5)
    s.interpreter.functions[name] = function
    done = None
    for _ in range(s.rng.choice((1, 1, 2))):
        done = s.add(CallOp(name, [v.ssa for v in chosen], [v.ssa.type for v in results]), tame=False)
    if done is None:
        del s.interpreter.functions[name]
    return done


STRUCTURE: list[tuple[float, Any]] = [
    (14, table_case),
    (2, make_tuple),
    (1, take_field),
    (2, match_cast),
    (1.5, call_packed),
]
NESTED: list[tuple[float, Any]] = [
    (5, call),
    (5, lambda s: control_flow.branch(s, fill_straight)),
    (3, lambda s: control_flow.for_loop(s, fill_straight)),
    (3, lambda s: control_flow.while_loop(s, fill_straight)),
]


def fill_straight(s: Scope, count: int) -> None:
    """Adds about `count` ops without calls, branches and loops."""
    fill(s, count, structured=False)


def fill(s: Scope, count: int, structured: bool = True) -> None:
    """Adds about `count` ops."""
    recipes = [*RECIPES, *STRUCTURE, *(NESTED if structured else [])]
    weights = [weight for weight, _ in recipes]
    for _ in range(3 * count):
        if len(s.block.ops) >= count:
            break
        s.rng.choices(recipes, weights)[0][1](s)


def results_of(s: Scope, symbols: set[str]) -> list[Value]:
    """Returns what a function gives back: late values, sometimes the same twice, or an argument."""
    usable = [v for v in s.values if used_symbols(v.ssa.type) <= symbols]
    count = min(len(usable), s.rng.choice((1, 1, 2, 3, 4)))
    chosen = [usable[-1 - min(int(s.rng.expovariate(0.4)), len(usable) - 1)] for _ in range(count)]
    if s.rng.random() < 0.1:
        chosen.append(s.rng.choice(usable))
    return chosen


def make_parameters(rng: random.Random, function: func.FuncOp) -> None:
    """Makes parameters of some of the last arguments: tensors of known sizes."""
    types = list(function.function_type.inputs)
    is_static = [isinstance(kind, TensorType) and kind.has_static_shape() for kind in types]
    count = [*reversed(is_static), False].index(False)
    if count:
        first = len(types) - rng.randint(1, count)
        NUM_INPUT.set(function, first)
        names = [NAME.entry(f"p{index}") if index >= first else {} for index in range(len(types))]
        update_signature(function, names)


def generate(seed: int, size: int | None = None) -> Program:
    """Returns the random program of a seed."""
    with np.errstate(all="ignore"):
        return _generate(random.Random(seed), size)


def _generate(rng: random.Random, size: int | None) -> Program:
    size = size or rng.randint(20, 60)
    interpreter = Interpreter(ModuleOp([]))
    s = Scope(rng, interpreter, RUNS)
    for _ in range(rng.choice((1, 1, 2, 3))):
        dims = [s.dim() for _ in range(rng.choice((0, 1, 2, 2, 2, 3, 3, 4)))]
        s.tensor(dims, rng.choice((*ALL, *FLOATS, *FLOATS)))
    while len(s.entry.ops) < size:
        before = len(list(s.entry.walk()))
        if rng.random() < 0.4:
            s.dataflow(lambda: fill(s, rng.randint(1, max(1, size)), structured=False))
        else:
            fill(s, min(size, len(s.entry.ops) + rng.randint(1, 5)))
        if len(list(s.entry.walk())) >= size or (len(list(s.entry.walk())) == before and rng.random() < 0.1):
            break
    visible = s.defined()
    for op in s.entry.walk():
        if isinstance(op, core.MatchCastOp):
            visible |= defined_symbols(op.result.type)
    results = results_of(s, visible)
    main = s.function("main", results)
    arguments = [[env[arg] for arg in s.entry.args] for env in s.envs]
    module = ModuleOp([*interpreter.functions.values(), main])
    if rng.random() < 0.5:
        make_parameters(rng, main)
    verify_program(module)
    return Program(module, arguments)
