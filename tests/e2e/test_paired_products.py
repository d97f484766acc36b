"""Products of sums of bytes in place of bytes (`paired_vpmaddwd`), against numpy in i64."""

import itertools
import re

import numpy as np
import pytest
import xdsl_relax
from harness.llvm_kernel import check_upstream, needs_upstream
from harness.loops_kernel import Kernel, generic, parse, target_of
from xdsl.context import Context
from xdsl_relax.dialects.upstream.op_error import OpError
from xdsl_relax.lowering.cpu.loops.contraction.paired_products import REGISTERS, PairedTile
from xdsl_relax.lowering.cpu.loops.linalg_to_loops import LinalgToLoopsPass
from xdsl_relax.lowering.cpu.schedule.paired_products import most_rows
from xdsl_relax.lowering.cpu.schedule.schedule_linalg import ScheduleLinalgPass
from xdsl_relax.runtime.machine.jit import CompileError, emit_object
from xdsl_relax.targets.cpu import cpu_target

TARGET = "x86-64-v3"
DTYPES = {"s": np.int8, "u": np.uint8}
BODY = """%t = arith.trunci %a0 : i16 to i8
%p = arith.ext{0}i %t : i8 to i32
%q = arith.ext{1}i %a1 : i8 to i32
%r = arith.muli %p, %q : i32
%s = arith.addi %a2, %r : i32
linalg.yield %s : i32"""
MAPS = [
    "(d0, d1, d2) -> (d0, d2)",
    "(d0, d1, d2) -> (d1 floordiv {0}, d2 floordiv 4, d1 mod {0}, d2 mod 4)",
    "(d0, d1, d2) -> (d0, d1)",
]


def scheduled(size, signs="us", tiles=None, *, block=16, body=None, distance=None, fill=True) -> str:
    """A product of so many rows, columns and steps, whose rows lie so far apart, with these tiles by hand."""
    m, n, k = size
    left = f"memref<{m}x{k}xi16, strided<[{distance}, 1]>>" if distance else f"memref<{m}x{k}xi16>"
    types = [left, f"memref<{-(-n // block)}x{-(-k // 4)}x{block}x4xi8>", f"memref<{m}x{n}xi32>"]
    names = [f"%x{i}" for i in range(3)]
    operands = list(zip(names, types, strict=True))
    maps = [text.format(block) for text in MAPS]
    text = generic(maps, "ppr", operands[:2], operands[2:], (body or BODY).format(*signs))
    if tiles is not None:
        fields = f"loops = [0, 1, 2], lanes = 8, row = 0, instruction = paired_vpmaddwd, tiles = <{tiles}>"
        text = re.sub(
            r" \{\s*\^bb0",
            f" attrs = {{relax.schedule = #relax.schedule<contraction, {fields}>}} {{\n^bb0",
            text,
            count=1,
        )
    zero = f"%z = arith.constant 0 : i32\nlinalg.fill ins(%z : i32) outs(%x2 : {types[2]})\n" if fill else ""
    return f"func.func @f({', '.join(f'{name}: {kind}' for name, kind in operands)}) {{\n{zero}{text}func.return\n}}"


