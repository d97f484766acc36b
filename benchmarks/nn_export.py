"""Seconds and memory to export a Llama of the sizes of 7B without weights, to lift it, and to make kernels of it."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "examples" / "nn"))

from llama import LlamaConfig, LlamaForCausalLM
from xdsl.passes import ModulePass
from xdsl_relax.lowering.pipeline import Settings
from xdsl_relax.passes.lifting.lift_transform_params import LiftTransformParamsPass
from xdsl_relax.runtime.compiler import available_passes, pipeline_of, relax_context


def measured(name: str, step: Callable[[], Any]) -> Any:
    """Returns what a step returns; prints its seconds, and the peak of this process so far."""
    start = time.perf_counter()
    result = step()
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"{name:36} {seconds:6.2f} s, peak of memory {peak:.2f} GB")
    return result


def main() -> None:
    """Prints one line a step."""
    config = LlamaConfig(4096, 11008, 32, 32, 32, vocab_size=32000)
    model = LlamaForCausalLM(config)
    program, _ = measured("export prefill and decode", lambda: model.export(model.spec()))
    context = relax_context()

    def run(passes: Iterable[ModulePass]) -> None:
        for item in passes:
            item.apply(context, program)

    lifted = program.clone()
    measured("relax-lift-transform-params, shared", lambda: LiftTransformParamsPass(shared=True).apply(context, lifted))
    settings = Settings(lift="shared")
    for stage in ("optimize", "graph", "linalg"):
        passes = pipeline_of(settings.passes_of(stage), available_passes())
        measured(f"stage {stage}", lambda passes=passes: run(passes))


if __name__ == "__main__":
    main()
