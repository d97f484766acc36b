"""Native modules are freed, and errors of the compiler are clean."""

import ctypes
import gc
import os
from pathlib import Path

import pytest
from xdsl_relax.runtime.machine import jit

TINY = "define i64 @answer() {\n  ret i64 42\n}\n"


def resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def call(module: jit.NativeModule, name: str = "answer") -> int:
    return ctypes.CFUNCTYPE(ctypes.c_int64)(module.address(name))()


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
def test_hundreds_of_modules_leave_no_memory():
    for _ in range(100):
        assert call(jit.compile_ir(TINY)) == 42
    gc.collect()
    before = resident_bytes()
    for _ in range(400):
        assert call(jit.compile_ir(TINY)) == 42
    gc.collect()
    assert resident_bytes() - before < 2_000_000


def test_modules_are_independent():
    first = jit.compile_ir(TINY)
    second = jit.compile_ir(TINY.replace("42", "43"))
    assert (call(first), call(second)) == (42, 43)
    del first
    gc.collect()
    assert call(second) == 43


def test_object_can_be_kept_and_linked_again():
    code = jit.emit_object(TINY)
    exports = jit.exported_functions(TINY)
    assert exports == {"answer"}
    assert [call(jit.load_object(code, exports)) for _ in range(2)] == [42, 42]


@pytest.mark.parametrize("level", [0, 1, 2, 3])
def test_every_level_compiles(level):
    assert call(jit.compile_ir(TINY, opt_level=level, codegen_level=level)) == 42


def test_unknown_function():
    with pytest.raises(KeyError, match="no function 'question'; it exports answer"):
        jit.compile_ir(TINY).address("question")


def test_invalid_ir():
    with pytest.raises(jit.CompileError, match="invalid LLVM IR"):
        jit.compile_ir("define i64 @answer() {\n  ret i32 42\n}\n")


def test_invalid_level():
    with pytest.raises(ValueError, match="0 to 3, got 4"):
        jit.compile_ir(TINY, opt_level=4)


def test_missing_symbol():
    text = "declare i64 @nowhere.to.be.found()\ndefine i64 @answer() {\n  %r = call i64 @nowhere.to.be.found()\n  ret i64 %r\n}\n"
    with pytest.raises(jit.CompileError, match=r"nowhere\.to\.be\.found"):
        jit.compile_ir(text)


PARALLEL = """
declare void @GOMP_parallel(ptr, ptr, i32, i32)
declare i32 @omp_get_num_threads()
define internal void @body(ptr %data) {
  %n = call i32 @omp_get_num_threads()
  store i32 %n, ptr %data
  ret void
}
define i64 @answer() {
  %slot = alloca i32
  call void @GOMP_parallel(ptr @body, ptr %slot, i32 0, i32 0)
  %n = load i32, ptr %slot
  %r = zext i32 %n to i64
  ret i64 %r
}
"""


def test_without_openmp_there_is_one_thread(monkeypatch):
    monkeypatch.setattr(jit, "find_openmp", lambda: None)
    assert call(jit.compile_ir(PARALLEL)) == 1


def test_thread_count_is_taken():
    from xdsl_relax.runtime.machine import threads

    if threads.find_openmp() is None:
        pytest.skip("needs an OpenMP runtime")
    before = threads.get_num_threads()
    module = jit.compile_ir(PARALLEL)
    try:
        for count in (1, 2, 3):
            threads.set_num_threads(count)
            assert threads.get_num_threads() == count
            assert call(module) == count
    finally:
        threads.set_num_threads(before)
    with pytest.raises(ValueError, match="got 0, want at least 1"):
        threads.set_num_threads(0)
