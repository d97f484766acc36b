"""Changes of a model before it is exported: parts are visited with their paths, and replaced."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from xdsl.ir import SSAValue

from ...dialects.nearest_name import suggestion
from .containers import ModuleDict, ModuleList, ParameterDict, ParameterList
from .conversions import replaced_in
from .effects import Effect
from .errors import ModelError, listed
from .module import Module
from .scope import is_expression
from .tensor import Parameter, Tensor
from .tree import Node, walk


@dataclass
class _Visits:
    """What a mutator has replaced so far in the model that it visits."""

    results: dict[int, tuple[Any, Any]] = field(default_factory=dict[int, tuple[Any, Any]])
    """For each part that was visited, by its identity: the part, which so lives on, and what stands in its place."""
    open_parts: set[int] = field(default_factory=set[int])
    """The parts whose visits are not complete."""


class Mutator:
    """Replaces parts of a model: override a `visit_*`, which gets the dotted path and the part, and returns what stands in its place.

    ```python
    class Quantize(nn.Mutator):
        def visit_module(self, name: str, node: nn.Module) -> nn.Module:
            return QuantizedLinear(node) if isinstance(node, nn.Linear) else self.visit(name, node)

    model = Quantize().visit_module("", model)
    ```

    What holds others looks at these by `visit`, which is what every `visit_*` does unless it is overridden. A part that is met on several
    paths is visited on the first of them, and replaced on all. Weights that are expressions of replaced parameters become expressions
    of what stands in place of these.
    """

    _visits: _Visits | None = None

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        known = [name for name in dir(Mutator) if name.startswith("visit_")]
        for name in vars(cls):
            if name.startswith("visit_") and name not in known:
                near = suggestion(name, known)
                raise ModelError(f"{cls.__name__}: nothing calls {name!r}{near}; a mutator has {listed(known)}")

    def visit_module(self, name: str, node: Any) -> Any:
        """Returns what stands in place of a module that is no list or dict."""
        return self.visit(name, node)

    def visit_effect(self, name: str, node: Any) -> Any:
        """Returns what stands in place of an effect."""
        return self.visit(name, node)

    def visit_param(self, name: str, node: Any) -> Any:
        """Returns what stands in place of a parameter."""
        return self.visit(name, node)

    def visit_moduledict(self, name: str, node: Any) -> Any:
        """Returns what stands in place of a dict of modules."""
        return self.visit(name, node)

    def visit_modulelist(self, name: str, node: Any) -> Any:
        """Returns what stands in place of a list of modules."""
        return self.visit(name, node)

    def visit_parameterdict(self, name: str, node: Any) -> Any:
        """Returns what stands in place of a dict of parameters."""
        return self.visit(name, node)

    def visit_parameterlist(self, name: str, node: Any) -> Any:
        """Returns what stands in place of a list of parameters."""
        return self.visit(name, node)

    def visit(self, name: str, node: Any) -> Any:
        """Visits what a part holds, replaces it by what the visits return, and returns the part.

        Raises `ModelError` for a part that contains itself, and for an expression that what replaces its parameters does not fit.
        """
        if not isinstance(node, Node):
            return node
        with self._visiting() as (visits, is_outermost):
            visits.open_parts.add(id(node))
            for key, child in list(node.children()):
                path = f"{name}.{key}" if name else key
                if isinstance(child, Node) and id(child) in visits.open_parts:
                    raise ModelError(f"module {path!r} contains itself")
                if id(child) not in visits.results:
                    visits.results[id(child)] = child, self._visit_child(path, child)
                _, after = visits.results[id(child)]
                if after is not child:
                    self._require_part(path, child, after)
                    node.set_child(key, after)
            visits.open_parts.discard(id(node))
            if is_outermost:
                _replace_in_expressions(node, visits)
        return node

    def _require_part(self, name: str, before: Any, after: Any) -> None:
        """Raises a `ModelError` if what was returned cannot stand in place of a parameter."""
        if isinstance(before, Parameter) and not isinstance(after, Tensor | Module | None):
            expected = f"a tensor, a module or None in place of the parameter {name!r}"
            raise ModelError(f"{type(self).__name__}.visit_param: expected {expected}, got {after!r}")

    @contextmanager
    def _visiting(self) -> Generator[tuple[_Visits, bool], None, None]:
        """Yields what is known of the model that is being visited, and whether this is the first visit."""
        if self._visits is not None:
            yield self._visits, False
            return
        self._visits = _Visits()
        try:
            yield self._visits, True
        finally:
            self._visits = None

    def _visit_child(self, name: str, child: Any) -> Any:
        match child:
            case ModuleDict():
                return self.visit_moduledict(name, child)
            case ModuleList():
                return self.visit_modulelist(name, child)
            case ParameterDict():
                return self.visit_parameterdict(name, child)
            case ParameterList():
                return self.visit_parameterlist(name, child)
            case Module():
                return self.visit_module(name, child)
            case Effect():
                return self.visit_effect(name, child)
            case Parameter():
                return self.visit_param(name, child)
            case _:
                return child


def _replace_in_expressions(root: Node, visits: _Visits) -> None:
    """Puts what replaces parameters into the expressions that a model holds."""
    known: dict[SSAValue, SSAValue] = {}
    for before, after in visits.results.values():
        if isinstance(before, Parameter) and isinstance(after, Tensor) and before is not after:
            known[before.value] = after.value
    for tensor in _expressions(root) if known else ():
        tensor.value = replaced_in(tensor.value, known)


def _expressions(root: Node) -> Iterator[Tensor]:
    for _, tensor in walk(root, Tensor):
        if not isinstance(tensor, Parameter) and is_expression(tensor.value):
            yield tensor
