"""Holds models of Hugging Face transformers against torch at several sizes; prints a table.

Llama, GPT-2 and BERT with small random weights are exported by torch.export with a symbolic batch and sequence, imported by TVM's
importer of torch and then by ours, and compiled once.

python tests/oracles/oracle_transformers.py                     # needs torch, transformers and apache-tvm
python tests/oracles/oracle_transformers.py llama bert --attention eager --level 0
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import torch
import xdsl_relax
from torch.export import Dim, export
from tvm.relax.frontend.torch import from_exported_program
from xdsl_relax.frontend.tvm import from_relax
from xdsl_relax.interpreter.engine import Interpreter

transformers: Any = import_module("transformers")
"""No dependency of the tests, whose types are checked without it."""

SIZES = (2, 7), (1, 2), (3, 16), (1, 64), (5, 33)
"""Batch and sequence of each comparison; the model is exported at the first."""
WORDS = 100
LONGEST = 64
TOLERANCE = 1e-5


def _llama(attention: str) -> Any:
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2}
    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "max_position_embeddings": LONGEST}
    config = transformers.LlamaConfig(
        vocab_size=WORDS, use_cache=False, attn_implementation=attention, **heads, **sizes
    )
    return transformers.LlamaForCausalLM(config)


def _gpt2(attention: str) -> Any:
    sizes = {"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": LONGEST}
    ends = {"bos_token_id": 0, "eos_token_id": 0}
    config = transformers.GPT2Config(vocab_size=WORDS, use_cache=False, attn_implementation=attention, **ends, **sizes)
    return transformers.GPT2LMHeadModel(config)


def _bert(attention: str) -> Any:
    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "max_position_embeddings": LONGEST}
    config = transformers.BertConfig(vocab_size=WORDS, num_attention_heads=4, attn_implementation=attention, **sizes)
    return transformers.BertModel(config)


MODELS: dict[str, Callable[[str], Any]] = {"llama": _llama, "gpt2": _gpt2, "bert": _bert}


class Logits(torch.nn.Module):
    """A model as a function from token ids, and a mask if it is masked, to its first tensor."""

    def __init__(self, model: torch.nn.Module, masked: bool):
        super().__init__()
        self.model, self.masked = model, masked

    def forward(self, ids: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        result: Any = self.model(input_ids=ids, attention_mask=mask) if self.masked else self.model(input_ids=ids)
        return result[0]


def _arguments(batch: int, sequence: int, masked: bool) -> tuple[torch.Tensor, ...]:
    ids = torch.randint(0, WORDS, (batch, sequence))
    if not masked:
        return (ids,)
    mask = torch.ones_like(ids)
    mask[0, -1] = 0
    return ids, mask


class NotExported(Exception):
    """A model that torch or TVM does not export."""


def _reason(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error).strip().splitlines()[0]:.150}"


def differences(name: str, attention: str, masked: bool, level: int) -> list[float]:
    """Returns the largest difference from torch at each of `SIZES`, of compiled code and of the interpreter."""
    torch.manual_seed(0)
    model = Logits(MODELS[name](attention).eval(), masked)
    example = _arguments(*SIZES[0], masked)
    ranges = {0: Dim("batch", min=1, max=16), 1: Dim("sequence", min=2, max=LONGEST)}
    try:
        program = export(model, example, dynamic_shapes=(ranges,) * len(example))
        exported = from_exported_program(program)
    except Exception as error:
        raise NotExported(_reason(error)) from error
    module = from_relax(exported)
    compiled, interpreter = xdsl_relax.compile(module, opt_level=level)["main"], Interpreter(module)
    worst: list[float] = []
    for batch, sequence in SIZES:
        arguments = _arguments(batch, sequence, masked)
        expected = model(*arguments).detach().numpy()
        given = [argument.numpy() for argument in arguments]
        for results in (compiled.call(*given), interpreter.call("main", *given)):
            [result] = results[0] if isinstance(results[0], tuple) else results
            worst.append(float(np.abs(result - expected).max()))
    return worst


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", metavar="MODEL", help=f"some of {', '.join(MODELS)}; all by default")
    parser.add_argument(
        "--attention", choices=("eager", "sdpa"), help="how transformers computes attention; both by default"
    )
    parser.add_argument("--level", type=int, default=2, choices=range(4))
    options = parser.parse_args()
    if unknown := set(options.models) - MODELS.keys():
        parser.error(f"expected models of {', '.join(MODELS)}, got {', '.join(sorted(unknown))}")
    failed = 0
    print("| model | attention | mask | seconds | largest difference |\n|---|---|---|---|---|")
    for name in options.models or MODELS:
        for attention in [options.attention] if options.attention else ("eager", "sdpa"):
            for masked in (False, True):
                start = time.perf_counter()
                try:
                    worst = max(differences(name, attention, masked, options.level))
                    outcome, is_equal = f"{worst:.1e}", worst <= TOLERANCE
                except NotExported as error:
                    outcome, is_equal = f"not exported: {error}", True
                except Exception as error:
                    outcome, is_equal = _reason(error), False
                failed += not is_equal
                seconds = time.perf_counter() - start
                print(f"| {name} | {attention} | {'yes' if masked else 'no'} | {seconds:.0f} | {outcome} |", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
