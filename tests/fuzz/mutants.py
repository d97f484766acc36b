"""Mutated files: read in child processes, where an error of a documented class is all that may come of them."""

from __future__ import annotations

import json
import random
import re
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import xdsl_relax
from xdsl.utils.exceptions import DiagnosticException, MultipleSpansParseError, ParseError, VerifyException
from xdsl_relax.frontend.graph_json import load_graph
from xdsl_relax.frontend.model.problems import ModelImportError
from xdsl_relax.interpreter.host.errors import ArgumentError
from xdsl_relax.lowering.check_legality import verify_blocks
from xdsl_relax.lowering.pipeline import Settings
from xdsl_relax.runtime.bisection.isolated import Ended, Returned, isolated
from xdsl_relax.runtime.compiler import available_passes, pipeline_of, relax_context
from xdsl_relax.runtime.params.safetensors_file import SafetensorsFile, write_safetensors
from xdsl_relax.targets.graph_json.graph_json import graph_of

from .check import Failure, limit_memory

ROOT = Path(__file__).parents[2]
SECONDS = 10
MEMORY = 2 << 30
LARGEST_SOURCE = 6000
BATCH = 250
DOCUMENTED = (ParseError, MultipleSpansParseError, VerifyException, DiagnosticException, ArgumentError)
"""What reading a file may raise."""

NUMBERS = (
    "0 1 -1 2 7 64 255 1000000 2147483648 4294967296 9223372036854775807 -9223372036854775808 1e400 0x7FF 1.5".split()
)
_TOKEN = re.compile(r'\w+|"[^"\n]*"|[^\w\s]|\s+')


@dataclass(frozen=True)
class Kind:
    """A format of files: samples, and what reads one."""

    suffix: str
    samples: Sequence[bytes]
    read: Callable[[bytes], None]
    documented: tuple[type[Exception], ...] = DOCUMENTED


def _read_program(data: bytes) -> None:
    module = xdsl_relax.load(data.decode("utf-8", "replace"))
    text = str(module)
    if str(xdsl_relax.load(text)) != text:
        raise AssertionError("the text changes when it is parsed and printed")


def _optimize(data: bytes) -> None:
    module = xdsl_relax.load(data.decode("utf-8", "replace"))
    verify_blocks(module)
    for item in pipeline_of(Settings(lift=True).passes_of("optimize"), available_passes()):
        item.apply(relax_context(), module)
    module.verify()


def _read_graph(data: bytes) -> None:
    load_graph(relax_context(), data.decode("utf-8", "replace"), "graph.json")


def _read_parameters(data: bytes) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "mutant.safetensors"
        path.write_bytes(data)
        file = SafetensorsFile(path)
        for name in file:
            np.asarray(file[name]).sum()


def _programs() -> list[bytes]:
    """Returns the parts of examples and tests that are short enough to be read thousands of times."""
    paths = [*sorted((ROOT / "examples").glob("*.mlir")), *sorted((ROOT / "tests/filecheck").rglob("*.mlir"))]
    parts = (part.strip() for path in paths for part in path.read_text().split("// -----"))
    lines = ("\n".join(line for line in part.splitlines() if not line.lstrip().startswith("//")) for part in parts)
    return [part.encode() for part in lines if 40 < len(part) <= LARGEST_SOURCE]


def _graphs() -> list[bytes]:
    parts = (ROOT / "tests/filecheck/tools/graph_json.mlir").read_text().split("// -----")
    modules = [xdsl_relax.load(parts[0]), xdsl_relax.load(ROOT / "examples/linear.mlir")]
    texts: list[bytes] = []
    for module in modules:
        try:
            for item in pipeline_of("relax-fuse-ops", available_passes()):
                item.apply(relax_context(), module)
            texts.append(json.dumps(graph_of(module)).encode())
        except DiagnosticException:
            # Sizes that only run time knows have no place in a graph.
            continue
    return texts


def _tvm_modules() -> list[bytes]:
    if not find_spec("tvm"):
        return []
    import tvm
    from xdsl_relax.frontend.tvm import to_relax

    modules = (xdsl_relax.load(ROOT / "examples" / name) for name in ("linear.mlir", "row_mean.mlir"))
    return [tvm.ir.save_json(to_relax(module)).encode() for module in modules]


def _import_from_tvm(data: bytes) -> None:
    from xdsl_relax.frontend.tvm import from_relax
    from xdsl_relax.frontend.tvm.importer.load import load_module

    with TemporaryDirectory() as folder:
        path = Path(folder) / "mutant.json"
        path.write_text(data.decode("utf-8", "replace"))
        if isinstance(isolated(lambda: bool(load_module(path)), SECONDS), Ended):
            return  # TVM's own reader crashes on some damaged files.
        from_relax(load_module(path)[0])


def _onnx_models() -> list[bytes]:
    """Returns models that come with ONNX."""
    package = find_spec("onnx")
    if package is None or package.origin is None:
        return []
    paths = sorted((Path(package.origin).parent / "backend/test/data").rglob("*.onnx"))
    return [path.read_bytes() for path in paths if path.stat().st_size <= LARGEST_SOURCE]


def _import_from_onnx(data: bytes) -> None:
    from xdsl_relax.frontend.onnx import import_onnx

    with TemporaryDirectory() as folder:
        path = Path(folder) / "mutant.onnx"
        path.write_bytes(data)
        import_onnx(path)


