"""Compiles linalg on tensors with upstream MLIR, as a second opinion on our lowering that shares no code with ours.

The module goes through `mlir-opt-22` and `mlir-translate-22`, then llvmlite; functions are called through their C interface.
"""

from __future__ import annotations

import ctypes
import io
import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import IndexType, ModuleOp, TensorType, TupleType
from xdsl.ir import Attribute
from xdsl.printer import Printer
from xdsl_relax.dialects.relax.attrs import ShapeType
from xdsl_relax.dialects.relax.dtypes import numpy_dtype
from xdsl_relax.dialects.relax.program import uses_relax
from xdsl_relax.lowering.relax_to_linalg.relax_to_linalg import RelaxToLinalgPass
from xdsl_relax.runtime.compiler import load

MLIR_OPT = shutil.which("mlir-opt-22")
MLIR_TRANSLATE = shutil.which("mlir-translate-22")

requires_upstream = pytest.mark.skipif(
    (MLIR_OPT is None or MLIR_TRANSLATE is None) and not os.environ.get("RELAX_REQUIRE_UPSTREAM"),
    reason="mlir-opt-22 and mlir-translate-22 are not installed (Debian: mlir-22-tools)",
)
"""Marks a test that needs the upstream tools; with RELAX_REQUIRE_UPSTREAM it fails without them instead of being skipped."""

BUFFERIZE = (
    "canonicalize",
    "one-shot-bufferize{bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map}",
)
TO_LLVM = (
    "func.func(llvm-request-c-wrappers)",
    "func.func(convert-linalg-to-loops)",
    "expand-strided-metadata",
    "lower-affine",
    "canonicalize",
    "convert-scf-to-cf",
    "arith-expand{include-bf16=true}",
    "convert-math-to-llvm",
    "convert-math-to-libm",
    "convert-arith-to-llvm",
    "convert-index-to-llvm",
    "finalize-memref-to-llvm",
    "convert-func-to-llvm",
    "convert-cf-to-llvm",
    "reconcile-unrealized-casts",
)


class Upstream:
    """The functions of a linalg module, compiled by upstream MLIR.

    The text of a linalg module is given to upstream as it is. A relax module is lowered by `relax-to-linalg` first. The sizes of shape arguments are passed as ints. Memory that a function
    allocates for its results is copied; what it allocates besides is not freed.
    """

    def __init__(self, program: ModuleOp | str):
        module = load(program) if isinstance(program, str) else program.clone()
        self.signatures = {
            op.sym_name.data: (_leaves(op.function_type.inputs.data), _leaves(op.function_type.outputs.data))
            for op in _functions(module)
        }
        foreign = not any(uses_relax(op) for op in _functions(module))
        if not foreign:
            RelaxToLinalgPass().apply(Context(), module)
        text = program if isinstance(program, str) and foreign else generic_text(module)
        self._engine = _compiled(text, (*BUFFERIZE, *TO_LLVM))

    def __call__(self, function: str, *args: Any) -> list[Any]:
        """Calls a function on arrays, numbers and tuples of sizes; returns arrays, and numbers for scalar results."""
        inputs, outputs = self.signatures[function]
        values = [leaf for arg in args for leaf in (arg if isinstance(arg, tuple) else (arg,))]
        if len(values) != len(inputs):
            raise TypeError(f"@{function}: expected {len(inputs)} arguments, got {len(values)}")
        keep = [_to_native(value, kind) for value, kind in zip(values, inputs, strict=True)]
        address = self._engine.get_function_address(f"_mlir_ciface_{function}")
        if len(outputs) == 1 and not isinstance(outputs[0], TensorType):
            native = _scalar_type(outputs[0])
            result = ctypes.CFUNCTYPE(native, *[type(value) for value in keep])(address)(*keep)
            return [_scalar(native(result), outputs[0])]
        results = _result_struct(outputs)()
        if outputs:
            keep.insert(0, ctypes.pointer(results))
        ctypes.CFUNCTYPE(None, *[type(value) for value in keep])(address)(*keep)
        return [_from_native(getattr(results, f"r{index}"), kind) for index, kind in enumerate(outputs)]


def generic_text(module: ModuleOp) -> str:
    """Returns a module in MLIR's generic form."""
    stream = io.StringIO()
    Printer(stream, print_generic_format=True).print_op(module)
    return stream.getvalue()


def run_tool(command: Sequence[str], text: str) -> str:
    """Runs an upstream tool on a module; raises `AssertionError` with its messages if it fails."""
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, f"{command[0]} failed:\n{done.stderr[:4000]}"
    return done.stdout


class UpstreamBuffers:
    """The functions of a bufferized module, compiled by upstream MLIR; they read and write the arrays that they are given."""

    def __init__(self, module: ModuleOp):
        self._engine = _compiled(generic_text(module), TO_LLVM)

    def __call__(self, function: str, *args: np.ndarray[Any, Any] | int, index_result: bool = False) -> int:
        """Calls a function on arrays and sizes; returns its result if it has one of type `index` or `i64`."""
        address = self._engine.get_function_address(f"_mlir_ciface_{function}")
        assert address, function
        native = [_described(arg) if isinstance(arg, np.ndarray) else ctypes.c_int64(arg) for arg in args]
        result = ctypes.c_int64 if index_result else None
        return ctypes.CFUNCTYPE(result, *[type(value) for value in native])(address)(*native)


