"""Programs of which `relax-opt --explain` is asked what became of an op."""

from __future__ import annotations

import re


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
PRODUCT_REDUCED = program(
    "%x: !M, %w: !M",
    """
    %y = relax.matmul %x, %w : (!M, !M) -> !M
    %e = relax.exp %y : (!M) -> !M
    %s = relax.sum %e {axis = array<i64: 1>} : (!M) -> !V
    """,
    "%s:!V",
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


def place(text: str, name: str) -> str:
    """Returns the line and the column of the op that makes a value."""
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip().startswith(f"%{name} ="):
            return f"{number}:{len(line) - len(line.lstrip()) + 1}"
    raise AssertionError(f"no %{name}")
