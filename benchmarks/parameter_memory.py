"""The peak of memory while 1 GiB of weights is transformed: from a safetensors file, by packed functions, from a consumed dict."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import numpy as np
import xdsl_relax

COUNT, SIZE = 16, 4096
MIB = 1 << 20


def program() -> str:
    """`COUNT` linear layers whose weights are stored transposed."""
    square, row = f"tensor<{SIZE}x{SIZE}xf32>", f"tensor<?x{SIZE}xf32, #relax.sym<n>>"
    arguments = ", ".join(f'%w{i}: {square} {{relax.name = "layer.{i}"}}' for i in range(COUNT))
    lines = [f"func.func @main(%x: {row}, {arguments}) -> {row} attributes {{relax.num_input = 1 : i64}} {{"]
    lines += [f"  %r = relax.dataflow {{ %y0 = relax.add %x, %x : ({row}, {row}) -> {row}"]
    for i in range(COUNT):
        lines.append(f"    %t{i} = relax.permute_dims %w{i} {{axes = array<i64: 1, 0>}} : ({square}) -> {square}")
        lines.append(f"    %y{i + 1} = relax.matmul %y{i}, %t{i} : ({row}, {square}) -> {row}")
    lines += [f"    relax.output %y{COUNT} : {row}", f"  }} : {row}", f"  return %r : {row}", "}"]
    return "\n".join(lines)


def write_weights(path: Path) -> None:
    """Writes the file one weight at a time."""
    nbytes = SIZE * SIZE * 4
    header = {
        f"layer.{i}": {"dtype": "F32", "shape": [SIZE, SIZE], "data_offsets": [i * nbytes, (i + 1) * nbytes]}
        for i in range(COUNT)
    }
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with path.open("wb") as stream:
        stream.write(len(text).to_bytes(8, "little") + text)
        for i in range(COUNT):
            np.full((SIZE, SIZE), i, np.float32).tofile(stream)


def status(field: str) -> int:
    """A figure of this process in bytes."""
    with open("/proc/self/status") as stream:
        return next(int(line.split()[1]) * 1024 for line in stream if line.startswith(field))


def reset_peak() -> int:
    """Forgets the peak so far and returns the memory in use."""
    with open("/proc/self/clear_refs", "w") as stream:
        stream.write("5")
    return status("VmRSS")


def report(name: str, before: int, transformed: int) -> None:
    """Prints the peak against the bound: transformed weights, the largest weight, 64 MiB."""
    peak = status("VmHWM") - before
    bound = transformed + SIZE * SIZE * 4 + 64 * MIB
    verdict = "within" if peak <= bound else "ABOVE"
    print(f"{name:28} peak {peak / MIB:7.0f} MiB, {verdict} the bound of {bound / MIB:.0f} MiB")


def transform_lazily(path: Path, transformed: int) -> None:
    """Loads weights and takes results one by one."""
    exe = xdsl_relax.compile(program(), passes=["relax-lift-transform-params", "relax-lazy-transform-params"])
    made: dict[int, np.ndarray] = {}
    tensors = xdsl_relax.load_params(path)
    xdsl_relax.register_packed("get_item", lambda index: tensors[f"layer.{index}"])
    xdsl_relax.register_packed("set_item", made.__setitem__)
    before = reset_peak()
    exe["main_transform_params"]()
    report("lazy, packed functions", before, transformed)
    assert sum(value.nbytes for value in made.values()) == transformed
    made.clear()


def main() -> None:
    """Prints one line for each source."""
    exe = xdsl_relax.compile(program(), passes=["relax-lift-transform-params"])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "weights.safetensors"
        write_weights(path)
        before = reset_peak()
        params = exe.transform_params(path)
        report("safetensors file, mapped", before, params.nbytes)
        transformed = params.nbytes
        del params
        transform_lazily(path, transformed)
    weights = {f"layer.{i}": np.full((SIZE, SIZE), i, np.float32) for i in range(COUNT)}
    # The dict's own memory counts: consumed weights make room for transformed ones.
    before = reset_peak() - sum(weight.nbytes for weight in weights.values())
    params = exe.transform_params(weights, consume=True)
    report("dict, consumed", before, params.nbytes)


if __name__ == "__main__":
    main()
