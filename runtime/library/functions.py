"""The functions of a library as C sees them: names, the values that their arguments and results consist of, where parameters lie."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...dialects.relax.device_label import HOST_LABEL
from ...interpreter.host.errors import ArgumentError
from ...lowering.llvm.names import c_name
from ...records import record
from ..executable.arguments import Signature
from ..executable.boundary import Boundary
from ..executable.leaf import Leaf
from ..interface.record import FunctionInterface, Interface, PackedInterface, SteppedFunction

MAX_RANK = 8
"""The most dims of a tensor in C."""

DTYPES: Mapping[str, str] = {
    "float64": "F64",
    "float32": "F32",
    "float16": "F16",
    "bfloat16": "BF16",
    "int8": "I8",
    "int16": "I16",
    "int32": "I32",
    "int64": "I64",
    "uint8": "U8",
    "uint16": "U16",
    "uint32": "U32",
    "uint64": "U64",
    "bool": "BOOL",
}
"""What C calls the element types, in the order of its enumeration, by their names in numpy."""

SCALARS: Mapping[str, str] = {
    "float64": "double",
    "float32": "float",
    "float16": "uint16_t",
    "bfloat16": "uint16_t",
    "bool": "uint8_t",
    **{f"{sign}int{bits}": f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)},
}
"""The types of scalars in C."""


LOCALS = frozenset("params error inputs results frame dims buffers is_new status made values taken i".split())
"""What the definitions of functions call their own values."""

_TABLES = tuple("_inputs _results _violation _sizes _function _params _returned _last_use _known _steps".split())
"""What the names of the tables of a function end with."""

_OF_STEP = ("", "_inputs", "_results", "_violation", "_sizes", "_function", "_arguments")
"""What the names of the tables of a step end with."""

_OF_LIBRARY = tuple("_release _params _params_in _make_params _load_params _free_params _file _stored".split())
"""What the names of a library itself end with."""


@record
class CFunction:
    """A function of a library."""

    symbol: str
    record: FunctionInterface | SteppedFunction
    boundary: Boundary
    inputs: tuple[str | int, ...]
    """For each value of the arguments its name in C, or which of the parameters it is."""
    results: tuple[str, ...]
    """The name of each value of the results in C."""

    @property
    def signature(self) -> Signature:
        """The function as its callers see it."""
        return self.record.signature

    @property
    def takes_params(self) -> bool:
        """Whether it takes the handle of the parameters."""
        return any(isinstance(value, int) for value in self.inputs)

    def donor(self, result: int) -> int | None:
        """Returns the argument in whose memory a result lies."""
        return self.boundary.donated.get(result)

    def given(self) -> Iterator[tuple[Leaf, str]]:
        """Yields the values that a caller passes, with their names."""
        for leaf, name in zip(self.boundary.inputs, self.inputs, strict=True):
            if isinstance(name, str):
                yield leaf, name


def whole(function: FunctionInterface | SteppedFunction) -> FunctionInterface:
    """Returns a function as one call: one in steps has no entry of its own."""
    if isinstance(function, FunctionInterface):
        return function
    return FunctionInterface(function.signature, "", "", (), (), (HOST_LABEL,))


def entries(interface: Interface) -> list[FunctionInterface | SteppedFunction]:
    """Returns the functions that callers know: no parts of transforms, and no steps."""
    inner = {part.function for plan in interface.transforms for part in plan.parts}
    inner |= {step.function for function in interface.stepped for step in function.steps}
    outer = [function for function in interface.functions if function.signature.name not in inner]
    return [*outer, *interface.stepped]


def require_callable(interface: Interface) -> None:
    """Raises `ArgumentError` that lists all that keeps a program from being called without Python."""
    problems = [_called_text(packed) for packed in interface.packed]
    for function in entries(interface):
        boundary = Boundary(whole(function))
        leaves = (*boundary.inputs, *boundary.outputs)
        reasons = [(leaf.label, reason) for leaf in leaves if (reason := _needs_python(leaf)) is not None]
        problems += [f"{boundary.name}: '{label}' {reason}" for label, reason in reasons]
    for function in interface.functions:
        if any(label != HOST_LABEL for label in function.workspaces):
            problems.append(f"{function.signature.name}: computes on {', '.join(function.workspaces[1:])}")
    if problems:
        raise ArgumentError(f"only Python can call this program: {'; '.join(dict.fromkeys(problems))}")


def _called_text(packed: PackedInterface) -> str:
    """Returns a function of Python that a program calls, as an error lists it."""
    reason = f" ({packed.reason})" if packed.reason else ""
    if packed.runtime is not None:
        return f"{packed.place}function '{packed.runtime}' of Python{reason}"
    return f"{packed.place}packed function '{packed.name}'{reason}"


def _needs_python(leaf: Leaf) -> str | None:
    """Returns why C cannot pass a value, `None` if it can."""
    if leaf.is_object:
        return "is an object of Python"
    if not leaf.device.is_host:
        return f"is on device {leaf.device}"
    if leaf.rank > MAX_RANK:
        return f"has rank {leaf.rank}, of at most {MAX_RANK}"
    return None if leaf.dtype.name in DTYPES else f"has elements of {leaf.dtype}"


def c_functions(interface: Interface, prefix: str, params: Mapping[str, tuple[int, ...]]) -> list[CFunction]:
    """Returns the functions of a library whose names begin with a prefix.

    `params` has for each function with parameters where they are among those of the library; transforms of them are no functions.
    """
    taken = {f"{prefix}{suffix}" for suffix in _OF_LIBRARY}
    for function in interface.functions:
        taken |= {function.entry, function.shape_function}
    stored = {plan.name for plan in interface.transforms} if params else set[str]()
    called = [function for function in entries(interface) if function.signature.name not in stored]
    symbols = [_symbol(prefix, function, taken) for function in called]
    # Arguments hide what has their name in the file: all of its names are known.
    return [
        _function(symbol, function, params.get(function.signature.name, ()), {*LOCALS, *taken})
        for symbol, function in zip(symbols, called, strict=True)
    ]


def _symbol(prefix: str, function: FunctionInterface | SteppedFunction, taken: set[str]) -> str:
    """Returns the name of a function in C, and takes it with those of its tables."""
    steps = len(function.steps) if isinstance(function, SteppedFunction) else 0
    of_steps = (f"_step_{number}{suffix}" for number in range(steps) for suffix in _OF_STEP)
    return c_name(f"{prefix}_{function.signature.name}", taken, (*_TABLES, *of_steps))


def _function(
    symbol: str, function: FunctionInterface | SteppedFunction, own: tuple[int, ...], taken: set[str]
) -> CFunction:
    """Returns a function of which `own` are the parameters; its values have none of the names that are taken."""
    boundary = Boundary(whole(function))
    given = boundary.inputs[: len(boundary.inputs) - len(own)]
    inputs = [_value_name(leaf, leaf.label, taken) for leaf in given]
    return CFunction(symbol, function, boundary, (*inputs, *own), _result_names(boundary, taken))


def _result_names(boundary: Boundary, taken: set[str]) -> tuple[str, ...]:
    is_only = [leaf.label for leaf in boundary.outputs] == ["result 0"]
    return tuple(_value_name(leaf, "result" if is_only else leaf.label, taken) for leaf in boundary.outputs)


def _value_name(leaf: Leaf, label: str, taken: set[str]) -> str:
    """Returns the name of an argument or a result; a scalar has a variable beside it that describes it."""
    return c_name(label, taken, () if leaf.is_tensor else ("_value",))


def dtype_of(value: Any) -> str:
    """Returns what C calls the element type of an array or a value."""
    return f"RELAX_{DTYPES[value.dtype.name]}"
