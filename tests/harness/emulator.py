"""Runs code for aarch64 under qemu-user, without a C library: an executable is a runner of fifty instructions and the object.

The runner reads an image of the memory of one call from its input, calls a function of a table, and writes the image back.
Debian: qemu-user, binutils-aarch64-linux-gnu.
"""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import tempfile
import weakref
from array import array
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xdsl_relax
from xdsl.dialects.builtin import ModuleOp
from xdsl_relax.dialects.relax.vocabulary.call_words import VALUES, WORDS
from xdsl_relax.runtime.executable.executable import Executable
from xdsl_relax.runtime.executable.native_function import ExecutionError, NativeFunction
from xdsl_relax.runtime.interface.record import AssertionInterface
from xdsl_relax.targets.cpu import BUFFER_ALIGNMENT

TOOLS = {
    name: shutil.which(name) for name in ("qemu-aarch64", *(f"aarch64-linux-gnu-{t}" for t in ("as", "ld", "objdump")))
}

requires_emulator = pytest.mark.skipif(
    None in TOOLS.values() and not os.environ.get("RELAX_REQUIRE_EMULATOR"),
    reason="qemu-aarch64 or aarch64-linux-gnu-as is not installed (Debian: qemu-user binutils-aarch64-linux-gnu)",
)
"""Marks a test that needs the emulator; with RELAX_REQUIRE_EMULATOR it fails without it instead of being skipped."""

IMAGE_BYTES = 1 << 26
WORD = 8
GUARD = 0xA5

# x19: the image; x20: its bytes; x21: what is done of them. Words of the header: the number of the function, the offsets of its
# arguments, the number of pointers, the offset of their offsets.
RUNNER = """
.text
.globl _start
_start:
  adrp x19, image
  add x19, x19, :lo12:image
  mov x20, #0
read:
  mov x0, #0
  add x1, x19, x20
  ldr x2, =IMAGE_BYTES
  sub x2, x2, x20
  mov x8, #63
  svc #0
  cmp x0, #0
  b.le relocate
  add x20, x20, x0
  b read
relocate:
  ldr x2, [x19, #40]
  ldr x3, [x19, #48]
  add x3, x3, x19
next_pointer:
  cbz x2, call
  ldr x4, [x3], #8
  ldr x5, [x19, x4]
  add x5, x5, x19
  str x5, [x19, x4]
  sub x2, x2, #1
  b next_pointer
call:
  ldr x0, [x19, #8]
  ldr x1, [x19, #16]
  ldr x2, [x19, #24]
  ldr x3, [x19, #32]
  add x0, x0, x19
  add x1, x1, x19
  add x2, x2, x19
  add x3, x3, x19
  ldr x5, [x19]
  adrp x4, table
  add x4, x4, :lo12:table
  ldr x4, [x4, x5, lsl #3]
  blr x4
  str x0, [x19]
  mov x21, #0
write:
  mov x0, #1
  add x1, x19, x21
  sub x2, x20, x21
  cbz x2, done
  mov x8, #64
  svc #0
  cmp x0, #0
  b.le failed
  add x21, x21, x0
  b write
failed:
  mov x0, #1
  b end
done:
  mov x0, #0
end:
  mov x8, #94
  svc #0
.data
.balign 8
table:
TABLE
.bss
.balign 4096
image: .skip IMAGE_BYTES
"""


def run_tool(command: Sequence[str], data: bytes = b"") -> bytes:
    """Runs a tool on bytes; raises `AssertionError` with its messages if it fails."""
    done = subprocess.run(command, input=data, capture_output=True, timeout=120, check=False)
    assert done.returncode == 0, f"{command[0]} failed ({done.returncode}):\n{done.stderr.decode()[:4000]}"
    return done.stdout


def disassemble(code: bytes) -> str:
    """Returns the instructions of an aarch64 object."""
    with tempfile.NamedTemporaryFile(suffix=".o") as file:
        file.write(code)
        file.flush()
        return run_tool([str(TOOLS["aarch64-linux-gnu-objdump"]), "-d", "--no-show-raw-insn", file.name]).decode()


