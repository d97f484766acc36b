"""Sizes that are numbers and too large: refused by the verifier, or by the interpreter before it takes memory."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.utils.exceptions import DiagnosticException
from xdsl_relax.interpreter.rule import InterpreterError
from xdsl_relax.runtime.compiler import load
from xdsl_relax.runtime.interpreted import interpret


def _tiled(count: int) -> str:
    return f"""
func.func @main(%x: tensor<4xi8>) -> tensor<{4 * count}xi8> {{
  %y = relax.tile %x {{repeats = array<i64: {count}>}} : (tensor<4xi8>) -> tensor<{4 * count}xi8>
  return %y : tensor<{4 * count}xi8>
}}"""


@pytest.mark.parametrize("count", [2**61, 2**62])
def test_a_size_beyond_64_bits_is_no_type(count: int):
    with pytest.raises(
        DiagnosticException, match=r"a size of result 0 is too large: got \d+, expected less than 2\^63"
    ):
        load(_tiled(count))


@pytest.mark.parametrize(
    ("count", "reason"), [(2**58, r"would take \d+ bytes"), (2**45, r"\d+ bytes of memory are needed, \d+ are free")]
)
def test_the_interpreter_takes_no_memory_that_there_is_not(count: int, reason: str):
    with pytest.raises(InterpreterError, match=rf"relax\.tile: .*{reason}"):
        interpret(load(_tiled(count)))("main", np.zeros(4, np.int8))
