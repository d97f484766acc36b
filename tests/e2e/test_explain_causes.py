"""`relax-opt --explain` names the cause that was planted, at its place in the source."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from harness.explained_programs import (
    ALONE,
    BRANCHES,
    BRANCHES_TRANSPOSED,
    BYTES,
    CHAIN,
    CHANNELS,
    CONVOLUTION,
    DONATED,
    FOLDED,
    FORK,
    GROWS,
    HALVES,
    LAYERS,
    NARROW,
    OUTSIDE,
    PRODUCT,
    PRODUCT_REDUCED,
    PRODUCTS,
    REDUCED,
    REPEATED,
    RETURNED,
    ROWS,
    SAME,
    SHARED,
    SKINNY,
    SOFTMAX,
    SORTED,
    STOPPED,
    TABLE,
    TRANSPOSED,
    TWO_SYMBOLS,
    UNEVEN,
    UNUSED,
    place,
)
from xdsl_relax.tools.relax_opt import main

CAUSES: dict[str, tuple[str, str, list[str], list[str]]] = {
    # Why it was, or was not, fused with its neighbor.
    "fused with the op behind it": (PRODUCT, "y", [], ["relax.matmul ({y}) is fused with relax.nn.relu ({z})"]),
    "fused with the op before it": (PRODUCT, "z", [], ["relax.matmul ({y}) is fused with relax.nn.relu ({z})"]),
    "an injective op before a contraction": (
        PRODUCT,
        "t",
        [],
        [
            "({t}), an op that moves elements, is not fused with relax.matmul ({y}): relax.matmul ({y}) is an op that sums over loops of its own"
        ],
    ),
    "a contraction before a contraction": (
        PRODUCTS,
        "y",
        [],
        [
            "({y}), an op that sums over loops of its own, is not fused with relax.matmul ({z}): it is read by an op that sums over loops of its own"
        ],
    ),
    "a contraction before softmax": (SOFTMAX, "y", [], ["is not fused with relax.nn.softmax ({z}): it is read by"]),
    "a contraction that is repeated": (
        GROWS,
        "y",
        [],
        ["is not fused with relax.broadcast_to ({z}): it is read by an op that moves elements"],
    ),
    "an op behind a reduction": (
        REDUCED,
        "z",
        [],
        ["relax.sum ({s}), a reduction, is not fused with relax.sin ({z}): nothing is fused behind such an op"],
    ),
    "an op before a reduction": (REDUCED, "e", [], ["relax.exp ({e}) is fused with relax.sum ({s})"]),
    "a reduction behind what is in a kernel with a contraction": (
        PRODUCT_REDUCED,
        "e",
        [],
        [
            "relax.exp ({e}), an element-wise op, is not fused with relax.sum ({s}): it is in a kernel with an op that sums over loops of its own and read by a reduction, and only element-wise ops of the same shape follow"
        ],
    ),
    "readers that do not meet": (
        FORK,
        "a",
        [],
        ["its readers do not come together in one op: ", "relax.sum ({b})", "relax.max ({c})"],
    ),
    "a result that leaves the block": (
        RETURNED,
        "a",
        [],
        ["relax.exp ({a}) is not fused with what follows: its result is read outside"],
    ),
    "no reader": (
        UNUSED,
        "a",
        ["-p", "relax-fuse-ops"],
        ["({a}) is not fused with what follows: nothing reads its result"],
    ),
    "no dataflow block": (
        OUTSIDE,
        "a",
        ["-p", "relax-fuse-ops"],
        ["relax.exp ({a}) is not fused: it is outside of dataflow blocks"],
    ),
    "a block that the stages make": (OUTSIDE, "a", [], ["relax.exp ({a}) is fused with relax.add ({b})"]),
    "a level without fusion": (CHAIN, "a", ["-O", "0"], ["relax.exp ({a}) is not fused: fusion is off at -O 0"]),
    "a kernel that is full": (
        CHAIN,
        "b",
        ["-p", "relax-fuse-ops{max_depth=2}"],
        ["is not fused with relax.sin ({c}): their kernel would have more than 2 ops"],
    ),
    # Which kernel it is in.
    "a kernel of several ops": (
        CHAIN,
        "b",
        [],
        ["in the kernel @fused_exp_negative_sin with relax.exp ({a}), relax.sin ({c})"],
    ),
    "a kernel of its own": (ALONE, "y", [], ["relax.exp is in the kernel @exp alone"]),
    "a kernel that is equal to another": (
        TWO_SYMBOLS,
        "z",
        [],
        ["in the kernel @exp1 alone", "@exp1 is the same as @exp"],
    ),
    "no kernel": (REPEATED, "s", [], ["relax.shape ({s}) is in no kernel: such ops stay where they are"]),
    # Why it was, or was not, lifted.
    "lifted": (
        PRODUCT,
        "t",
        ["--lift"],
        ["%t lifted from @main into @main_transform_params as a step toward other outputs"],
    ),
    "not lifted, it reads an input": (
        PRODUCT,
        "y",
        ["--lift"],
        ["stays in @main: it takes %x, which is not known before run time"],
    ),
    "not lifted, it reads what reads an input": (
        PRODUCT,
        "z",
        ["--lift"],
        ["relax.nn.relu stays in @main: it takes %"],
    ),
    "not lifted, it is stopped": (STOPPED, "s", ["--lift"], ["stays in @main: lifting stops here"]),
    "not lifted behind a stop": (
        STOPPED,
        "a",
        ["--lift"],
        ["stays in @main: it takes %s, which is not known before run time"],
    ),
    "not lifted outside of dataflow": (
        OUTSIDE,
        "a",
        ["-p", "relax-lift-transform-params"],
        ["%a stays in @main: it is outside of dataflow blocks"],
    ),
    "not lifted, another function lacks it": (
        SHARED,
        "permute_dims",
        ["-p", "relax-lift-transform-params{shared=true}"],
        ["%t stays in @main: not computed by @other"],
    ),
    "not lifted without a request": (
        PRODUCT,
        "t",
        [],
        ["lifting: not decided: relax-lift-transform-params did not run, --lift asks for it"],
    ),
    "not lifted, its size is that of an input": (REPEATED, "b", ["--lift"], ["%b stays in @main: "]),
    # Which schedule, and from which row.
    "tiles of 32 registers": (
        PRODUCT,
        "y",
        ["--target", "x86-64-v4"],
        ["linalg.generic ({y}) has #relax.schedule<contraction", "row 'contraction, tiles'", "row of 32 registers"],
    ),
    "tiles of 16 registers": (
        PRODUCT,
        "y",
        ["--target", "x86-64-v3"],
        ["row 'contraction, tiles'", "row of 16 registers"],
    ),
    "tile registers": (
        HALVES,
        "y",
        ["--target", "sapphirerapids"],
        ["row 'contraction, tile registers' of the kernel classes: 32 rows take 256 columns in turn"],
    ),
    "a single row": (SKINNY, "y", [], ["row 'contraction, skinny' of the kernel classes"]),
    "an epilogue": (
        PRODUCT,
        "z",
        [],
        ["({z}) has #relax.schedule<epilogue", "runs on the finished tiles of the contraction"],
    ),
    "vectors": (ALONE, "y", [], ["({y}) has #relax.schedule<vectors", "row 'vectors' of the kernel classes"]),
    "a transposition": (TRANSPOSED, "y", [], ["row 'transposed' of the kernel classes"]),
    "rows that are shared": (ROWS, "y", [], ["joins = 1", "it shares 1 loops with the op before"]),
    "no vectors": (SORTED, "y", [], ["({y}) has #relax.schedule<scalars", "row 'scalars' of the kernel classes"]),
    "the kernel of an earlier layer": (
        LAYERS,
        "e",
        [],
        ["is in the kernel @fused_matmul_relu", "linalg.generic ({a}) has #relax.schedule<contraction"],
    ),
    "inside of the loops of another op": (
        CHAIN,
        "a",
        [],
        ["relax.schedule", "is computed inside of the loops of linalg.generic ({b})"],
    ),
    # What its memory is shared with.
    "memory that two layers share": (
        LAYERS,
        "b",
        [],
        ["its result takes 16384 bytes at offset 0 of the workspace of @main, shared with @fused_matmul_relu ({f})"],
    ),
    "memory that is not shared": (
        LAYERS,
        "d",
        [],
        ["16384 bytes at offset 16384 of the workspace of @main, shared with nothing"],
    ),
    "a result of the function": (
        LAYERS,
        "g",
        [],
        ["@matmul ({g}): it writes a result of the function, into the memory of the caller"],
    ),
    "a donated argument": (DONATED, "y", [], ["its memory is that of argument 'x', which is donated"]),
    # Where it went.
    "no schedule": (FOLDED, "s", [], ["schedule: no linalg op of its own was scheduled"]),
    "folded": (FOLDED, "s", [], ["relax.exp ({s}) is computed at compile time, as its operands are constants"]),
    "computed twice": (SAME, "b", [], ["it is gone since relax-eliminate-common-subexpr"]),
    "dead": (UNUSED, "a", ["-p", "dce"], ["it is gone since dce"]),
    "combined": (
        BRANCHES,
        "b",
        ["--lift"],
        ["becomes one op with those that read the same value: relax.matmul ({a}), relax.matmul ({b})"],
    ),
    "computed by another op": (SAME, "b", [], ["relax.exp ({b}) computes what relax.exp ({a}) has computed"]),
    "part of a table": (
        TABLE,
        "a",
        [],
        ["relax.nn.gelu ({a}) is computed of all 256 bytes, for the table that relax.quantize ({y}) is looked up in"],
    ),
    "no table": (
        TABLE,
        "a",
        ["-p", "relax-tabulate-bytes{least=99}"],
        ["relax.quantize ({y}) is not looked up in a table of 256: the 3 ops up to it take 26 operations"],
    ),
    "no table for channels": (
        CHANNELS,
        "y",
        [],
        [
            "relax.quantize ({y}) is not looked up in a table of 256: relax.dequantize ({d}) takes tensor<2xf32>, want the same number "
            "for all elements"
        ],
    ),
    "channels without a table": (CHANNELS, "d", [], ["relax.quantize ({y}) is not looked up in a table of 256: "]),
    "a convolution of bytes": (
        BYTES,
        "y",
        ["--lift", "--target", "znver4"],
        [
            "relax.nn.conv2d has no kernel in blocks: it has 96 output and 32 input channels, want multiples of 64 and of 4"
        ],
    ),
    "a convolution of bytes in blocks": (
        BYTES.replace("96", "128"),
        "y",
        ["--lift", "--target", "znver4"],
        ["relax.nn.conv2d has a kernel in blocks: OHWI64o4i"],
    ),
    "a convolution of bytes without products of four": (
        BYTES,
        "y",
        ["--lift", "--target", "x86-64-v2"],
        ["relax.nn.conv2d has no kernel in blocks: the target multiplies no four bytes at once"],
    ),
    "a convolution of few pixels of bytes": (
        BYTES.replace("32x32x", "2x2x"),
        "y",
        ["--lift", "--target", "znver4"],
        ["relax.nn.conv2d is a product of its windows and a packed kernel: relax.packed_matmul"],
    ),
    "a convolution of bytes with channels first": (
        BYTES.replace(', data_layout = "NHWC", kernel_layout = "OHWI"', "")
        .replace("1x32x32x32x", "1x32x32x32x")
        .replace("96x3x3x32", "96x32x3x3")
        .replace("1x32x32x96", "1x96x32x32"),
        "y",
        ["--lift"],
        ["relax.nn.conv2d has no kernel in blocks: channels do not come last in data and result"],
    ),
    "not by Winograd": (
        CONVOLUTION,
        "a",
        ["--lift"],
        [
            "relax.nn.conv2d is not computed by Winograd: it has 3 input and 24 output channels, want 32 of each at least"
        ],
    ),
    "Winograd was not asked for": (
        CONVOLUTION,
        "a",
        [],
        ["not decided: relax-use-winograd did not run, --lift at -O 2 and above asks for it"],
    ),
    "a kernel without blocks": (
        UNEVEN,
        "y",
        ["--lift"],
        ["has no kernel in blocks: it has 20 output channels, want a multiple of 8 in each group"],
    ),
    "a scale": (
        CONVOLUTION,
        "y",
        ["--lift"],
        ["relax.multiply ({y}) is folded into the weights of relax.nn.conv2d ({a})"],
    ),
    "packed": (PRODUCT, "y", ["--lift"], ["relax.matmul has a packed weight: relax.packed_matmul"]),
    "not packed, few columns": (
        NARROW,
        "y",
        ["--lift"],
        ["relax.matmul is not packed: its weight has 10 columns, want more than 16, or 2048 rows at most, not 4096"],
    ),
    "not packed, no weight": (PRODUCTS, "y", ["--lift"], ["@main has no relax.num_input"]),
    "a transposition behind a concatenation": (
        BRANCHES_TRANSPOSED,
        "a",
        ["--lift"],
        ["relax.permute_dims lifted from @main into @main_transform_params"],
    ),
}


def test_there_are_thirty_causes():
    assert len(CAUSES) >= 30


@pytest.mark.sweep
@pytest.mark.parametrize("cause", CAUSES)
def test_a_planted_cause_is_named(cause: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    text, wanted, options, expected = CAUSES[cause]
    file = tmp_path / "p.mlir"
    file.write_text(text)
    status = main([str(file), "--explain", wanted, *options])
    captured = capsys.readouterr()
    assert status == 0, captured.err
    for part in expected:
        sought = re.sub(r"\{(\w+)\}", lambda match: f"{file}:{place(text, match[1])}", part)
        assert sought in captured.out
    assert captured.out.startswith(f"{file}:")
