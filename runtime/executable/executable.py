"""Native executables: calling compiled functions with numpy arrays."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any

import numpy as np

from ...dialects.nearest_name import suggestion
from ...dialects.relax.attrs import HOST
from ...dialects.relax.vocabulary.attributes import PARAMS_FROM
from ...dialects.relax.vocabulary.call_words import INTERRUPTED, LOOK, VALUES, WORDS
from ...interpreter.host import memory
from ...interpreter.host.arrays import Convert, Library, converter_like, converter_to
from ...interpreter.host.device import DeviceArray, placed
from ...interpreter.host.errors import ArgumentError
from ...interpreter.host.keywords import bind_names
from ..interface.record import FunctionInterface, Interface, SteppedFunction, TransformPlan
from ..machine.forks import require_threads
from ..machine.jit import ForeignModule, NativeModule
from ..machine.signals import give_back, take_look
from ..machine.threads import apply_num_threads
from ..params.parameter_set import ParameterSet, Source, load_set, run_transform, save_set
from ..params.params import match_params
from .arguments import Signature
from .boundary import Boundary
from .call_frame import call_frame, current_frame
from .destinations import Destinations
from .leaf import address
from .profiling import Profiling, profile_of, require_recorder
from .results import ResultMemory
from .shown import PythonSignature, function_help, function_text, params_name
from .workspaces import WorkspacePool, Workspaces, take_workspaces

if TYPE_CHECKING:
    from ..profile.profile import Profile
    from ..profile.recorder import Recorder

_SHAPE_FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)
_ENTRY = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
_WORDS = ctypes.c_int64 * WORDS


class ExecutionError(RuntimeError):
    """An assertion of the program failed while it ran."""


_PLAIN = frozenset((np.ndarray, DeviceArray, ParameterSet, int, float, bool, NoneType))
"""Types of arguments that say nothing of the library whose arrays the caller wants."""


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
        self._boundary = boundary
        self._module = module
        self._assertions = interface.assertions
        self._pointers = ctypes.c_void_p * boundary.buffers
        self._workspaces = pool.kept_for(boundary.workspaces)
        self._result_memory = results

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
        values = self._run(args, named, out, results)
        if len(values) == 1:
            return values[0]
        return values or None

    def call(self, /, *args: Any, out: Any = None, results: Library | None = None, **named: Any) -> tuple[Any, ...]:
        """Calls the function; returns its results as a tuple."""
        return self._run(args, named, out, results)

    def _run(
        self, args: tuple[Any, ...], named: Mapping[str, Any], out: Any, results: Library | None
    ) -> tuple[Any, ...]:
        if self._recorder is not None:
            return self._recorder.timed(self.__name__, lambda: self._run_in_frame(args, named, out, results))
        return self._run_in_frame(args, named, out, results)

    def _run_in_frame(
        self, args: tuple[Any, ...], named: Mapping[str, Any], out: Any, results: Library | None
    ) -> tuple[Any, ...]:
        if not self._needs_frame:
            return self._call(args, named, out, results)
        with call_frame():
            return self._call(args, named, out, results)

    def _call(
        self, args: Sequence[Any], named: Mapping[str, Any], out: Any, results: Library | None
    ) -> tuple[Any, ...]:
        if named:
            args = self._bound(args, named)
        convert = None
        if results is not None:
            convert = converter_to(results)
        elif not _PLAIN.issuperset(map(type, args)):
            convert = converter_like(args)
        return self.call_with_leaves(self.leaves_of(args), convert, out)

    def call_with_leaves(
        self, leaves: Sequence[np.ndarray[Any, Any]], convert: Convert | None = None, out: Any = None
    ) -> tuple[Any, ...]:
        """Calls the function with an array for each value of its arguments, all of which fit; the call frame is there already."""
        boundary = self._boundary
        dims = self._measure(leaves)
        base = ctypes.addressof(dims)
        into = None if out is None else boundary.destinations(out, leaves, dims)
        outputs, workspaces = self._take_memory(dims, into)
        if self._threads != 1:
            require_threads()
            if self._threads == 0:
                apply_num_threads()
        pointers = self._pointers(*map(address, leaves), *map(address, outputs), *map(address, workspaces[1:]))
        words, look = _WORDS(), take_look()
        if look is not None:
            words[LOOK] = look.address
        status = self._entry(ctypes.addressof(pointers), base, address(workspaces[0]), ctypes.addressof(words))
        self._workspaces.append(workspaces)
        if look is not None:
            give_back(look)
            if status == INTERRUPTED:
                raise look.error()
        if self._needs_frame and (error := current_frame().error) is not None:
            raise error
        if status:
            raise ExecutionError(self._assertions[status - 1].text(words[:VALUES], boundary.argument_sizes(dims)))
        return boundary.unflatten(leaves, outputs, dims, convert, into)

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
        return sum(self._measure(leaves)[-len(self._boundary.workspaces) :])

    def leaves_of(self, args: Sequence[Any]) -> list[np.ndarray[Any, Any]]:
        """Returns the arrays of a call, one for each value of its arguments."""
        if args and type(args[-1]) is not np.ndarray and isinstance(args[-1], ParameterSet | Mapping):
            args = (*args[:-1], *self._parameters(args[-1]))
        return self._boundary.flatten(args)

    def _measure(self, leaves: Sequence[np.ndarray[Any, Any]]) -> ctypes.Array[ctypes.c_int64]:
        """Returns all sizes of a call: of arguments, results and workspaces."""
        boundary = self._boundary
        dims = boundary.dims(leaves)
        base = ctypes.addressof(dims)
        violated = self._shape(base, base + 8 * boundary.input_dims)
        if violated:
            raise boundary.violation(violated - 1, dims)
        return dims

    def _parameters(self, params: ParameterSet | Mapping[str, Any]) -> Sequence[Any]:
        """Returns the arguments that a parameter set, or parameters by name, stand for; raises `ArgumentError` where they do not fit."""
        name, plan = self._boundary.name, self._plan
        if not isinstance(params, ParameterSet):
            if plan is not None:
                raise ArgumentError(
                    f"{name}: expected what transform_params makes of the parameters, got {type(params).__name__}"
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
        self, dims: ctypes.Array[ctypes.c_int64], into: Destinations | None
    ) -> tuple[list[np.ndarray[Any, Any]], Workspaces]:
        """Returns memory for the results and workspaces of a call; raises `ArgumentError` where the machine has not so much."""
        boundary = self._boundary
        sizes = dims[-len(boundary.workspaces) :]
        try:
            outputs = boundary.allocate(dims, into)
            workspaces = take_workspaces(self._workspaces, boundary.workspaces, sizes)
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


class SteppedNativeFunction(NativeFunction):
    """A public function whose memory depends on data: each of its steps is called with memory for the sizes that those before it found."""

    def __init__(
        self,
        interface: Interface,
        function: SteppedFunction,
        module: NativeModule | ForeignModule,
        code: bytes,
        plan: TransformPlan | None,
        pool: WorkspacePool,
        results: ResultMemory,
        recorder: Recorder | None,
    ):
        host = (HOST.label,)
        whole = FunctionInterface(function.signature, "", "", (), (), host)
        super().__init__(interface, whole, module, code, plan, pool, results, recorder)
        native = {native.signature.name: native for native in interface.functions}
        self._steps = [
            (
                NativeFunction(
                    interface,
                    step_interface(self._boundary, function, native[step.function]),
                    module,
                    code,
                    None,
                    pool,
                    results,
                    recorder,
                ),
                step,
            )
            for step in function.steps
        ]
        self._results = function.results
        last_use = {value: number for number, (_, step) in enumerate(self._steps) for value in step.arguments}
        self._dropped = [
            [value for value, last in last_use.items() if last == number and value not in function.results]
            for number in range(len(self._steps))
        ]
        """The values that no step behind this one reads."""

    def call_with_leaves(
        self, leaves: Sequence[np.ndarray[Any, Any]], convert: Convert | None = None, out: Any = None
    ) -> tuple[Any, ...]:
        values: list[Any] = list(leaves)
        for _ in self._calls(values):
            pass
        return self._boundary.results_of_steps([values[number] for number in self._results], convert, out)

    def workspace_bytes(self, *args: Any) -> int:
        """Returns the bytes that the step with the largest need takes for what it computes on the way; calls the function to know."""
        with call_frame():
            return max(step.workspace_of_leaves(taken) for step, taken in self._calls(list(self.leaves_of(args))))

    def _calls(self, values: list[Any]) -> Iterator[tuple[NativeFunction, list[np.ndarray[Any, Any]]]]:
        """Yields each step with what it takes, then calls it and adds its results to the values; those that nothing reads become `None`."""
        for (step, called), dropped in zip(self._steps, self._dropped, strict=True):
            taken = [values[number] for number in called.arguments]
            yield step, taken
            values += map(np.asarray, step.call_with_leaves(taken))
            for number in dropped:
                values[number] = None


def step_interface(whole: Boundary, function: SteppedFunction, step: FunctionInterface) -> FunctionInterface:
    """Returns the interface of a step with the name and the arguments of the function that it is a step of, for errors to name."""
    called = next(called for called in function.steps if called.function == step.signature.name)
    arguments = step.signature.arguments
    if called is function.steps[0]:
        arguments = function.signature.arguments
    else:
        labels = whole.leaf_labels
        arguments = tuple(
            replace(argument, name=labels[number]) if number < len(labels) else argument
            for number, argument in zip(called.arguments, arguments, strict=True)
        )
    return replace(step, signature=replace(step.signature, name=function.signature.name, arguments=arguments))


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
        packed: dict[str, Callable[..., Any]] | None = None,
        recorder: Recorder | None = None,
    ):
        self._recorder = recorder
        self._packed = {} if packed is None else packed
        self.interface = interface
        self.module = module
        self.code = code
        functions = (*interface.functions, *interface.stepped)
        self._signatures = {function.signature.name: function.signature for function in functions}
        self._plans = {plan.name: plan for plan in interface.transforms}
        self._pool = WorkspacePool()
        self._results = ResultMemory()
        self._parts = {part.function for plan in self._plans.values() for part in plan.parts}
        self._parts |= {step.function for function in interface.stepped for step in function.steps}

        def memory_of(signature: Signature) -> ResultMemory:
            # What a transform makes is of the size of weights, and it is run once.
            return ResultMemory(False) if signature.name in (*self._plans, *self._parts) else self._results

        def plan_of(signature: Signature) -> TransformPlan | None:
            return self._plans.get(signature.params_from or "")

        self._functions = {
            function.signature.name: NativeFunction(
                interface,
                function,
                module,
                code,
                plan_of(function.signature),
                self._pool,
                memory_of(function.signature),
                recorder,
            )
            for function in interface.functions
        }
        for function in interface.stepped:
            self._functions[function.signature.name] = SteppedNativeFunction(
                interface,
                function,
                module,
                code,
                plan_of(function.signature),
                self._pool,
                memory_of(function.signature),
                recorder,
            )

    def bind_packed(self, functions: Mapping[str, Callable[..., Any]]) -> None:
        """Gives the program functions of its own, by the names that it calls them by: they come before those of `register_packed`."""
        self._packed.update(functions)

    @contextmanager
    def profiling(self) -> Generator[Profiling, None, None]:
        """Records all that this thread calls inside, transforms of parameters as well; `profile` is there at the end.

        The program must be compiled with `profile=True`.
        """
        profiling = Profiling()
        with require_recorder(self._recorder).recording() as taken:
            yield profiling
        profiling.profile = profile_of(taken[0], self.interface.threads)

    def __repr__(self) -> str:
        """Returns the functions with the names, types and symbols of their arguments."""
        count = f"{len(self)} function{'' if len(self) == 1 else 's'}"
        lines = [
            f"<Executable of {count} for {self.interface.target}",
            *(function_text(self._signatures[n]) for n in self),
        ]
        return "\n  ".join(lines) + ">"

    @property
    def workspace_bytes(self) -> int:
        """The bytes of memory that the functions keep for their next call; they share them."""
        return self._pool.nbytes + self._results.nbytes

    def release(self) -> None:
        """Gives the memory that the functions keep for their next call back to the system."""
        self._pool.release()
        self._results.release()

    def __copy__(self) -> Executable:
        return self

    def __deepcopy__(self, memo: object) -> Executable:
        return self

    def __getitem__(self, name: str) -> NativeFunction:
        if name not in self._functions:
            near = suggestion(str(name), self)
            raise KeyError(f"no function {name!r}{near}; the executable has {', '.join(self)}")
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
        try:
            return run_transform(
                plan,
                signature,
                lambda name, *args: self._call_placed(name, args),
                source,
                self._value_names(plan),
                consume=consume,
                progress=progress,
            )
        finally:
            # What a transform takes is of the size of weights, and it is run once.
            self.release()

    def _value_names(self, plan: TransformPlan) -> tuple[str, ...]:
        """Returns what the functions that take the results of a transform call them."""
        names = [f"result_{index}" for index in range(plan.results)]
        for signature in self._signatures.values():
            if signature.params_from == plan.name:
                index = signature.params_index or range(plan.results)
                for position, param in zip(index, signature.params, strict=False):
                    names[position] = param.label
        return tuple(names)

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
        plan = self._plan(transform)
        return load_set(plan, path, self._value_names(plan))

    def _plan(self, transform: str | None) -> TransformPlan:
        if transform is None and len(self._plans) == 1:
            return next(iter(self._plans.values()))
        names = ", ".join(self._plans) or "none"
        if transform is None:
            raise ArgumentError(f"choose one of the transforms of the module: {names}")
        if transform not in self._plans:
            raise ArgumentError(f"no transform {transform!r}; the module has {names}")
        return self._plans[transform]
