"""Runs a graph pass of ours and the reference's on the same module and compares the results, structurally up to names.

python tests/oracles/oracle_graph.py fuse-ops --seeds 0:500
python tests/oracles/oracle_graph.py inline --seeds 0:500 --show 3
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any, cast
from unittest.mock import patch

import tvm
from tvm import relax
from tvm.relax import dpl
from tvm.relax.backend.utils import has_leaking_intermediate_variables
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException, VerifyException
from xdsl_relax import universe  # noqa: F401 (provides the evaluator of constants)
from xdsl_relax.dialects.relax.base import RelaxOp
from xdsl_relax.frontend.tvm import from_relax, to_relax
from xdsl_relax.frontend.tvm.diagnostics import Unsupported, UnsupportedError
from xdsl_relax.frontend.tvm.importer import kernels
from xdsl_relax.frontend.tvm.vocabulary import TIR
from xdsl_relax.passes.analysis.call_graph import named_functions
from xdsl_relax.passes.cleanup.dead_code_elimination import DeadCodeEliminationPass
from xdsl_relax.passes.cleanup.inline import InlinePass
from xdsl_relax.passes.contraction.combine_parallel_matmul import CombineParallelMatmulPass
from xdsl_relax.passes.folding.fold_constant import FoldConstantPass
from xdsl_relax.passes.fusion.dataflow_pattern import CallPattern, Choice, Pattern, Wildcard
from xdsl_relax.passes.fusion.dataflow_pattern_parser import parse_patterns
from xdsl_relax.passes.fusion.fuse_ops import STRUCTURAL, FuseOpsPass
from xdsl_relax.passes.fusion.fuse_ops_by_pattern import FuseOpsByPatternPass
from xdsl_relax.passes.fusion.merge_composite_functions import MergeCompositeFunctionsPass

sys.path.insert(0, str(Path(__file__).parents[1]))

from generators.fusion_modules import FusionGenerator, random_fusion_module
from generators.graph_modules import Generator

from oracles.graph_differences import (
    Difference,
    biases_last,
    constants_as_arguments,
    groups_apart,
    has_symbolic_layout,
    is_vector_product,
    moves_nothing,
    results_by_content,
    sizes_by_type,
)
from oracles.graph_form import comparable
from oracles.normal_form import flaw_of


@dataclass(frozen=True)
class Pair:
    """A pass of the reference, and ours that is to do the same, with what both need before and after."""

    reference: Callable[[Any], Any]
    """From a module of TVM to the reference's result."""
    ours: Callable[[ModuleOp], None]
    after: Callable[[Any], Any] = lambda module: module
    """Brings our result to the form of the reference's."""
    make: Callable[[int], ModuleOp] = random_fusion_module
    """Returns the module of a seed."""
    differences: Mapping[str, Difference] = field(default_factory=dict[str, Difference])
    """The known differences, by name."""
    strict: bool = False
    """Whether computations that repeat or that nothing reads count: for passes that remove them."""


def run(*passes: ModulePass) -> Callable[[ModuleOp], None]:
    """Returns what applies our passes to a module."""

    def apply(module: ModuleOp) -> None:
        for step in passes:
            step.apply(Context(), module)

    return apply


LEGALIZE = tvm.transform.Sequential([relax.transform.LegalizeOps(), relax.transform.AnnotateTIROpPattern()])


def take_reference_kinds(module: ModuleOp, where: Callable[[Operation], bool] = lambda _: True) -> None:
    """Gives ops the pattern kinds that the reference derives from their kernels."""
    with opaque_kernels():
        legal = named_functions(from_relax(LEGALIZE(to_relax(module))))
    callees = [legal[op.callee.string_value()] for op in legal["main"].walk() if isinstance(op, func.CallOp)]
    calls = [callee for callee in callees if TIR in callee.attributes]
    ops = [op for op in module.walk() if isinstance(op, RelaxOp) and op.name not in STRUCTURAL]
    assert len(ops) == len(calls), "an op that is no kernel, or several"
    for op, kernel in zip(ops, calls, strict=True):
        pattern = kernel.attributes["relax.op_pattern"]
        assert isinstance(pattern, IntegerAttr)
        if where(op):
            op.attributes["op_pattern"] = IntegerAttr(pattern.value.data, i64)


def fuse_ops(module: ModuleOp) -> None:
    """Fuses as the reference does, and drops pattern kinds that ops carry."""
    FuseOpsPass(singles=False).apply(Context(), module)
    for op in module.walk():
        op.attributes.pop("op_pattern", None)


def fuse_with_reference_patterns(module: ModuleOp) -> None:
    """Fuses with the pattern kinds that the reference derives from its kernels."""
    take_reference_kinds(module)
    fuse_ops(module)


