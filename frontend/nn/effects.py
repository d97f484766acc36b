"""Effects: state that every method of a model takes and returns, such as a cache, or the order of what is printed."""

from __future__ import annotations

from collections.abc import Sequence

from ...builder.types import Size
from ...dialects.relax.attrs import ObjectType
from .annotations import checked
from .errors import ModelError
from .marks import ARGUMENT
from .python_calls import call_python
from .scope import current_scope, emit, placeholder_value
from .tensor import Object, Tensor, Value, get_default_dtype, tensor_type


class Effect:
    """State that methods thread through: an argument of each, and a result of each, in place of a side effect."""

    def emit_init(self, name_hint: str) -> list[Value]:
        """Inserts ops that make the first state, into the function `_initialize_effect`."""
        raise NotImplementedError(f"{type(self).__name__} has no emit_init")

    def create(self, name_hint: str) -> list[Value]:
        """Returns placeholders of the state, which tell the names and types of the arguments."""
        raise NotImplementedError(f"{type(self).__name__} has no create")

    def set_state(self, state_vars: Sequence[Value]) -> None:
        """Sets the state when a method begins."""
        raise NotImplementedError(f"{type(self).__name__} has no set_state")

    def finalize(self) -> list[Value]:
        """Returns the state at the end of a method, and forgets it."""
        raise NotImplementedError(f"{type(self).__name__} has no finalize")

    def to(self, dtype: str | None = None) -> None:
        """Changes the dtype of the state; most have none."""


class _ObjectEffect(Effect):
    """An effect whose state is one object."""

    @property
    def state(self) -> Object:
        """The state where the method stands. Raises `ModelError` outside of a method that is being exported."""
        # The state belongs to the export, so that one that fails, or another at the same time, leaves nothing behind here.
        scope = current_scope()
        if scope is None or id(self) not in scope.program.states:
            raise ModelError(f"{type(self).__name__} is used outside of an export: it has no state")
        return scope.program.states[id(self)]

    @state.setter
    def state(self, state: Object) -> None:
        scope = current_scope()
        if scope is None:
            raise ModelError(f"{type(self).__name__} is used outside of an export: it has no state")
        scope.program.states[id(self)] = state

    def create(self, name_hint: str) -> list[Value]:
        return [Object(placeholder_value(ObjectType(), name_hint))]

    def set_state(self, state_vars: Sequence[Value]) -> None:
        (state,) = state_vars
        assert isinstance(state, Object)
        self.state = state

    def finalize(self) -> list[Value]:
        state = self.state
        scope = current_scope()
        assert scope is not None
        del scope.program.states[id(self)]
        return [state]


class IOEffect(_ObjectEffect):
    """The order of what a model prints, and of the debug functions that it calls; `export(..., debug=True)` makes one."""

    def emit_init(self, name_hint: str) -> list[Value]:
        return [Object(emit("null_value", name=f"{name_hint}.io"))]

    def create(self, name_hint: str) -> list[Value]:
        return super().create(f"{name_hint}.io")


class KVCache(_ObjectEffect):
    """Rows of keys or values that methods append to: `append(k)`, then `view(n)` for all `n` of them."""

    @checked
    def __init__(self, init_seq_len: int, unit_shape: Sequence[int], dtype: str | None = None):
        """Makes a cache that is empty at first, with room for `init_seq_len` rows of a shape: no limit, it grows when they are used up."""
        sizes = [init_seq_len, *unit_shape]
        if not all(isinstance(size, int) and 0 <= size < 1 << 31 for size in sizes):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ModelError(f"expected sizes from 0 to 2^31 - 1 for a cache, got {sizes}")
        self.init_seq_len = init_seq_len
        self.unit_shape = list(unit_shape)
        self.dtype = get_default_dtype() if dtype is None else dtype
        tensor_type(self.unit_shape, self.dtype, ARGUMENT, "KVCache")

    def emit_init(self, name_hint: str) -> list[Value]:
        shape = [self.init_seq_len, *self.unit_shape]
        zeros = Tensor(emit("zeros", shape, dtype=self.dtype))
        create = "vm.builtin.attention_kv_cache_create"
        return [Object(call_python(create, [zeros, tuple(shape), 0], [ObjectType()], name=name_hint))]

    def append(self, new_element: Tensor) -> None:
        """Appends rows, or one row. Raises `ModelError` for what is no tensor, has another dtype, or is known to have another shape."""
        if not isinstance(new_element, Tensor):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ModelError(f"expected a tensor for the cache, got {type(new_element).__name__}")
        if new_element.dtype != self.dtype:
            raise ModelError(f"expected a tensor of dtype {self.dtype} for the cache, got {new_element.dtype}")
        shape, rank = new_element.shape, len(self.unit_shape)
        row = shape[len(shape) - rank :]
        differ = (a != b for a, b in zip(row, self.unit_shape, strict=False) if isinstance(a, int))
        if len(shape) not in (rank, rank + 1) or any(differ):
            raise ModelError(
                f"expected rows of shape {list(self.unit_shape)} for the cache, got a tensor of shape {list(shape)}"
            )
        name = self.state.value.name_hint
        append = "vm.builtin.attention_kv_cache_append"
        arguments = [self.state, new_element]
        self.state = Object(call_python(append, arguments, [ObjectType()], name=name, inplace_indices=[0]))

    def view(self, seq_len: int | Size) -> Tensor:
        """Returns all rows, of which there must be `seq_len` when the program runs."""
        shape = (seq_len, *self.unit_shape)
        result = tensor_type(shape, self.dtype, ARGUMENT, "view of the cache")
        return Tensor(call_python("vm.builtin.attention_kv_cache_view", [self.state, shape], [result], name="view"))

    def to(self, dtype: str | None = None) -> None:
        if dtype is not None:
            tensor_type(self.unit_shape, dtype, ARGUMENT, "to")
            self.dtype = dtype
