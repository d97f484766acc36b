"""Computes during the import what needs no input of the model: nodes on small known tensors, and shape subgraphs on symbolic sizes."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

from ..model.problems import Unsupported
from ..model.sizes import SizeArray, combined, dims_in, is_integral, is_symbolic, settled, size_array
from ..model.value_types import normalized
from .node import Node
from .types import kind_of_array
from .values import Tensor

MAX_ELEMENTS = 4096
"""Nodes with more elements, of an operand or a result, are left to the program."""

RANDOM = frozenset(
    ("RandomNormal", "RandomUniform", "RandomNormalLike", "RandomUniformLike", "Multinomial", "Bernoulli")
)

FLOATS = (TensorProto.FLOAT, TensorProto.DOUBLE)

EXACT = frozenset(
    (
        "Add",
        "Cast",
        "Ceil",
        "Concat",
        "Floor",
        "Gather",
        "Identity",
        "Mul",
        "Reshape",
        "Slice",
        "Squeeze",
        "Sub",
        "Unsqueeze",
    )
)
"""The ops of shape subgraphs that are folded on floats too; a quotient is rounded where integers are truncated."""

WITH_STATE = frozenset(("Dropout", "ImageDecoder"))
"""Ops whose reference implementation is not that of the deployed op, or needs what is not installed."""


def folded(node: Node) -> list[Tensor] | None:
    """Returns the outputs of a node as known tensors; `None` if it must be a part of the program."""
    # Invariant: what returns holds for every size that the symbols stand for.
    if node.proto.domain not in ("", "ai.onnx"):
        return None
    inputs = [item for item in node.inputs if item is not None]
    tensors = [item for item in inputs if isinstance(item, Tensor)]
    if len(tensors) != len(inputs) or not all(item.is_known and item.weight is None for item in tensors):
        return None
    if any((item.elements or 0) > MAX_ELEMENTS for item in tensors):
        return None
    origin = frozenset[str]().union(*(item.origin for item in tensors))
    if any(is_symbolic(item.known) for item in tensors):
        rule = SYMBOLIC.get(node.op)
        is_float = node.tensor(0).kind in FLOATS
        if rule is None or not all(is_integral(item.known) for item in tensors) or (is_float and node.op not in EXACT):
            return None
        try:
            results = rule(node)
        except (IndexError, ValueError, ZeroDivisionError):
            # An index or an axis that does not exist; the converter of the op says so.
            return None
        return None if results is None else [_tensor(node, item, origin) for item in results]
    if node.op in ("Div", "Mod") and node.known(1).dtype.kind in "iu" and not node.known(1).all():
        raise Unsupported("divides integers by 0")
    if node.op in RANDOM or node.op in WITH_STATE or any(a.type in (5, 10) for a in node.proto.attribute):
        return None
    return _referenced(node, origin)


def _tensor(node: Node, array: SizeArray, origin: frozenset[str]) -> Tensor:
    if array.dtype == np.bool_:
        return Tensor(known=array, origin=origin)
    kind = node.attr("to", 0) if node.op == "Cast" else node.kind(1 if node.op == "Where" else 0)
    if not is_symbolic(array):
        array = array.astype(helper.tensor_dtype_to_np_dtype(kind))
    return Tensor(known=array, kind=kind, origin=origin)


def _referenced(node: Node, origin: frozenset[str]) -> list[Tensor] | None:
    """Returns what ONNX's own reference implementation computes, `None` where it has none."""
    names = [f"x{i}" if item is not None else "" for i, item in enumerate(node.inputs)]
    proto = type(node.proto)()
    proto.CopyFrom(node.proto)
    del proto.input[:], proto.attribute[:]
    proto.input.extend(names)
    proto.attribute.extend(node.importer.bound_attributes(node.proto))
    feeds = {name: node.tensor(i).known for i, name in enumerate(names) if name}
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            results = ReferenceEvaluator(proto, opsets={"": node.opset}).run(None, feeds)
    except Exception:
        # It raises whatever numpy raises; the converter of the op says what is wrong.
        return None
    if not all(isinstance(item, np.ndarray | np.generic) for item in results):
        return None
    arrays = [np.asarray(item) for item in results]
    if any(array.size > MAX_ELEMENTS or array.dtype == object or array.dtype.kind in "USc" for array in arrays):
        return None
    return [Tensor(known=array, kind=kind_of_array(array), origin=origin) for array in arrays]


# Rules on symbolic sizes: each returns the outputs, or `None` for what the algebra does not have.

Results = Sequence[SizeArray] | None


