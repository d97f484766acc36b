"""Parallel loops that run side by side: what they compute is the same for any number of threads, and as one after the other."""

import numpy as np
import pytest
import xdsl_relax
from harness.llvm_kernel import call, lower, random, same, shape_dims
from xdsl_relax.runtime.machine.jit import NativeModule, compile_ir

THREADS = (0, 1, 2, 3, 5)

# Three parts of %c, each with its own number of iterations and its own worth of one; each element counts how often it is written.
PARTS = """
func.func @f(%a: memref<?xi64>, %b: memref<?xi64>, %c: memref<?x3xi64> {relax.result}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %one = arith.constant 1 : i64
  %n = memref.dim %a, %c0 : memref<?xi64>
  %m = memref.dim %b, %c0 : memref<?xi64>
  %k = memref.dim %c, %c0 : memref<?x3xi64>
  %first = memref.subview %c[0, 0] [%k, 1] [1, 1] : memref<?x3xi64> to memref<?x1xi64, strided<[3, 1]>>
  %second = memref.subview %c[0, 1] [%k, 1] [1, 1] : memref<?x3xi64> to memref<?x1xi64, strided<[3, 1], offset: 1>>
  %third = memref.subview %c[0, 2] [%k, 1] [1, 1] : memref<?x3xi64> to memref<?x1xi64, strided<[3, 1], offset: 2>>
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %x = memref.load %a[%i] : memref<?xi64>
    %t = memref.load %first[%i, %c0] : memref<?x1xi64, strided<[3, 1]>>
    %y = arith.addi %x, %t : i64
    memref.store %y, %first[%i, %c0] : memref<?x1xi64, strided<[3, 1]>>
    scf.reduce
  }) {relax.iterations_per_thread = 2 : i64} : (index, index, index) -> ()
  "scf.parallel"(%c0, %c1, %m, %c2, %c1, %c1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
  ^bb0(%i: index, %j: index):
    %x = memref.load %b[%i] : memref<?xi64>
    %t = memref.load %second[%i, %c0] : memref<?x1xi64, strided<[3, 1], offset: 1>>
    %y = arith.addi %x, %t : i64
    memref.store %y, %second[%i, %c0] : memref<?x1xi64, strided<[3, 1], offset: 1>>
    scf.reduce
  }) {relax.iterations_per_thread = 3 : i64} : (index, index, index, index, index, index) -> ()
  "scf.parallel"(%c0, %k, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %t = memref.load %third[%i, %c0] : memref<?x1xi64, strided<[3, 1], offset: 2>>
    %y = arith.addi %t, %one : i64
    memref.store %y, %third[%i, %c0] : memref<?x1xi64, strided<[3, 1], offset: 2>>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}
"""


@pytest.fixture(scope="module", params=THREADS)
def parts(request: pytest.FixtureRequest) -> NativeModule:
    ir = lower(PARTS, request.param)
    assert ir.count("call void @GOMP_parallel") == (request.param != 1)
    return compile_ir(ir)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 7, 13, 64])
@pytest.mark.parametrize("m", [0, 1, 4, 5, 11, 31])
def test_every_iteration_of_every_loop_runs_once(parts: NativeModule, n: int, m: int):
    """Whatever the ranges are, also where some are empty or have fewer iterations than there are threads."""
    k = max(n, m, 1) + 1
    a, b = random("i64", (n,)), random("i64", (m,), 1)
    before = random("i64", (k, 3), 2)
    c = before.copy()
    assert call(parts, "f", [a, b, c], shape_dims(a, b, c)) == 0
    want = before.copy()
    want[:n, 0] += a
    want[:m, 1] += b
    want[:, 2] += 1
    same(c, want)


# The second loop reads what the first one wrote, backward, by a view; the third one overwrites what the second one read.
CHAIN = """
func.func @f(%a: memref<?xf32>, %c: memref<?x1xf32> {relax.result}, %d: memref<?xf32> {relax.result}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %a, %c0 : memref<?xf32>
  %last = arith.subi %n, %c1 : index
  %flat = memref.collapse_shape %c [[0, 1]] : memref<?x1xf32> into memref<?xf32>
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %x = memref.load %a[%i] : memref<?xf32>
    memref.store %x, %flat[%i] : memref<?xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %j = arith.subi %last, %i : index
    %x = memref.load %c[%j, %c0] : memref<?x1xf32>
    memref.store %x, %d[%i] : memref<?xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    memref.store %zero, %flat[%i] : memref<?xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}
"""


