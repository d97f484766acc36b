"""A function of a module as a model of ONNX."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import onnx
from onnx import GraphProto, ModelProto, NodeProto, defs, helper
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, TupleType
from xdsl.ir import Attribute
from xdsl.utils.exceptions import PassFailedException

from ....dialects.relax.function_signature import (
    argument_attributes,
    argument_names,
    functions,
    result_attributes,
    return_op,
)
from ....dialects.relax.vocabulary.attributes import NAME, NAMES, NUM_INPUT
from ....passes.quantization.qnn_legalize import QnnLegalizePass
from ....version import package_version
from ....whole_file import require_writable, whole_file
from ...model.problems import Problem, ProgramExportError, Unsupported, UnsupportedProgramError
from ...model.stored_weights import Params, exported_function, require_fit, stored_weights
from .function import FunctionExporter
from .nodes import Nodes
from .values import Value, element_of, flattened, leaves_of, rebuilt, value_info

LEAST_OPSET = 19
EXTERNAL = 64 * 2**20
"""Weights of more bytes in all are written to a file beside that of the model."""


def to_onnx(module: ModuleOp, *, params: Params | None = None, opset: int = 21, entry: str = "main") -> ModelProto:
    """Returns a function of a module, with all that it calls, as a model of ONNX.

    Arguments become inputs under their external names (`relax.name`) or those in the text, symbolic dims `dim_param`; fields of tuples
    are inputs of their own, a shape is a vector of i64. `params` are stored in the model in the place of the arguments of their names.
    Raises `UnsupportedProgramError` with everything that has no counterpart, and `ProgramExportError` for a name, an opset or a weight
    that does not fit.
    """
    latest = defs.onnx_opset_version()
    if not LEAST_OPSET <= opset <= latest:
        raise ProgramExportError(f"opset must be from {LEAST_OPSET} to {latest}, got {opset}")
    module = module.clone()
    try:
        QnnLegalizePass().apply(Context(), module)
    except PassFailedException as error:
        raise UnsupportedProgramError([Problem("relax.qnn", str(error), entry)]) from None
    function = exported_function(module, entry)
    by_name = {function.sym_name.data: function for function in functions(module)}
    model = _ModelExporter(function, by_name, params, opset).model()
    model.producer_name, model.producer_version = "xdsl-relax", package_version()
    return model


def save_model(model: ModelProto, path: str | Path) -> None:
    """Writes a model; weights of more than `EXTERNAL` bytes in all to `<path>.data`. Files of these names are kept on an error."""
    path = Path(path)
    if sum(len(tensor.raw_data) for tensor in model.graph.initializer) <= EXTERNAL:
        with whole_file(path) as stream:
            stream.write(model.SerializeToString())
        return
    data = path.with_name(f"{path.name}.data")
    require_writable(path)
    try:
        # The library appends to a file that is there.
        with TemporaryDirectory(dir=path.parent) as folder:
            draft = Path(folder, path.name)
            onnx.save_model(model, draft, save_as_external_data=True, location=data.name, size_threshold=1024)
            with whole_file(path) as stream:
                stream.write(draft.read_bytes())
                draft.with_name(data.name).replace(data)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from None


class _ModelExporter:
    """The graph of one function, with its inputs and outputs."""

    def __init__(self, function: func.FuncOp, by_name: Mapping[str, func.FuncOp], params: Params | None, opset: int):
        self.function = function
        self.nodes = Nodes(opset)
        self.exporter = FunctionExporter(self.nodes, by_name)
        self._params = params
        self._inputs: list[onnx.ValueInfoProto] = []
        self._problems = self.exporter.problems

    def model(self) -> ModelProto:
        """Returns the model."""
        arguments = self._arguments()
        results: Sequence[Value] = []
        if not self._problems:
            try:
                results = self.exporter.run(self.function, arguments)
            except Unsupported as error:
                self._problems.append(Problem("func.func", str(error), f"@{self.function.sym_name.data}"))
        if self._problems:
            raise UnsupportedProgramError(self._problems)
        outputs = self._outputs(results)
        name = self.function.sym_name.data
        if not outputs:
            raise ProgramExportError(f"@{name} has no results, expected at least one: a model of ONNX has outputs")
        graph = helper.make_graph(self.nodes.graph.nodes, name, self._inputs, outputs, self.nodes.initializers)
        opsets = [helper.make_opsetid("", self.nodes.opset)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=helper.find_min_ir_version_for(opsets))

    def _arguments(self) -> list[Value]:
        """Returns the arguments as values, each an input or a stored tensor."""
        stored = self._stored()
        values: list[Value] = []
        for name, labels, value_type in self._named_arguments():
            try:
                names = [
                    self._argument(label, leaf, stored)
                    for label, leaf in zip(labels, leaves_of(value_type), strict=True)
                ]
                values.append(rebuilt(value_type, iter(names)))
            except Unsupported as error:
                self._problems.append(Problem("argument", str(error), name))
        return values

    def _named_arguments(self) -> list[tuple[str, list[str], Attribute]]:
        """Returns for each argument its name, the names of the inputs that it becomes, and its type."""
        named: list[tuple[str, list[str], Attribute]] = []
        entries = zip(argument_attributes(self.function), argument_names(self.function), strict=True)
        for (entry, text), argument in zip(entries, self.function.body.block.args, strict=True):
            name = NAME.of(entry) or text
            labels = [name]
            if isinstance(argument.type, TupleType):
                count = len(leaves_of(argument.type))
                fields = NAMES.of(entry)
                labels = list(fields) if fields and len(fields) == count else [f"{name}.{i}" for i in range(count)]
            named.append((name, labels, argument.type))
        return named

    def _argument(self, label: str, leaf: Attribute, stored: Params) -> str:
        element = element_of(leaf)
        name = self.nodes.define(self.nodes.name(label), element)
        if label not in stored:
            self._inputs.append(value_info(name, leaf, element))
            return name
        array = np.asarray(stored[label])
        require_fit(label, array, leaf)
        self.nodes.store(name, array)
        return name

    def _stored(self) -> Params:
        """Returns the weights that are given."""
        return stored_weights(
            [labels for _, labels, _ in self._named_arguments()], NUM_INPUT.of(self.function), self._params
        )

    def _outputs(self, results: Sequence[Value]) -> list[onnx.ValueInfoProto]:
        """Returns the outputs, under names of their own."""
        nodes = self.nodes
        infos: list[onnx.ValueInfoProto] = []
        renamed: dict[str, str] = {}
        made = {output for node in nodes.graph.nodes for output in node.output}
        returned = return_op(self.function).operands
        for index, (value, operand, entry) in enumerate(
            zip(results, returned, result_attributes(self.function), strict=True)
        ):
            names = flattened(value, self.exporter.sizes)
            for part, (name, leaf) in enumerate(zip(names, leaves_of(operand.type), strict=True)):
                stem = NAME.of(entry) or f"result_{index}"
                label = stem if len(names) == 1 else f"{stem}.{part}"
                output = nodes.name(label)
                if name in made and name not in renamed:
                    renamed[name] = output
                else:
                    output = nodes.emit_as("Identity", renamed.get(name, name), output, nodes.element(name))
                infos.append(value_info(output, leaf, nodes.element(name)))
        _rename(nodes.graph.nodes, renamed)
        return infos


def _rename(nodes: Sequence[NodeProto], names: Mapping[str, str]) -> None:
    """Renames values in nodes and in the bodies inside of them."""
    for node in nodes:
        for values in (node.input, node.output):
            for index, name in enumerate(values):
                if name in names:
                    values[index] = names[name]
        if node.name in names:
            node.name = names[node.name]
        for attribute in node.attribute:
            if attribute.HasField("g"):
                _rename_in(attribute.g, names)


def _rename_in(graph: GraphProto, names: Mapping[str, str]) -> None:
    _rename(graph.node, names)
