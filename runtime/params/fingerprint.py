"""Fingerprints of transforms, by which parameters in files are known to be what a transform has made."""

from __future__ import annotations

from hashlib import sha256

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    DictionaryAttr,
    FunctionType,
    ModuleOp,
    StringAttr,
)
from xdsl.ir import Attribute, Operation, SSAValue

from ...dialects.relax.dense import dense_to_numpy
from ...dialects.walks import inner_blocks
from ...passes.analysis.attribute_table import AttributeTable
from ...passes.analysis.call_graph import call_graph, named_functions, reachable


class Fingerprints:
    """Digests of what functions compute, with those of the module that they call."""

    def __init__(self, module: ModuleOp):
        self._functions = named_functions(module)
        self._graph = call_graph(module)

    def of(self, function: func.FuncOp) -> str:
        """Returns the digest of a function of the module, which may have been changed outside of it.

        What values are called does not count; the names of parameters do, as they say what a weight is.
        """
        name = function.sym_name.data
        writer = _Writer()
        for reached in sorted(reachable(self._graph, [name])):
            writer.write(function if reached == name else self._functions[reached])
        return sha256("\n".join(writer.lines).encode()).hexdigest()


class _Writer:
    """Writes a line for each op: values as numbers, and each attribute as text that is made once."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._numbers: dict[SSAValue, int] = {}
        self._text = AttributeTable(self._written)

    def write(self, op: Operation) -> None:
        """Writes an op with what is inside of it."""
        operands = " ".join(str(self._number(value)) for value in op.operands)
        entries = [f"{name}={self._text(value)}" for name, value in sorted({**op.attributes, **op.properties}.items())]
        types = " ".join(self._text(result.type) for result in op.results)
        self.lines.append(f"{op.name}({operands}) {{{' '.join(entries)}}} : {types}")
        for result in op.results:
            self._number(result)
        for block in inner_blocks(op):
            self.lines.append(f"({' '.join(self._text(argument.type) for argument in block.args)}) {{")
            for argument in block.args:
                self._number(argument)
            for inner in block.ops:
                self.write(inner)
            self.lines.append("}")

    def _number(self, value: SSAValue) -> int:
        return self._numbers.setdefault(value, len(self._numbers))

    def _written(self, attribute: Attribute) -> str:
        match attribute:
            case ArrayAttr():
                return f"[{','.join(map(self._text, attribute.data))}]"
            case DictionaryAttr():
                return (
                    f"{{{','.join(f'{name}={self._text(value)}' for name, value in sorted(attribute.data.items()))}}}"
                )
            case StringAttr():
                return repr(attribute.data)
            case FunctionType():
                return f"{self._text(attribute.inputs)}->{self._text(attribute.outputs)}"
            case DenseIntOrFPElementsAttr():
                return f"{sha256(attribute.data.data).hexdigest()}:{self._text(attribute.type)}"
            case DenseResourceAttr():
                # The text only names the data.
                return sha256(np.ascontiguousarray(dense_to_numpy(attribute)).view(np.uint8).data).hexdigest()
            case _:
                return str(attribute)