def live(make: Callable[[int], ModuleOp]) -> Callable[[int], ModuleOp]:
    """Returns what makes modules without dead code, of which the reference's FuseOps makes a mess."""

    def made(seed: int) -> ModuleOp:
        module = make(seed)
        DeadCodeEliminationPass().apply(Context(), module)
        return module

    return made


PATTERNS = """
    a.product = relax.nn.relu(relax.add(relax.matmul(*, *), *))
    a.activation = relax.tanh(relax.add(*, *) | relax.multiply(*, *))
    b.twice = relax.exp(relax.exp(*))
    b.square = relax.multiply(%x, %x)
    a.matmul = relax.matmul(*, *)
    a.rows = relax.sum(*) {keepdims = true}
    b.normalized = relax.subtract(%x, relax.sum(%x))
    a.unary = relax.negative(*)
"""


def reference_pattern(pattern: Pattern, names: dict[str, Any]) -> Any:
    """Returns a pattern as the reference's."""
    match pattern:
        case Wildcard(name=None):
            return dpl.is_const() if pattern.is_constant else dpl.wildcard()
        case Wildcard(name=str(name)):
            return names.setdefault(name, dpl.wildcard())
        case Choice():
            first, *others = (reference_pattern(alternative, names) for alternative in pattern.alternatives)
            for other in others:
                first = first | other
            return first
        case CallPattern():
            call = dpl.is_op(pattern.op)(*(reference_pattern(operand, names) for operand in pattern.operands))
            return (
                call.has_attr(cast(Any, {name: values[0] for name, values in pattern.attributes}))
                if pattern.attributes
                else call
            )


def fuse_by_pattern(bind_constants: bool) -> Any:
    """Returns the reference's pass for `PATTERNS`, with the check that its users give it against values that are read outside."""
    patterns: list[Any] = [
        (
            pattern.name,
            reference_pattern(pattern.pattern, {}),
            {},
            lambda context: not has_leaking_intermediate_variables(context),
        )
        for pattern in parse_patterns(PATTERNS)
    ]
    return relax.transform.FuseOpsByPattern(patterns, bind_constants)


def merged(module: Any) -> Any:
    """Returns the reference's regions, with their local functions as functions of the module."""
    return relax.transform.LambdaLift()(relax.transform.MergeCompositeFunctions()(fuse_by_pattern(True)(module)))


def random_model(seed: int) -> ModuleOp:
    """Returns a model with constants, parallel products and calls, of ops that Relax has."""
    while True:
        module = Generator(seed).module()[0]
        try:
            to_relax(module)
        except (UnsupportedError, TypeError):
            seed += 1_000_000
        else:
            return module


PAIRS: dict[str, Pair] = {
    "fuse-ops-by-pattern": Pair(
        lambda module: fuse_by_pattern(True)(module),
        run(FuseOpsByPatternPass(PATTERNS)),
        make=live(random_fusion_module),
    ),
    "fuse-ops-by-pattern-free": Pair(
        lambda module: fuse_by_pattern(False)(module),
        run(FuseOpsByPatternPass(PATTERNS, bind_constants=False)),
        make=live(random_fusion_module),
    ),
    "merge-composite-functions": Pair(
        merged,
        run(FuseOpsByPatternPass(PATTERNS), MergeCompositeFunctionsPass()),
        # The reference's pass cannot read calls of foreign functions.
        make=live(lambda seed: FusionGenerator(seed, calls=False).module()[0]),
        differences={
            "sizes": Difference(results=sizes_by_type),
            "order of results": Difference(results=results_by_content),
        },
    ),
    "fuse-ops": Pair(
        lambda module: relax.transform.FuseOps()(LEGALIZE(module)),
        fuse_with_reference_patterns,
        LEGALIZE,
        live(random_fusion_module),
    ),
    "fuse-ops-own-patterns": Pair(
        lambda module: relax.transform.FuseOps()(LEGALIZE(module)),
        fuse_ops,
        LEGALIZE,
        live(random_fusion_module),
        {
            "vector products": Difference(ours=lambda module: take_reference_kinds(module, is_vector_product)),
            "symbolic layouts": Difference(ours=lambda module: take_reference_kinds(module, has_symbolic_layout)),
            "unmoved elements": Difference(ours=lambda module: take_reference_kinds(module, moves_nothing)),
        },
    ),
    "dce": Pair(relax.transform.DeadCodeElimination(), run(DeadCodeEliminationPass()), strict=True),
    "inline": Pair(
        relax.transform.InlinePrivateFunctions(),
        run(InlinePass(private_functions=True)),
        make=random_model,
        strict=True,
    ),
    "fold-constant": Pair(
        relax.transform.FoldConstant(),
        run(FoldConstantPass()),
        # Of the models the reference refuses nearly half: it cannot lower some op, which it tries for the constants.
        make=lambda seed: random_model(seed) if seed % 4 == 0 else random_fusion_module(seed),
        strict=True,
    ),
    "combine-parallel-matmul": Pair(
        relax.transform.CombineParallelMatmul(),
        run(CombineParallelMatmulPass(only_weights=False)),
        make=live(random_model),
        differences={
            "constants": Difference(given=constants_as_arguments),
            "biases first": Difference(given=biases_last),
            "several groups": Difference(given=groups_apart),
        },
    ),
}


