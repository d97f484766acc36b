"""Runs model definitions of MLC-LLM, unchanged, on `xdsl_relax.frontend.nn`, and compares them with torch; prints a table.

python tests/oracles/oracle_mlc.py --mlc CHECKOUT                  # needs torch and transformers
python tests/oracles/oracle_mlc.py --mlc CHECKOUT llama gpt2 --mode lifted
"""

from __future__ import annotations

import argparse
import logging
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).parents[1]))

import xdsl_relax
from xdsl_relax.interpreter.engine import Interpreter

from oracles import tvm_shim
from oracles.mlc_models import ROWS, Row, Weights

TOLERANCE = 1e-4
"""The largest difference that agrees, relative to the largest logit."""
MODES = {
    "packed": "compiled as the specification says, parameters are one tuple",
    "lifted": "compiled with parameters that all methods share, transformed once",
    "jit": "model.jit, with the state of the model",
    "interpreted": "as packed, in the interpreter",
}
STAGES = ("exported", "compiled", "agrees")


@dataclass
class Outcome:
    """What came of a row."""

    row: Row
    stage: int = 0
    """How many stages were passed."""
    error: str = ""
    differences: dict[str, float] = field(default_factory=dict[str, float])
    """The largest difference of each method, relative to the largest logit."""
    seconds: float = 0.0

    def line(self) -> str:
        """Returns the row of the table."""
        passed = ["yes" if self.stage > index else "no" for index in range(len(STAGES))]
        worst = f"{max(self.differences.values()):.1e}" if self.differences else "-"
        return f"| {' | '.join([self.row.name, *passed, str(len(self.differences)), worst, self.error or '-'])} |"


def reference_model(row: Row) -> torch.nn.Module:
    """Returns the model of torch, with random weights."""
    if callable(row.reference):
        model = row.reference(row.config)
    else:
        transformers = import_module("transformers")
        config = transformers.AutoConfig.for_model(row.reference, **deepcopy(row.config))
        kind = transformers.AutoModel if row.kind == "encoder" else transformers.AutoModelForCausalLM
        options = {"add_pooling_layer": False} if row.kind == "encoder" else {}
        model = kind.from_config(config, attn_implementation="eager", **options)
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            noise = torch.randn(parameter.shape, generator=generator)
            if parameter.ndim > 1:
                # Logits of about one, whatever the sizes.
                parameter.copy_(noise / parameter.shape[-1] ** 0.5)
            else:
                parameter.copy_(0.1 * noise + (0.0 if name.endswith("bias") else 1.0))
    return model.eval().float()


def mapped_weights(row: Row, config: Any, loader: Any, state: Weights) -> Weights:
    """Returns the weights of the model file from those of the reference, by the loader of the model file."""
    names = ("huggingface", f"{row.model}_huggingface")
    mapping = next(getattr(loader, name) for name in names if hasattr(loader, name))(config, None)
    state = row.rearrange(state, row.config)

    def found(name: str) -> np.ndarray:
        # Checkpoints of some models were written without their head, and have no name in front.
        names = [key for key in state if key == name or key.partition(".")[2] == name]
        if not names:
            raise LookupError(f"the reference has no weight {name}, it has {', '.join(state)}")
        return state[names[0]]

    return {
        name: np.ascontiguousarray(mapping.map_func[name](*map(found, sources)))
        for name, sources in mapping.param_map.items()
    }


class Program:
    """A compiled model, called by the names of its methods."""

    def __init__(self, call: Callable[..., Any], arguments: dict[str, list[str]]):
        self.call = call
        self.arguments = arguments

    def __contains__(self, method: str) -> bool:
        return method in self.arguments

    def run(self, method: str, **given: Any) -> Any:
        """Calls a method with its arguments by what they are."""
        values = [given[kind_of(name)] for name in self.arguments[method]]
        result = self.call(method, values)
        return result[0] if isinstance(result, tuple) and "paged_kv_cache" in self.arguments[method] else result


def kind_of(name: str) -> str:
    """Returns what an argument of a method is; the files give one kind several names."""
    if name in ("paged_kv_cache", "logit_positions", "attention_mask", "inputs"):
        return name
    return "ids" if name == "input_ids" else "states"


