"""Graphs of ONNX to ops: nodes in order, their subgraphs, and the functions that they call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from onnx import AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto, TensorProto, TypeProto, defs
from xdsl.ir import SSAValue

from ...builder import ModuleBuilder
from ...builder.functions import FunctionBuilder
from ...dialects.relax.attrs import element_type_of
from ..model.inlining import MAX_INLINED
from ..model.inserter import REFUSALS
from ..model.locations import scoped_location
from ..model.problems import ConverterError, ModelImportError, Unsupported
from ..model.weights import Weights
from .attributes import attribute_value, require_count, require_declared, require_once
from .fold import folded
from .functions import domain_of, function_key, functions_of
from .names import label_of
from .node import Importer, Node, Output, Outputs
from .ops.rules import CONVERTERS, REASONS
from .tensors import Origin, read_sparse, read_tensor, tensor_shape
from .types import is_small, kind_of, storage
from .values import Failed, Optional, Tensor, Value
from .values import Sequence as TensorSequence

CONSTANT_ELEMENTS = 64
"""Integers and conditions of at most so many elements are constants of the program: axes, shapes and the like."""

SCOPES = ("pkg.torch.onnx.name_scopes", "namespace")
"""Where exporters write the modules that a node comes from, the outermost first."""


class GraphImporter(Importer):
    """Inserts what the nodes of a model become into a function."""

    def __init__(self, model: ModelProto, origin: Origin, modules: ModuleBuilder, function: FunctionBuilder):
        super().__init__(function, Weights())
        self.origin = origin
        self.modules = modules
        self._functions = functions_of(model)
        self._opsets = _opsets(model.opset_import)
        self._scope: dict[str, Value | None] = {}
        self._bindings: Mapping[str, AttributeProto] = {}
        self._path: list[str] = []
        self._nested = 0

    # Graphs

    def define(self, name: str, value: Value) -> None:
        """Gives a value a name in the graph under import."""
        self._scope[name] = value

    def initializers(self, graph: GraphProto) -> None:
        """Defines the tensors that a graph holds."""
        for proto in graph.initializer:
            self.define(proto.name, self.weight(proto, proto.name))
        for sparse in graph.sparse_initializer:
            name = sparse.values.name
            self.define(name, Tensor(known=read_sparse(sparse, self.origin)))

    def weight(self, proto: TensorProto, name: str) -> Tensor:
        """Returns a stored tensor: a constant of the program if it is small and no float, or a single element, else a parameter."""
        shape = tensor_shape(proto)
        count = int(np.prod(shape, dtype=np.int64))
        is_float = proto.data_type in (TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.FLOAT16, TensorProto.BFLOAT16)
        if count <= 1 or (count <= CONSTANT_ELEMENTS and not is_float) or proto.data_type == TensorProto.STRING:
            return Tensor(known=read_tensor(proto, self.origin), kind=proto.data_type)
        # A weight that is missing is told now, not when it is first used.
        read_tensor(proto, self.origin)
        key = name if self._scope_is_outermost() else "/".join((*self._path, name))
        return Tensor(kind=proto.data_type, weight=key, shape=shape, read=lambda: read_tensor(proto, self.origin))

    def _scope_is_outermost(self) -> bool:
        return not self._path

    def run(self, nodes: Iterable[NodeProto]) -> None:
        """Imports nodes in order; what has no counterpart is noted, and the import goes on."""
        for proto in nodes:
            self._import(proto)

    def output(self, name: str) -> Value:
        """Returns the value of a name in the graph under import."""
        value = self._read(name)
        if value is None:
            raise Unsupported(f"the operand '{name}' is left out, a result cannot be it")
        return value

    def _read(self, name: str) -> Value | None:
        """Returns the value of a name; `None` for an operand of a function that the call leaves out.

        A graph that a function is given as an attribute sees the values of the function.
        """
        if name not in self._scope:
            raise Unsupported(f"nothing defines '{name}' here")
        return self._scope[name]

    def run_graph(self, graph: GraphProto, inputs: Sequence[Value]) -> list[Value]:
        """Returns the outputs of a subgraph, which sees the values around it."""
        if len(graph.input) != len(inputs):
            raise Unsupported(f"the subgraph '{graph.name}' must have {len(inputs)} inputs, got {len(graph.input)}")
        outer, self._scope = self._scope, dict(self._scope)
        try:
            for info, value in zip(graph.input, inputs, strict=True):
                self.define(info.name, value)
            self.initializers(graph)
            self.run(graph.node)
            return [self.output(info.name) for info in graph.output]
        finally:
            self._scope = outer

    def _run_function(
        self, function: FunctionProto, node: Node, defaults: Mapping[str, AttributeProto] | None = None
    ) -> list[Value]:
        """Returns the outputs of a call of a function, which sees its operands and attributes alone."""
        outer = self._scope, self._bindings, self._opsets
        # A binding refers to attributes of the caller, so it is resolved before the scope changes.
        given = {item.name: item for item in self.bound_attributes(node.proto)}
        self._scope = dict.fromkeys(function.input)
        self._scope |= zip(function.input, node.inputs, strict=False)
        self._bindings = {**(defaults or {}), **{item.name: item for item in function.attribute_proto}, **given}
        self._opsets = {**self._opsets, **_opsets(function.opset_import)}
        try:
            self.run(function.node)
            return [self.output(name) if node.wants(index) else Failed() for index, name in enumerate(function.output)]
        finally:
            self._scope, self._bindings, self._opsets = outer

    # Nodes

    def bound_attributes(self, proto: NodeProto) -> list[AttributeProto]:
        """Returns the attributes of a node, those that refer to attributes of a function replaced by what the call gives."""
        bound: list[AttributeProto] = []
        for attribute in proto.attribute:
            if not attribute.ref_attr_name:
                bound.append(attribute)
            elif attribute.ref_attr_name in self._bindings:
                resolved = AttributeProto()
                resolved.CopyFrom(self._bindings[attribute.ref_attr_name])
                resolved.name = attribute.name
                bound.append(resolved)
        return bound

    def _import(self, proto: NodeProto) -> None:
        label = label_of(proto)
        domain = domain_of(proto.domain)
        what = f"{domain}.{proto.op_type}" if domain else proto.op_type or "node"
        metadata = {entry.key: entry.value for entry in proto.metadata_props}
        scopes = next((_scopes(metadata[key]) for key in SCOPES if key in metadata), ())
        self._count_nested()
        self._path.append(label)
        missing = Failed("the op has no such result")
        try:
            with self.modules.at(scoped_location(label, scopes or self._path[:-1])):
                inputs = [self._read(name) if name else None for name in proto.input]
                outputs = self._outputs(proto, domain, inputs)
        except REFUSALS as error:
            self.note(error, what, "/".join(self._path))
            outputs, missing = [], Failed()
        except (ModelImportError, MemoryError, RecursionError):
            raise
        except Exception as error:
            raise ConverterError(what, "/".join(self._path), error) from error
        finally:
            self._path.pop()
        for index, name in enumerate(proto.output):
            if name:
                self.define(name, outputs[index] if index < len(outputs) else missing)

    def _count_nested(self) -> None:
        """Counts a node inside of others; each function is inlined where it is called, and some loops are unrolled."""
        self._nested += bool(self._path)
        if self._nested > MAX_INLINED:
            raise ModelImportError(
                f"'{self._path[0]}' has more than {MAX_INLINED} nodes inside when its loops are unrolled"
            )

    def _outputs(self, proto: NodeProto, domain: str, inputs: Sequence[Value | None]) -> list[Value]:
        """Returns the outputs of a node: folded, as its converter has them, or by the definition of the op as a function."""
        # Invariant: an op without a counterpart is told also where its operands failed, so that one report has all of them.
        if not proto.op_type:
            raise Unsupported("the node has no op type")
        require_once(proto.attribute)
        opset = self._opsets.get(domain, 1)
        converter = CONVERTERS.get((domain, proto.op_type))
        function = self._functions.get(function_key(proto))
        schema = _schema(proto.op_type, opset, domain)
        if schema is not None and function is None:
            require_declared(schema, self.bound_attributes(proto))
            require_count(proto, (schema.min_input, schema.max_input), schema.max_output)
        if function is not None:
            require_count(proto, (0, len(function.input)), len(function.output))
        attributes = {item.name: attribute_value(item, self.origin) for item in self.bound_attributes(proto)}
        since = opset if schema is None else schema.since_version
        node = Node(self, proto, inputs, attributes, since, opset)
        has_body = schema is not None and (schema.has_function or schema.has_context_dependent_function)
        if converter is None and function is None and not has_body:
            reason = "the op has no counterpart"
            raise Unsupported(reason if domain else REASONS.get(proto.op_type, reason))
        failed = [item for item in inputs if isinstance(item, Failed)]
        if failed:
            raise Unsupported(failed[0].reason)
        origin = frozenset[str]().union(*(item.origin for item in inputs if isinstance(item, Tensor)))
        if function is not None:
            return self._run_function(function, node)
        known = folded(node)
        if known is not None:
            return list(known)
        if converter is None:
            body = _body(schema, opset, proto, self.bound_attributes(proto), inputs)
            return self._run_function(body, node, _defaults(schema))
        return [self._completed(item, node, origin) for item in _listed(converter(node))]

    def _completed(self, output: Output, node: Node, origin: frozenset[str]) -> Value:
        """Returns an output with its element type, named sizes, and the inputs of the model that it comes from."""
        if output is None:
            return Failed("the op has no such result here")
        if isinstance(output, SSAValue):
            value = self.named(output)
            value.name_hint = value.name_hint or None
            element = element_type_of(value.type)
            kinds = [item.kind for item in node.inputs if isinstance(item, Tensor)]
            small = next((kind for kind in kinds if is_small(kind) and storage(kind) == element), None)
            return Tensor(value=value, kind=kind_of(element) if small is None else small, origin=origin)
        if isinstance(output, Tensor) and output.value is not None:
            return Tensor(value=self.named(output.value), kind=output.kind, origin=origin | output.origin)
        return output


def _listed(outputs: Outputs) -> Sequence[Output]:
    if isinstance(outputs, list | tuple):
        return outputs
    return [outputs]  # pyright: ignore[reportReturnType]


def _opsets(imports: Iterable[Any]) -> dict[str, int]:
    return {domain_of(item.domain): item.version for item in imports}


def _scopes(text: str) -> tuple[str, ...]:
    """Returns the modules in a list that an exporter wrote; the last one is the node itself."""
    names = [name.strip(" '\"") for name in text.strip("[]").split("," if text.startswith("[") else "/")]
    return tuple(name for name in names if name)


def _schema(op: str, opset: int, domain: str) -> Any:
    try:
        return defs.get_schema(op, opset, domain)
    except defs.SchemaError:
        return None


def _body(
    schema: Any, opset: int, proto: NodeProto, attributes: Sequence[AttributeProto], inputs: Sequence[Value | None]
) -> FunctionProto:
    """Returns the definition of an op as a function."""
    body = FunctionProto()
    if schema.has_function:
        body.ParseFromString(
            schema.get_function_with_opset_version(_body_version(schema.function_opset_versions, opset))
        )
        return body
    versions = schema.context_dependent_function_opset_versions
    resolved = NodeProto()
    resolved.CopyFrom(proto)
    del resolved.attribute[:]
    resolved.attribute.extend(attributes)
    types = [_type_of(item).SerializeToString() for item in inputs]
    text = schema.get_context_dependent_function_with_opset_version(
        _body_version(versions, opset), resolved.SerializeToString(), types
    )
    body.ParseFromString(text)
    return body


def _defaults(schema: Any) -> dict[str, AttributeProto]:
    """Returns the attributes of an op that have a default."""
    given = ((name, attribute.default_value) for name, attribute in schema.attributes.items())
    return {name: value for name, value in given if value.name}


def _body_version(versions: Sequence[int], opset: int) -> int:
    """Returns the newest version of the operator set in which a function is written, but none that is newer than the model's."""
    return max((version for version in versions if version <= opset), default=min(versions))


def _type_of(value: Value | None) -> TypeProto:
    """Returns the type of a value, as definitions of functions ask for it."""
    made = TypeProto()
    match value:
        case Tensor():
            made.tensor_type.elem_type = value.kind
            made.tensor_type.shape.SetInParent()
            for dim in value.shape:
                entry = made.tensor_type.shape.dim.add()
                if isinstance(dim, int):
                    entry.dim_value = dim
                else:
                    entry.dim_param = str(dim)
        case TensorSequence():
            element = _type_of(value.items[0]) if value.items else TypeProto()
            if not value.items:
                element.tensor_type.elem_type = TensorProto.FLOAT
            made.sequence_type.elem_type.CopyFrom(element)
        case Optional() if value.item is not None:
            made.optional_type.elem_type.CopyFrom(_type_of(value.item))
        case _:
            pass
    return made
