"""Machine code from LLVM IR text: compile for this machine, link in the process, free with the module."""

from __future__ import annotations

import ctypes
import functools
import os
import re
import threading
import weakref
from collections import deque
from collections.abc import Mapping

import llvmlite.binding as binding

from ...targets.cpu import CpuTarget, assembles, cpu_target, default_target, host_target
from .conversions import runtime_support
from .interruptible import interruptible
from .object_file import read_object
from .threads import find_openmp

_lock = threading.RLock()
# LLVM has locks of its own, and a child would keep those that another thread held: a fork waits until none is held.
os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)


ASSEMBLY = " asm sideeffect "
"""What LLVM IR has where it has assembly."""


class CompileError(RuntimeError):
    """Says why LLVM IR could not become machine code."""


class ForeignCodeError(RuntimeError):
    """Says why code for another CPU cannot run on this machine."""


@functools.cache
def _initialize() -> None:
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    # Kernels may be assembly.
    binding.initialize_native_asmparser()


@functools.cache
def _initialize_all() -> None:
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()


def create_target_machine(target: CpuTarget, opt_level: int = 2, *, jit: bool = True) -> binding.TargetMachine:
    """Returns a target machine for a CPU, of this architecture or another.

    Position-independent code in the small code model: the object is the same whether it is linked here or into a
    shared library.
    """
    (_initialize if target.architecture == host_target().architecture else _initialize_all)()
    return binding.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu,
        features=target.llvm_features,
        opt=opt_level,
        # A module of WebAssembly is one unit: position-independent code is for those that are linked when they run.
        reloc="static" if target.is_wasm else "pic",
        codemodel="small",
        jit=jit,
    )


def parse_ir(ir: str) -> binding.ModuleRef:
    """Parses and verifies LLVM IR; raises `CompileError` with LLVM's message."""
    _initialize()
    try:
        module = binding.parse_assembly(ir)
        module.verify()
    except RuntimeError as error:
        raise CompileError(f"invalid LLVM IR: {str(error).strip()}") from None
    return module


def emit_object(ir: str, target: CpuTarget | None = None, *, opt_level: int = 0, codegen_level: int = 2) -> bytes:
    """Returns an object file from LLVM IR text, for this machine or another one; `default_target` says for which.

    `opt_level` 1 to 3 runs LLVM's optimization pipeline first; 0 runs none, which is right for code that is vectorized
    already. `codegen_level` (0 to 3) is that of instruction selection and register allocation. Ctrl-C ends it at once.
    """
    if not 0 <= opt_level <= 3 or not 0 <= codegen_level <= 3:
        raise ValueError(f"optimization levels are 0 to 3, got {opt_level} and {codegen_level}")
    cpu = target or cpu_target(default_target())
    return interruptible(lambda: _emit_object(ir, cpu, opt_level, codegen_level))


def _emit_object(ir: str, target: CpuTarget, opt_level: int, codegen_level: int) -> bytes:
    if ASSEMBLY in ir and not assembles(target):
        wanted = f"want a machine of its architecture, {target.architecture}, this is {host_target().architecture}"
        raise CompileError(f"code for {target.name} that has assembly: {wanted}")
    with _lock, parse_ir(ir) as module, create_target_machine(target, codegen_level) as machine:
        module.triple = machine.triple
        module.data_layout = str(machine.target_data)
        if opt_level > 0:
            options = binding.create_pipeline_tuning_options(speed_level=opt_level)
            options.loop_vectorization = opt_level > 1
            options.slp_vectorization = opt_level > 1
            builder = binding.create_pass_builder(machine, options)
            builder.getModulePassManager().run(module, builder)
        try:
            return machine.emit_object(module)
        except RuntimeError as error:
            raise CompileError(f"code generation failed: {str(error).strip()}") from None


class NativeModule:
    """Machine code in this process. Addresses are valid as long as the module is referenced."""

    def __init__(
        self, compiler: binding.LLJIT, tracker: binding.ResourceTracker, exports: frozenset[str], keep: object
    ):
        self._addresses = {name: int(tracker[name]) for name in exports}
        self._keep = keep
        # The process's end frees the code anyway, and a thread may still run it.
        weakref.finalize(self, _dispose, compiler, tracker).atexit = False

    def address(self, name: str) -> int:
        """Returns the address of an exported function; `KeyError` names what is missing."""
        if name not in self._addresses:
            raise KeyError(f"native module has no function {name!r}; it exports {', '.join(sorted(self.exports))}")
        return self._addresses[name]

    @property
    def exports(self) -> frozenset[str]:
        """The names of the functions that can be called."""
        return frozenset(self._addresses)