def _parameter_files() -> list[bytes]:
    rng = np.random.default_rng(0)
    tensors = {"a": rng.standard_normal((2, 3)), "b.c": np.arange(5, dtype=np.int8), "e": np.zeros((0, 2), np.float16)}
    with TemporaryDirectory() as folder:
        path = Path(folder) / "sample.safetensors"
        write_safetensors(path, tensors, {"k": "v"})
        return [path.read_bytes()]


@cache
def kinds() -> Mapping[str, Kind]:
    """Returns the formats by name."""
    programs = _programs()
    available = {
        "text": Kind(".mlir", programs, _read_program),
        "optimized text": Kind(".mlir", programs, _optimize),
        "graph": Kind(".json", _graphs(), _read_graph),
        "safetensors": Kind(".safetensors", _parameter_files(), _read_parameters),
        "onnx": Kind(".onnx", _onnx_models(), _import_from_onnx, (ModelImportError,)),
        "tvm": Kind(".json", _tvm_modules(), _import_from_tvm, (ValueError,)),
    }
    return {name: kind for name, kind in available.items() if kind.samples}


def mutant(rng: random.Random, kind: Kind) -> bytes:
    """Returns a sample with a few changes."""
    data = rng.choice(kind.samples)
    other = rng.choice(kind.samples)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 5))):
        data = _changed(rng, data, other)
    return data


def _changed(rng: random.Random, data: bytes, other: bytes) -> bytes:
    position = rng.randrange(len(data) + 1)
    choice = rng.random()
    if choice < 0.3:
        text = bytearray(data)
        if choice < 0.1:
            text[position : position + 1] = b""
        elif choice < 0.2:
            text.insert(position, rng.choice(b'"{}[]<>(),:=%@#!?-*x0193.\n\\'))
        else:
            text[position : position + 1] = bytes([rng.randrange(256)])
        return bytes(text)
    tokens = _TOKEN.findall(data.decode("latin-1"))
    if not tokens:
        return data
    place = rng.randrange(len(tokens))
    if choice < 0.5:
        numbers = [index for index, token in enumerate(tokens) if re.fullmatch(r"\d+(x\w+)?", token)]
        if numbers:
            place = rng.choice(numbers)
            tokens[place] = re.sub(r"^\d+", rng.choice(NUMBERS), tokens[place])
    elif choice < 0.6:
        del tokens[place]
    elif choice < 0.7:
        tokens.insert(place, rng.choice(tokens))
    elif choice < 0.8:
        with_other = _TOKEN.findall(other.decode("latin-1"))
        tokens[place] = rng.choice(with_other) if with_other else ""
    elif choice < 0.85:
        partner = rng.randrange(len(tokens))
        tokens[place], tokens[partner] = tokens[partner], tokens[place]
    elif choice < 0.9:
        return data[:position]
    else:
        lines = data.split(b"\n")
        index = rng.randrange(len(lines))
        if choice < 0.95:
            lines.insert(rng.randrange(len(lines)), lines[index])
        else:
            del lines[index]
        return b"\n".join(lines)
    return "".join(tokens).encode("latin-1")


def mutant_of(name: str, seed: int) -> bytes:
    """Returns the mutant of a seed."""
    return mutant(random.Random(f"{name} {seed}"), kinds()[name])


def problem(kind: Kind, data: bytes) -> str | None:
    """Reads a file in this process; returns what went wrong, if it is no documented error."""
    try:
        kind.read(data)
    except kind.documented:
        return None
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:300]
    return None


def _problem_within(kind: Kind, data: bytes) -> str | None:
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    result = problem(kind, data)
    signal.setitimer(signal.ITIMER_PROF, 0)
    return result


def check_mutants(name: str, seeds: Sequence[int]) -> list[tuple[int, Failure]]:
    """Reads the mutants of seeds in a child process; a crash is narrowed down to its mutant."""
    kind = kinds()[name]

    def read_all() -> list[tuple[int, str]]:
        problems = ((seed, _problem_within(kind, mutant_of(name, seed))) for seed in seeds)
        return [(seed, text) for seed, text in problems if text is not None]

    outcome = isolated(read_all, SECONDS * len(seeds), lambda: limit_memory(MEMORY))
    if isinstance(outcome, Returned):
        return [(seed, Failure(text.split(":")[0], text)) for seed, text in outcome.value]
    if len(seeds) == 1:
        return [(seeds[0], Failure("crash", str(outcome)))]
    middle = len(seeds) // 2
    return [*check_mutants(name, seeds[:middle]), *check_mutants(name, seeds[middle:])]


def cut_mutant(name: str, seed: int, failure: Failure) -> bytes:
    """Returns a mutant, with lines and characters left out as long as it fails in the same way."""
    kind = kinds()[name]

    def fails(data: bytes) -> bool:
        outcome = isolated(lambda: _problem_within(kind, data), SECONDS, lambda: limit_memory(MEMORY))
        if isinstance(outcome, Returned):
            return outcome.value is not None and outcome.value.split(":")[0] == failure.kind
        return failure.kind == "crash"

    data = mutant_of(name, seed)
    if not fails(data):
        return data
    for separator in (b"\n", b" "):
        parts = data.split(separator)
        length = max(1, len(parts) // 2)
        while length:
            start = 0
            while start < len(parts):
                shorter = parts[:start] + parts[start + length :]
                if fails(separator.join(shorter)):
                    parts = shorter
                else:
                    start += length
            length //= 2
        data = separator.join(parts)
    return data
