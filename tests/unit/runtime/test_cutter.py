"""The cutter of failing programs: what is left is a program of few ops that still shows what the whole one showed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
import xdsl_relax
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.runtime.bisection.case import Case, computations
from xdsl_relax.runtime.bisection.cutter import cut

N = "tensor<?xf32, #relax.sym<n>>"
HEAD = f"""
func.func private @unused_inside(%x: {N}) -> {N} {{
  %u = relax.tan %x : ({N}) -> {N}
  %v = relax.sqrt %x : ({N}) -> {N}
  return %v : {N}
}}
func.func @main(%x: {N}, %y: {N}, %flag: i1, %t: index) -> ({N}, {N}) {{
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %a = relax.add %x, %y : ({N}, {N}) -> {N}
  %b = relax.multiply %a, %y : ({N}, {N}) -> {N}
"""
PROGRAMS = {
    "for": f"""
  %r, %s = scf.for %i = %0 to %t step %1 iter_args(%p = %a, %q = %b) -> ({N}, {N}) {{
    %e = relax.sin %q : ({N}) -> {N}
    %f = relax.abs %p : ({N}) -> {N}
    scf.yield %e, %f : {N}, {N}
  }}
  return %r, %s : {N}, {N}""",
    "while": f"""
  %c, %r, %s = scf.while (%i = %0, %p = %a, %q = %b) : (index, {N}, {N}) -> (index, {N}, {N}) {{
    %g = arith.cmpi slt, %i, %t : index
    %e = relax.sin %q : ({N}) -> {N}
    scf.condition(%g) %i, %e, %p : index, {N}, {N}
  }} do {{
  ^bb0(%i: index, %p: {N}, %q: {N}):
    %j = arith.addi %i, %1 : index
    %f = relax.cos %p : ({N}) -> {N}
    scf.yield %j, %f, %q : index, {N}, {N}
  }}
  return %r, %s : {N}, {N}""",
    "branches": f"""
  %r = scf.if %flag -> ({N}) {{
    %k = scf.index_switch %t -> {N}
    case 1 {{
      %e = relax.sin %b : ({N}) -> {N}
      scf.yield %e : {N}
    }}
    default {{
      scf.yield %a : {N}
    }}
    scf.yield %k : {N}
  }} else {{
    %e = relax.cos %b : ({N}) -> {N}
    scf.yield %e : {N}
  }}
  return %r, %a : {N}, {N}""",
    "dataflow": f"""
  %d = relax.dataflow {{
    %e = relax.sin %b : ({N}) -> {N}
    %f = relax.cos %e : ({N}) -> {N}
    relax.output %f : {N}
  }} : {N}
  return %d, %a : {N}, {N}""",
    "unused": f"""
  %e = relax.sin %b : ({N}) -> {N}
  %f = relax.cos %e : ({N}) -> {N}
  %g = func.call @unused_inside(%a) : ({N}) -> {N}
  cf.assert %flag, "a flag is expected"
  return %a, %g : {N}, {N}""",
}


def case_of(name: str) -> Case:
    module = xdsl_relax.load(HEAD + PROGRAMS[name] + "\n}")
    x, y = np.array([0.5, 1.0, 2.0], np.float32), np.array([1.0, 3.0, 0.5], np.float32)
    return Case(module, "main", ((x, y, np.True_, 1), (x, y, np.False_, 2)))


def names_in(case: Case) -> list[str]:
    return [op.name for op in case.module.walk()]


def check_runs(case: Case) -> None:
    """Checks that the interpreter runs what is left, with the arguments that are left."""
    assert len(case.runs) == 1
    xdsl_relax.load(str(case.module))
    assert len(Interpreter(case.module).call("main", *case.runs[0])) == len(case.function.function_type.outputs)


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("for", "relax.sin"),
        ("for", "relax.abs"),
        ("for", "relax.add"),
        ("while", "relax.sin"),
        ("while", "relax.cos"),
        ("while", "arith.addi"),
        ("branches", "relax.sin"),
        ("branches", "relax.cos"),
        ("dataflow", "relax.sin"),
        ("dataflow", "relax.cos"),
        ("unused", "relax.cos"),
        ("unused", "relax.tan"),
        ("unused", "cf.assert"),
    ],
)
def test_one_op_is_left(name: str, fault: str) -> None:
    small = cut(case_of(name), lambda case: fault in names_in(case))
    left = [op.name for op in computations(small.function)]
    assert left == [fault], str(small.module)
    check_runs(small)


@pytest.mark.parametrize(
    ("name", "kept", "most"),
    [
        ("for", ("scf.for", "relax.sin"), 6),
        ("while", ("scf.while", "relax.cos"), 8),
        ("branches", ("scf.if", "relax.cos"), 3),
        ("branches", ("scf.index_switch",), 2),
    ],
)
def test_what_a_fault_needs_stays(name: str, kept: Sequence[str], most: int) -> None:
    small = cut(case_of(name), lambda case: set(kept) <= set(names_in(case)))
    left = [op.name for op in computations(small.function)]
    assert set(kept) <= set(left) and len(left) <= most, str(small.module)
    # What is left of scf.while need not end: who asks whether a fault is still there gives it a time.
    if name != "while":
        check_runs(small)


def test_a_loop_carries_what_the_fault_needs() -> None:
    small = cut(case_of("for"), lambda case: {"scf.for", "relax.sin"} <= set(names_in(case)))
    (loop,) = (op for op in small.function.walk() if op.name == "scf.for")
    assert len(loop.results) <= 1


def test_the_program_at_the_start_stays_as_it_was() -> None:
    case = case_of("for")
    before = str(case.module)
    cut(case, lambda case: "relax.sin" in names_in(case))
    assert str(case.module) == before


def test_nothing_is_cut_after_so_many_tries() -> None:
    case = case_of("while")
    asked: list[int] = []

    def holds(case: Case) -> bool:
        asked.append(len(names_in(case)))
        return True

    cut(case, holds, tries=3)
    assert len(asked) <= 3
