"""`relax-opt --explain` names the cause that was planted, at its place in the source."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from xdsl_relax.tools.relax_opt import main


def program(arguments: str, body: str, results: str, *, num_input: int | None = None, dataflow: bool = True) -> str:
    """Returns a function whose body is a dataflow block; `V` and `M` are a vector and a matrix of 64, `N` is of `n` rows."""
    returned = [entry.split(":") for entry in results.split(",")]
    names, types = (", ".join(column) for column in zip(*returned, strict=True))
    attributes = "" if num_input is None else f" attributes {{relax.num_input = {num_input} : i64}}"
    count = f":{len(returned)}" if len(returned) > 1 else ""
    lines = [f"    {line.strip()}" for line in body.strip().splitlines()]
    if dataflow:
        inner = "\n".join(lines)
        results_of_block = ", ".join(f"%r#{i}" for i in range(len(returned))) if count else "%r"
        text = (
            f"func.func @main({arguments}) -> ({types}){attributes} {{\n  %r{count} = relax.dataflow {{\n{inner}\n"
            f"    relax.output {names} : {types}\n  }} : {types}\n  return {results_of_block} : {types}\n}}\n"
        )
    else:
        inner = "\n".join(lines)
        text = f"func.func @main({arguments}) -> ({types}){attributes} {{\n{inner}\n  return {names} : {types}\n}}\n"
    return expand(text)


def expand(text: str) -> str:
    shapes = {"V": "64xf32", "M": "64x64xf32", "N": "?x64xf32, #relax.sym<n>", "R": "64x1xf32", "C": "1x64x64xf32"}
    return re.sub(r"!([VMNRC])\b", lambda match: f"tensor<{shapes[match[1]]}>", text)


PRODUCT = program(
    "%x: !M, %w: !M",
    """
    %t = relax.permute_dims %w {axes = array<i64: 1, 0>} : (!M) -> !M
    %y = relax.matmul %x, %t : (!M, !M) -> !M
    %z = relax.nn.relu %y : (!M) -> !M
    """,
    "%z:!M",
    num_input=1,
)
CHAIN = program(
    "%x: !M",
    """
    %a = relax.exp %x : (!M) -> !M
    %b = relax.negative %a : (!M) -> !M
    %c = relax.sin %b : (!M) -> !M
    """,
    "%c:!M",
)
PRODUCTS = program(
    "%x: !M, %w: !M",
    "%y = relax.matmul %x, %w : (!M, !M) -> !M\n%z = relax.matmul %y, %w : (!M, !M) -> !M",
    "%z:!M",
)
SOFTMAX = program(
    "%x: !M, %w: !M",
    "%y = relax.matmul %x, %w : (!M, !M) -> !M\n%z = relax.nn.softmax %y {axis = -1 : i64} : (!M) -> !M",
    "%z:!M",
)
GROWS = program(
    "%x: !M, %w: !M",
    """
    %y = relax.matmul %x, %w : (!M, !M) -> !M
    %s = relax.shape : () -> !relax.shape<[3, 64, 64]>
    %z = relax.broadcast_to %y, %s : (!M, !relax.shape<[3, 64, 64]>) -> tensor<3x64x64xf32>
    """,
    "%z:tensor<3x64x64xf32>",
)
REDUCED = program(
    "%x: !M",
    """
    %e = relax.exp %x : (!M) -> !M
    %s = relax.sum %e {axis = array<i64: 1>} : (!M) -> !V
    %z = relax.sin %s : (!V) -> !V
    """,
    "%z:!V",
)
FORK = program(
    "%x: !M",
    """
    %a = relax.exp %x : (!M) -> !M
    %b = relax.sum %a {axis = array<i64: 1>} : (!M) -> !V
    %c = relax.max %a {axis = array<i64: 1>} : (!M) -> !V
    """,
    "%b:!V,%c:!V",
)
RETURNED = program(
    "%x: !M",
    "%a = relax.exp %x : (!M) -> !M\n%b = relax.sin %a : (!M) -> !M",
    "%a:!M,%b:!M",
)
UNUSED = program(
    "%x: !M",
    "%a = relax.exp %x : (!M) -> !M\n%b = relax.sin %x : (!M) -> !M",
    "%b:!M",
)
OUTSIDE = program(
    "%x: !M, %w: !M",
    "%a = relax.exp %w : (!M) -> !M\n%b = relax.add %x, %a : (!M, !M) -> !M",
    "%b:!M",
    num_input=1,
    dataflow=False,
)
STOPPED = program(
    "%x: !M, %w: !M",
    """
    %s = relax.builtin.stop_lift_params %w : (!M) -> !M
    %a = relax.exp %s : (!M) -> !M
    %b = relax.add %x, %a : (!M, !M) -> !M
    """,
    "%b:!M",
    num_input=1,
)
REPEATED = program(
    "%x: !N, %w: !V",
    """
    %a = relax.exp %w : (!V) -> !V
    %s = relax.shape : () -> !relax.shape<[n, 64]>
    %b = relax.broadcast_to %a, %s : (!V, !relax.shape<[n, 64]>) -> !N
    %y = relax.matmul %x, %m : (!N, !M) -> !N
    %c = relax.add %y, %b : (!N, !N) -> !N
    """,
    "%c:!N",
    num_input=1,
).replace("%w: tensor<64xf32>", "%w: tensor<64xf32>, %m: tensor<64x64xf32>")
SHARED = PRODUCT + PRODUCT.replace("@main", "@other").replace(
    "relax.permute_dims %w {axes = array<i64: 1, 0>}", "relax.exp %w"
)
ALONE = program("%x: !M", "%y = relax.exp %x : (!M) -> !M", "%y:!M")
TWO_SYMBOLS = expand(
    """