def _compiled(text: str, passes: Sequence[str]) -> Any:
    """Returns the engine that holds the functions of a module, lowered by upstream's passes."""
    lowered = run_tool([str(MLIR_OPT), f"--pass-pipeline=builtin.module({','.join(passes)})"], text)
    return _machine_code(run_tool([str(MLIR_TRANSLATE), "--mlir-to-llvmir"], lowered))


def _functions(module: ModuleOp) -> list[func.FuncOp]:
    return [op for op in module.body.block.ops if isinstance(op, func.FuncOp)]


def _leaves(types: Sequence[Attribute]) -> list[Attribute]:
    """Returns one type per lowered value; an element type keeps its sign, which decides the numpy dtype."""
    leaves: list[Attribute] = []
    for value_type in types:
        match value_type:
            case TupleType():
                leaves += _leaves(value_type.types.data)
            case ShapeType():
                leaves += [IndexType()] * len(value_type.data)
            case _:
                leaves.append(value_type)
    return leaves


def _machine_code(ir: str) -> Any:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    ctypes.CDLL("libm.so.6", ctypes.RTLD_GLOBAL)
    # The conversions between f64 and f16.
    ctypes.CDLL("libgcc_s.so.1", ctypes.RTLD_GLOBAL)
    # Copies of slices are lowered to memrefCopy. That symbol alone is shared: the library brings another LLVM, and what triton (of torch)
    # found there for its own would end the process.
    libraries = Path(str(MLIR_OPT)).resolve().parent.parent / "lib"
    runner = ctypes.CDLL(str(next(libraries.glob("libmlir_c_runner_utils.so*"))))
    llvm.add_symbol("memrefCopy", ctypes.cast(runner.memrefCopy, ctypes.c_void_p).value)
    module = llvm.parse_assembly(ir)
    module.verify()
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=1, jit=True
    )
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    return engine


def _descriptor(rank: int) -> type[ctypes.Structure]:
    fields: list[tuple[str, Any]] = [
        ("allocated", ctypes.c_void_p),
        ("aligned", ctypes.c_void_p),
        ("offset", ctypes.c_int64),
    ]
    if rank:
        fields += [("sizes", ctypes.c_int64 * rank), ("strides", ctypes.c_int64 * rank)]
    return type(f"Descriptor{rank}", (ctypes.Structure,), {"_fields_": fields})


def _result_struct(outputs: Sequence[Attribute]) -> type[ctypes.Structure]:
    fields = [
        (f"r{index}", _descriptor(kind.get_num_dims()) if isinstance(kind, TensorType) else _scalar_type(kind))
        for index, kind in enumerate(outputs)
    ]
    return type("Results", (ctypes.Structure,), {"_fields_": fields})


def _scalar_type(kind: Attribute) -> Any:
    dtype = np.dtype(np.int64) if isinstance(kind, IndexType) else numpy_dtype(kind)
    return np.ctypeslib.as_ctypes_type(dtype)


def _scalar(value: Any, kind: Attribute) -> Any:
    dtype = np.dtype(np.int64) if isinstance(kind, IndexType) else numpy_dtype(kind)
    return np.asarray(value.value if hasattr(value, "value") else value).astype(dtype)[()]


def _to_native(value: Any, kind: Attribute) -> Any:
    if not isinstance(kind, TensorType):
        return _scalar_type(kind)(value)
    return _described(np.array(value, order="C", ndmin=kind.get_num_dims()))


def _described(array: np.ndarray[Any, Any]) -> Any:
    """Returns a pointer to the descriptor of an array."""
    descriptor = _descriptor(array.ndim)()
    descriptor.allocated = descriptor.aligned = array.ctypes.data
    for axis in range(array.ndim):
        descriptor.sizes[axis] = array.shape[axis]
        descriptor.strides[axis] = array.strides[axis] // array.itemsize
    pointer = ctypes.pointer(descriptor)
    pointer.array = array  # pyright: ignore[reportAttributeAccessIssue] (keeps the data alive)
    return pointer


def _from_native(value: Any, kind: Attribute) -> Any:
    if not isinstance(kind, TensorType):
        return _scalar(value, kind)
    dtype = numpy_dtype(kind.element_type)
    rank = kind.get_num_dims()
    shape = tuple(value.sizes[:rank]) if rank else ()
    if not np.prod(shape, dtype=np.int64):
        return np.empty(shape, dtype)
    strides = tuple(stride * dtype.itemsize for stride in value.strides[:rank]) if rank else ()
    extent = sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True)) + dtype.itemsize
    raw = (ctypes.c_uint8 * extent).from_address(value.aligned + value.offset * dtype.itemsize)
    return np.ndarray(shape, dtype, memoryview(raw), strides=strides).copy()


def compile_upstream(program: ModuleOp | str) -> Callable[..., Sequence[Any]]:
    """Returns `run(function, *args)` for a relax or linalg module, see `Upstream`."""
    return Upstream(program)
