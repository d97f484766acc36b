"""Branches and loops whose types are verified: what a region yields has the types of what takes it.

xDSL verifies part of this: nothing of `scf.if`, of `scf.while` the arguments alone, by exceptions that are no `VerifyException`. The ops
here are subclasses of xDSL's with the same names, and `EXTENDED_SCF` has them in place of xDSL's.

For upstream: "`scf.if`, `scf.for`, `scf.while` and `scf.index_switch` verify the types of their terminators."
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.ir import Attribute, Dialect, Operation, Region, SSAValue
from xdsl.irdl import OpDef
from xdsl.utils.exceptions import VerifyException


def _require(what: str, values: Sequence[SSAValue], expected: Sequence[SSAValue]) -> None:
    """Raises `VerifyException` unless values have the types of others."""
    types, wanted = [value.type for value in values], [value.type for value in expected]
    if types != wanted:
        raise VerifyException(f"{what}: expected {_listed(wanted)}, got {_listed(types)}")


def _listed(types: Sequence[Attribute]) -> str:
    return f"({', '.join(map(str, types))})"


def _end(region: Region, name: str, kind: type[Operation]) -> Operation:
    """Returns the terminator of a region of one block; raises `VerifyException` for another one."""
    last = region.block.last_op if len(region.blocks) == 1 else None
    if not isinstance(last, kind):
        other = "nothing" if last is None else last.name
        raise VerifyException(f"{name} must be one block that ends with {kind.name}, got {other}")
    return last


def _verify_branch(region: Region, name: str, results: Sequence[SSAValue]) -> None:
    end = _end(region, name, scf.YieldOp)
    _require(f"arguments of {name}", region.block.args, ())
    _require(f"{name} yields", end.operands, results)


class IfOp(scf.IfOp):
    """A branch: both of its regions yield the types of its results; without results the second one may be empty."""

    @classmethod
    def get_irdl_definition(cls) -> OpDef:
        return scf.IfOp.get_irdl_definition()

    def verify_(self) -> None:
        self.get_irdl_definition().verify(self)
        _verify_branch(self.true_region, "the first region", self.output)
        if self.output or self.false_region.blocks:
            _verify_branch(self.false_region, "the second region", self.output)


class IndexSwitchOp(scf.IndexSwitchOp):
    """A branch with a region for each of some numbers, and one for all others."""

    @classmethod
    def get_irdl_definition(cls) -> OpDef:
        return scf.IndexSwitchOp.get_irdl_definition()

    def verify_(self) -> None:
        self.get_irdl_definition().verify(self)
        cases = list(self.cases.iter_values())
        if len(cases) != len(self.case_regions) or len(set(cases)) != len(cases):
            raise VerifyException(f"expected one number for each of {len(self.case_regions)} cases, got {cases}")
        for case, region in zip(cases, self.case_regions, strict=True):
            _verify_branch(region, f"case {case}", self.output)
        _verify_branch(self.default_region, "the default case", self.output)


class ForOp(scf.ForOp):
    """A loop over integers: what its body takes behind the number and what it yields have the types of its results."""

    @classmethod
    def get_irdl_definition(cls) -> OpDef:
        return scf.ForOp.get_irdl_definition()

    def verify_(self) -> None:
        self.get_irdl_definition().verify(self)
        end = _end(self.body, "the body", scf.YieldOp)
        _require("the results", self.res, self.iter_args)
        _require("the arguments of the body", self.body.block.args, (self.lb, *self.iter_args))
        _require("the body yields", end.operands, self.iter_args)


class WhileOp(scf.WhileOp):
    """A loop with a condition: the first region passes on the types of its results, the second one yields those of its arguments."""

    @classmethod
    def get_irdl_definition(cls) -> OpDef:
        return scf.WhileOp.get_irdl_definition()

    def verify_(self) -> None:
        self.get_irdl_definition().verify(self)
        condition = _end(self.before_region, "the first region", scf.ConditionOp)
        end = _end(self.after_region, "the second region", scf.YieldOp)
        _require("the arguments of the first region", self.before_region.block.args, self.arguments)
        _require("the first region passes", condition.operands[1:], self.res)
        _require("the arguments of the second region", self.after_region.block.args, self.res)
        _require("the second region yields", end.operands, self.arguments)


_VERIFIED: dict[type[Operation], type[Operation]] = {
    scf.IfOp: IfOp,
    scf.IndexSwitchOp: IndexSwitchOp,
    scf.ForOp: ForOp,
    scf.WhileOp: WhileOp,
}

EXTENDED_SCF = Dialect("scf", [_VERIFIED.get(op, op) for op in scf.Scf.operations], [*scf.Scf.attributes])