func.func @main(%x: tensor<?x64xf32, #relax.sym<n>>) -> tensor<?x64xf32, #relax.sym<n>> {
  %y = relax.exp %x : (tensor<?x64xf32, #relax.sym<n>>) -> tensor<?x64xf32, #relax.sym<n>>
  return %y : tensor<?x64xf32, #relax.sym<n>>
}
func.func @other(%x: tensor<?x64xf32, #relax.sym<m>>) -> tensor<?x64xf32, #relax.sym<m>> {
  %z = relax.exp %x : (tensor<?x64xf32, #relax.sym<m>>) -> tensor<?x64xf32, #relax.sym<m>>
  return %z : tensor<?x64xf32, #relax.sym<m>>
}
"""
)
SKINNY = program(
    "%x: tensor<1x256xf32>, %w: tensor<256x256xf32>",
    "%y = relax.matmul %x, %w : (tensor<1x256xf32>, tensor<256x256xf32>) -> tensor<1x256xf32>",
    "%y:tensor<1x256xf32>",
)
HALVES = program(
    "%x: tensor<64x256xbf16>, %w: tensor<256x512xbf16>",
    "%y = relax.matmul %x, %w : (tensor<64x256xbf16>, tensor<256x512xbf16>) -> tensor<64x512xbf16>",
    "%y:tensor<64x512xbf16>",
)
SORTED = program("%x: !V", "%y = relax.sort %x {axis = 0 : i64} : (!V) -> !V", "%y:!V")
ROWS = program(
    "%x: !M",
    "%y = relax.nn.softmax %x {axis = -1 : i64} : (!M) -> !M",
    "%y:!M",
)
TRANSPOSED = program("%x: !M", "%y = relax.permute_dims %x {axes = array<i64: 1, 0>} : (!M) -> !M", "%y:!M")
LAYERS = program(
    "%x: !M, %w: !M",
    """
    %a = relax.matmul %x, %w : (!M, !M) -> !M
    %b = relax.nn.relu %a : (!M) -> !M
    %c = relax.matmul %b, %w : (!M, !M) -> !M
    %d = relax.nn.relu %c : (!M) -> !M
    %e = relax.matmul %d, %w : (!M, !M) -> !M
    %f = relax.nn.relu %e : (!M) -> !M
    %g = relax.matmul %f, %w : (!M, !M) -> !M
    """,
    "%g:!M",
)
DONATED = """
func.func @main(%x: tensor<64xf32> {relax.donate = 0 : i64}) -> tensor<64xf32> {
  %y = relax.exp %x : (tensor<64xf32>) -> tensor<64xf32>
  return %y : tensor<64xf32>
}
"""
FOLDED = program(
    "%x: !V",
    """
    %k = relax.constant {value = dense<2.0> : !V} : () -> !V
    %s = relax.exp %k : (!V) -> !V
    %y = relax.add %x, %s : (!V, !V) -> !V
    """,
    "%y:!V",
)
SAME = program(
    "%x: !V",
    """
    %a = relax.exp %x : (!V) -> !V
    %b = relax.exp %x : (!V) -> !V
    %y = relax.add %a, %b : (!V, !V) -> !V
    """,
    "%y:!V",
)
BRANCHES = program(
    "%x: !M, %v: !M, %w: !M",
    """
    %a = relax.matmul %x, %v : (!M, !M) -> !M
    %b = relax.matmul %x, %w : (!M, !M) -> !M
    %y = relax.add %a, %b : (!M, !M) -> !M
    """,
    "%y:!M",
    num_input=1,
)
TABLE = program(
    "%x: tensor<8x16xui8>",
    """
    %s = relax.constant {value = dense<0.05> : tensor<f32>} : () -> tensor<f32>
    %z = relax.constant {value = dense<3> : tensor<ui8>} : () -> tensor<ui8>
    %d = relax.dequantize %x, %s, %z : (tensor<8x16xui8>, tensor<f32>, tensor<ui8>) -> tensor<8x16xf32>
    %a = relax.nn.gelu %d : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %y = relax.quantize %a, %s, %z {out_dtype = ui8} : (tensor<8x16xf32>, tensor<f32>, tensor<ui8>) -> tensor<8x16xui8>
    """,
    "%y:tensor<8x16xui8>",
)
CHANNELS = (
    TABLE.replace(
        "dense<0.05> : tensor<f32>} : () -> tensor<f32>", "dense<[0.05, 0.1]> : tensor<2xf32>} : () -> tensor<2xf32>"
    )
    .replace("(tensor<8x16xui8>, tensor<f32>", "(tensor<8x16xui8>, tensor<2xf32>")
    .replace("%a, %s,", "%a, %o,")
    .replace("    %z =", "    %o = relax.constant {value = dense<0.05> : tensor<f32>} : () -> tensor<f32>\n    %z =")
    .replace("8x16", "8x2")
)
"""What is dequantized with a scale for each channel."""
BYTES = program(
    "%x: tensor<1x32x32x32xui8>, %w: tensor<96x3x3x32xi8>",
    """
    %y = relax.nn.conv2d %x, %w {padding = array<i64: 1>, data_layout = "NHWC", kernel_layout = "OHWI", out_dtype = i32}
        : (tensor<1x32x32x32xui8>, tensor<96x3x3x32xi8>) -> tensor<1x32x32x96xi32>
    """,
    "%y:tensor<1x32x32x96xi32>",
    num_input=1,
)
CONVOLUTION = program(
    "%x: tensor<1x3x32x32xf32>, %w: tensor<24x3x3x3xf32>, %g: tensor<24x1x1xf32>",
    """
    %a = relax.nn.conv2d %x, %w {padding = array<i64: 1>} : (tensor<1x3x32x32xf32>, tensor<24x3x3x3xf32>) -> tensor<1x24x32x32xf32>
    %y = relax.multiply %a, %g : (tensor<1x24x32x32xf32>, tensor<24x1x1xf32>) -> tensor<1x24x32x32xf32>
    """,
    "%y:tensor<1x24x32x32xf32>",
    num_input=1,
)
UNEVEN = program(
    "%x: tensor<1x3x32x32xf32>, %w: tensor<20x3x3x3xf32>",
    "%y = relax.nn.conv2d %x, %w : (tensor<1x3x32x32xf32>, tensor<20x3x3x3xf32>) -> tensor<1x20x30x30xf32>",
    "%y:tensor<1x20x30x30xf32>",
    num_input=1,
)
NARROW = program(
    "%x: tensor<4x4096xf32>, %w: tensor<4096x10xf32>",
    "%y = relax.matmul %x, %w : (tensor<4x4096xf32>, tensor<4096x10xf32>) -> tensor<4x10xf32>",
    "%y:tensor<4x10xf32>",
    num_input=1,
)
BRANCHES_TRANSPOSED = program(
    "%x: !M, %v: !M, %w: !M",
    """
    %a = relax.permute_dims %v {axes = array<i64: 1, 0>} : (!M) -> !M
    %b = relax.permute_dims %w {axes = array<i64: 1, 0>} : (!M) -> !M
    %c = relax.matmul %x, %a : (!M, !M) -> !M
    %d = relax.matmul %x, %b : (!M, !M) -> !M
    %y = relax.matmul %c, %d : (!M, !M) -> !M
    """,
    "%y:!M",
    num_input=1,
)

CAUSES: dict[str, tuple[str, str, list[str], list[str]]] = {
    # Why it was, or was not, fused with its neighbor.
    "fused with the op behind it": (PRODUCT, "y", [], ["relax.matmul ({y}) is fused with relax.nn.relu ({z})"]),
    "fused with the op before it": (PRODUCT, "z", [], ["relax.matmul ({y}) is fused with relax.nn.relu ({z})"]),
    "an injective op before a contraction": (
        PRODUCT,
        "t",
        [],
        [
            "({t}), an op that moves elements, is not fused with relax.matmul ({y}): relax.matmul ({y}) is in a kernel with an op that sums over loops of its own"
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


def place(text: str, name: str) -> str:
    """Returns the line and the column of the op that makes a value."""
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip().startswith(f"%{name} ="):
            return f"{number}:{len(line) - len(line.lstrip()) + 1}"
    raise AssertionError(f"no %{name}")


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


def test_what_is_asked_for_may_be_a_value_an_op_or_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "p.mlir"
    file.write_text(PRODUCT)
    answers: set[str] = set()
    for wanted in ("y", "%y", "relax.matmul", "matmul", "4", "4:5", "4:8", "4:30", f"{file}:4:5"):
        assert main([str(file), "--explain", wanted]) == 0
        answers.add(capsys.readouterr().out)
    assert len(answers) == 1 and "%y = relax.matmul in @main" in answers.pop()


def test_the_external_name_of_a_parameter_stands_for_what_reads_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "p.mlir"
    text = CONVOLUTION.replace("%w: tensor<24x3x3x3xf32>", '%w: tensor<24x3x3x3xf32> {relax.name = "conv.weight"}')
    file.write_text(
        text.replace("%x: tensor<1x3x32x32xf32>", '%u: !M {relax.name = "unused"}, %x: tensor<1x3x32x32xf32>')
    )
    file.write_text(expand(file.read_text()).replace("relax.num_input = 1", "relax.num_input = 2"))
    answers: set[str] = set()
    for wanted in ("a", "conv.weight"):
        assert main([str(file), "--lift", "--explain", wanted]) == 0
        answers.add(capsys.readouterr().out)
    assert len(answers) == 1 and "%a = relax.nn.conv2d in @main" in answers.pop()
    assert main([str(file), "--explain", "unused"]) == 1
    reason = "'unused' is an argument of @main, which no op computes; nothing reads it"
    assert capsys.readouterr().err.splitlines() == [f"{file}: error: --explain: {reason}"]
    assert main([str(file), "--explain", "conv.wieght"]) == 1
    assert "did you mean 'conv.weight'?" in capsys.readouterr().err


def test_the_last_word_of_a_name_is_enough(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "p.mlir"
    file.write_text(
        "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
        "  %y = relax.nn.relu %x : (tensor<4xf32>) -> tensor<4xf32>\n  return %y : tensor<4xf32>\n}\n"
    )
    assert main([str(file), "--explain", "relu"]) == 0
    assert "%y = relax.nn.relu in @main" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("wanted", "reason"),
    [
        ("w", "'w' is an argument of @main, which no op computes; it is read by relax.permute_dims ({t})"),
        ("%w", "'%w' is an argument of @main, which no op computes; it is read by relax.permute_dims ({t})"),
        ("output", "'output' is an op without results, nothing is decided of it"),
        (
            "matmull",
            "no op with results has the name, value, line or line:column 'matmull', did you mean 'relax.matmul'?",
        ),
        ("rellu", "no op with results has the name, value, line or line:column 'rellu', did you mean 'relax.nn.relu'?"),
        (
            "conv2d",
            "no op with results has the name, value, line or line:column 'conv2d'; "
            "there are relax.dataflow, relax.permute_dims, relax.matmul, relax.nn.relu",
        ),
        ("4:2", "no op with results has the name, value, line or line:column '4:2'"),
        ("99:1", "no op with results has the name, value, line or line:column '99:1'"),
        ("4:500", "no op with results has the name, value, line or line:column '4:500'"),
        ("0:5", "no op with results has the name, value, line or line:column '0:5'"),
    ],
)
def test_what_no_op_computes_is_one_line_that_says_why(
    wanted: str, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = tmp_path / "p.mlir"
    file.write_text(PRODUCT)
    assert main([str(file), "--explain", wanted]) == 1
    expected = reason.replace("{t}", f"{file}:{place(PRODUCT, 't')}")
    assert capsys.readouterr().err.splitlines() == [f"{file}: error: --explain: {expected}"]


DEAD = """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = relax.nn.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  %a = relax.sin %r : (tensor<4xf32>) -> tensor<4xf32>
  %b = relax.cos %a : (tensor<4xf32>) -> tensor<4xf32>
  %o = relax.dataflow {
    %c = relax.exp %r : (tensor<4xf32>) -> tensor<4xf32>
    relax.output %c : tensor<4xf32>
  } : tensor<4xf32>
  %n = relax.negative %r : (tensor<4xf32>) -> tensor<4xf32>
  %m = relax.negative %n : (tensor<4xf32>) -> tensor<4xf32>
  return %m : tensor<4xf32>
}"""


@pytest.mark.parametrize("pipeline", ["relax-dead-code-elimination", "loops"])
def test_nothing_reads_an_op_that_is_dead(pipeline: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "p.mlir"
    file.write_text(DEAD)
    for value in "abc":
        assert main([str(file), "-p", pipeline, "--explain", value]) == 0
        last = capsys.readouterr().out.splitlines()[-1]
        assert last.startswith("  it is gone since ") and last.endswith(": nothing reads it")
    for value in "rnm":
        assert main([str(file), "-p", pipeline, "--explain", value]) == 0
        assert "nothing reads it" not in capsys.readouterr().out


def test_several_ops_are_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "p.mlir"
    file.write_text(PRODUCT)
    alone: list[str] = []
    for value in ("z", "t"):
        assert main([str(file), "--explain", value]) == 0
        alone.append(capsys.readouterr().out)
    assert main([str(file), "--explain", "z", "--explain", "t"]) == 0
    assert capsys.readouterr().out == "".join(alone)


def test_what_was_not_decided_is_not_answered(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "p.mlir"
    file.write_text(PRODUCT)
    for passes, undecided in (
        ("relax-infer-shapes", ("relax-fuse-ops", "schedule-linalg", "plan-arena")),
        ("linalg", ("schedule-linalg", "plan-arena")),
        ("buffers", ("schedule-linalg",)),
        ("loops", ()),
    ):
        assert main([str(file), "--explain", "y", "-p", passes]) == 0
        out = capsys.readouterr().out
        said = re.findall(r"not decided: (\S+) did not run$", out, re.MULTILINE)
        assert tuple(said) == undecided and "no kernel computes it" not in out


VIEWED = program(
    "%x: !M, %w: !M, %b: !V",
    """
    %e = relax.expand_dims %b {axis = array<i64: 1>} : (!V) -> tensor<64x1xf32>
    %y = relax.matmul %x, %w : (!M, !M) -> !M
    %a = relax.add %y, %e : (!M, tensor<64x1xf32>) -> !M
    %z = relax.matmul %a, %w : (!M, !M) -> !M
    %c = relax.add %z, %e : (!M, tensor<64x1xf32>) -> !M
    """,
    "%c:!M",
)


def test_kernels_that_take_views_are_followed_under_their_new_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Also the second of two that are equal, whose loops have the positions of the first."""
    file = tmp_path / "p.mlir"
    file.write_text(VIEWED)
    renamed = "  kernel: @fused_matmul_add becomes @fused_expand_dims_matmul_add, which takes views of operands itself"
    for value in ("y", "z"):
        assert main([str(file), "--explain", value]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines.count(renamed) == 1
        assert [line for line in lines if "  schedule: linalg.generic" in line and "<contraction, " in line]
        assert [line for line in lines if line.startswith("  memory: @fused_expand_dims_matmul_add ")]
    file.write_text(PRODUCT)
    assert main([str(file), "--explain", "y"]) == 0
    assert "becomes" not in capsys.readouterr().out


def test_remarks_of_all_passes_are_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "p.mlir"
    file.write_text(PRODUCT)
    assert main([str(file), "-p", "loops"]) == 0
    plain = capsys.readouterr()
    assert main([str(file), "-p", "loops", "--remarks"]) == 0
    printed = capsys.readouterr()
    assert printed.out == plain.out and plain.err == ""
    lines = printed.err.splitlines()
    assert all(line.startswith(f"{file}:") for line in lines)
    for topic in ("fusion", "kernel", "schedule", "memory"):
        assert any(f": remark: {topic}: " in line for line in lines), topic
    assert main([str(file), "--remarks"]) == 0
    assert capsys.readouterr() == printed


def test_layers_of_models_have_their_names_and_positions_of_their_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = tmp_path / "p.mlir"
    text = CHAIN.replace(") -> tensor<64x64xf32>\n", ') -> tensor<64x64xf32> loc("layers.0.act"("model.py":7:9))\n')
    file.write_text(text)
    assert main([str(file), "--explain", "b"]) == 0
    out = capsys.readouterr().out
    assert f"{file}:{place(text, 'b')}: %b = relax.negative of layers.0.act in @main" in out and "model.py" not in out


def test_what_stands_in_a_branch_is_said_to_stay_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "p.mlir"
    file.write_text(
        expand(
            "func.func @main(%x: !V, %c: i1, %w: !V) -> !V attributes {relax.num_input = 2 : i64} {\n"
            "  %r = scf.if %c -> (!V) {\n    %e = relax.exp %w : (!V) -> !V\n    %s = relax.add %e, %x : (!V, !V) -> !V\n"
            "    scf.yield %s : !V\n  } else {\n    scf.yield %x : !V\n  }\n  return %r : !V\n}\n"
        )
    )
    for wanted, shown in (("e", "%e"), ("s", "relax.add")):
        assert main([str(file), "-p", "relax-lift-transform-params", "--explain", wanted]) == 0
        text = f"{shown} stays in @main: it is in the body of a loop or branch"
        assert text in capsys.readouterr().out


@pytest.mark.parametrize("options", ["", "{shared=true}"])
def test_a_transform_has_the_name_that_it_gets(tmp_path: Path, capsys: pytest.CaptureFixture[str], options: str):
    taken = "transform_params" if options else "main_transform_params"
    file = tmp_path / "p.mlir"
    file.write_text(PRODUCT + expand(f"func.func @{taken}(%a: !V) -> !V {{\n  return %a : !V\n}}\n"))
    assert main([str(file), "-p", f"relax-lift-transform-params{options}", "--explain", "t"]) == 0
    assert f"%t lifted from @main into @{taken}_1 as 't'" in capsys.readouterr().out


def test_compilation_says_the_same_whether_remarks_are_recorded_or_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    from xdsl_relax.passes.analysis.remarks import recording

    file = tmp_path / "p.mlir"
    file.write_text(PRODUCT)
    texts: list[str] = []
    for record in (False, True):
        if record:
            with recording() as remarks:
                assert main([str(file), "-p", "loops", "--lift"]) == 0
            assert len(remarks) > 10
        else:
            assert main([str(file), "-p", "loops", "--lift"]) == 0
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1]
