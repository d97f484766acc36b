"""Changes of a model before it is exported: parts are visited with their paths, and replaced."""

from __future__ import annotations

from typing import Any

from .containers import ModuleDict, ModuleList, ParameterDict, ParameterList
from .effects import Effect
from .module import Module
from .tensor import Parameter
from .tree import Node


class Mutator:
    """Replaces parts of a model: override a `visit_*`, which gets the dotted path and the part, and returns what stands in its place.

    ```python
    class Quantize(nn.Mutator):
        def visit_module(self, name: str, node: nn.Module) -> nn.Module:
            return QuantizedLinear(node) if isinstance(node, nn.Linear) else self.visit(name, node)

    model = Quantize().visit_module("", model)
    ```

    What holds others looks at these by `visit`, which is what every `visit_*` does unless it is overridden.
    """

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
        """Visits what a part holds, replaces it by what the visits return, and returns the part."""
        if isinstance(node, Node):
            for key, child in list(node.children()):
                after = self._visit_child(f"{name}.{key}" if name else key, child)
                if after is not child:
                    node.set_child(key, after)
        return node

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
