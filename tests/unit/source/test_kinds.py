"""Tests of kinds answer what `isinstance` does."""

from __future__ import annotations

from xdsl.dialects import func, scf
from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, i64
from xdsl_relax.dialects.upstream.func_ops import CallOp
from xdsl_relax.kinds import kind_test


def test_derived_classes_are_of_the_kind_of_their_bases():
    is_call = kind_test(func.CallOp)
    call, end = CallOp("f", [], []), func.ReturnOp()
    for _ in range(2):
        assert is_call(call)
        assert not is_call(end)
        assert not is_call(None)


def test_several_kinds_are_one_question():
    is_end_or_list = kind_test(func.ReturnOp, scf.YieldOp, ArrayAttr)
    values = (func.ReturnOp(), scf.YieldOp(), ArrayAttr([]), IntegerAttr(1, i64), 1)
    assert [is_end_or_list(value) for value in values] == [True, True, True, False, False]


def test_no_kinds_have_no_members():
    assert not kind_test()(1)
