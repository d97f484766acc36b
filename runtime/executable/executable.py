"""Native executables: calling compiled functions with numpy arrays."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from ...dialects.nearest_name import suggestion
from ...interpreter.host.device import Device, device_for, placed
from ...interpreter.host.errors import ArgumentError
from ...interpreter.host.value_types import flat_values
from ..interface.record import FunctionInterface, Interface, SteppedFunction, TransformPlan
from ..machine.jit import ForeignModule, NativeModule
from ..params.parameter_set import ParameterSet, Source, load_set, run_transform, save_set
from .native_function import NativeFunction
from .profiling import Profiling, profile_of, require_recorder
from .results import ResultMemory
from .shown import function_text
from .stepped_function import SteppedNativeFunction
from .workspaces import WorkspacePool

if TYPE_CHECKING:
    from ..profile.recorder import Recorder


def _require_devices(function: FunctionInterface | SteppedFunction) -> None:
    """Raises `DeviceError` for a device of an argument, a result or scratch memory that does not exist here."""
    signature = function.signature
    for label in {*function.workspaces} if isinstance(function, FunctionInterface) else ():
        Device.from_label(label)
    for value_type in flat_values([*(argument.type for argument in signature.arguments), *signature.results]):
        device_for(value_type)


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

        for function in functions:
            _require_devices(function)
        self._records = {function.signature.name: function for function in functions}
        self._made: dict[str, NativeFunction] = {}

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
        profiling.recorded = profile_of(taken[0], self.interface.threads)

    def __call__(self, *_: object, **__: object) -> NoReturn:
        """Raises `TypeError`: a module has functions, which are called by name."""
        named = f'exe["{next(iter(self), "main")}"](...)'
        raise TypeError(f"an executable is a mapping of functions, expected a call of one of them, such as {named}")

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
        made = self._made.get(name)
        if made is not None:
            return made
        if name not in self._records:
            near = suggestion(str(name), self)
            raise KeyError(f"no function {name!r}{near}; the executable has {', '.join(self)}")
        return self._made.setdefault(name, self._function(self._records[name]))

    def _function(self, record: FunctionInterface | SteppedFunction) -> NativeFunction:
        plan = self._plans.get(record.signature.params_from or "")
        # What a transform makes is of the size of weights, and it is run once.
        is_transform = record.signature.name in self._plans or record.signature.name in self._parts
        results = ResultMemory(False) if is_transform else self._results
        if isinstance(record, SteppedFunction):
            return SteppedNativeFunction(
                self.interface, record, self.module, self.code, plan, self._pool, results, self._recorder
            )
        return NativeFunction(self.interface, record, self.module, self.code, plan, self._pool, results, self._recorder)

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._records if name not in self._parts)

    def __len__(self) -> int:
        return len(self._records) - len(self._parts)

    def transform_params(
        self, source: Source, *, transform: str | None = None, consume: bool = False, progress: bool = True
    ) -> ParameterSet:
        """Runs the transform of parameters once; every function that takes its parameters from it accepts the result.

        `source` is a dict of arrays, or safetensors files (mapped into memory), with the names in `relax.name`. It is read part by
        part: of a file no more than the weights of one part are in memory; with `consume` arrays are taken out of the dict as soon
        as nothing needs them. Results that are weights as they are share the source's memory. `transform` names the function if
        the module has several. `progress` shows a bar on a terminal. Raises one `ArgumentError` that says which weights are
        missing, surplus or mis-shaped.
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

        Raises `ArgumentError` for anything that no transform of the module made. A file of that name is replaced at the end, or
        kept on an error.
        """
        if not isinstance(params, ParameterSet):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ArgumentError(f"params: expected what transform_params returned, got {type(params).__name__}")
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
            raise ArgumentError(f"the module has several transforms: expected transform=NAME, one of {names}")
        if transform not in self._plans:
            raise ArgumentError(f"no transform {transform!r}; the module has {names}")
        return self._plans[transform]
