"""Native executables: calling compiled functions with numpy arrays."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from ...dialects.relax.vocabulary.attributes import PARAMS_FROM
from ...interpreter.host import memory
from ...interpreter.host.device import placed
from ...interpreter.host.errors import ArgumentError
from ...targets.cpu import BUFFER_ALIGNMENT
from ..interface.record import FunctionInterface, Interface, TransformPlan
from ..machine.jit import ForeignModule, NativeModule
from ..machine.threads import apply_num_threads
from ..params.parameter_set import ParameterSet, Source, load_set, run_transform, save_set
from .boundary import Boundary, address
from .call_frame import call_frame, current_frame

Workspaces: TypeAlias = "list[np.ndarray[Any, np.dtype[np.uint8]]]"
"""The scratch memory of one call, one array a device."""

_SHAPE_FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)
_ENTRY = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


class ExecutionError(RuntimeError):
    """An assertion of the program failed while it ran."""


def aligned_empty(size: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Returns uninitialized bytes that start at a multiple of `BUFFER_ALIGNMENT`."""
    raw = np.empty(size + BUFFER_ALIGNMENT, np.uint8)
    start = -raw.ctypes.data % BUFFER_ALIGNMENT
    return raw[start : start + size]


class NativeFunction:
    """One public function of an executable; call it with arrays, in the order of its arguments.

    Arrays that are not contiguous or not aligned to their element size are copied. A wrong element type, rank or size is an
    `ArgumentError` that names the argument. Re-entrant: a call owns its workspace. The GIL is released while native code runs.

    The array of a donated argument is overwritten, and is the result that it is donated to. Where it may not be, as it is copied anyway,
    read-only, or shares memory with another argument, the result is a new array. After an error its content is undefined.
    """

    def __init__(
        self,
        interface: Interface,
        function: FunctionInterface,
        module: NativeModule | ForeignModule,
        plan: TransformPlan | None,
    ):
        boundary = Boundary(function)
        self._plan = plan
        self._signature = function.signature
        self._needs_frame = bool(interface.packed) or boundary.has_objects
        self._threads = interface.threads
        self._boundary = boundary
        self._module = module
        self._assertions = interface.assertions
        self._pointers = ctypes.c_void_p * boundary.buffers
        # Workspaces that no call uses at the moment. list.append and list.pop are atomic.
        self._workspaces: list[Workspaces] = []

    @cached_property
    def _shape(self) -> Callable[..., int]:
        return _SHAPE_FUNCTION(self._module.address(self._boundary.shape_function))

    @cached_property
    def _entry(self) -> Callable[..., int]:
        return _ENTRY(self._module.address(self._boundary.entry))

    def __call__(self, *args: Any) -> Any:
        """Calls the function; returns its result, a tuple if it has several, `None` if it has none."""
        results = self.call(*args)
        if len(results) == 1:
            return results[0]
        return results or None

    def call(self, *args: Any) -> tuple[Any, ...]:
        """Calls the function; returns its results as a tuple."""
        if not self._needs_frame:
            return self._call(args)
        with call_frame():
            return self._call(args)

    def _call(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        boundary = self._boundary
        leaves, dims = self._measure(args)
        base = ctypes.addressof(dims)
        outputs, workspaces = self._take_memory(dims)
        if self._threads == 0:
            apply_num_threads()
        pointers = self._pointers(*map(address, leaves), *map(address, outputs), *map(address, workspaces[1:]))
        status = self._entry(ctypes.addressof(pointers), base, address(workspaces[0]))
        self._workspaces.append(workspaces)
        if self._needs_frame and (error := current_frame().error) is not None:
            raise error
        if status:
            raise ExecutionError(f"{self._assertions[status - 1]}{boundary.sizes_text(dims)}")
        return boundary.unflatten(leaves, outputs, dims)

    def release(self) -> None:
        """Gives back the memory that calls keep for the next one."""
        self._workspaces.clear()

    def workspace_bytes(self, *args: Any) -> int:
        """Returns the bytes that a call with these arguments takes for what it computes on the way, results not counted."""
        return sum(self._measure(args)[1][-len(self._boundary.workspaces) :])

    def _measure(self, args: Sequence[Any]) -> tuple[list[Any], ctypes.Array[ctypes.c_int64]]:
        """Returns the arrays of a call, and all sizes: of arguments, results and workspaces."""
        boundary = self._boundary
        if args and isinstance(args[-1], ParameterSet):
            args = (*args[:-1], *self._parameters(args[-1]))
        leaves = boundary.flatten(args)
        dims = boundary.dims(leaves)
        base = ctypes.addressof(dims)
        violated = self._shape(base, base + 8 * boundary.input_dims)
        if violated:
            raise boundary.violation(violated - 1, dims)
        return leaves, dims

    def _parameters(self, params: ParameterSet) -> Sequence[Any]:
        """Returns the arguments that a parameter set stands for; raises `ArgumentError` if it comes from another transform."""
        name, plan = self._boundary.name, self._plan
        if plan is None:
            raise ArgumentError(f"{name}: takes no transformed parameters (it has no {PARAMS_FROM})")
        if params.fingerprint != plan.fingerprint:
            raise ArgumentError(
                f"{name}: expected parameters from {plan.name} ({plan.fingerprint[:12]}), got those of {params.transform} "
                f"({params.fingerprint[:12]})"
            )
        index, wanted = self._signature.params_index, self._signature.params
        values = params.values if index is None else [params.values[position] for position in index]
        # Weights that no transform changes, and those of a file, are still on the host.
        return self._signature.bundled([placed(value, param.type) for value, param in zip(values, wanted, strict=True)])

    def _take_memory(self, dims: ctypes.Array[ctypes.c_int64]) -> tuple[list[np.ndarray[Any, Any]], Workspaces]:
        """Returns memory for the results and workspaces of a call; raises `ArgumentError` where the machine has not so much."""
        boundary = self._boundary
        sizes = dims[-len(boundary.workspaces) :]
        try:
            outputs = boundary.allocate(dims)
            workspaces = self._take_workspaces(sizes)
        # Of numpy for sizes beyond the address space, of mmap for memory that there is not.
        except (MemoryError, ValueError, OSError):
            raise boundary.out_of_memory(dims) from None
        if sum(sizes) + sum([output.nbytes for output in outputs]) > memory.UNCHECKED:
            # A buffer takes memory where it is written, thus not yet.
            try:
                memory.require_memory(sum(array.nbytes for array in (*outputs, *workspaces)))
            except memory.OutOfMemoryError:
                raise boundary.out_of_memory(dims) from None
        return outputs, workspaces

    def _take_workspaces(self, sizes: Sequence[int]) -> Workspaces:
        try:
            workspaces = self._workspaces.pop()
        except IndexError:
            workspaces = None
        if workspaces is not None and all(
            workspace.nbytes >= size for workspace, size in zip(workspaces, sizes, strict=True)
        ):
            return workspaces
        return [
            aligned_empty(size) if device.is_host else device.memory.empty(size)
            for device, size in zip(self._boundary.workspaces, sizes, strict=True)
        ]


class Executable(Mapping[str, NativeFunction]):
    """The compiled functions of a module, by name. Immutable; keeps its machine code and constants alive.

    `interface` and the object file `code` are all that `link` makes it from; where the code is for another machine, calls raise
    `ForeignCodeError`.
    """

    def __init__(
        self,
        interface: Interface,
        module: NativeModule | ForeignModule,
        code: bytes,
    ):
        self.interface = interface
        self.module = module
        self.code = code
        self._signatures = {function.signature.name: function.signature for function in interface.functions}
        self._plans = {plan.name: plan for plan in interface.transforms}
        self._parts = {part.function for plan in self._plans.values() for part in plan.parts}
        self._functions = {
            function.signature.name: NativeFunction(
                interface, function, module, self._plans.get(function.signature.params_from or "")
            )
            for function in interface.functions
        }

    def __getitem__(self, name: str) -> NativeFunction:
        if name not in self._functions:
            raise KeyError(f"no function {name!r}; the executable has {', '.join(self)}")
        return self._functions[name]

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._functions if name not in self._parts)

    def __len__(self) -> int:
        return len(self._functions) - len(self._parts)

    def transform_params(
        self, source: Source, *, transform: str | None = None, consume: bool = False, progress: bool = True
    ) -> ParameterSet:
        """Runs the transform of parameters once; every function that takes its parameters from it accepts the result.

        `source` is a dict of arrays, or safetensors files (mapped into memory), with the names in `relax.name`. It is read part by
        part: of a file no more than the weights of one part are in memory; with `consume` arrays are taken out of the dict as soon
        as nothing needs them. Results that are weights as they are share the source's memory. `transform` names the function if
        the module has several. `progress` shows a bar on a terminal. Raises one `ArgumentError` that lists every missing, surplus and
        mis-shaped weight.
        """
        plan = self._plan(transform)
        signature = self._signatures[plan.name]
        return run_transform(
            plan,
            signature,
            lambda name, *args: self._call_placed(name, args),
            source,
            consume=consume,
            progress=progress,
        )

    def _call_placed(self, name: str, args: Sequence[Any]) -> tuple[Any, ...]:
        """Calls a function with weights from the host, which go to the devices that its arguments name."""
        declared = self._signatures[name].arguments
        return self[name].call(*(placed(value, argument.type) for value, argument in zip(args, declared, strict=True)))

    def save_params(self, params: ParameterSet, path: str | Path) -> None:
        """Writes transformed parameters to a safetensors file, with the fingerprint of their transform, for `load_params`.

        Raises `ArgumentError` if no transform of the module made them. A file of that name is replaced at the end, or kept on an error.
        """
        made = {plan.fingerprint for plan in self._plans.values()}
        if params.fingerprint not in made:
            raise ArgumentError(
                f"expected parameters from {', '.join(self._plans) or 'a transform'}, got those of another program's "
                f"{params.transform} ({params.fingerprint[:12]})"
            )
        save_set(params, path)

    def load_params(self, path: str | Path, *, transform: str | None = None) -> ParameterSet:
        """Maps parameters that `save_params` wrote; raises `ArgumentError` if another transform made them."""
        return load_set(self._plan(transform), path)

    def _plan(self, transform: str | None) -> TransformPlan:
        if transform is None and len(self._plans) == 1:
            return next(iter(self._plans.values()))
        names = ", ".join(self._plans) or "none"
        if transform is None:
            raise ArgumentError(f"choose one of the transforms of the module: {names}")
        if transform not in self._plans:
            raise ArgumentError(f"no transform {transform!r}; the module has {names}")
        return self._plans[transform]
