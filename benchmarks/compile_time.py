"""Seconds of a process from its start to compiled code, cold and from the cache: `python benchmarks/compile_time.py`.

In processor seconds, imports included, so that other processes change little: the least of `--repeats` processes. Python keeps its
bytecode, as it does of what is installed, also where `PYTHONDONTWRITEBYTECODE` is set: without it a process compiles 800 files first.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

EXAMPLES = Path(__file__).parents[1] / "examples"

SECONDS = "; import time; print(time.process_time())"
"""What the end of the process takes, after a result, is not counted."""

COMPILE = "import sys, xdsl_relax; from pathlib import Path; xdsl_relax.compile(Path(sys.argv[1]), lift=sys.argv[2] == 'lift')"
PARSE = "import sys; from pathlib import Path; import xdsl_relax; xdsl_relax.load(Path(sys.argv[1]))"

ONE_OP = """
func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %y = relax.exp %x : (tensor<64x64xf32>) -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}
"""


def processor_seconds(code: str, arguments: list[str], environment: dict[str, str], repeats: int) -> float:
    """The least user and system time of a process that runs Python code over `repeats` runs, behind one that is not counted."""
    times: list[float] = []
    for _ in range(repeats + 1):
        done = subprocess.run(
            [sys.executable, "-c", code + SECONDS, *arguments],
            env=os.environ | environment,
            check=True,
            capture_output=True,
            text=True,
        )
        times.append(float(done.stdout))
    return min(times[1:])


def chain(count: int) -> str:
    """A function of `count` additions with a symbolic dim."""
    tensor = "tensor<?x8xf32, #relax.sym<n>>"
    lines = [f"func.func @main(%v0: {tensor}) -> {tensor} {{"]
    lines += [f"  %v{i + 1} = relax.add %v{i}, %v0 : ({tensor}, {tensor}) -> {tensor}" for i in range(count)]
    return "\n".join([*lines, f"  return %v{count} : {tensor}", "}"])


def main() -> None:
    """Prints a row of a Markdown table for each program."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3, help="processes of each row; the least is printed")
    repeats: int = parser.parse_args().repeats
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        (folder / "one_op.mlir").write_text(ONE_OP)
        (folder / "chain.mlir").write_text(chain(10_000))
        for layers in (4, 32):
            path = str(folder / f"llama_{layers}.mlir")
            subprocess.run([sys.executable, str(EXAMPLES / "llama_decoder.py"), str(layers), path], check=True)
        programs = {
            "one op": folder / "one_op.mlir",
            "Llama MLP": EXAMPLES / "llama_mlp.mlir",
            "BERT layer": EXAMPLES / "bert_layer.mlir",
            "ResNet-18": EXAMPLES / "resnet18.mlir",
            "Llama, 4 layers": folder / "llama_4.mlir",
            "Llama, 32 layers": folder / "llama_32.mlir",
        }
        bytecode = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}
        off, cached = bytecode | {"RELAX_CACHE": "off"}, bytecode | {"RELAX_CACHE": str(folder / "cache")}
        print("| program | cold | from the cache |\n|---|---|---|")
        cold: dict[str, float] = {}
        for name, path in programs.items():
            cold[name] = processor_seconds(COMPILE, [str(path), "lift"], off, repeats)
            from_cache = processor_seconds(COMPILE, [str(path), "lift"], cached, repeats)
            print(f"| {name} | {cold[name]:.2f} s | {from_cache:.2f} s |", flush=True)
        print(f"32 layers against 4: {cold['Llama, 32 layers'] / cold['Llama, 4 layers']:.2f} times")
        imported = processor_seconds("import xdsl_relax; xdsl_relax.compile", [], off, repeats)
        parsed = processor_seconds(PARSE, [str(folder / "chain.mlir")], off, repeats)
        print(f"import: {imported:.2f} s; parsing and verifying 10,000 ops, import included: {parsed:.2f} s")


if __name__ == "__main__":
    main()
