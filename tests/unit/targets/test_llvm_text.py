"""LLVM IR text: constants exact to the bit, names quoted, branches with the same target, the dialect's round trip."""

import struct
from io import StringIO

import llvmlite.binding as binding
import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects import get_all_dialects
from xdsl.dialects.builtin import (
    BFloat16Type,
    DenseIntOrFPElementsAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    VectorType,
    i8,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl_relax.dialects.upstream.llvm_ops import EXTENDED_LLVM
from xdsl_relax.lowering.llvm.convert_to_llvm import ConvertToLLVMPass
from xdsl_relax.targets.llvm_ir.text import LLVMTextError, constant_text, symbol, type_text
from xdsl_relax.targets.llvm_ir.to_ir import print_llvm_ir


def context(extended: bool) -> Context:
    result = Context()
    for name, factory in get_all_dialects().items():
        result.register_dialect(name, (lambda: EXTENDED_LLVM) if extended and name == "llvm" else factory)
    return result


@pytest.mark.parametrize("type_", [Float16Type(), BFloat16Type(), Float32Type(), Float64Type()])
@pytest.mark.parametrize("value", [0.0, -0.0, 1.0, 0.1, -3.5e-5, 6e4, float("inf"), float("-inf"), float("nan")])
def test_float_constants_are_exact(type_, value):
    """LLVM reads back what numpy rounds to."""
    import ml_dtypes

    text = constant_text(FloatAttr(value, type_), type_)
    name = type_text(type_)
    ir = f"@g = constant {name} {text}\n"
    module = binding.parse_assembly(ir)
    module.verify()
    dtype = {"half": np.float16, "bfloat": ml_dtypes.bfloat16, "float": np.float32, "double": np.float64}[name]
    with np.errstate(over="ignore"):
        rounded = np.float64(value).astype(dtype)
    if name == "float":
        (read,) = struct.unpack("<d", struct.pack("<Q", int(text, 16)))
        assert np.float64(read).astype(np.float32).tobytes() == rounded.tobytes()
    else:
        digits = text.removeprefix("0xH").removeprefix("0xR").removeprefix("0x")
        assert int(digits, 16) == int.from_bytes(rounded.tobytes(), "little")


def test_vector_constants():
    type_ = VectorType(i8, [3])
    assert constant_text(DenseIntOrFPElementsAttr.from_list(type_, [1, -2, 3]), type_) == "<i8 1, i8 -2, i8 3>"
    assert constant_text(DenseIntOrFPElementsAttr.from_list(type_, [7]), type_) == "splat (i8 7)"


def test_names_are_quoted_where_they_must_be():
    assert symbol("f.call") == "@f.call"
    assert symbol('a b"') == '@"a b\\22"'


SAME_TARGET = """
"builtin.module"() ({
  "llvm.func"() <{sym_name = "f", function_type = !llvm.func<i64 (i1)>, CConv = #llvm.cconv<ccc>,
      linkage = #llvm.linkage<external>, visibility_ = 0 : i64}> ({
  ^bb0(%c: i1):
    %a = "llvm.mlir.constant"() <{value = 1 : i64}> : () -> i64
    %b = "llvm.mlir.constant"() <{value = 2 : i64}> : () -> i64
    "llvm.cond_br"(%c, %a, %b)[^bb1, ^bb1] <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (i1, i64, i64) -> ()
  ^bb1(%x: i64):
    "llvm.return"(%x) : (i64) -> ()
  }) : () -> ()
}) : () -> ()
"""


def test_branch_twice_to_one_block():
    import ctypes

    from xdsl_relax.runtime.machine.jit import compile_ir

    native = compile_ir(print_llvm_ir(Parser(context(True), SAME_TARGET).parse_module()))
    function = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_bool)(native.address("f"))
    assert (function(True), function(False)) == (1, 2)


def test_other_dialects_are_refused():
    module = Parser(context(True), "func.func @f() { func.return }").parse_module()
    with pytest.raises(LLVMTextError, match=r"func\.func is not of the llvm dialect"):
        print_llvm_ir(module)


LOOPS = """
func.func @f(%a: memref<?xf32>, %c: memref<?xf32> {relax.result}, %n: index, %k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %pass = vector.broadcast %z : f32 to vector<16xf32>
  scf.for %i = %c0 to %n step %c1 {
    %m = vector.create_mask %i : vector<16xi1>
    %x = vector.maskedload %a[%i], %m, %pass : memref<?xf32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
    %p = "arith.cmpf"(%x, %pass) <{predicate = 2 : i64, fastmath = #arith.fastmath<none>}>
      : (vector<16xf32>, vector<16xf32>) -> vector<16xi1>
    %y = "arith.select"(%p, %x, %pass) : (vector<16xi1>, vector<16xf32>, vector<16xf32>) -> vector<16xf32>
    vector.maskedstore %c[%i], %p, %y : memref<?xf32>, vector<16xi1>, vector<16xf32>
  } {relax.no_unroll}
  scf.index_switch %k
  case 1 {
    memref.store %z, %c[%c0] : memref<?xf32>
    scf.yield
  }
  default {
    scf.yield
  }
  func.return
}
"""


@pytest.mark.parametrize("generic", [True, False])
def test_the_dialect_reads_what_it_prints(generic):
    """A module may be written to a file at the llvm stage and go on from there."""
    module = Parser(context(False), LOOPS).parse_module()
    ConvertToLLVMPass().apply(context(False), module)
    module.verify()
    out = StringIO()
    Printer(out, print_generic_format=generic).print_op(module)
    again = Parser(context(True), out.getvalue()).parse_module()
    again.verify()
    assert print_llvm_ir(again) == print_llvm_ir(module)