class Image:
    """The memory of one call: a header, and arrays between guards."""

    def __init__(self) -> None:
        self.data = bytearray(7 * WORD)
        self.places: list[tuple[int, int]] = []

    def add(self, content: bytes | memoryview) -> int:
        """Appends bytes behind a guard; returns their offset."""
        start = -(-(len(self.data) + BUFFER_ALIGNMENT) // BUFFER_ALIGNMENT) * BUFFER_ALIGNMENT
        self.data += bytes([GUARD]) * (start - len(self.data))
        self.data += content
        self.places.append((start, len(content)))
        return start

    def run(self, program: Path, function: int, arguments: Sequence[int], pointers: Sequence[int]) -> tuple[int, bytes]:
        """Calls a function with the addresses of these offsets; what stands at `pointers` are offsets, to become addresses."""
        offsets = self.add(struct.pack(f"<{len(pointers)}q", *pointers))
        self.add(b"")
        self.data[: 7 * WORD] = struct.pack("<7q", function, *arguments, len(pointers), offsets)
        assert len(self.data) <= IMAGE_BYTES, "an image is too large for the runner"
        result = run_tool([str(TOOLS["qemu-aarch64"]), str(program)], bytes(self.data))
        assert len(result) == len(self.data)
        end = 7 * WORD
        for start, size in self.places:
            assert not result[end:start].strip(bytes([GUARD])), "memory around an array was written"
            end = start + size
        return struct.unpack_from("<q", result)[0], result


class EmulatedFunction:
    """One public function, called under the emulator."""

    def __init__(self, program: Path, number: int, function: NativeFunction, assertions: Sequence[AssertionInterface]):
        self.program = program
        self.number = number
        self.boundary = function._boundary
        self.assertions = assertions

    def call(self, *args: Any) -> tuple[Any, ...]:
        """Calls the function as `NativeFunction.call` does."""
        boundary = self.boundary
        leaves = boundary.flatten(args)
        dims = boundary.dims(boundary.sizes(leaves))
        image = Image()
        sizes = image.add(bytes(dims))
        arguments = (sizes, sizes + WORD * boundary.input_dims, sizes, sizes)
        violated, memory = image.run(self.program, 2 * self.number, arguments, ())
        if violated:
            raise boundary.violation(violated - 1, dims)
        self._copy(memory, sizes, dims)
        outputs = boundary.allocate(boundary.result_shapes(dims))
        image = Image()
        sizes = image.add(bytes(dims))
        workspace = image.add(bytes([GUARD]) * dims[-1])
        places = [image.add(np.ascontiguousarray(given).tobytes()) for given in (*leaves, *outputs)]
        table = image.add(struct.pack(f"<{len(places)}q", *places))
        slots = [table + WORD * k for k in range(len(places))]
        words = image.add(bytes(WORD * WORDS))
        status, memory = image.run(self.program, 2 * self.number + 1, (table, sizes, workspace, words), slots)
        if status:
            values = struct.unpack_from(f"<{VALUES}q", memory, words)
            raise ExecutionError(self.assertions[status - 1].text(values, boundary.argument_sizes(dims)))
        self._copy(memory, sizes, dims)
        updated = [(leaves[i], places[i]) for i in boundary.donated.values()]
        for written, place in (*updated, *zip(outputs, places[len(leaves) :], strict=True)):
            written.reshape(-1).view(np.uint8)[:] = np.frombuffer(memory, np.uint8, written.nbytes, place)
        return boundary.unflatten(leaves, outputs, dims)

    @staticmethod
    def _copy(memory: bytes, place: int, dims: array[int]) -> None:
        dims[:] = array("q", memory[place : place + WORD * len(dims)])


class Emulated:
    """The functions of a module, compiled for an aarch64 target and linked with the runner."""

    def __init__(self, program: ModuleOp | str, target: str = "aarch64-generic"):
        self.executable: Executable = xdsl_relax.compile(program, target=target)
        folder = Path(tempfile.mkdtemp())
        weakref.finalize(self, shutil.rmtree, folder)
        (folder / "code.o").write_bytes(self.executable.code)
        boundaries = [function._boundary for function in self.executable.values()]
        entries = [name for boundary in boundaries for name in (boundary.shape_function, boundary.entry)]
        table = "\n".join(f'  .quad "{entry}"' for entry in entries)
        source = RUNNER.replace("TABLE", table).replace("IMAGE_BYTES", str(IMAGE_BYTES))
        run_tool([str(TOOLS["aarch64-linux-gnu-as"]), "-o", str(folder / "runner.o"), "-"], source.encode())
        objects = [str(folder / name) for name in ("runner.o", "code.o")]
        run_tool([str(TOOLS["aarch64-linux-gnu-ld"]), "-static", "-o", str(folder / "program"), *objects])
        self.functions = {
            name: EmulatedFunction(folder / "program", number, function, function._assertions)
            for number, (name, function) in enumerate(self.executable.items())
        }

    def __call__(self, function: str, *args: Any) -> Sequence[Any]:
        """Calls a function on arrays; returns its results."""
        return self.functions[function].call(*args)


def compile_emulated(target: str) -> Callable[[ModuleOp], Callable[..., Sequence[Any]]]:
    """Returns what compiles a module for a target, for tables of op cases."""
    return lambda program: Emulated(program, target)
