"""How each compiler or library runs a workload: a function from the model to a call without arguments.

Those that read files take one ONNX file, which torch exports; weights are constants for all of them.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from peers.workloads import Workload

Call = Callable[[], object]

FILE, INPUTS = "model.onnx", "inputs"
"""The names of the files of a workload in its folder."""

LINE = 64
"""The bytes of a line of the cache."""


@dataclass(frozen=True)
class Model:
    """A workload in the forms that peers take; torch is loaded for those that need it only."""

    name: str
    folder: Path
    threads: int

    @property
    def path(self) -> Path:
        """The ONNX file."""
        return self.folder / FILE

    @cached_property
    def arrays(self) -> list[np.ndarray]:
        """The inputs as numpy arrays that begin at lines of the cache, as tensors of torch do; bf16 as ml_dtypes has it."""
        return [at_line(array) for array in pickle.loads((self.folder / INPUTS).read_bytes())]

    @cached_property
    def workload(self) -> Workload:
        """The workload itself, which makes modules of torch."""
        from peers.networks import NETWORKS
        from peers.workloads import WORKLOADS

        return next(workload for workload in (*WORKLOADS, *NETWORKS) if workload.name == self.name)


def at_line(array: np.ndarray) -> np.ndarray:
    """Returns a copy that begins at a multiple of `LINE` bytes."""
    memory = np.empty(array.nbytes + LINE, np.uint8)
    start = -memory.ctypes.data % LINE
    copy = memory[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def ours(model: Model) -> Call:
    import xdsl_relax

    compiled = xdsl_relax.compile(str(model.path), threads=model.threads)
    arrays = model.arrays
    return lambda: compiled(*arrays)


def eager(model: Model) -> Call:
    module, inputs = model.workload.made()
    return lambda: module(*inputs)


def numpy(model: Model) -> Call | None:
    function, arrays = model.workload.numpy, model.arrays
    return None if function is None else lambda: function(*arrays)


def inductor(model: Model) -> Call:
    import torch
    import torch._inductor.config as config

    config.freezing = True
    # Without processes of its own, which load torch while others are timed.
    config.compile_threads = 1
    torch._dynamo.reset()
    module, inputs = model.workload.made()
    compiled = torch.compile(module)
    # It compiles when it is called first.
    compiled(*inputs)
    return lambda: compiled(*inputs)


def onnxruntime(model: Model) -> Call:
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.intra_op_num_threads = model.threads
    options.log_severity_level = 3
    session = ort.InferenceSession(str(model.path), options, providers=["CPUExecutionProvider"])
    names = [value.name for value in session.get_inputs()]
    given = {
        name: ort.OrtValue.ortvalue_from_numpy_with_onnx_type(array, 16)
        if array.dtype.name == "bfloat16"
        else ort.OrtValue.ortvalue_from_numpy(array)
        for name, array in zip(names, model.arrays, strict=True)
    }
    results = [value.name for value in session.get_outputs()]
    return lambda: [value.numpy() for value in session.run_with_ort_values(results, given)]


def openvino(model: Model) -> Call:
    ov = import_module("openvino")

    core = ov.Core()
    settings = {
        "INFERENCE_NUM_THREADS": model.threads,
        "NUM_STREAMS": 1,
        "PERFORMANCE_HINT": "LATENCY",
        # The same arithmetic as everyone's: by default bf16 where the processor multiplies it.
        "INFERENCE_PRECISION_HINT": "f32",
    }
    request = core.compile_model(core.read_model(model.path), "CPU", settings).create_infer_request()
    arrays = model.arrays
    return lambda: list(request.infer(arrays, share_inputs=True, share_outputs=True).values())


def iree(model: Model) -> Call:
    compiler, runtime = import_module("iree.compiler"), import_module("iree.runtime")

    text = model.path.with_suffix(".mlir")
    tool = Path(sys.executable).parent / "iree-import-onnx"
    subprocess.run([tool, model.path, "-o", text], check=True, capture_output=True)
    code = compiler.compile_file(
        str(text),
        input_type="onnx",
        target_backends=["llvm-cpu"],
        extra_args=["--iree-llvmcpu-target-cpu=host", "--iree-opt-level=O3", "--iree-opt-const-eval"],
    )
    name = "local-sync" if model.threads == 1 else "local-task"
    if model.threads > 1:
        runtime.flags.parse_flags(f"--task_topology_max_group_count={model.threads}")
    config = runtime.Config(name)
    loaded = runtime.load_vm_module(runtime.VmModule.copy_buffer(config.vm_instance, code), config)
    entry = next(
        getattr(loaded, each) for each in loaded.vm_module.function_names if each[0] != "_" and "$" not in each
    )
    given = [runtime.asdevicearray(config.device, array) for array in model.arrays]

    def call() -> object:
        result = entry(*given)
        return [each.to_host() for each in (result if isinstance(result, (list, tuple)) else [result])]

    return call


def xla(model: Model) -> Call:
    """The program of StableHLO that `relax-export` writes; weights are arguments, as parameters of `jax.jit` are, on the device."""
    from jax import config, device_put
    from xdsl_relax.frontend.onnx import import_onnx
    from xdsl_relax.frontend.stablehlo import to_stablehlo_bytecode
    from xdsl_relax.frontend.stablehlo.original import compiled

    # Indices are those of the model, of 64 bits.
    config.update("jax_enable_x64", True)
    imported = import_onnx(model.path)
    run = compiled(to_stablehlo_bytecode(imported.module))
    given = [*model.arrays, *(device_put(weight) for weight in imported.params.values())]
    return lambda: run(given)


def tvm(model: Model) -> Call:
    """What TVM's importer and its default pipeline make of the model, untuned."""
    tvm, relax, frontend = (import_module(name) for name in ("tvm", "tvm.relax", "tvm.relax.frontend.onnx"))
    onnx = import_module("onnx")

    module = frontend.from_onnx(onnx.load(model.path))
    compiled = tvm.compile(module, tvm.target.Target.from_device(tvm.cpu()))
    machine = relax.VirtualMachine(compiled, tvm.cpu())
    function, given = machine["main"], [tvm.runtime.tensor(array) for array in model.arrays]

    def call() -> object:
        result = function(*given)
        return result.numpy() if hasattr(result, "numpy") else [each.numpy() for each in result]

    return call


OURS = "ours"

PEERS: dict[str, Callable[[Model], Call | None]] = {
    "onnxruntime": onnxruntime,
    "OpenVINO": openvino,
    "torch": eager,
    "inductor": inductor,
    "IREE": iree,
    "XLA": xla,
    "TVM": tvm,
    "numpy": numpy,
}
"""Every peer by its name in the table; `None` where it has no such function."""

OF_TORCH = ("torch", "inductor")
"""The peers that run modules of torch; the others read files or arrays."""

RUNNERS = {OURS: ours, **PEERS}
"""What is compared."""