def _operator(op: str, is_condition: bool = False) -> Callable[[Node], Results]:
    def rule(node: Node) -> Results:
        result = node.tensor(0).known
        for index in range(1, len(node.inputs)):
            combination = combined(op, result, node.tensor(index).known)
            if combination is None:
                return None
            result = combination
        return [result.astype(np.bool_) if is_condition else result]

    return rule


def _cast(node: Node) -> Results:
    # Floats hold sizes exactly as far as sizes are small; what is not exact on them is left to the program.
    wide = (TensorProto.INT64, TensorProto.INT32, *FLOATS)
    return [node.tensor(0).known] if node.attr("to", 0) in wide else None


def _gather(node: Node) -> Results:
    data, indices = node.tensor(0).known, node.known(1)
    return [settled(np.asarray(np.take(data, indices, axis=node.axis(0)), object))]


def _concat(node: Node) -> Results:
    arrays = [np.asarray(node.tensor(index).known, object) for index in range(len(node.inputs))]
    return [settled(np.concatenate(arrays, axis=normalized(node.attr("axis", 0), arrays[0].ndim)))]


def _slice(node: Node) -> Results:
    data = node.tensor(0).known
    starts, ends = node.ints_of("starts", 1), node.ints_of("ends", 2)
    assert starts is not None and ends is not None
    axes = node.ints_of("axes", 3) or list(range(len(starts)))
    steps = (node.ints(4) if node.has(4) else None) or [1] * len(starts)
    index = [slice(None)] * data.ndim
    for axis, start, end, step in zip(axes, starts, ends, steps, strict=True):
        end = None if step < 0 and end < -data.shape[axis] else end
        index[axis] = slice(start, end, step)
    return [settled(data[tuple(index)])]


def _squeeze(node: Node) -> Results:
    axes = node.ints_of("axes", 1)
    data = node.tensor(0).known
    return [data.squeeze() if axes is None else data.squeeze(tuple(axes))]


def _unsqueeze(node: Node) -> Results:
    axes = node.ints_of("axes", 1)
    return [np.expand_dims(node.tensor(0).known, tuple(axes or ()))]


def _reshape(node: Node) -> Results:
    data = node.tensor(0).known
    sizes = node.ints(1)
    return [data.reshape([data.shape[i] if size == 0 else size for i, size in enumerate(sizes)])]


def _reduced(op: str) -> Callable[[Node], Results]:
    def rule(node: Node) -> Results:
        data = node.tensor(0).known
        axes = node.ints_of("axes", 1)
        if data.ndim != 1 or axes not in (None, [0], [-1]):
            return None
        result = size_array([1 if op == "*" else 0], ())
        for item in dims_in(data):
            combination = combined(op, result, size_array([item], ()))
            if combination is None:
                return None
            result = combination
        return [result.reshape((1,)) if node.attr("keepdims", 1) else result]

    return rule


def _where(node: Node) -> Results:
    if is_symbolic(node.tensor(0).known):
        return None
    chosen = np.where(node.known(0), np.asarray(node.tensor(1).known, object), np.asarray(node.tensor(2).known, object))
    return [settled(chosen)]


def _split(node: Node) -> Results:
    data = node.tensor(0).known
    axis = node.axis(0)
    parts = node.ints_of("split", 1)
    count = data.shape[axis]
    if parts is None:
        number = node.attr("num_outputs", node.outputs)
        size = -(-count // number)
        parts = [min(size, count - i * size) for i in range(number)]
    return [settled(part) for part in np.split(data, np.cumsum(parts)[:-1], axis)]


SYMBOLIC: Mapping[str, Callable[[Node], Results]] = {
    "Add": _operator("+"),
    "Sub": _operator("-"),
    "Mul": _operator("*"),
    "Div": _operator("/"),
    "Min": _operator("min"),
    "Max": _operator("max"),
    "Equal": _operator("==", True),
    "Less": _operator("<", True),
    "Greater": _operator(">", True),
    "Cast": _cast,
    "Floor": lambda node: [node.tensor(0).known],
    "Ceil": lambda node: [node.tensor(0).known],
    "Identity": lambda node: [node.tensor(0).known],
    "Gather": _gather,
    "Concat": _concat,
    "Slice": _slice,
    "Squeeze": _squeeze,
    "Unsqueeze": _unsqueeze,
    "Reshape": _reshape,
    "ReduceProd": _reduced("*"),
    "ReduceSum": _reduced("+"),
    "ReduceMax": _reduced("max"),
    "ReduceMin": _reduced("min"),
    "Where": _where,
    "Split": _split,
}
"""Mod is absent: its operands would have to be proven non-negative, which sizes in practice are by `Shape` alone."""
