"""Every converter of an op of ONNX, with operands of other numbers of dims and attributes of other values than it expects.

What is no program is a refusal: an exception of another kind inside of a converter is a `ConverterError`, and fails here.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="needs onnx")

from harness.onnx_models import info, model  # noqa: E402
from onnx import AttributeProto, GraphProto, TensorProto, defs, helper, numpy_helper  # noqa: E402
from xdsl_relax.frontend.model.problems import ConverterError, ModelImportError, UnsupportedModelError  # noqa: E402
from xdsl_relax.frontend.onnx import graph as graph_import  # noqa: E402
from xdsl_relax.frontend.onnx import import_onnx  # noqa: E402
from xdsl_relax.frontend.onnx.ops.rules import CONVERTERS  # noqa: E402

PARTS = 8

DEFINED = {schema.name for schema in defs.get_all_schemas_with_history() if not schema.domain}

SHAPES: Sequence[Sequence[int | str]] = ((), (3,), (2, 3), (0, 3, 0), ("n",))

KINDS = {
    "tensor(float)": TensorProto.FLOAT,
    "tensor(int64)": TensorProto.INT64,
    "tensor(int32)": TensorProto.INT32,
    "tensor(bool)": TensorProto.BOOL,
    "tensor(uint8)": TensorProto.UINT8,
    "tensor(int8)": TensorProto.INT8,
}
"""The types that operands have, the first one that an op takes."""


def subgraph(operands: int) -> GraphProto:
    inputs = [info(f"p{index}", None) for index in range(operands)]
    return helper.make_graph([helper.make_node("Identity", ["x0"], ["r"])], "inside", inputs, [info("r", None)])


VALUES: dict[int, Sequence[Any]] = {
    AttributeProto.INT: (0, -1, 3),
    AttributeProto.FLOAT: (0.0, math.nan, math.inf),
    AttributeProto.INTS: ([], [0], [-1, -1, -1], [1, 1]),
    AttributeProto.FLOATS: ([], [math.nan]),
    AttributeProto.STRING: ("nonsense",),
    AttributeProto.STRINGS: (["nonsense"],),
    AttributeProto.TENSOR: (numpy_helper.from_array(np.zeros(0, np.float32)),),
    AttributeProto.GRAPH: (subgraph(0), subgraph(3)),
}


def newest(op: str) -> Any:
    """Returns the newest definition of an op that is not deprecated."""
    versions = [s for s in defs.get_all_schemas_with_history() if s.name == op and s.domain == "" and not s.deprecated]
    return max(versions, key=lambda schema: schema.since_version)


def attributes_of(schema: Any) -> Iterator[dict[str, AttributeProto]]:
    """Yields what is required alone, then each value of each attribute besides it."""
    values = {
        name: [helper.make_attribute(name, value, attr_type=int(item.type)) for value in VALUES.get(int(item.type), ())]
        for name, item in schema.attributes.items()
    }
    required = {name: values[name][-1] for name, item in schema.attributes.items() if item.required and values[name]}
    yield required
    for name, given in values.items():
        yield from ({**required, name: value} for value in given)


def kinds_of(schema: Any, count: int) -> list[int]:
    """Returns element types of operands; those that share a variable are the same."""
    allowed = {item.type_param_str: item.allowed_type_strs for item in schema.type_constraints}
    texts = [schema.inputs[min(index, len(schema.inputs) - 1)].type_str for index in range(count)]
    return [next((kind for text, kind in KINDS.items() if text in allowed.get(name, [name])), 1) for name in texts]


def defect(
    op: str,
    domain: str,
    operands: Sequence[tuple[int, Any, int | None]],
    attributes: dict[str, AttributeProto],
    opset: int,
) -> str | None:
    """Imports a node on operands of types and shapes; those with a number are constants that are full of it.

    Returns what went wrong, `None` for a module or a refusal.
    """
    names = [f"x{index}" for index in range(len(operands))]
    node = helper.make_node(op, names, ["y"], domain=domain)
    node.attribute.extend(attributes.values())
    proto = model([node], [], ["y"], opset=opset)
    proto.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    for name, (kind, shape, number) in zip(names, operands, strict=True):
        if number is None:
            proto.graph.input.append(info(name, shape, kind))
        else:
            sizes = [size for size in shape if isinstance(size, int)]
            array = np.full(sizes, number).astype(helper.tensor_dtype_to_np_dtype(kind))
            proto.graph.initializer.append(numpy_helper.from_array(array, name))
    try:
        import_onnx(proto)
    except ConverterError as error:
        return f"{operands} {attributes}: {error}"
    except ModelImportError as error:
        assert str(error) and "\n" not in str(error) and not str(error)[0].isupper()
    return None


@pytest.mark.sweep
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("part", range(PARTS))
def test_a_converter_refuses_what_it_does_not_take(part: int):
    # `SimplifiedLayerNormalization` of onnxruntime is in the domain of ONNX without a definition there.
    ops = sorted(op for domain, op in CONVERTERS if not domain and op in DEFINED)[part::PARTS]
    assert len(ops) > 10
    defects: dict[str, str | None] = {}
    for op in ops:
        schema = newest(op)
        counts = {schema.min_input, min(schema.max_input, schema.min_input + 3)}
        for position, attributes in enumerate(attributes_of(schema)):
            for count in sorted(counts):
                for shape in SHAPES if position == 0 else SHAPES[:3:2]:
                    for number in (None, -1) if count > 1 else (None,):
                        kinds = kinds_of(schema, count)
                        operands = [(kind, shape, number if index else None) for index, kind in enumerate(kinds)]
                        defects[op] = defects.get(op) or defect(op, "", operands, attributes, schema.since_version)
    assert {op: text for op, text in defects.items() if text} == {}


@pytest.mark.filterwarnings("ignore")
def test_a_converter_of_another_domain_refuses_what_it_does_not_take():
    ops = sorted((domain, op) for domain, op in CONVERTERS if domain)
    assert ops
    defects: dict[str, str | None] = {}
    for domain, op in ops:
        for shape in (*SHAPES, (2, 3, 4)):
            for count in (1, 3, 5, 8):
                defects[op] = defects.get(op) or defect(op, domain, [(TensorProto.FLOAT, shape, None)] * count, {}, 21)
    assert {op: text for op, text in defects.items() if text} == {}


def test_a_defect_of_a_converter_is_one_error_with_its_cause(monkeypatch: pytest.MonkeyPatch):
    def broken(node: Any) -> Any:
        raise KeyError("lost")

    monkeypatch.setitem(graph_import.CONVERTERS, ("", "Relu"), broken)
    with pytest.raises(ConverterError, match="internal error in the import of Relu at 'y': KeyError: 'lost'") as caught:
        import_onnx(model([helper.make_node("Relu", ["x"], ["y"])], [info("x", [2])], ["y"]))
    assert isinstance(caught.value.__cause__, KeyError) and not isinstance(caught.value, UnsupportedModelError)