def decoded(
    row: Row, program: Program, logits_of: Callable[[np.ndarray], np.ndarray]
) -> Iterator[tuple[str, Any, Any]]:
    """Yields each method that was run with its logits and those of the reference: sequences that share passes, fork and go on."""
    rng = np.random.default_rng(1)
    first, second = rng.integers(3, row.config["vocab_size"], (2, 12)).astype(np.int32)
    third = np.concatenate([first[:5], second[5:]])
    tokens = {0: first, 1: second, 2: third}
    expected = {name: logits_of(ids) for name, ids in tokens.items()}
    seen = dict.fromkeys(tokens, 0)
    sizes = (4, 96, 32, 4, int(row.window > 0))
    cache = program.call("create_paged_kv_cache", list(sizes))

    def add(name: int) -> None:
        cache.add_sequence(name)
        if row.window:
            cache.enable_sliding_window(name, row.window)

    def run(method: str, **lengths: int) -> tuple[str, Any, Any]:
        names = [int(key[1:]) for key in lengths]
        spans = [(name, seen[name], seen[name] + count) for name, count in zip(names, lengths.values(), strict=True)]
        ids = np.concatenate([tokens[name][start:end] for name, start, end in spans])
        states = program.run("embed", ids=ids)
        is_batch_of_one = method.startswith(("batch_decode", "decode"))
        states = states[:, None] if is_batch_of_one else states[None]
        positions = np.cumsum(list(lengths.values())).astype(np.int32) - 1
        cache.begin_forward(names, list(lengths.values()))
        result = program.run(method, states=states, paged_kv_cache=cache, logit_positions=positions)
        cache.end_forward()
        if method.endswith("hidden_states"):
            result = program.run("get_logits", states=result.reshape(len(ids), -1))
        rows = [expected[name][start:end] for name, start, end in spans]
        has_all = "verify" in method or method.endswith("hidden_states")
        wanted = np.concatenate(rows if has_all else [part[-1:] for part in rows])
        for name, _, end in spans:
            seen[name] = end
        return method, result.reshape(wanted.shape), wanted

    def step(**lengths: int) -> Iterator[tuple[str, Any, Any]]:
        for part in [{name: count} for name, count in lengths.items()] if row.is_single else [lengths]:
            yield run("batch_decode", **part)

    def run_if_there(method: str, **lengths: int) -> tuple[str, Any, Any]:
        # A model without the method reads the tokens all the same.
        return run(method if method in program else "batch_prefill", **lengths)

    add(0)
    yield run("prefill", s0=4)
    yield run("decode", s0=1)
    cache.fork_sequence(0, 2)
    seen[2] = 5
    add(1)
    yield run("batch_prefill", s1=3, s0=2)
    yield from step(s1=1, s0=1)
    yield run_if_there("batch_verify", s2=2, s1=3)
    yield from step(s2=1, s0=1, s1=1)
    yield run_if_there("prefill_to_last_hidden_states", s0=2)
    yield run_if_there("batch_decode_to_last_hidden_states", s2=1, s0=1)
    cache.pop(0, 2)
    seen[0] -= 2
    yield run_if_there("decode_to_last_hidden_states", s0=1)
    yield run_if_there("batch_prefill_to_last_hidden_states", s1=2, s2=1)


def encoded(row: Row, program: Program, model: torch.nn.Module) -> Iterator[tuple[str, Any, Any]]:
    """Yields the states of an encoder and those of the reference."""
    ids = np.random.default_rng(1).integers(3, row.config["vocab_size"], (3, 7)).astype(np.int32)
    states = model(torch.from_numpy(ids).long()).last_hidden_state
    yield "prefill", program.run("prefill", inputs=ids, attention_mask=np.ones_like(ids)), states.numpy()


def headed(row: Row, program: Program, model: torch.nn.Module) -> Iterator[tuple[str, Any, Any]]:
    """Yields the logits of heads and those of the reference."""
    states = np.random.default_rng(1).standard_normal((5, row.config["hidden_size"])).astype(np.float32)
    results = program.run("get_logits", states=states)
    for result, logits in zip(results, model(torch.from_numpy(states)), strict=True):
        yield "get_logits", result, logits.numpy()


