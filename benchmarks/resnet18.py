"""ResNet-18 with batch norms as parameters: processor time of a call and memory of activations, with and without the graph pipeline."""

from __future__ import annotations

import time
from math import prod
from pathlib import Path
from statistics import median

import xdsl_relax
from xdsl.dialects import func, memref
from xdsl.dialects.builtin import FixedBitwidthType, IntegerAttr, ModuleOp
from xdsl.passes import PassPipeline
from xdsl_relax.lowering.pipeline import Settings, pipelines
from xdsl_relax.runtime.compiler import available_passes, load, relax_context
from xdsl_relax.runtime.session import Values
from xdsl_relax.runtime.signatures import signatures

EXAMPLE = Path(__file__).parents[1] / "examples" / "resnet18.mlir"
MB = 1e6


def lowered(settings: Settings, last: str) -> ModuleOp:
    """Returns the program after the pass `last` of the stage buffers."""
    module, ctx, known = load(EXAMPLE), relax_context(), available_passes()
    for spec in pipelines(settings)["buffers"]:
        PassPipeline.parse_spec(known, spec).apply(ctx, module)
        if spec == last:
            break
    return module


def function(module: ModuleOp, name: str) -> func.FuncOp:
    """Returns a function by name."""
    return next(op for op in module.body.block.ops if isinstance(op, func.FuncOp) and op.sym_name.data == name)


def unplanned_bytes(settings: Settings) -> int:
    """The sum of all buffers that `main` allocates before they are planned."""
    total = 0
    for op in function(lowered(settings, "bufferize"), "main").walk():
        if isinstance(op, memref.AllocOp):
            element = op.memref.type.element_type
            assert isinstance(element, FixedBitwidthType)
            total += prod(op.memref.type.get_shape()) * element.size
    return total


def arena_bytes(settings: Settings) -> int:
    """The size of the planned arena, which also holds what kernels need."""
    module = lowered(settings, "plan-arena")
    (value,) = [
        op.properties["value"] for op in function(module, "main.workspace").walk() if op.name == "arith.constant"
    ]
    assert isinstance(value, IntegerAttr)
    return value.value.data


def main() -> None:
    """Prints a line for each level, with and without lifting; the calls of all alternate."""
    module = load(EXAMPLE)
    functions = signatures(module)
    values = Values(functions, functions, "main", inputs={}, sizes={}, params=(), seed=0)
    raw = [values.params[argument.label] for argument in functions["main"].params]
    calls = {}
    for level in range(4):
        for lift in (False, True):
            executable = xdsl_relax.compile(module, opt_level=level, lift=lift)
            params = [executable.transform_params(dict(values.params), progress=False)] if lift else raw
            calls[level, lift] = (executable["main"], [*values.inputs, *params])
    times: dict[tuple[int, bool], list[float]] = {key: [] for key in calls}
    for _ in range(15):
        for key, (call, arguments) in calls.items():
            start = time.process_time()
            call(*arguments)
            times[key].append(time.process_time() - start)
    reference = median(times[0, False])
    print("level lifted   ms of CPU    to -O 0   activations MB   arena MB")
    for (level, lift), seconds in times.items():
        settings = Settings(opt_level=level, lift=lift)
        print(
            f"-O {level}  {lift!s:6} {median(seconds) * 1e3:11.2f} {median(seconds) / reference:9.2f}"
            f" {unplanned_bytes(settings) / MB:16.2f} {arena_bytes(settings) / MB:10.2f}"
        )


if __name__ == "__main__":
    main()
