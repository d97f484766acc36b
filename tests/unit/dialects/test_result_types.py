"""The result types that ops infer are, in the round-trip tests, exactly those that are written there."""

from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin
from xdsl.dialects.func import Func
from xdsl.parser import Parser
from xdsl_relax.dialects.relax.base import RelaxOp
from xdsl_relax.dialects.relax.dialect import Relax

FOLDER = Path(__file__).parents[2] / "filecheck" / "dialects"


@pytest.mark.parametrize("family", ["data_dependent", "indexing", "linear_algebra", "manipulate", "sorting"])
def test_inferred_types(family: str):
    context = Context()
    for dialect in (Builtin, Func, Relax):
        context.load_dialect(dialect)
    module = Parser(context, (FOLDER / f"{family}.mlir").read_text()).parse_module()
    ops = [op for op in module.walk() if isinstance(op, RelaxOp)]
    assert ops
    for op in ops:
        assert list(map(str, op.inferred_types())) == [str(result.type) for result in op.results], op.name
