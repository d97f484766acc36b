"""Export to TVM: every op comes out or is refused by name, and kernels that were fused here are fused kernels there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module

import numpy as np
import pytest

tvm = pytest.importorskip("tvm")

import xdsl_relax  # noqa: E402
from generators.tvm_modules import FAMILIES, MODULES, kernels, read  # noqa: E402
from harness.op_cases import module_of  # noqa: E402
from oracles.normal_form import flaw_of  # noqa: E402
from tvm import relax  # noqa: E402
from xdsl.context import Context  # noqa: E402
from xdsl.dialects.builtin import ModuleOp  # noqa: E402
from xdsl.parser import Parser  # noqa: E402
from xdsl_relax.dialects.relax.dialect import OPS  # noqa: E402
from xdsl_relax.frontend.tvm import UnsupportedError, from_relax, to_relax  # noqa: E402
from xdsl_relax.passes.fusion.fuse_ops import FuseOpsPass  # noqa: E402
from xdsl_relax.passes.memory.convert_to_destination_style import ConvertToDestinationStylePass  # noqa: E402
from xdsl_relax.runtime.bisection.isolated import Returned, isolated  # noqa: E402
from xdsl_relax.tools.multiverse import tool_context  # noqa: E402

REST = """
func.func @main(%x: tensor<4xf32>, %i: tensor<2xi64>) -> (tensor<4xf32>, !relax.shape<[?, ?]>, !relax.shape<[4]>) {
  %n = relax.null_value : () -> !relax.object
  %a = relax.builtin.stop_lift_params %x : (tensor<4xf32>) -> tensor<4xf32>
  %b = relax.to_vdevice %a {dst_vdevice = #relax.vdevice<"cuda", 0, "global">} : (tensor<4xf32>) -> tensor<4xf32, #relax.vdevice<"cuda", 0, "global">>
  %c = relax.hint_on_device %b {dst_vdevice = #relax.vdevice<"cuda", 0, "global">} : (tensor<4xf32, #relax.vdevice<"cuda", 0, "global">>) -> tensor<4xf32, #relax.vdevice<"cuda", 0, "global">>
  %d = relax.device_copy %c {src_vdevice = #relax.vdevice<"cuda", 0, "global">, dst_vdevice = #relax.vdevice<"cpu", 0, "global">} : (tensor<4xf32, #relax.vdevice<"cuda", 0, "global">>) -> tensor<4xf32>
  %s = relax.tensor_to_shape %i : (tensor<2xi64>) -> !relax.shape<[?, ?]>
  %t = relax.shape_of %x : (tensor<4xf32>) -> !relax.shape<[4]>
  %size = relax.shape : () -> !relax.shape<[16]>
  %storage = relax.memory.alloc_storage %size {dtype = f32} : (!relax.shape<[16]>) -> !relax.object
  %dims = relax.shape : () -> !relax.shape<[4]>
  %u = relax.memory.alloc_tensor %storage, %dims {dtype = f32} : (!relax.object, !relax.shape<[4]>) -> tensor<4xf32>
  %v = relax.builtin.alloc_tensor %dims {dtype = f32} : (!relax.shape<[4]>) -> tensor<4xf32>
  relax.memory.kill_tensor %u : (tensor<4xf32>) -> ()
  relax.memory.kill_storage %storage : (!relax.object) -> ()
  relax.vm.kill_object %v : (tensor<4xf32>) -> ()
  return %d, %s, %t : tensor<4xf32>, !relax.shape<[?, ?]>, !relax.shape<[4]>
}
"""
"""The ops that neither the cases of ops nor the modules of TVM have."""

NOT_IN_RELAX = frozenset(
    {
        *("relax.bitcast", "relax.pack_weight", "relax.packed_matmul", "relax.nn.l2_normalize"),
        *("relax.nn.winograd_conv2d", "relax.nn.integer_winograd_conv2d"),
    }
)
"""Ops that Relax does not have, besides those of `relax.qnn`."""


IN_DESTINATION_STYLE = """
func.func private @exp(%x: tensor<4xf32>) -> tensor<4xf32> attributes {relax.primitive} {
  %y = relax.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %s = relax.shape : () -> !relax.shape<[4]>
  %u = relax.builtin.alloc_tensor %s {dtype = f32} : (!relax.shape<[4]>) -> tensor<4xf32>
  relax.call_dps %x, %u {callee = @exp} : (tensor<4xf32>, tensor<4xf32>) -> ()
  return %u : tensor<4xf32>
}
"""

TRIED = 6
"""How many cases of an op are tried: Relax cannot tell the types of all to be equal."""

LEGALIZE = tvm.transform.Sequential([relax.transform.LegalizeOps(), relax.transform.AnnotateTIROpPattern()])


def programs() -> Iterator[Sequence[ModuleOp]]:
    """Yields programs that have all ops between them; of several for one op it is enough that one is exported."""
    for text in MODULES.values():
        yield [from_relax(read(text))]
    yield [Parser(tool_context(), REST).parse_module()]
    in_destination_style = from_relax(LEGALIZE(kernels()))
    ConvertToDestinationStylePass().apply(Context(), in_destination_style)
    yield [in_destination_style]
    for family in (*FAMILIES, "qnn", "packing", "nn_winograd"):
        cases = import_module(f"cases.{family}").CASES
        for op in {case.op for case in cases}:
            make = getattr(import_module(f"cases.{family}"), "module_of", module_of)
            yield [make([case]) for case in [case for case in cases if case.op is op][:TRIED]]


def outcome(program: ModuleOp) -> str | None:
    """Exports a program; returns the op that is refused by its name, nothing if what comes out is well-formed."""
    program.verify()
    try:
        result = to_relax(program)
    except UnsupportedError as error:
        refused = [op for op in names(program) if f": {op}: Relax has no such op" in error.problems[0]]
        assert len(error.problems) == 1, str(error)
        return refused[0] if refused else str(error)
    return flaw_of(result)


def names(program: ModuleOp) -> set[str]:
    return {op.name for op in program.walk() if op.name.startswith("relax.")}


def test_every_op_is_exported_or_refused_by_its_name() -> None:
    exported, refused = set[str](), set[str]()
    for tried in programs():
        outcomes = {outcome(program): program for program in tried}
        if None in outcomes:
            exported |= names(outcomes[None])
        else:
            refused |= {str(name) for name in outcomes}
    assert not exported & refused
    assert exported | refused == {op.name for op in OPS}
    assert {name for name in refused if not name.startswith("relax.qnn.")} == NOT_IN_RELAX


def test_fused_kernels_are_fused_kernels_in_tvm() -> None:
    given = LEGALIZE(kernels())
    ours = from_relax(given)
    FuseOpsPass(inline_kernels=False).apply(Context(), ours)
    ours.verify()
    exported = to_relax(ours)
    assert flaw_of(exported) is None
    tvm.ir.assert_structural_equal(to_relax(from_relax(exported)), exported, map_free_vars=True)
    fused = relax.transform.FuseTIR()(exported)
    assert isinstance(fused["fused_matmul_add"], tvm.tirx.PrimFunc)
    x, w = np.random.default_rng(0).random((3, 4), np.float32), np.random.default_rng(1).random((8, 4), np.float32)
    expected = 2 * x @ w.T
    for module in (exported, fused):
        machine = relax.VirtualMachine(relax.build(module, "llvm"), tvm.cpu())
        result = machine["main"](*map(tvm.runtime.tensor, (x, w)))
        np.testing.assert_allclose(result[0].numpy(), expected, rtol=1e-5)
    np.testing.assert_allclose(xdsl_relax.compile(ours)["main"](x, w)[0], expected, rtol=1e-5)


def test_kernels_on_linalg_are_one_refusal() -> None:
    ours = from_relax(kernels())
    FuseOpsPass().apply(Context(), ours)
    with pytest.raises(UnsupportedError) as caught:
        to_relax(ours)
    assert caught.value.problems == (
        "@fused_matmul_add: a kernel on linalg; relax-fuse-ops{inline_kernels=false} keeps the calls of kernels",
    )


def test_a_call_in_destination_style_needs_a_kernel_of_tvm() -> None:
    program = Parser(tool_context(), IN_DESTINATION_STYLE).parse_module()
    with pytest.raises(UnsupportedError) as caught:
        to_relax(program)
    assert caught.value.problems == ("@main: relax.call_dps: @exp is no kernel of TVM",)


SPLIT = """
func.func @main(%x: tensor<2x?xf32, #relax.sym<m + 640>>, %y: tensor<?xf32, #relax.sym<m>>) -> (tensor<2x640xf32>, tensor<2x?xf32, #relax.sym<m>>) {
  %a, %b = relax.split %x {indices = array<i64: 640>, axis = 1 : i64} : (tensor<2x?xf32, #relax.sym<m + 640>>) -> (tensor<2x640xf32>, tensor<2x?xf32, #relax.sym<m>>)
  %c = relax.exp %a : (tensor<2x640xf32>) -> tensor<2x640xf32>
  return %c, %b : tensor<2x640xf32>, tensor<2x?xf32, #relax.sym<m>>
}
"""


def test_types_are_inferred_of_sizes_that_are_not_negative() -> None:
    exported = to_relax(xdsl_relax.load(SPLIT))
    assert "match_cast" not in exported.script() and "T.max" not in exported.script()
    # A cast of an item of the tuple ended the process here.
    done = isolated(lambda: flaw_of(relax.transform.CanonicalizeBindings()(exported)), 60)
    assert done == Returned(None)
