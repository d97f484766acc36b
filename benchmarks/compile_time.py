"""Seconds to import, parse, verify and compile: the examples, a Llama of 1 and of 12 layers, a module of 10,000 ops."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

EXAMPLES = Path(__file__).parents[1] / "examples"

COMPILE = """
import sys, time
from pathlib import Path
start = time.perf_counter()
import xdsl_relax
xdsl_relax.compile(Path(sys.argv[1]))
print(time.perf_counter() - start)
"""


def fresh(code: str, *arguments: str) -> float:
    """The seconds that a fresh Python process prints, the least of three."""
    times: list[float] = []
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
        times.append(float(done.stdout.split()[-1]))
    return min(times)


def chain(count: int) -> str:
    """A function of `count` additions with a symbolic dim."""
    tensor = "tensor<?x8xf32, #relax.sym<n>>"
    lines = [f"func.func @main(%v0: {tensor}) -> {tensor} {{"]
    lines += [f"  %v{i + 1} = relax.add %v{i}, %v0 : ({tensor}, {tensor}) -> {tensor}" for i in range(count)]
    return "\n".join([*lines, f"  return %v{count} : {tensor}", "}"])


def main() -> None:
    """Prints one line a measurement."""
    imported = fresh("import time; s = time.perf_counter(); import xdsl_relax; print(time.perf_counter() - s)")
    print(f"import xdsl_relax                    {imported:6.3f} s")
    for name in ("llama_mlp", "bert_layer", "llama_decoder", "resnet18"):
        print(
            f"compile {name:28} {fresh(COMPILE, str(EXAMPLES / f'{name}.mlir')):6.3f} s (cold process, import included)"
        )
    with tempfile.TemporaryDirectory() as folder:
        seconds: list[float] = []
        for layers in (1, 12):
            path = str(Path(folder) / f"llama_{layers}.mlir")
            subprocess.run([sys.executable, str(EXAMPLES / "llama_decoder.py"), str(layers), path], check=True)
            seconds.append(fresh(COMPILE, path))
            print(f"compile a Llama of {layers:2} layers          {seconds[-1]:6.3f} s")
        print(f"12 layers against 1                  {seconds[1] / seconds[0]:6.2f} x")
        print(f"parse and verify 10,000 ops          {parse_seconds(chain(10_000)):6.3f} s")


def parse_seconds(text: str) -> float:
    """The seconds to parse and verify a module."""
    import xdsl_relax

    xdsl_relax.load(chain(10))
    start = time.perf_counter()
    xdsl_relax.load(text)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