class ForeignModule:
    """Machine code for a CPU that this machine is not: it has no addresses here."""

    def __init__(self, target: CpuTarget, reason: str):
        self._message = f"cannot run code for {target.name}: {reason}"

    def address(self, name: str) -> int:
        """Raises `ForeignCodeError`."""
        raise ForeignCodeError(self._message)


_unused: deque[tuple[binding.LLJIT, binding.ResourceTracker]] = deque()


def _dispose(compiler: binding.LLJIT, tracker: binding.ResourceTracker) -> None:
    # Whatever thread drops the last reference must not wait until another one has compiled.
    _unused.append((compiler, tracker))
    if _lock.acquire(blocking=False):
        try:
            _close_unused()
        finally:
            _lock.release()


def _close_unused() -> None:
    while _unused:
        compiler, tracker = _unused.popleft()
        tracker.close()
        compiler.close()


@functools.cache
def _linking_machine() -> binding.TargetMachine:
    return create_target_machine(host_target())


def load_object(
    code: bytes, exports: frozenset[str], symbols: Mapping[str, int] | None = None, *, keep: object = None
) -> NativeModule:
    """Links an object file into the process.

    `symbols` gives the addresses of what it takes from outside (constants, callbacks); the OpenMP runtime and the C
    library are found. `keep` is held as long as the module: the owner of those addresses.
    """
    return _link(code, exports, {**openmp_symbols(), **(symbols or {})}, keep)


def _link(code: bytes, exports: frozenset[str], symbols: Mapping[str, int], keep: object) -> NativeModule:
    with _lock:
        _close_unused()
        # A linker of its own for each module (about 0.5 ms): a shared one keeps 9 kB of each library that it unloads.
        compiler = binding.create_lljit_compiler(_linking_machine(), use_jit_link=True, suppress_errors=True)
        library = binding.JITLibraryBuilder()
        library.add_object_img(code)
        library.add_current_process()
        for name, address in symbols.items():
            library.import_symbol(name, address)
        for name in exports:
            library.export_symbol(name)
        try:
            tracker = library.link(compiler, "relax")
        except RuntimeError as error:
            compiler.close()
            process = ctypes.CDLL(None)
            missing = [n for n in read_object(code).undefined if n not in symbols and not hasattr(process, n)]
            reason = f"undefined symbols: {', '.join(missing)}" if missing else str(error).strip()
            raise CompileError(f"linking failed: {reason}") from None
        return NativeModule(compiler, tracker, exports, keep)


_EXPORTED = re.compile(r'^define (?!internal |private |linkonce)[^@\n]*@(?:"([^"]+)"|([-\w$.]+))\(', re.MULTILINE)


def exported_functions(ir: str) -> frozenset[str]:
    """Returns the functions that LLVM IR text defines with external linkage."""
    return frozenset(quoted or plain for quoted, plain in _EXPORTED.findall(ir))


def compile_ir(
    ir: str,
    target: CpuTarget | None = None,
    *,
    opt_level: int = 0,
    codegen_level: int = 2,
    symbols: Mapping[str, int] | None = None,
    keep: object = None,
) -> NativeModule:
    """Compiles LLVM IR text and links it into the process; see `emit_object` and `load_object`."""
    code = emit_object(ir + runtime_support(ir), target, opt_level=opt_level, codegen_level=codegen_level)
    return load_object(code, exported_functions(ir), symbols, keep=keep)


_SERIAL_OPENMP = """
define void @GOMP_parallel(ptr %body, ptr %data, i32 %threads, i32 %flags) {
  call void %body(ptr %data)
  ret void
}
define i32 @omp_get_thread_num() {
  ret i32 0
}
define i32 @omp_get_num_threads() {
  ret i32 1
}
define i32 @omp_get_max_threads() {
  ret i32 1
}
"""


@functools.cache
def _serial_openmp() -> NativeModule:
    """Returns what stands in for an OpenMP runtime where there is none: one thread."""
    names = frozenset(("GOMP_parallel", "omp_get_thread_num", "omp_get_num_threads", "omp_get_max_threads"))
    return _link(emit_object(_SERIAL_OPENMP, host_target()), names, {}, None)


def openmp_symbols() -> dict[str, int]:
    """Addresses of the OpenMP functions that generated code calls."""
    runtime = find_openmp()
    if runtime is not None:
        return runtime.symbols
    serial = _serial_openmp()
    return {name: serial.address(name) for name in serial.exports}
