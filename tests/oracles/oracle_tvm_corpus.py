"""Imports the modules that TVM's own tests build (`tvm_corpus.py`), exports them again, and prints what came of it, with the reasons.

python tests/oracles/oracle_tvm_corpus.py FOLDER [FILE...] [--show KIND]
"""

from __future__ import annotations

import argparse
import re
import sys
import traceback
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tvm
import tvm_ffi
from tvm import relax

sys.path.insert(0, str(Path(__file__).parents[1]))

from xdsl_relax.frontend.tvm import UnsupportedError, from_relax, to_relax
from xdsl_relax.frontend.tvm.diagnostics import UNREADABLE

from oracles.normal_form import flaw_of
from oracles.tvm_corpus import Entry, entries

EQUAL, TIDIED, DIFFERS, ONE_WAY, REFUSED, ILL_FORMED, CRASHED, FOREIGN = (
    "equal after a round trip",
    "equal after a round trip, but for bindings that repeat",
    "differs after a round trip",
    "imported, not exported",
    "refused",
    "not well-formed, and refused",
    "other exception",
    "has ops that the test itself registers",
)


TIDY = tvm.transform.Sequential(
    [relax.transform.LambdaLift(), relax.transform.Normalize(), relax.transform.CanonicalizeBindings()]
)
"""Lifts functions inside of functions, and resolves bindings that repeat others, as the importer does."""


@dataclass(frozen=True)
class Outcome:
    """What became of a module."""

    kind: str
    reasons: tuple[str, ...] = field(default=())


def outcome_of(module: Any) -> Outcome:
    """Imports a module and exports it again."""
    try:
        ours = from_relax(module)
    except UnsupportedError as error:
        if error.problems[0].startswith(UNREADABLE):
            return Outcome(CRASHED, error.problems)
        return Outcome(ILL_FORMED if flaw_of(module) else REFUSED, error.problems)
    except ValueError as error:
        return Outcome(ILL_FORMED if flaw_of(module) else REFUSED, (str(error),))
    except Exception:
        return Outcome(CRASHED, (traceback.format_exc(),))
    try:
        back = to_relax(ours)
    except UnsupportedError as error:
        return Outcome(ONE_WAY, error.problems)
    except Exception:
        return Outcome(CRASHED, (traceback.format_exc(),))
    if tvm_ffi.structural_equal(back, module, map_free_vars=True):
        return Outcome(EQUAL)
    try:
        tvm.ir.assert_structural_equal(*map(TIDY, (back, module)), map_free_vars=True)
    except Exception as error:  # TVM raises under many types.
        return Outcome(DIFFERS, (" ".join(str(error).split()[:60]),))
    return Outcome(TIDIED)


def class_of(reason: str) -> str:
    """Returns a reason without what is the module's own: names and numbers."""
    text = re.sub(r"^@[\w.]*: .*?: (?=\w)", "", reason)
    return re.sub(r"\d+", "#", text)[:110]


def main() -> int:
    """Prints the table; 1 if anything but a refusal by name came out."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, help="what tvm_corpus.py wrote")
    parser.add_argument("files", nargs="*", help="parts of the names of files")
    parser.add_argument("--show", help="a part of the name of an outcome of which every module is listed")
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    reasons: dict[str, Counter[str]] = {}
    for entry in entries(options.folder, options.files):
        outcome = report(entry, options.show)
        counts[outcome.kind] += 1
        reasons.setdefault(outcome.kind, Counter()).update({class_of(reason) for reason in outcome.reasons})
    total = counts.total()
    print(f"{total} modules")
    for kind, count in counts.most_common():
        print(f"{kind}: {count} ({count / total:.1%})")
        for reason, times in reasons[kind].most_common(40):
            print(f"    {times:5} {reason}")
    return int(counts[CRASHED] > 0)


def report(entry: Entry, show: str | None) -> Outcome:
    """Returns what became of a module, and prints it if asked."""
    try:
        module = entry.module()
    except AttributeError as error:
        return Outcome(FOREIGN, (str(error),))
    outcome = outcome_of(module)
    if show and show in outcome.kind:
        print(f"--- {entry.test}: {outcome.kind}")
        print(*outcome.reasons, sep="\n", flush=True)
    return outcome


if __name__ == "__main__":
    sys.exit(main())
