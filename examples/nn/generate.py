"""Generates tokens with a Llama, each the one with the highest score: one call of `prefill`, then one of `decode` for each further token.

python examples/nn/generate.py --prompt 1,5,7 --tokens 64
python examples/nn/generate.py --weights checkpoint/ --prompt 1,5,7 --stop 2

Without weights they are random, for a model of the sizes that the options say. With weights (a safetensors file, an index of shards, or a
directory with either) the sizes are those of the `config.json` beside them, if there is one, but for what options say:
`--dtype float32` converts the weights. Prompt and result are numbers of tokens.
"""

from __future__ import annotations

import json
from argparse import ArgumentParser, ArgumentTypeError, RawDescriptionHelpFormatter
from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from command_line import DTYPES, add_options, config_of, run, size
from llama import LlamaConfig, LlamaForCausalLM
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from xdsl_relax.frontend import nn
from xdsl_relax.runtime.params.params import load_params


def checked_field(path: Path, name: str, default: Any, value: Any) -> Any:
    """Returns the value of a field of a configuration; raises `ValueError` for one of another type than its default."""
    kind = type(default)
    if kind is float and type(value) is int:
        return float(value)
    if type(value) is not kind or (kind is int and value < min(default, 1)):
        expected = {
            int: "a positive number" if default else "a number that is not negative",
            bool: "true or false",
            float: "a number",
            str: "a text",
        }[kind]
        raise ValueError(f"{path}: expected {expected} as {name}, got {json.dumps(value):.80}")
    return value


def read_config(path: Path) -> LlamaConfig:
    """Returns the configuration of a `config.json`; raises `ValueError` for one that the model here does not follow."""
    try:
        read: Any = json.loads(path.read_text())
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    if not isinstance(read, dict):
        raise ValueError(f"{path}: expected an object, got {type(read).__name__}")
    # A field that is null is one that is not there.
    given: dict[str, Any] = {name: value for name, value in read.items() if value is not None}
    rope = given.get("rope_parameters") or given.get("rope_scaling") or {}
    if not isinstance(rope, dict):
        raise ValueError(f"{path}: expected an object as rope_parameters or rope_scaling, got {json.dumps(rope):.80}")
    given["rope_type"] = rope.get("rope_type", rope.get("type", "default"))
    for key, expected in (("rope_type", "default"), ("hidden_act", "silu"), ("mlp_bias", False)):
        if given.get(key, expected) != expected:
            raise ValueError(f"{path}: expected {expected!r} as {key}, got {given[key]!r}")
    given.setdefault("rope_theta", rope.get("rope_theta", 10000.0))
    given.setdefault("dtype", given.get("torch_dtype", "float32"))
    given.setdefault("num_key_value_heads", given.get("num_attention_heads", LlamaConfig.num_attention_heads))
    values: dict[str, Any] = {}
    for field in fields(LlamaConfig):
        if field.name in given:
            values[field.name] = checked_field(path, field.name, getattr(LlamaConfig, field.name), given[field.name])
    try:
        return LlamaConfig(**values)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def config_beside(weights: Path | None, console: Console) -> LlamaConfig | None:
    """Returns the configuration in the directory of weights, or None, with a note where there are weights and no configuration."""
    if weights is None:
        return None
    path = (weights if weights.is_dir() else weights.parent) / "config.json"
    if path.exists():
        return read_config(path)
    if weights.exists():
        console.print(f"there is no {path}: sizes are those of the options", soft_wrap=True)
    return None


def load(model: LlamaForCausalLM, weights: Path) -> None:
    """Binds the parameters to weights, which are converted where they are of another dtype of floats."""
    # Checkpoints may have tensors that are no parameters; `jit` lists the parameters that they lack.
    stored, state = load_params(weights), model.state_dict()
    model.load_state_dict({name: converted(stored[name], state[name].dtype) for name in stored if name in state}, False)


def converted(array: np.ndarray, dtype: str) -> np.ndarray:
    """Returns an array in a dtype where both are of floats, else as it is."""
    is_other = array.dtype.name != dtype and array.dtype.name in DTYPES
    return array.astype(dtype) if is_other else array


