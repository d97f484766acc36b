"""Random programs keep their meaning through fusion, bufferization and arena planning."""

from __future__ import annotations

import numpy as np
import pytest
from generators import random_linalg
from harness.sampling import sampled
from harness.upstream import UpstreamBuffers, requires_upstream
from xdsl.context import Context
from xdsl.dialects import get_all_dialects
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.parser import Parser
from xdsl_relax.dialects.relax.vocabulary.attributes import ACTUAL_DIMS
from xdsl_relax.lowering.buffers.bufferize import BufferizePass
from xdsl_relax.lowering.buffers.plan_arena import PlanArenaPass
from xdsl_relax.lowering.buffers.shape_functions import ShapeFunctionsPass
from xdsl_relax.lowering.linalg.fuse_linalg import FuseLinalgPass

pytestmark = requires_upstream


def _context() -> Context:
    context = Context()
    for name, factory in get_all_dialects().items():
        context.register_dialect(name, factory)
    return context


def _lowered(programs: list[random_linalg.Program], fuse: bool) -> ModuleOp:
    context = _context()
    text = "\n".join([random_linalg.HELPERS, *(p.text for p in programs)])
    module = Parser(context, text).parse_module()
    if fuse:
        FuseLinalgPass().apply(context, module)
    BufferizePass().apply(context, module)
    PlanArenaPass(alloca_bytes=0 if fuse else 4096).apply(context, module)
    ShapeFunctionsPass().apply(context, module)
    module.verify()
    return module


@pytest.mark.parametrize(("first", "fuse"), [(0, False), (40, True)])
def test_random_programs(first: int, fuse: bool) -> None:
    programs = [random_linalg.program(seed) for seed in sampled(range(first, first + 40))]
    module = _lowered(programs, fuse)
    assert not any("tensor" in str(r.type) for op in module.walk() for r in op.results)
    assert not any(op.name == "memref.alloc" for op in module.walk())
    # A program may return a tensor whose size depends on data; its sizes are further results, which are tested elsewhere.
    data_dependent = {op.sym_name.data for op in module.ops if isinstance(op, FuncOp) and ACTUAL_DIMS.is_on(op)}
    assert len(data_dependent) < 10
    native = UpstreamBuffers(module)
    for program in programs:
        if program.name in data_dependent:
            continue
        rng = np.random.default_rng(1)
        given = [rng.integers(-3, 4, shape).astype(np.float32) for shape in program.arguments]
        inputs = [x.copy() for x in given]
        outputs = [np.full(shape, np.nan, np.float32) for shape in program.results]
        dims = np.array([d for shape in program.arguments for d in shape], np.int64)
        shapes = np.zeros(16, np.int64)
        assert native(f"{program.name}.shape", dims, shapes, index_result=True) == 0
        expected_dims = [d for shape in program.results for d in shape]
        assert list(shapes[: len(expected_dims)]) == expected_dims
        size = int(shapes[len(expected_dims)])
        raw = np.full(size + 256, 0xAB, np.uint8)
        start = -raw.ctypes.data % 64
        workspace = raw[start : start + size]
        native(program.name, *inputs, *outputs, *([workspace] if size else []))
        for result, expected in zip(outputs, program.run([x.copy() for x in given]), strict=True):
            np.testing.assert_array_equal(result, expected, err_msg=program.text)
        for result, expected in zip(inputs, given, strict=True):
            np.testing.assert_array_equal(result, expected, err_msg=program.text)
        assert (raw[start + size :] == 0xAB).all(), program.text
