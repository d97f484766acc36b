"""Seconds and memory to export a Llama of the sizes of 7B without weights, to lift it, and to make kernels of it.

python benchmarks/nn_export.py                       # that of examples/nn: prefill and decode
python benchmarks/nn_export.py --mlc CHECKOUT        # that of MLC-LLM, with all methods
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1] / "examples" / "nn"))

from llama import LlamaConfig, LlamaForCausalLM
from oracles import tvm_shim
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


def example() -> tuple[Any, Any]:
    """Returns the Llama of the examples, and its specification."""
    model = LlamaForCausalLM(LlamaConfig(4096, 11008, 32, 32, 32, vocab_size=32000))
    return model, model.spec()


def of_mlc(checkout: Path) -> tuple[Any, Any]:
    """Returns the Llama of MLC-LLM, and its specification."""
    tvm_shim.install(checkout)
    definition = import_module("mlc_llm.model.llama.llama_model")
    sizes = {"hidden_size": 4096, "intermediate_size": 11008, "num_attention_heads": 32, "num_hidden_layers": 32}
    config = definition.LlamaConfig(**sizes, rms_norm_eps=1e-5, vocab_size=32000, context_window_size=4096)
    model = definition.LlamaForCausalLM(config)
    return model, model.get_default_spec()


def main() -> None:
    """Prints one line a step."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--mlc", type=Path, metavar="CHECKOUT", help="a checkout of MLC-LLM")
    checkout = parser.parse_args().mlc
    model, spec = example() if checkout is None else of_mlc(checkout)
    program, _ = measured("export", lambda: model.export(spec))
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