def randomize(model: nn.Module, seed: int) -> None:
    """Binds random data to parameters: ones to vectors, and to matrices what keeps the size of states."""
    random = np.random.default_rng(seed)
    for parameter in model.parameters():
        shape = [int(str(size)) for size in parameter.shape]
        values = random.standard_normal(shape, np.float32) / shape[-1] ** 0.5 if len(shape) > 1 else np.ones(shape)
        parameter.data = values.astype(parameter.dtype)


def generate(
    model: nn.CompiledModule,
    caches: Sequence[np.ndarray],
    prompt: Sequence[int],
    count: int,
    stop: int | None = None,
    advance: Callable[[], object] = lambda: None,
) -> tuple[list[int], float, float]:
    """Returns up to `count` tokens that follow a prompt, and the seconds that `prefill` and all calls of `decode` took.

    The caches have room for the prompt and the tokens, and are overwritten.
    """
    start = perf_counter()
    scores, *_ = model.prefill(np.array([prompt], np.int32), 0, *caches)
    tokens = [int(scores[0, 0].argmax())]
    filled = perf_counter()
    advance()
    while len(tokens) < count and tokens[-1] != stop:
        position = len(prompt) + len(tokens) - 1
        scores, *_ = model.decode(np.array([tokens[-1:]], np.int32), position, *caches)
        tokens.append(int(scores[0, 0].argmax()))
        advance()
    return tokens, filled - start, perf_counter() - filled


def tokens_of(text: str) -> list[int]:
    """Returns the numbers of tokens with commas between them."""
    parts = text.split(",")
    if not all(map(str.isdecimal, parts)):
        raise ArgumentTypeError(
            f"expected numbers with commas between them, got {text!r}; a tokenizer turns text into them"
        )
    return list(map(int, parts))


def options() -> ArgumentParser:
    """Returns the options of the command."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--prompt", type=tokens_of, default=[1], help="the tokens to follow, with commas (default: 1)")
    parser.add_argument("--tokens", type=size, default=32, help="how many to generate (default: 32)")
    parser.add_argument("--stop", type=int, help="the token that ends the text")
    parser.add_argument("--weights", type=Path, help="a safetensors file, an index of shards, or a directory")
    parser.add_argument("--seed", type=int, default=0, help="of random weights (default: 0)")
    parser.add_argument("--threads", type=int, default=1, help="threads of one call (default: 1)")
    add_options(parser, LlamaConfig())
    return parser


def main(command: Sequence[str] | None = None) -> list[int]:
    """Generates tokens as the options say, prints them and the speed, and returns them."""
    arguments = options().parse_args(command)
    console = Console(stderr=True)
    prompt: list[int] = arguments.prompt
    config = config_of(arguments, config_beside(arguments.weights, console) or LlamaConfig())
    outside = [token for token in prompt if token >= config.vocab_size]
    if outside:
        raise ValueError(f"expected a prompt of tokens below {config.vocab_size}, the vocab_size, got {outside}")
    model = LlamaForCausalLM(config)
    if arguments.weights is None:
        randomize(model, arguments.seed)
    else:
        load(model, arguments.weights)
    start = perf_counter()
    with console.status("compiling"):
        compiled = model.jit(model.spec(), threads=arguments.threads)
    console.print(f"compiled in {perf_counter() - start:.1f} s")
    caches = model.caches(1, len(prompt) + arguments.tokens)
    columns = TextColumn("generating"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as progress:
        task = progress.add_task("", total=arguments.tokens)
        advance = partial(progress.advance, task)
        tokens, prefill, decode = generate(compiled, caches, prompt, arguments.tokens, arguments.stop, advance)
    print(",".join(map(str, tokens)))
    speed = f"prefill: {len(prompt) / prefill:.1f} tokens/s"
    if len(tokens) > 1:
        speed += f", decode: {(len(tokens) - 1) / decode:.1f} tokens/s"
    console.print(speed)
    return tokens


if __name__ == "__main__":
    run(main)
