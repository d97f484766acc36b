"""Runs a pass of ours and the reference's on the same module and compares the results, structurally up to names.

python tests/oracle_lift.py lift-shared --seeds 0:200        # random modules
python tests/oracle_lift.py lift FILE.json                   # one module, with both results where they differ
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tvm import relax
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, ModuleOp, StringAttr, i64
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException, VerifyException

sys.path.insert(0, str(Path(__file__).parent))

from lift_modules import random_module
from lift_quirks import QUIRKS, without
from normal_form import difference, flaw_of
from xdsl_relax.dialects.relax.attrs import ObjectType
from xdsl_relax.frontend.tvm import from_relax, to_relax
from xdsl_relax.frontend.tvm.vocabulary import CALLABLE
from xdsl_relax.passes.bundle_model_params import BundleModelParamsPass
from xdsl_relax.passes.canonicalize_bindings import CanonicalizeBindingsPass
from xdsl_relax.passes.dead_code_elimination import DeadCodeEliminationPass
from xdsl_relax.passes.expand_tuple_arguments import ExpandTupleArgumentsPass
from xdsl_relax.passes.function_signature import functions, num_input
from xdsl_relax.passes.lazy_get_input import LazyGetInputPass
from xdsl_relax.passes.lazy_set_output import LazySetOutputPass
from xdsl_relax.passes.lift_transform_params import LiftTransformParamsPass
from xdsl_relax.passes.remove_unused_outputs import RemoveUnusedOutputsPass
from xdsl_relax.passes.remove_unused_parameters import RemoveUnusedParametersPass


@dataclass(frozen=True)
class Pair:
    """A pass of the reference, and ours that is to do the same; both are made for the module that they are to change."""

    reference: Callable[[ModuleOp], Any]
    ours: Callable[[ModuleOp], ModulePass]
    quirks: tuple[str, ...] = ()
    """What the reference gets wrong."""


def plain(reference: Callable[[], Any], ours: Callable[[], ModulePass], *quirks: str) -> Pair:
    """Returns a pair that does not depend on the module."""
    return Pair(lambda _: reference(), lambda _: ours(), quirks)


def some_names(module: ModuleOp) -> tuple[str, ...]:
    """Returns the last two functions with parameters, the last first."""
    return tuple(function.sym_name.data for function in functions(module) if num_input(function) is not None)[:-3:-1]


RETURNED, TWICE, SYMBOL, CAST, COMMON, STOP, EFFECTS, NAMED = QUIRKS
SHARED = (RETURNED, TWICE, SYMBOL, CAST, COMMON, STOP)

PAIRS: dict[str, Pair] = {
    "lift": plain(
        relax.transform.LiftTransformParams, lambda: LiftTransformParamsPass(bundle=True), RETURNED, SYMBOL, STOP
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
    "expand": plain(relax.transform.ExpandTupleArguments, ExpandTupleArgumentsPass),
    "unused-parameters": plain(relax.transform.RemoveUnusedParameters, RemoveUnusedParametersPass),
    "unused-outputs": plain(relax.transform.RemoveUnusedOutputs, RemoveUnusedOutputsPass),
    "dce": plain(relax.transform.DeadCodeElimination, DeadCodeEliminationPass),
    "canonicalize": plain(relax.transform.CanonicalizeBindings, CanonicalizeBindingsPass),
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
    for quirk in pair.quirks:
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
    where = difference(exported, reference)
    return Outcome("same") if where is None else Outcome("different", where)


def random_relax_module(seed: int) -> Any:
    """Returns a random module as TVM has it."""
    return to_relax(random_module(seed))


def main(argv: list[str] | None = None) -> int:
    """The command line; 1 if a result differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=sorted(PAIRS))
    parser.add_argument("file", nargs="?", help="a module: FILE.json or FILE.py")
    parser.add_argument("--seeds", metavar="FIRST:LAST", help="random modules instead of a file")
    parser.add_argument("--show", type=int, default=1, help="how many differences to print (default: 1)")
    parser.add_argument("--kind", default="different", help="the outcome to print")
    args = parser.parse_args(argv)
    modules: list[tuple[str, Any]] = []
    if args.seeds:
        first, last = map(int, args.seeds.split(":"))
        modules = [(f"seed {seed}", seed) for seed in range(first, last)]
    elif args.file:
        from xdsl_relax.frontend.tvm.load import load_module

        modules = [(args.file, load_module(args.file)[0])]
    found: Counter[str] = Counter()
    shown = 0
    for label, module in modules:
        outcome = compare(args.name, random_relax_module(module) if isinstance(module, int) else module)
        found[outcome.kind] += 1
        if outcome.kind == args.kind and shown < args.show:
            shown += 1
            print(f"{label}: {outcome.detail}")
    print(", ".join(f"{kind} {count}" for kind, count in sorted(found.items())))
    return 1 if found["different"] else 0


if __name__ == "__main__":
    sys.exit(main())