def drafted(row: Row, program: Program, model: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yields the states of a draft model and those of the reference: a prompt, two sequences at once, a step."""
    rng = np.random.default_rng(1)
    ids = rng.integers(3, row.config["vocab_size"], (2, 8)).astype(np.int32)
    given = rng.standard_normal((2, 8, row.config["hidden_size"])).astype(np.float32)
    expected = [model.fused(torch.from_numpy(ids[i]).long(), torch.from_numpy(given[i])).numpy() for i in (0, 1)]
    cache = program.call("create_paged_kv_cache", [4, 64, 32, 4, 0])
    for name in (0, 1):
        cache.add_sequence(name)
    steps = [
        ("prefill_to_last_hidden_states", [(0, 0, 4)]),
        ("decode_to_last_hidden_states", [(0, 4, 5)]),
        ("batch_prefill_to_last_hidden_states", [(1, 0, 3), (0, 5, 7)]),
        ("batch_decode_to_last_hidden_states", [(1, 3, 4), (0, 7, 8)]),
    ]
    for method, spans in steps:
        embedded = program.run("embed", ids=np.concatenate([ids[name, start:end] for name, start, end in spans]))
        states = np.concatenate([given[name, start:end] for name, start, end in spans])
        fused = program.call("fuse_embed_hidden_states", [embedded, states])
        fused = fused[:, None] if "decode" in method else fused[None]
        cache.begin_forward([name for name, _, _ in spans], [end - start for _, start, end in spans])
        result = program.run(method, states=fused, paged_kv_cache=cache)
        cache.end_forward()
        wanted = np.concatenate([expected[name][start:end] for name, start, end in spans])
        yield method, result.reshape(wanted.shape), wanted


def compared(row: Row, program: Program, model: torch.nn.Module) -> dict[str, float]:
    """Returns the largest difference of each method from the reference, relative to the largest logit."""
    with torch.no_grad():
        if row.kind == "encoder":
            pairs = list(encoded(row, program, model))
        elif row.kind == "heads":
            pairs = list(headed(row, program, model))
        elif row.kind == "draft":
            pairs = list(drafted(row, program, model))
        elif callable(row.reference):
            pairs = list(decoded(row, program, lambda ids: model(torch.from_numpy(ids).long()).numpy()))
        else:
            pairs = list(decoded(row, program, lambda ids: model(torch.from_numpy(ids).long()[None]).logits[0].numpy()))
    differences: dict[str, float] = {}
    for method, result, expected in pairs:
        assert result.shape == expected.shape and result.dtype == np.float32, (method, result.shape, expected.shape)
        difference = float(np.abs(result - expected).max() / np.abs(expected).max())
        # A comparison with what is not a number is false.
        differences[method] = max(differences.get(method, 0.0), difference if difference >= 0 else float("inf"))
    return differences


def run_row(row: Row, mode: str) -> Outcome:
    """Exports, compiles, runs and compares one model."""
    outcome = Outcome(row)
    start = time.monotonic()
    try:
        folder = f"mlc_llm.model.{row.model}.{row.model.replace('stable_lm', 'stablelm')}"
        definition, loader = import_module(f"{folder}_model"), import_module(f"{folder}_loader")
        config_class, model_class = (getattr(definition, name) for name in row.classes)
        config = config_class.from_dict(deepcopy({**row.config, **row.own}))
        model = model_class(config)
        spec = model.get_default_spec()
        module, parameters, _ = model.export_tvm(spec=spec, allow_extern=True)
        module.verify()
        outcome.stage = 1
        reference = reference_model(row)
        state = {name: tensor.numpy() for name, tensor in reference.state_dict().items()}
        weights = mapped_weights(row, config, loader, state)
        methods = zip(spec.method_names, spec.method_specs, strict=True)
        packed_weights = tuple(weights[name] for name, _ in parameters)
        if mode == "jit":
            program = jitted(model, spec, weights)
        elif mode == "lifted":
            executable = xdsl_relax.compile(module, lift="shared")
            program = called(executable, executable.transform_params(weights, progress=False), spec)
        else:
            functions = Interpreted(module) if mode == "interpreted" else xdsl_relax.compile(module)
            program = called(functions, packed_weights, spec)
        program.arguments = {name: method.arg_names for name, method in methods}
        outcome.stage = 2
        outcome.differences = compared(row, program, reference)
        if max(outcome.differences.values()) <= TOLERANCE:
            outcome.stage = 3
    except Exception as error:  # The table tells it.
        if logging.root.level <= logging.DEBUG:
            raise
        outcome.error = f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
    outcome.seconds = time.monotonic() - start
    return outcome


def jitted(model: Any, spec: Any, weights: Weights) -> Program:
    """Returns the methods of the model with its weights."""
    model.load_state_dict(weights)
    compiled = model.jit(spec, out_format="numpy")
    return Program(lambda method, values: compiled[method](*values), {})


class Interpreted:
    """A program in the interpreter, with the form of a compiled one."""

    def __init__(self, module: Any):
        self.interpreter = Interpreter(module)

    def __getitem__(self, name: str) -> Callable[..., Any]:
        return lambda *arguments: self.interpreter.call(name, *arguments)[0]


def called(functions: Any, weights: Any, spec: Any) -> Program:
    """Returns the methods as the specification says: weights are the last argument of those that have parameters."""
    modes = dict(zip(spec.method_names, (method.param_mode for method in spec.method_specs), strict=True))

    def call(method: str, values: Sequence[Any]) -> Any:
        given = [(value,) if isinstance(value, int) else value for value in values]
        return functions[method](*given, *(() if modes[method] == "none" else (weights,)))

    return Program(call, {})


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the table; returns 1 where a model does not agree."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--mlc", type=Path, required=True, metavar="CHECKOUT", help="a checkout of MLC-LLM")
    parser.add_argument("--mode", choices=MODES, default="packed", help="; ".join(map(": ".join, MODES.items())))
    parser.add_argument("--raise", dest="is_raising", action="store_true", help="show the traceback of an error")
    parser.add_argument("models", nargs="*", help="model files, or rows of the table; all without")
    options = parser.parse_args(arguments)
    rows = [row for row in ROWS if not options.models or {row.name, row.model} & set(options.models)]
    if not rows:
        parser.error(f"no model files {', '.join(options.models)}")
    tvm_shim.install(options.mlc)
    logging.basicConfig(level=logging.DEBUG if options.is_raising else logging.ERROR, force=True)
    logging.disable(logging.WARNING)
    torch.set_num_threads(1)
    print("| model | exported | compiled | agrees | methods | largest difference | error |")
    print("|---|---|---|---|---|---|---|")
    outcomes: list[Outcome] = []
    for row in rows:
        outcomes.append(run_row(row, options.mode))
        print(outcomes[-1].line(), flush=True)
        print(f"{row.name}: {outcomes[-1].seconds:.1f} s", file=sys.stderr)
    return int(any(outcome.stage < len(STAGES) for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())
