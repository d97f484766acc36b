"""The bytes that functions of the llvm dialect have on the stack."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects import llvm
from xdsl.dialects.builtin import FixedBitwidthType

from ...dialects.walks import ops_inside
from ...kinds import kind_test

_is_allocation, _is_call, _is_address = kind_test(llvm.AllocaOp), kind_test(llvm.CallOp), kind_test(llvm.AddressOfOp)


class Stacks:
    """What each function of a module has on the stack, and which others it calls or hands on."""

    def __init__(self, functions: Iterable[llvm.FuncOp]):
        self._own: dict[str, int] = {}
        self._called: dict[str, set[str]] = {}
        for function in functions:
            name = function.sym_name.data
            self._own[name], self._called[name] = 0, set()
            for op in ops_inside(function):
                if _is_allocation(op):
                    self._own[name] += _nbytes(op)
                elif _is_call(op):
                    if op.callee is not None:
                        self._called[name].add(op.callee.string_value())
                elif _is_address(op):
                    self._called[name].add(op.global_name.string_value())

    def of(self, entry: str) -> int:
        """Returns the most that a function and those that call one another from it on have on the stack; what recurs is there once."""
        most: dict[str, int] = {}
        entered: set[str] = set()
        waiting = [entry]
        while waiting:
            name = waiting[-1]
            called = self._called.get(name, set())
            new = called - entered if name not in entered else set[str]()
            entered.add(name)
            if new:
                waiting += new
                continue
            most[waiting.pop()] = self._own.get(name, 0) + max((most.get(each, 0) for each in called), default=0)
        return most[entry]


def _nbytes(op: llvm.AllocaOp) -> int:
    """Returns the bytes of an array, with what its alignment takes; 0 for memory whose size is not known before it is taken."""
    array, alignment = op.elem_type, op.alignment
    if not isinstance(array, llvm.LLVMArrayType) or not isinstance(array.type, FixedBitwidthType):
        return 0
    return array.size.data * array.type.size + (0 if alignment is None else alignment.value.data)
