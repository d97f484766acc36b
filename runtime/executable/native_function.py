"""A compiled function: calling it with arrays."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from types import NoneType
from typing import TYPE_CHECKING, Any

import numpy as np

from ...dialects.relax.vocabulary.call_words import INTERRUPTED, LOOK, VALUES, WORDS
from ...dialects.relax.vocabulary.names import PARAMS_FROM
from ...interpreter.host import memory
from ...interpreter.host.arrays import (
    Convert,
    ForeignArrayError,
    Library,
    converter_like,
    converter_to,
    is_late,
    is_torch,
    lent,
    to_numpy,
    to_torch,
)
from ...interpreter.host.device import DeviceArray, placed
from ...interpreter.host.errors import ArgumentError
from ...interpreter.host.keywords import bind_names
from ...records import record
from ..interface.record import FunctionInterface, Interface, TransformPlan
from ..machine.forks import require_threads
from ..machine.jit import ForeignModule, NativeModule
from ..machine.repeated_calls import enterer, failure
from ..machine.signals import give_back, take_look
from ..machine.stacks import UNCHECKED, require_stack, require_team_stacks
from ..machine.threads import apply_num_threads
from ..params.parameter_set import ParameterSet
from ..params.params import match_params
from .boundary import Boundary, Dims
from .call_frame import call_frame, current_frame
from .destinations import Destinations
from .leaf import address, addresses
from .prepared import Prepared
from .profiling import profile_of, require_recorder
from .repeated_call import AFTER, Repeated, repeated_call
from .results import ResultMemory
from .shown import PythonSignature, function_help, function_text, params_name
from .workspaces import WorkspacePool, Workspaces, take_workspaces

if TYPE_CHECKING:
    from ..profile.profile import Profile
    from ..profile.recorder import Recorder

_SHAPE_FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)
_ENTRY = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
_WORDS = ctypes.c_int64 * WORDS


@record
class _Measured:
    """What calls with the same sizes of arguments have in common."""

    shapes: Sequence[Any]
    """Those of the arguments in front of a prepared set."""
    prepared: Prepared | None
    dims: Dims
    """All sizes, those of results and workspaces as well."""
    results: Sequence[tuple[int, ...]]
    """The shapes of what native code writes."""
    workspaces: Sequence[int]
    """Their bytes."""
    nbytes: int
    """Those of results and workspaces."""


class ExecutionError(RuntimeError):
    """An assertion of the program failed while it ran."""


_PLAIN = frozenset((np.ndarray, DeviceArray, ParameterSet, int, float, bool, NoneType))
"""Types of arguments that say nothing of the library whose arrays the caller wants."""


def _are_plain(args: Sequence[Any]) -> bool:
    """Returns whether arguments say nothing of a library, tuples of sizes among them."""
    for arg in args:
        if type(arg) not in _PLAIN and not (type(arg) is tuple and _PLAIN.issuperset(map(type, arg))):
            return False
    return True


class NativeFunction:
    """One public function of an executable; call it with its arguments by position or by name.

    Arrays are those of numpy, of torch, or of anything with `__dlpack__` or `__array__`; numbers and nested lists of numbers are taken too.
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
        code: bytes,
        plan: TransformPlan | None,
        pool: WorkspacePool,
        results: ResultMemory,
        recorder: Recorder | None,
    ):
        boundary = Boundary(function, results)
        self.__name__ = function.signature.name
        self.__doc__ = function_help(function.signature)
        self.interface = interface
        self.code = code
        self._plan = plan
        self._recorder = recorder
        self.signature = function.signature
        """The arguments and results."""
        self._needs_frame = bool(interface.packed) or boundary.has_objects
        self._threads = interface.threads
        self._stack_bytes = function.stack_bytes
        is_prepared = interface.threads == 1 and function.stack_bytes <= UNCHECKED
        self._prepare_call = None if is_prepared else self._prepare_threads
        self._boundary = boundary
        self._module = module
        self._assertions = interface.assertions
        self._workspaces = pool.kept_for(boundary.workspaces)
        self._result_memory = results
        self._last_measured: _Measured | None = None
        self._repeats = 0
        """The calls that found their sizes in `_last_measured`."""
        self._repeated: Repeated | None = None
        self._last_prepared: tuple[weakref.ref[ParameterSet], Prepared] | None = None

    def __repr__(self) -> str:
        """Returns the names and types of the arguments, and the types of the results."""
        return f"<{function_text(self.signature)}>"

    __signature__ = PythonSignature()

    def __copy__(self) -> NativeFunction:
        return self

    def __deepcopy__(self, memo: object) -> NativeFunction:
        return self

    @cached_property
    def _shape(self) -> Callable[..., int]:
        return _SHAPE_FUNCTION(self._module.address(self._boundary.shape_function))

    @cached_property
    def _entry(self) -> Callable[..., int]:
        entry = _ENTRY(self._module.address(self._boundary.entry))
        return entry if self._recorder is None else self._recorder.timed_entry(entry)

    def __call__(self, /, *args: Any, out: Any = None, results: Library | None = None, **named: Any) -> Any:
        """Calls the function; returns its result, a tuple if it has several, `None` if it has none.

        `out` is an array that the result is written into, or a tuple with an array or `None` for each of several results. `results` says
        of which library the other arrays are that are returned; by default they are of that of the arguments.
        """
        values = self.call_in_order(args, named, out, results)
        if len(values) == 1:
            return values[0]
        return values or None

    def call(self, /, *args: Any, out: Any = None, results: Library | None = None, **named: Any) -> tuple[Any, ...]:
        """Calls the function; returns its results as a tuple."""
        return self.call_in_order(args, named, out, results)

    def call_in_order(
        self, args: tuple[Any, ...], named: Mapping[str, Any], out: Any, results: Library | None
    ) -> tuple[Any, ...]:
        """Calls the function with arguments by position and by name, measured where the program is profiled; returns its results."""
        if results is None and not named:
            # Most calls are like those before.
            values = None if self._repeated is None else self._repeated(args, out)
            values = self._run_with_tensors(args, out) if values is None else values
            if values is not None:
                return values
        run = self._call_in_frame if self._needs_frame else self._call
        if self._recorder is not None:
            return self._recorder.timed(self.__name__, lambda: run(args, named, out, results))
        return run(args, named, out, results)

    def _run_with_tensors(self, args: tuple[Any, ...], out: Any) -> tuple[Any, ...] | None:
        """Calls the function as with arrays of numpy; `None` where arguments or `out` are none that all of them stand for."""
        arrays = lent(args, _PLAIN) if self._boundary.passes_arrays else None
        if arrays is None:
            return None
        if out is None:
            return tuple(map(to_torch, self.call_in_order(arrays, {}, None, None)))
        # What is wrong with another `out`, calls that look at everything say.
        if len(self.signature.results) != 1 or not is_torch(out) or out.requires_grad or is_late(out):
            return None
        try:
            destination = to_numpy(out)
        except ForeignArrayError:
            return None
        self.call_in_order(arrays, {}, destination, None)
        return (out,)

    def _call_in_frame(
        self, args: Sequence[Any], named: Mapping[str, Any], out: Any, results: Library | None
    ) -> tuple[Any, ...]:
        with call_frame():
            return self._call(args, named, out, results)

    def _call(
        self, args: Sequence[Any], named: Mapping[str, Any], out: Any, results: Library | None
    ) -> tuple[Any, ...]:
        if named:
            args = self._bound(args, named)
        # Invariant: `given` are the arguments in front of those of a prepared set, all of them where there is none.
        prepared, last, given = None, self._last_measured, args
        if args and type(args[-1]) is ParameterSet and len(args) == self.signature.num_input + 1:
            prepared = self._prepared(args[-1])
            if prepared is not None:
                given = args[:-1]
        if (
            results is None
            and last is not None
            and last.prepared is prepared
            and self._boundary.fit(given, last.shapes)
        ):
            # Threads that call at once must not pass over the number.
            self._repeats = repeats = self._repeats + 1
            if repeats == AFTER:
                self._repeated = self._repeated_call(last, given)
            return self._run_measured(last, given, None, out)
        convert = None
        if results is not None:
            convert = converter_to(results)
        elif not _are_plain(args):
            convert = converter_like(args)
        if prepared is not None:
            return self.call_with_leaves(self._boundary.flatten_first(given, prepared), convert, out, prepared)
        return self.call_with_leaves(self.leaves_of(args), convert, out)

    def call_with_leaves(
        self,
        leaves: Sequence[np.ndarray[Any, Any]],
        convert: Convert | None = None,
        out: Any = None,
        prepared: Prepared | None = None,
    ) -> tuple[Any, ...]:
        """Calls the function with an array for each value of its arguments, all of which fit; the call frame is there already.

        Those of a prepared parameter set come behind the `leaves`.
        """
        return self._run_measured(self._measure(leaves, prepared), leaves, convert, out)

    def _run_measured(
        self, measured: _Measured, leaves: Sequence[np.ndarray[Any, Any]], convert: Convert | None, out: Any
    ) -> tuple[Any, ...]:
        boundary, prepared = self._boundary, measured.prepared
        # A copy, as native code writes the sizes of results that it finds out.
        dims = measured.dims[:]
        into = None
        if out is not None:
            read = leaves if prepared is None else (*leaves, *prepared.arrays)
            into = boundary.destinations(out, read, dims)
        outputs, workspaces = self._take_memory(measured, into)
        if self._prepare_call is not None:
            self._prepare_call()
        written = [*outputs, *workspaces[1:]]
        if prepared is None:
            pointers = addresses([*leaves, *written])
        else:
            pointers = addresses(leaves) + prepared.addresses + addresses(written)
        words, look = _WORDS(), take_look()
        if look is not None:
            words[LOOK] = look.address
        status = self._entry(pointers, dims.buffer_info()[0], address(workspaces[0]), ctypes.addressof(words))
        self._workspaces.append(workspaces)
        if look is not None:
            give_back(look)
            if status == INTERRUPTED:
                raise look.error()
        if self._needs_frame and (error := current_frame().error) is not None:
            raise error
        if status:
            raise self._failed(status, words[:VALUES], dims)
        return boundary.unflatten(leaves, outputs, dims, convert, into)

    def _repeated_call(self, measured: _Measured, given: Sequence[np.ndarray[Any, Any]]) -> Repeated | None:
        """Returns what makes calls with these sizes; `None` where they need more than arrays on the host for arguments and results."""
        boundary, prepared, last = self._boundary, measured.prepared, self._last_prepared
        allocators, dims = boundary.allocators(measured.results), measured.dims
        is_plain = all(device.is_host for device in boundary.workspaces) and measured.nbytes <= memory.UNCHECKED
        if allocators is None or not is_plain or self._needs_frame or self._recorder is not None:
            return None
        params = None
        if prepared is not None:
            # Another thread may have come with another set.
            if last is None or last[1] is not prepared:
                return None
            params = last[0]
        entry, results = self._module.address(boundary.entry), boundary.written(measured.results)
        spans = None if prepared is None else [(address(array), array.nbytes) for array in prepared.arrays]
        enter = enterer(entry, given, spans, results, dims, measured.workspaces)
        if enter is None:
            return None

        def error(said: bytes) -> ExecutionError:
            return self._failed(*failure(said), dims)

        # How many threads OpenMP takes may change from call to call, stacks from thread to thread.
        lasts = "call" if self._threads == 0 else "thread" if self._stack_bytes > UNCHECKED else "process"
        prepare, kept = self._prepare_call, self._workspaces
        return repeated_call(enter, allocators, measured.workspaces, kept, params, prepare, lasts, error)

    def _prepare_threads(self) -> None:
        """Looks whether this thread, and others, can run the code."""
        if self._threads != 1:
            require_threads()
        if self._threads == 0:
            apply_num_threads()
        require_stack(self.__name__, self._stack_bytes)
        if self._threads != 1 and self._stack_bytes > UNCHECKED:
            require_team_stacks(self.__name__, self._stack_bytes)

    def _failed(self, status: int, values: Sequence[int], dims: Dims) -> ExecutionError:
        """Returns the error of an assertion."""
        return ExecutionError(self._assertions[status - 1].text(values, self._boundary.argument_sizes(dims)))

    def _bound(self, args: Sequence[Any], named: Mapping[str, Any]) -> Sequence[Any]:
        """Returns all arguments in order, parameters one by one or at once as they were given."""
        signature = self.signature
        names, params = [argument.name for argument in signature.arguments], params_name(signature)
        count = signature.num_input
        if params in named or (len(args) == count + 1 and isinstance(args[count], ParameterSet | Mapping)):
            names[count:] = [params]
        aliases = {argument.external_name: argument.name for argument in signature.arguments if argument.external_name}
        return bind_names(self.__name__, names, args, named, aliases)

    def profile(self, /, *args: Any, calls: int = 10, **named: Any) -> Profile:
        """Calls the function once, then so many times more, and returns how long each kernel took in these calls.

        The program must be compiled with `profile=True`.
        """
        if calls < 1:
            raise ArgumentError(f"{self.__name__}: expected at least 1 call to profile, got {calls}")
        recorder = require_recorder(self._recorder)
        self.call(*args, **named)
        with recorder.recording() as taken:
            for _ in range(calls):
                self.call(*args, **named)
        return profile_of(taken[0], self._threads)

    def release(self) -> None:
        """Gives back the memory that calls of the executable keep for the next one."""
        self._workspaces.clear()
        self._result_memory.release()

    def workspace_bytes(self, *args: Any) -> int:
        """Returns the bytes that a call with these arguments takes for what it computes on the way, results not counted."""
        return self.workspace_of_leaves(self.leaves_of(args))

    def workspace_of_leaves(self, leaves: Sequence[np.ndarray[Any, Any]]) -> int:
        """Returns what `workspace_bytes` does, of an array for each value of the arguments."""
        return sum(self._measure(leaves).workspaces)

    def leaves_of(self, args: Sequence[Any]) -> list[np.ndarray[Any, Any]]:
        """Returns the arrays of a call, one for each value of its arguments."""
        if args and type(args[-1]) is not np.ndarray and isinstance(args[-1], ParameterSet | Mapping):
            if len(args) - 1 != len(self.signature.inputs):
                raise self._wrong_number(args)
            return self._boundary.flatten((*args[:-1], *self._parameters(args[-1])))
        try:
            return self._boundary.flatten(args)
        except ArgumentError as error:
            if any(isinstance(value, ParameterSet) for value in args):
                raise self._wrong_number(args) from None
            hint = self._parameters_hint() if len(args) <= len(self.signature.arguments) else ""
            if not hint:
                raise
            raise ArgumentError(f"{error} (parameters are {hint})") from None

    def _wrong_number(self, args: Sequence[Any]) -> ArgumentError:
        """Returns the error of all parameters at once beside more or fewer arguments than there are, or before one of them."""
        names = [*(argument.name for argument in self.signature.inputs), "params"]
        wanted = f"{self._boundary.name}: expected {len(names)} argument{'s' * (len(names) > 1)} ({', '.join(names)})"
        return ArgumentError(
            f"{wanted}, got {len(args) if len(args) != len(names) else 'the parameters before others'}"
        )

    def _parameters_hint(self) -> str:
        """Returns where the parameters come from; empty for those that a caller has."""
        if self.interface.params and self.signature.params:
            return f"those of the library: library.params[{self._boundary.name!r}]"
        return "" if self._plan is None else f"what {self._plan.name} returns: call transform_params"

    def _measure(self, leaves: Sequence[np.ndarray[Any, Any]], prepared: Prepared | None = None) -> _Measured:
        """Returns all sizes of a call: of arguments, results and workspaces. Those of a call like the one before are not computed again."""
        boundary = self._boundary
        shapes = boundary.shapes(leaves)
        last = self._last_measured
        if last is not None and last.shapes == shapes and last.prepared is prepared:
            return last
        dims = boundary.dims(boundary.sizes(leaves, prepared))
        base = dims.buffer_info()[0]
        violated = self._shape(base, base + 8 * boundary.input_dims)
        if violated:
            raise boundary.violation(violated - 1, dims)
        workspaces = dims[boundary.first_workspace :].tolist()
        results, nbytes = boundary.result_shapes(dims), sum(workspaces) + boundary.result_bytes(dims)
        measured = _Measured(shapes, prepared, dims, results, workspaces, nbytes)
        self._last_measured = measured
        self._repeats = 0
        return measured

    def _prepared(self, params: ParameterSet) -> Prepared | None:
        """Returns a parameter set as calls pass it, looked at once for all calls with it; `None` where each call has to."""
        last = self._last_prepared
        if last is not None and last[0]() is params:
            return last[1]
        prepared = self._boundary.prepare(self.signature.num_input, self._parameters(params))
        if prepared is not None:
            # Weights that the caller drops are not kept.
            self._last_prepared = weakref.ref(params, lambda _: prepared.arrays.clear()), prepared
        return prepared

    def _parameters(self, params: ParameterSet | Mapping[str, Any]) -> Sequence[Any]:
        """Returns the arguments that a parameter set, or parameters by name, stand for; raises `ArgumentError` where they do not fit."""
        name, plan = self._boundary.name, self._plan
        if not isinstance(params, ParameterSet):
            if plan is not None:
                raise ArgumentError(
                    f"{name}: expected transformed parameters, {self._parameters_hint()}, got {type(params).__name__}"
                )
            return self.signature.bundled(match_params(self.signature, params))
        if plan is None:
            raise ArgumentError(f"{name}: takes no transformed parameters (it has no {PARAMS_FROM})")
        if params.fingerprint != plan.fingerprint:
            raise ArgumentError(
                f"{name}: expected parameters from {plan.name} ({plan.fingerprint[:12]}), got those of {params.transform} "
                f"({params.fingerprint[:12]})"
            )
        index, wanted = self.signature.params_index, self.signature.params
        values = params.values if index is None else [params.values[position] for position in index]
        # Weights that no transform changes, and those of a file, are still on the host.
        return self.signature.bundled([placed(value, param.type) for value, param in zip(values, wanted, strict=True)])

    def _take_memory(
        self, measured: _Measured, into: Destinations | None
    ) -> tuple[list[np.ndarray[Any, Any]], Workspaces]:
        """Returns memory for the results and workspaces of a call; raises `ArgumentError` where the machine has not so much."""
        boundary, dims = self._boundary, measured.dims
        try:
            outputs = boundary.allocate(measured.results, into)
            workspaces = take_workspaces(self._workspaces, boundary.workspaces, measured.workspaces)
        # Of numpy for sizes beyond the address space, of mmap for memory that there is not.
        except (MemoryError, ValueError, OSError):
            raise boundary.out_of_memory(dims) from None
        if measured.nbytes > memory.UNCHECKED:
            # A buffer takes memory where it is written, thus not yet.
            try:
                memory.require_memory(sum(buffer.nbytes for buffer in (*outputs, *workspaces)))
            except memory.OutOfMemoryError:
                raise boundary.out_of_memory(dims) from None
        return outputs, workspaces