def check(size, signs, tiles, *, block=16, extreme=False, threads=1, fill=True) -> None:
    m, n, k = size
    rng = np.random.default_rng(m + 3 * n + 5 * k)

    def matrix(sign: str, shape) -> np.ndarray:
        info = np.iinfo(DTYPES[sign])
        if extreme:
            return rng.choice(np.array([info.min, info.max], DTYPES[sign]), shape)
        return rng.integers(info.min, info.max, shape, DTYPES[sign], endpoint=True)

    left, right = matrix(signs[0], (m, k)), matrix(signs[1], (k, n))
    padded = np.pad(right, ((0, 0), (0, -n % block)))
    blocks = np.ascontiguousarray(padded.reshape(k // 4, 4, -1, block).transpose(2, 0, 3, 1))
    start = rng.integers(-99, 99, (m, n), np.int32)
    result = start.copy()
    target_of(TARGET)
    kernel = Kernel(scheduled(size, signs, tiles, block=block, fill=fill), threads, target=TARGET)
    assert "relax.contract.paired_vpmaddwd" in kernel.loops
    kernel(left.astype(np.int16), blocks, result)
    want = left.astype(np.int64) @ right.astype(np.int64)
    np.testing.assert_array_equal(result, want if fill else want + start)


@pytest.mark.parametrize("signs", ["us", "su", "ss", "uu"])
@pytest.mark.parametrize("extreme", [False, True])
def test_signs(signs, extreme):
    check((19, 48, 64), signs, "shape = [4, 16], pack = rhs, steps = 64", extreme=extreme)


@pytest.mark.parametrize("rows", [2, 3, 4, 5, 7, 16, 37])
def test_rows_that_are_left(rows):
    check((rows, 40, 72), "us", "shape = [4, 16], pack = rhs, steps = 72, unroll = 4")


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("shape", "block"),
    [(shape, block) for shape in ("[10, 8]", "[4, 16]", "[3, 16]", "[1, 32]", "[2, 24]") for block in (16, 48, 64)],
)
def test_shapes_of_tiles(shape, block):
    rows, width = map(int, re.findall(r"\d+", shape))
    if block % width:
        pytest.skip("tiles have columns of one block")
    check((2 * rows + 1, 100, 200), "us", f"shape = {shape}, pack = rhs, steps = 64", block=block)


@pytest.mark.sweep(8)
@pytest.mark.parametrize(
    "tiles",
    [
        "shape = [4, 16], pack = rhs, steps = 64",
        "shape = [4, 16], pack = rhs, steps = 104, fetched = 3",
        "shape = [4, 16], pack = rhs, steps = 1024, row_block = 8, grain = 1",
    ],
)
@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("fill", [True, False])
def test_panels_and_threads(tiles, threads, fill):
    """Each chunk of steps has a number of its own for each row; what a result has before is added to."""
    check((33, 80, 328), "us", tiles, threads=threads, fill=fill)


@pytest.mark.parametrize("vectors", [1, 2, 3, 4])
def test_registers(vectors):
    """As many rows as tiles may have find registers, and each instruction reads what was written."""
    for rows in range(1, most_rows(vectors) + 1):
        lines = PairedTile(rows, vectors, 512, 64).text.splitlines()
        loop = lines[lines.index("1:") + 1 : lines.index("decq %rdx")]
        written = set(range(rows * vectors))
        for line in loop:
            if "%ymm" not in line:
                continue
            *sources, target = map(int, re.findall(r"%ymm(\d+)", line))
            assert set(sources) <= written and target < REGISTERS
            written.add(target)
        assert sum(line.startswith("vpmaddwd") for line in loop) == 2 * rows * vectors


def compiled(m, k, n, threads=1, target=TARGET, **options):
    target_of(target)
    rows = "?" if m is None else m
    symbol = ", #relax.sym<m>" if m is None else ""
    text = f"""func.func @main(%x: tensor<{rows}x{k}xui8{symbol}>, %w: tensor<{k}x{n}xi8>) -> tensor<{rows}x{n}xi32{symbol}>
        attributes {{relax.num_input = 1 : i64}} {{
      %r = relax.dataflow {{
        %y = relax.matmul %x, %w {{out_dtype = i32}} : (tensor<{rows}x{k}xui8{symbol}>, tensor<{k}x{n}xi8>) -> tensor<{rows}x{n}xi32{symbol}>
        relax.output %y : tensor<{rows}x{n}xi32{symbol}>
      }} : tensor<{rows}x{n}xi32{symbol}>
      return %r : tensor<{rows}x{n}xi32{symbol}>
    }}"""
    seen = []

    def observer(step, module, _):
        if step.startswith("schedule-linalg"):
            seen.extend(re.findall(r"<contraction, .*?instruction = (\w+)", str(module)))

    exe = xdsl_relax.compile(text, lift=True, threads=threads, target=target, cache=False, observer=observer, **options)
    return exe, seen


@pytest.mark.parametrize(
    ("size", "instruction"),
    [
        ((16, 64, 128), "paired_vpmaddwd"),
        ((37, 768, 300), "paired_vpmaddwd"),
        ((50, 2056, 144), "paired_vpmaddwd"),
        ((15, 64, 128), "vpmaddwd"),
        ((16, 64, 112), "vpmaddwd"),
        ((16, 68, 128), "vpmaddwd"),
        ((None, 64, 128), "vpmaddwd"),
        ((4096, 1024, 128), "vpmaddwd"),
    ],
    ids=str,
)
def test_weights_are_paired_where_rows_and_columns_pay(size, instruction):
    m, k, n = size
    exe, seen = compiled(m, k, n)
    assert seen == [instruction]
    rng = np.random.default_rng(0)
    x = rng.integers(0, 255, (m or 33, k), np.uint8, endpoint=True)
    w = rng.integers(-128, 127, (k, n), np.int8, endpoint=True)
    result = np.asarray(exe["main"](x, exe.transform_params({"w": w})))
    np.testing.assert_array_equal(result, x.astype(np.int32) @ w.astype(np.int32))


@pytest.mark.parametrize("options", [{"profile": True, "threads": 2}, {"opt_level": 3}, {"threads": 3}], ids=str)
def test_options(options):
    exe, seen = compiled(40, 136, 256, **options)
    assert seen == ["paired_vpmaddwd"]
    rng = np.random.default_rng(0)
    x, w = rng.integers(0, 255, (40, 136), np.uint8), rng.integers(-128, 127, (136, 256), np.int8)
    result = np.asarray(exe["main"](x, exe.transform_params({"w": w})))
    np.testing.assert_array_equal(result, x.astype(np.int32) @ w.astype(np.int32))


GOOD = "shape = [4, 16], pack = rhs, steps = 64"
WRONG = {
    "shape = [5, 16], pack = rhs, steps = 64": "tiles: shape = [5, 16] with instruction = paired_vpmaddwd, want at most 4 rows",
    "shape = [4, 128], pack = rhs, steps = 64": "tiles: shape = [4, 128] with instruction = paired_vpmaddwd, want at most 32 columns",
    "shape = [4, 16], pack = rhs, steps = 68": "tiles: steps = 68 with instruction = paired_vpmaddwd, want a multiple of 8, 64 or more",
    "shape = [4, 16], pack = rhs, steps = 32": "tiles: steps = 32 with instruction = paired_vpmaddwd, want a multiple of 8, 64 or more",
    "shape = [4, 16], pack = none, steps = 64": "tiles: pack = none, but the right operand is widened on the way to panels",
}
NEEDS = "for bytes in i16 and bytes in blocks, in multiples of 8 steps of known rows"


def problem(text: str) -> str:
    module = parse(text)
    with pytest.raises(OpError) as caught:
        ScheduleLinalgPass(target=TARGET).apply(Context(), module)
        LinalgToLoopsPass().apply(Context(), module)
    return str(caught.value)


@pytest.mark.parametrize("tiles", WRONG)
def test_wrong_tiles(tiles):
    assert WRONG[tiles] in problem(scheduled((16, 128, 128), tiles=tiles))


WORDS = BODY.replace("%t = arith.trunci %a0 : i16 to i8\n", "").replace("%t : i8", "%a0 : i16")


@pytest.mark.parametrize(
    "text",
    [
        scheduled((16, 128, 128), "ss", GOOD, body=WORDS),
        scheduled((16, 128, 100), tiles=GOOD),
        scheduled((16, 128, 128), tiles=GOOD, distance=1 << 25),
        scheduled((1 << 15, 128, 128), tiles=GOOD),
    ],
    ids=["any i16", "steps", "far rows", "many rows"],
)
def test_wrong_products(text):
    """What does not hold bytes may overflow a sum."""
    assert NEEDS in problem(text)


def test_values_that_are_no_bytes_are_not_paired():
    """i16 of any value are multiplied one by one."""
    kernel = Kernel(scheduled((32, 128, 64), "ss", body=WORDS), target=TARGET)
    assert "relax.contract.vpmaddwd" in kernel.loops and "paired" not in kernel.loops


@needs_upstream
def test_upstream_reads_the_assembly():
    module = parse(scheduled((16, 128, 64)))
    ScheduleLinalgPass(target=TARGET).apply(Context(), module)
    LinalgToLoopsPass().apply(Context(), module)
    text = str(module)
    assert "llvm.inline_asm" in text
    check_upstream(text)


def test_assembly_of_another_machine():
    ir = 'define void @f() {\n  call void asm sideeffect "nop", ""()\n  ret void\n}\n'
    assert emit_object(ir)
    foreign = next(
        name
        for name in ("aarch64-generic", TARGET)
        if cpu_target(name).architecture != cpu_target("native").architecture
    )
    with pytest.raises(CompileError, match=f"code for {foreign} that has assembly: want a machine of its architecture"):
        emit_object(ir, cpu_target(foreign))


def test_sizes_together():
    """Several sizes one after the other, as in a network."""
    for m, k, n in itertools.product((16, 23), (64, 1032), (128, 130)):
        exe, _ = compiled(m, k, n)
        rng = np.random.default_rng(m * k + n)
        x, w = rng.integers(0, 255, (m, k), np.uint8), rng.integers(-128, 127, (k, n), np.int8)
        result = np.asarray(exe["main"](x, exe.transform_params({"w": w})))
        np.testing.assert_array_equal(result, x.astype(np.int32) @ w.astype(np.int32))
