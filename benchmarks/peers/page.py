"""Writes what the benchmarks printed to the pages: `python benchmarks/peers/page.py FOLDER`, with the files that `make peers` writes there.

The tables of `docs/performance.md` and `README.md` are those between comments with their names; the plot is `docs/performance.svg`. With
`--processor NAME` those of ops, on one and on two threads, are of a further processor, between comments of `docs/processors.md` that begin
with its name.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from statistics import geometric_mean

import matplotlib as mpl  # pyright: ignore[reportMissingImports]
from matplotlib import pyplot as plt  # pyright: ignore[reportMissingImports]

ROOT = Path(__file__).parents[2]
PLOT = ROOT / "docs" / "performance.svg"

EVEN = 0.97
"""The ratio from which on a row is no loss: what repeated runs differ by."""

IN_README = (
    "gelu(x * a + b) 4096x1024",
    "softmax 64x12x128x128",
    "layer_norm 512x4096",
    "rms_norm 512x4096",
    "top 8 of 64x32000",
    "gemm 1024^3, constant B",
    "GEMV 4096x11008, constant B",
    "Llama MLP, 128 rows",
    "conv 3x3 64->64 56^2",
    "conv 7x7 s2 3->64 224^2",
    "depthwise 3x3 96->96 56^2",
    "max_pool 3x3 s2 64x112^2",
    "ResNet-18",
    "ResNet-18, 8 bits",
    "BERT layer S128",
    "Llama 4 layers, prefill 128",
    "Llama 4 layers, decode",
)
"""The workloads of the short table."""

Table = list[list[str]]
"""The cells of a table, its head first; the last of each row is the ratio."""


def read_table(path: Path) -> Table:
    """Returns the cells of the table that the benchmark printed, without the line behind its head."""
    lines = [line for line in path.read_text().splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def ratios(table: Table) -> dict[str, float]:
    """Returns the ratio of each workload."""
    return {row[0]: float(row[-1]) for row in table[1:]}


def markdown(table: Table) -> str:
    """Returns the table as Markdown; ratios that are no win within the noise are in bold."""
    head, *rows = table
    at = head.index("ratio") if "ratio" in head else None
    cells = [[f"**{c}**" if k == at and float(c) < EVEN else c for k, c in enumerate(row)] for row in rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *cells))


def summary(single: Table, double: Table) -> str:
    """Returns the means, and how many rows are behind."""
    parts: list[str] = []
    for name, table in (("one thread", single), ("two threads", double)):
        values = list(ratios(table).values())
        behind = sum(value < EVEN for value in values)
        parts.append(
            f"On {name} the geometric mean of {len(values)} ratios is **{geometric_mean(values):.2f}**, rows below {EVEN}: {behind}."
        )
    return " ".join(parts)


def replace(path: Path, name: str, text: str) -> None:
    """Replaces what a page has between `<!-- NAME -->` and `<!-- end -->`; raises `ValueError` where it has no such comments."""
    page = path.read_text()
    result, count = re.subn(
        rf"(<!-- {name} -->\n).*?(<!-- end -->)", lambda m: f"{m[1]}\n{text}\n\n{m[2]}", page, flags=re.DOTALL
    )
    if count != 1:
        raise ValueError(f"{path}: {count} parts between <!-- {name} --> and <!-- end -->, expected 1")
    path.write_text(result)


def draw(single: Table, double: Table, path: Path) -> None:
    """Draws the ratio of each workload, on one thread as a bar and on two as a point."""
    first, second = ratios(single), ratios(double)
    names = list(first)[::-1]
    mpl.rcParams.update({"svg.hashsalt": "peers", "svg.fonttype": "none", "font.size": 8})
    figure, axes = plt.subplots(figsize=(8, 0.17 * len(names) + 1), layout="constrained")
    colors = ["tab:blue" if first[name] >= EVEN else "tab:red" for name in names]
    axes.barh(names, [first[name] - 1 for name in names], left=1, color=colors, height=0.7, label="one thread")
    axes.plot([second[name] for name in names], names, "k.", markersize=4, label="two threads")
    axes.set_xscale("log", base=2)
    axes.set_xticks([0.75, 1, 1.5, 2, 3, 4, 6], ["0.75", "1", "1.5", "2", "3", "4", "6"], minor=False)
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_xlabel("time of the fastest peer / ours: right of 1 is a win")
    axes.margins(y=0.01)
    axes.legend(loc="lower right")
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    """Rewrites the pages."""
    parser = argparse.ArgumentParser(prog="python benchmarks/peers/page.py", description=__doc__)
    parser.add_argument(
        "folder", type=Path, help="where what the benchmarks printed is: peers-1.md, networks-2.md, scaling.md, ..."
    )
    parser.add_argument(
        "--networks", action=argparse.BooleanOptionalAction, default=True, help="write the tables of networks, too"
    )
    parser.add_argument("--processor", help="the name of the part for a further processor, which has the tables of ops")
    args = parser.parse_args()
    folder: Path = args.folder
    if args.processor is not None:
        processors = ROOT / "docs" / "processors.md"
        for threads, words in ((1, "one thread"), (2, "two threads")):
            replace(processors, f"{args.processor}, {words}", markdown(read_table(folder / f"peers-{threads}.md")))
        return
    page, readme = ROOT / "docs" / "performance.md", ROOT / "README.md"
    single, double = (read_table(folder / f"peers-{threads}.md") for threads in (1, 2))
    replace(page, "means", summary(single, double))
    replace(page, "one thread", markdown(single))
    replace(page, "two threads", markdown(double))
    replace(page, "scaling", markdown(read_table(folder / "scaling.md")))
    if args.networks:
        networks = [read_table(folder / f"networks-{threads}.md") for threads in (1, 2)]
        replace(page, "networks", summary(*networks))
        replace(page, "networks, one thread", markdown(networks[0]))
        replace(page, "networks, two threads", markdown(networks[1]))
    replace(
        readme,
        "speed",
        f"{summary(single, double)}\n\n{markdown([single[0], *(row for row in single[1:] if row[0] in IN_README)])}",
    )
    draw(single, double, PLOT)


if __name__ == "__main__":
    main()