@dataclass(frozen=True)
class Outcome:
    """What came out.

    "same", "refused" by both, "ill-formed" (the reference's result, or it has none), the names of known differences, or "different".
    """

    kind: str
    detail: str = ""


def script(module: Any) -> str:
    """Returns the text of the Relax functions of a module."""
    functions = [
        (name.name_hint, function)
        for name, function in module.functions.items()
        if isinstance(function, relax.Function)
    ]
    return "\n".join(f"@{name}: {made.script().partition('@R.function')[2]}" for name, made in functions)


@contextmanager
def opaque_kernels() -> Iterator[None]:
    """Lets the importer keep kernels as they are, without reading them: that takes most of the time."""

    def refuse(*_: Any) -> Any:
        raise Unsupported("not read")

    with patch.object(kernels, "kernel_text", tvm.ir.save_json), patch.object(kernels, "kernel_body", refuse):
        yield


def compare(name: str, module: ModuleOp, pairs: Mapping[str, Pair] = PAIRS) -> Outcome:
    """Runs both passes on a module and compares the results.

    What differs is a known difference only if nothing differs without it.
    """
    pair = pairs[name]
    outcome = compare_without((), pair, module)
    if outcome.kind == "different":
        for count in range(1, len(pair.differences) + 1):
            for chosen in combinations(pair.differences, count):
                if (
                    compare_without([pair.differences[difference] for difference in chosen], pair, module).kind
                    == "same"
                ):
                    return Outcome(" and ".join(chosen), outcome.detail)
    return outcome


def compare_without(differences: Sequence[Difference], pair: Pair, module: ModuleOp) -> Outcome:
    """Runs both passes on a module and compares the results, without known differences."""
    given = relax.transform.CanonicalizeBindings()(to_relax(module))
    if differences:
        changed = from_relax(given)
        for difference in differences:
            difference.given(changed)
        given = to_relax(changed)
    refusal = ""
    try:
        reference = pair.reference(given)
    except Exception as error:  # TVM raises under many types.
        reference, refusal = None, (str(error).strip() or type(error).__name__).splitlines()[-1]
    ours = from_relax(given)
    for difference in differences:
        difference.ours(ours)
    try:
        pair.ours(ours)
        ours.verify()
    except (PassFailedException, VerifyException) as error:
        if reference is None:
            return Outcome("refused", f"ours refuses: {error}\nreference: {refusal}")
        return Outcome("different", f"ours refuses: {error}\nreference: {reference.script()}")
    if reference is None:
        return Outcome("ill-formed", f"{refusal}\nof:\n{script(given)}")
    if (flaw := flaw_of(reference)) is not None:
        return Outcome("ill-formed", f"{flaw}\nof:\n{script(given)}\nresult:\n{script(reference)}")
    result = pair.after(to_relax(ours))
    if (flaw := flaw_of(result)) is not None:
        return Outcome("different", f"our result is not well-formed: {flaw}\n{result.script()}")
    with opaque_kernels():
        left, right = (comparable(module, differences, pair.strict) for module in (result, reference))
    try:
        tvm.ir.assert_structural_equal(left, right)
    except ValueError as error:
        where = str(error).splitlines()[1]
        return Outcome("different", f"{where}\nours:\n{script(left)}\nreference:\n{script(right)}")
    return Outcome("same")


def main(argv: list[str] | None = None) -> int:
    """The command line; 1 if a result differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="+", choices=sorted(PAIRS))
    parser.add_argument("--seeds", metavar="FIRST:LAST", default="0:100", help="random modules (default: 0:100)")
    parser.add_argument("--show", type=int, default=1, help="how many differences to print (default: 1)")
    parser.add_argument("--kind", default="different", help="the outcome to print")
    args = parser.parse_args(argv)
    first, last = map(int, args.seeds.split(":"))
    status = 0
    for name in args.names:
        counts: Counter[str] = Counter()
        shown = 0
        for seed in range(first, last):
            outcome = compare(name, PAIRS[name].make(seed))
            counts[outcome.kind] += 1
            if outcome.kind == args.kind and shown < args.show:
                shown += 1
                print(f"{name}, seed {seed}: {outcome.detail}")
        print(f"{name}:", ", ".join(f"{kind} {count}" for kind, count in sorted(counts.items())), flush=True)
        status |= counts["different"] > 0
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