@pytest.mark.parametrize("threads", THREADS)
def test_loops_that_depend_on_one_another_wait(threads: int):
    native = compile_ir(lower(CHAIN, threads))
    for n in (1, 2, 7, 4099):
        a = random("f32", (n,))
        c, d = np.full((n, 1), 5, np.float32), np.full((n,), 5, np.float32)
        for _ in range(20):
            assert call(native, "f", [a, c, d], shape_dims(a, c, d)) == 0
            same(c, np.zeros_like(c))
            same(d, a[::-1])


def _concat(sizes: list[int], columns: int, axis: int) -> str:
    shapes = [(size, columns) if axis == 0 else (columns, size) for size in sizes]
    types = [f"tensor<{rows}x{others}xf32>" for rows, others in shapes]
    total = (sum(sizes), columns) if axis == 0 else (columns, sum(sizes))
    arguments = ", ".join(f"%x{k}: {type_}" for k, type_ in enumerate(types))
    values = ", ".join(f"%x{k}" for k in range(len(sizes)))
    result = f"tensor<{total[0]}x{total[1]}xf32>"
    return f"""
func.func @main({arguments}) -> {result} {{
  %0 = relax.concat {values} {{axis = {axis} : i64}} : ({", ".join(types)}) -> {result}
  func.return %0 : {result}
}}
"""


@pytest.mark.sweep(8)
@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("sizes", [[257, 311, 131], [1, 509, 2, 127], [256] * 4, [3]])
def test_concat(sizes: list[int], axis: int, threads: int):
    columns = 1021
    shapes = [(size, columns) if axis == 0 else (columns, size) for size in sizes]
    arrays = [random("f32", shape, seed) for seed, shape in enumerate(shapes)]
    exe = xdsl_relax.compile(_concat(sizes, columns, axis), threads=threads)
    same(exe["main"](*arrays), np.concatenate(arrays, axis))


DYNAMIC = """
func.func @main(%a: tensor<?x1021xf32, #relax.sym<n>>, %b: tensor<?x1021xf32, #relax.sym<m>>, %c: tensor<?x1021xf32, #relax.sym<n>>)
    -> tensor<?x1021xf32, #relax.sym<2 * n + m>> {
  %0 = relax.concat %a, %b, %c {axis = 0 : i64} : (tensor<?x1021xf32, #relax.sym<n>>, tensor<?x1021xf32, #relax.sym<m>>, tensor<?x1021xf32, #relax.sym<n>>) -> tensor<?x1021xf32, #relax.sym<2 * n + m>>
  func.return %0 : tensor<?x1021xf32, #relax.sym<2 * n + m>>
}
"""


@pytest.mark.parametrize("threads", [0, 1, 2, 3])
def test_concat_of_sizes_at_run_time(threads: int):
    texts: list[str] = []
    exe = xdsl_relax.compile(
        DYNAMIC,
        threads=threads,
        observer=lambda name, module, _: texts.append(str(module)) if name.startswith("outline-parallel") else None,
    )
    assert texts[0].count("relax.parallel =") == (threads != 1)
    for n, m in ((0, 0), (0, 311), (311, 0), (1, 1), (2, 499), (257, 131)):
        a, b, c = random("f32", (n, 1021)), random("f32", (m, 1021), 1), random("f32", (n, 1021), 2)
        same(exe["main"](a, b, c), np.concatenate([a, b, c]))


def test_one_array_several_times():
    """What is only read may be one array."""
    x = random("f32", (256, 1021))
    exe = xdsl_relax.compile(_concat([256] * 3, 1021, 0), threads=2)
    same(exe["main"](x, x, x), np.concatenate([x, x, x]))


def test_a_concat_along_rows_has_one_parallel_region():
    texts: list[str] = []
    xdsl_relax.compile(
        _concat([256] * 4, 1024, 0),
        threads=2,
        observer=lambda name, module, _: texts.append(str(module)) if name.startswith("outline-parallel") else None,
    )
    (text,) = texts
    assert text.count("relax.parallel =") == 1
    assert "relax.iterations_per_thread = array<i64: " in text
