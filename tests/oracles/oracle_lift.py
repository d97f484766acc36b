"""Runs a pass of ours and the reference's on the same module and compares the results, structurally up to names.

python tests/oracles/oracle_lift.py lift-shared --seeds 0:200        # random modules, which the interpreter runs as well
python tests/oracles/oracle_lift.py all --seeds 0:2000 --seconds 3600
python tests/oracles/oracle_lift.py lift FILE.json                   # one module, with both results where they differ
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tvm
from tvm import relax
from tvm_ffi import structural_equal
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, ModuleOp, StringAttr, i64
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException, VerifyException

sys.path.insert(0, str(Path(__file__).parents[1]))

from generators.lift_modules import random_module
from xdsl_relax.dialects.relax.attrs import ObjectType
from xdsl_relax.dialects.relax.function_signature import functions
from xdsl_relax.dialects.relax.vocabulary.attributes import NUM_INPUT
from xdsl_relax.frontend.tvm import from_relax, to_relax
from xdsl_relax.frontend.tvm.importer.load import load_module
from xdsl_relax.frontend.tvm.vocabulary import CALLABLE
from xdsl_relax.passes.cleanup.canonicalize_bindings import CanonicalizeBindingsPass
from xdsl_relax.passes.cleanup.dead_code_elimination import DeadCodeEliminationPass
from xdsl_relax.passes.cleanup.eliminate_common_subexpr import EliminateCommonSubexprPass
from xdsl_relax.passes.cleanup.expand_tuple_arguments import ExpandTupleArgumentsPass
from xdsl_relax.passes.cleanup.remove_unused_outputs import RemoveUnusedOutputsPass
from xdsl_relax.passes.cleanup.remove_unused_parameters import RemoveUnusedParametersPass
from xdsl_relax.passes.lifting.bundle_model_params import BundleModelParamsPass
from xdsl_relax.passes.lifting.lazy_get_input import LazyGetInputPass
from xdsl_relax.passes.lifting.lazy_set_output import LazySetOutputPass
from xdsl_relax.passes.lifting.lift_transform_params import LiftTransformParamsPass

from oracles.lift_quirks import QUIRKS, without
from oracles.lift_runs import assert_same_results
from oracles.normal_form import difference, flaw_of


@dataclass(frozen=True)
class Pair:
    """A pass of the reference, and ours that is to do the same; both are made for the module that they are to change."""

    reference: Callable[[ModuleOp], Any]
    ours: Callable[[ModuleOp], ModulePass]
    quirks: tuple[str, ...] = ()
    """What the reference gets wrong."""
    strict: bool = False
    """Whether computations that repeat or that nothing reads count: for passes that remove them."""


def plain(reference: Callable[[], Any], ours: Callable[[], ModulePass], *quirks: str, strict: bool = False) -> Pair:
    """Returns a pair that does not depend on the module."""
    return Pair(lambda _: reference(), lambda _: ours(), quirks, strict)


def until_unchanged(*steps: Callable[[Any], Any]) -> Callable[[], Callable[[Any], Any]]:
    """Returns passes of the reference that go on, as ours does, where what they did to one function lets them do more to another."""

    def run(module: Any) -> Any:
        before = None
        while before is None or not structural_equal(before, module):
            before = module
            for step in steps:
                module = step(module)
        return module

    return lambda: run


def without_dead_code(module: Any) -> Any:
    """Returns a module of TVM without bindings that nothing reads, with all its functions."""
    kept = {
        variable: relax.analysis.remove_all_unused(function) if isinstance(function, relax.Function) else function
        for variable, function in module.functions.items()
    }
    return tvm.IRModule(kept, attrs=module.attrs, global_infos=module.global_infos)


def some_names(module: ModuleOp) -> tuple[str, ...]:
    """Returns the last two functions with parameters, the last first."""
    return tuple(function.sym_name.data for function in functions(module) if NUM_INPUT.of(function) is not None)[:-3:-1]


RETURNED, TWICE, SYMBOL, CAST, COMMON, STOP, INSIDE, EFFECTS, NAMED = QUIRKS
SHARED = (RETURNED, TWICE, SYMBOL, CAST, COMMON, STOP, INSIDE)

PAIRS: dict[str, Pair] = {
    "lift": plain(
        relax.transform.LiftTransformParams,
        lambda: LiftTransformParamsPass(bundle=True),
        RETURNED,
        SYMBOL,
        STOP,
        INSIDE,
    ),
    "lift-shared": plain(
        lambda: relax.transform.LiftTransformParams(shared_transform=True),
        lambda: LiftTransformParamsPass(shared=True, bundle=True),
        *SHARED,
    ),
    "lift-list": Pair(
        lambda module: relax.transform.LiftTransformParams(shared_transform=list(some_names(module))),
        lambda module: LiftTransformParamsPass(shared=some_names(module), bundle=True),
        SHARED,
    ),
    "bundle": plain(relax.transform.BundleModelParams, BundleModelParamsPass),
    "expand": plain(relax.transform.ExpandTupleArguments, ExpandTupleArgumentsPass, strict=True),
    "unused-parameters": plain(
        until_unchanged(without_dead_code, relax.transform.RemoveUnusedParameters()),
        RemoveUnusedParametersPass,
        strict=True,
    ),
    "unused-outputs": plain(
        until_unchanged(
            relax.transform.CanonicalizeBindings(),
            relax.transform.DeadCodeElimination(),
            relax.transform.RemoveUnusedOutputs(),
        ),
        RemoveUnusedOutputsPass,
        strict=True,
    ),
    "dce": plain(relax.transform.DeadCodeElimination, DeadCodeEliminationPass, strict=True),
    "cse": plain(relax.transform.EliminateCommonSubexpr, EliminateCommonSubexprPass, strict=True),
    "cse-calls": plain(
        lambda: relax.transform.EliminateCommonSubexpr(call_only=True),
        lambda: EliminateCommonSubexprPass(call_only=True),
        strict=True,
    ),
    "canonicalize": plain(relax.transform.CanonicalizeBindings, CanonicalizeBindingsPass, strict=True),
    "lazy-get": plain(relax.transform.LazyGetInput, LazyGetInputPass, SYMBOL),
    "lazy-set": plain(relax.transform.LazySetOutput, LazySetOutputPass, EFFECTS, NAMED),
}


@dataclass(frozen=True)
class Outcome:
    """What came out.

    "same"; "refused" by both; "ill-formed": the reference's result, or it has none; "different".
    """

    kind: str
    detail: str = ""
    quirks: frozenset[str] = frozenset()
    """What had to be taken out of the module, all of it, before the results were the same."""


def declare_loader(function: func.FuncOp) -> None:
    """Says of an argument that loads parameters, and is not used, what it is; the dialect has one type for all objects."""
    given = function.arg_attrs
    entries = [DictionaryAttr({}) for _ in function.body.block.args] if given is None else list(given.data)
    for index, arg in enumerate(function.body.block.args):
        if arg.name_hint == "fget_param" and arg.first_use is None:
            signature = FunctionType.from_lists([i64, ObjectType()], [ObjectType()])
            entries[index] = DictionaryAttr({CALLABLE: ArrayAttr([StringAttr("pure"), signature])})
    function.arg_attrs = ArrayAttr(entries)


def compare(name: str, module: Any) -> Outcome:
    """Runs both passes on a module of TVM and compares the results, if need be without what the reference gets wrong."""
    pair = PAIRS[name]
    imported = from_relax(module)
    outcome = compare_exactly(pair, imported)
    if outcome.kind in ("same", "refused") or not pair.quirks:
        return outcome
    removed = frozenset(pair.quirks)
    least = compare_exactly(pair, without(imported, removed))
    if least.kind != "same":
        return least
    for quirk in reversed(pair.quirks):
        if compare_exactly(pair, without(imported, removed - {quirk})).kind == "same":
            removed -= {quirk}
    return Outcome("same", outcome.detail, removed)


def compare_exactly(pair: Pair, imported: ModuleOp) -> Outcome:
    """Runs both passes on a module and compares the results."""
    ours, refusal = imported.clone(), ""
    try:
        reference = pair.reference(imported)(to_relax(imported))
    except Exception as error:  # TVM raises under many types.
        reference, refusal = None, str(error).splitlines()[0]
    try:
        pair.ours(imported).apply(Context(), ours)
        ours.verify()
    except (PassFailedException, VerifyException) as error:
        if reference is None:
            return Outcome("refused", f"{refusal} / {error}")
        return Outcome("different", f"ours refuses: {error}\nreference:\n{reference.script()}")
    if reference is None:
        return Outcome("ill-formed", refusal)
    if (flaw := flaw_of(reference)) is not None:
        return Outcome("ill-formed", flaw)
    for function in functions(ours):
        declare_loader(function)
    exported = to_relax(ours)
    if (flaw := flaw_of(exported)) is not None:
        return Outcome("different", f"our result is not well-formed: {flaw}\n{exported.script()}")
    where = difference(exported, reference, pair.strict)
    return Outcome("same") if where is None else Outcome("different", where)


def random_relax_module(seed: int) -> Any:
    """Returns a random module as TVM has it."""
    return to_relax(random_module(seed))


@dataclass
class Tally:
    """What came out of one pair on many modules."""

    kinds: Counter[str] = field(default_factory=Counter)
    quirks: Counter[str] = field(default_factory=Counter)
    runs: int = 0
    """The functions of which the interpreter computed the same before and after."""

    def add(self, outcome: Outcome) -> None:
        """Counts an outcome."""
        self.kinds["same, without a quirk" if outcome.quirks else outcome.kind] += 1
        self.quirks.update(outcome.quirks)

    def __str__(self) -> str:
        counts = ", ".join(f"{kind} {count}" for kind, count in sorted(self.kinds.items()))
        without = ", ".join(f"{quirk} {count}" for quirk, count in self.quirks.most_common())
        return f"{counts}; {self.runs} functions run{f' (without: {without})' if without else ''}"


def run(name: str, module: Any, seed: int) -> int:
    """Applies our pass, and checks that the interpreter computes the same; returns for how many functions."""
    before = from_relax(module)
    after = before.clone()
    try:
        PAIRS[name].ours(before).apply(Context(), after)
    except PassFailedException:
        return 0
    return assert_same_results(before, after, seed)


def main(argv: list[str] | None = None) -> int:
    """The command line; 1 if a result differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=["all", *sorted(PAIRS)])
    parser.add_argument("file", nargs="?", help="a module: FILE.json or FILE.py")
    parser.add_argument("--seeds", metavar="FIRST:LAST", help="random modules instead of a file")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no further module after this time")
    parser.add_argument("--show", type=int, default=1, help="how many differences to print (default: 1)")
    parser.add_argument("--kind", default="different", help="the outcome to print")
    args = parser.parse_args(argv)
    names = list(PAIRS) if args.name == "all" else [args.name]
    modules: Iterable[tuple[int, Any]] = []
    if args.seeds:
        modules = ((seed, random_relax_module(seed)) for seed in range(*map(int, args.seeds.split(":"))))
    elif args.file:
        modules = [(0, load_module(args.file)[0])]
    tallies = {name: Tally() for name in names}
    begin, count, shown = time.monotonic(), 0, 0
    for seed, module in modules:
        if time.monotonic() - begin > args.seconds:
            break
        count += 1
        for name in names:
            outcome = compare(name, module)
            tallies[name].add(outcome)
            if args.seeds:
                tallies[name].runs += run(name, module, seed)
            if outcome.kind == args.kind and shown < args.show:
                shown += 1
                print(f"{name}, {seed}: {outcome.detail}", flush=True)
    print(f"{count} modules")
    for name, tally in tallies.items():
        print(f"{name}: {tally}")
    return 1 if any(tally.kinds["different"] + tally.kinds["ill-formed"] for tally in tallies.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
