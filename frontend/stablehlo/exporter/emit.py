"""Writes ops of StableHLO at one place of a module of MLIR; result types are computed from the operands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np

from ..bindings import ir

COMPARISONS = {
    "equal": "EQ",
    "not_equal": "NE",
    "less": "LT",
    "less_equal": "LE",
    "greater": "GT",
    "greater_equal": "GE",
}


def shape_of(value: Any) -> tuple[int, ...]:
    """Returns the sizes of a value of MLIR."""
    return tuple(int(size) for size in value.type.shape)


def element_of(value: Any) -> str:
    """Returns the name of the element type of a value of MLIR."""
    return str(value.type.element_type)


def tensor(shape: Sequence[int], element: str) -> Any:
    """Returns a tensor type of MLIR."""
    return ir.Type.parse(f"tensor<{''.join(f'{size}x' for size in shape)}{element}>")


def ints(values: Sequence[int]) -> Any:
    """Returns an attribute that lists integers."""
    return ir.DenseI64ArrayAttr.get([int(value) for value in values])


def integer(value: int) -> Any:
    """Returns an attribute that is an i64."""
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), value)


def matrix(rows: Sequence[Sequence[int]]) -> Any:
    """Returns an attribute that is a matrix of integers."""
    entries = ", ".join(f"[{', '.join(map(str, row))}]" for row in rows)
    return ir.Attribute.parse(f"dense<[{entries}]> : tensor<{len(rows)}x{len(rows[0]) if rows else 0}xi64>")


class Emitter:
    """Writes ops where an insertion point of MLIR stands."""

    def op(
        self,
        name: str,
        operands: Sequence[Any],
        shape: Sequence[int],
        element: str,
        attributes: Mapping[str, Any] | None = None,
        regions: int = 0,
    ) -> Any:
        """Writes an op with one result and returns that."""
        made = ir.Operation.create(
            name if "." in name else f"stablehlo.{name}",
            results=[tensor(shape, element)],
            operands=list(operands),
            attributes=dict(attributes or {}),
            regions=regions,
        )
        return made.results[0]

    # Constants and shapes

    def constant(self, value: Any, element: str, shape: Sequence[int] = ()) -> Any:
        """Writes a constant whose elements are all one number."""
        if element == "i1":
            text = "true" if value else "false"
        elif element.startswith(("f", "b")):
            text = self._float(float(value), element)
        else:
            text = str(int(value))
        dims = "".join(f"{size}x" for size in shape)
        return self.dense(f"dense<{text}> : tensor<{dims}{element}>", shape, element)

    def dense(self, text: str, shape: Sequence[int], element: str) -> Any:
        """Writes a constant given as the text of its elements."""
        return self.op("constant", (), shape, element, {"value": ir.Attribute.parse(text)})

    def array(self, array: np.ndarray[Any, Any], element: str) -> Any:
        """Writes a constant that has the elements of an array."""
        # The bindings know no numpy dtype of bf16, but its bits.
        bits = cast(Any, np.ascontiguousarray(array.view(np.uint16) if element == "bf16" else array))
        listed = ir.DenseElementsAttr.get(bits, type=ir.Type.parse(element), shape=list(array.shape))
        return self.op("constant", (), array.shape, element, {"value": listed})

    def _float(self, value: float, element: str) -> str:
        if np.isfinite(value):
            # A number of MLIR has a point.
            mantissa, exponential, exponent = repr(value).partition("e")
            return f"{mantissa}{'' if '.' in mantissa else '.0'}{exponential}{exponent}"
        codes = {"f64": ("7FF", "FFF", 13), "f32": ("7F8", "FF8", 5), "f16": ("7C", "FC", 2), "bf16": ("7F8", "FF8", 1)}
        positive, negative, zeros = codes[element]
        if np.isnan(value):
            return (
                f"0x{positive[:-1]}{'F' if element != 'f16' else 'E'}{'0' * zeros}"
                if element != "f64"
                else "0x7FF8000000000000"
            )
        return f"0x{positive if value > 0 else negative}{'0' * zeros}"

    def iota(self, shape: Sequence[int], axis: int, element: str) -> Any:
        """Writes the numbers from 0 along an axis."""
        return self.op("iota", (), shape, element, {"iota_dimension": integer(axis)})

    def reshape(self, x: Any, shape: Sequence[int]) -> Any:
        """Writes a reshape, if it changes anything."""
        return x if shape_of(x) == tuple(shape) else self.op("reshape", (x,), shape, element_of(x))

    def transpose(self, x: Any, axes: Sequence[int]) -> Any:
        """Writes a transposition, if it changes anything."""
        if list(axes) == list(range(len(axes))):
            return x
        shape = [shape_of(x)[axis] for axis in axes]
        return self.op("transpose", (x,), shape, element_of(x), {"permutation": ints(axes)})

    def split(self, x: Any, axis: int, sizes: Sequence[int]) -> Any:
        """Writes a reshape of one dim into several."""
        return self.reshape(x, [*shape_of(x)[:axis], *sizes, *shape_of(x)[axis + 1 :]])

    def reverse(self, x: Any, axes: Sequence[int]) -> Any:
        """Writes the elements in the other order along axes."""
        return self.op("reverse", (x,), shape_of(x), element_of(x), {"dimensions": ints(axes)}) if axes else x

    def broadcast(self, x: Any, shape: Sequence[int]) -> Any:
        """Writes what numpy's broadcasting to a shape is, if it changes anything."""
        own = shape_of(x)
        if own == tuple(shape):
            return x
        first = len(shape) - len(own)
        # A dim of size 1 that becomes larger is dropped, so that the result says where each of the others goes.
        kept = [axis for axis, size in enumerate(own) if size == shape[first + axis]]
        x = self.reshape(x, [own[axis] for axis in kept])
        places = [first + axis for axis in kept]
        return self.op("broadcast_in_dim", (x,), shape, element_of(x), {"broadcast_dimensions": ints(places)})

    def place(self, x: Any, axes: Sequence[int], shape: Sequence[int]) -> Any:
        """Writes a broadcast to a shape, in which the dims of an operand have given places."""
        return self.op("broadcast_in_dim", (x,), shape, element_of(x), {"broadcast_dimensions": ints(axes)})

    def slice(self, x: Any, starts: Sequence[int], ends: Sequence[int], steps: Sequence[int] | None = None) -> Any:
        """Writes a slice, if it changes anything."""
        steps = [1] * len(starts) if steps is None else steps
        shape = [max(-(-(end - start) // step), 0) for start, end, step in zip(starts, ends, steps, strict=True)]
        if tuple(shape) == shape_of(x):
            return x
        bounds = {"start_indices": ints(starts), "limit_indices": ints(ends), "strides": ints(steps)}
        return self.op("slice", (x,), shape, element_of(x), bounds)

    def along(self, x: Any, axis: int, start: int, end: int, step: int = 1) -> Any:
        """Writes a slice along one axis."""
        starts, ends, steps = [0] * len(shape_of(x)), list(shape_of(x)), [1] * len(shape_of(x))
        starts[axis], ends[axis], steps[axis] = start, max(end, start), step
        return self.slice(x, starts, ends, steps)

    def concatenate(self, parts: Sequence[Any], axis: int) -> Any:
        """Writes parts joined along an axis."""
        if len(parts) == 1:
            return parts[0]
        shape = list(shape_of(parts[0]))
        shape[axis] = sum(shape_of(part)[axis] for part in parts)
        return self.op("concatenate", parts, shape, element_of(parts[0]), {"dimension": integer(axis)})

    def pad(
        self, x: Any, value: Any, low: Sequence[int], high: Sequence[int], between: Sequence[int] | None = None
    ) -> Any:
        """Writes padding around the elements of each dim, and between them."""
        between = [0] * len(low) if between is None else between
        if not any(low) and not any(high) and not any(between):
            return x
        shape = [
            size + a + b + max(size - 1, 0) * c for size, a, b, c in zip(shape_of(x), low, high, between, strict=True)
        ]
        pads = {"edge_padding_low": ints(low), "edge_padding_high": ints(high), "interior_padding": ints(between)}
        return self.op("pad", (x, value), shape, element_of(x), pads)

    # Elements

    def unary(self, name: str, x: Any) -> Any:
        """Writes an op whose result has the type of its operand."""
        return self.op(name, (x,), shape_of(x), element_of(x))

    def binary(self, name: str, lhs: Any, rhs: Any) -> Any:
        """Writes an op of two operands, which are broadcast; a number becomes a constant."""
        lhs, rhs = self.common(lhs, rhs)
        return self.op(name, (lhs, rhs), shape_of(lhs), element_of(lhs))

    def compare(self, name: str, lhs: Any, rhs: Any) -> Any:
        """Writes a comparison of two operands, which are broadcast; a number becomes a constant."""
        lhs, rhs = self.common(lhs, rhs)
        direction = ir.Attribute.parse(f"#stablehlo<comparison_direction {COMPARISONS[name]}>")
        return self.op("compare", (lhs, rhs), shape_of(lhs), "i1", {"comparison_direction": direction})

    def select(self, condition: Any, then: Any, otherwise: Any) -> Any:
        """Writes a choice; all three are broadcast, numbers become constants."""
        then, otherwise = self.common(then, otherwise)
        shape = np.broadcast_shapes(shape_of(condition), shape_of(then))
        operands = [self.broadcast(item, shape) for item in (condition, then, otherwise)]
        return self.op("select", operands, shape, element_of(then))

    def common(self, lhs: Any, rhs: Any) -> tuple[Any, Any]:
        """Returns two operands in one shape."""
        if isinstance(lhs, int | float):
            lhs = self.constant(lhs, element_of(rhs))
        if isinstance(rhs, int | float):
            rhs = self.constant(rhs, element_of(lhs))
        shape = np.broadcast_shapes(shape_of(lhs), shape_of(rhs))
        return self.broadcast(lhs, shape), self.broadcast(rhs, shape)

    def convert(self, x: Any, element: str) -> Any:
        """Writes a conversion, if it changes anything."""
        return x if element_of(x) == element else self.op("convert", (x,), shape_of(x), element)

    # Reductions

    def body(self, region: Any, element: str, write: Callable[..., Any]) -> None:
        """Writes the body of a reduction: `write` gets the two scalars."""
        scalar = tensor((), element)
        block = region.blocks.append(scalar, scalar)
        with ir.InsertionPoint(block):
            result = write(*block.arguments)
            ir.Operation.create("stablehlo.return", operands=[result])

    def reduce(self, x: Any, name: str, initial: Any, axes: Sequence[int]) -> Any:
        """Writes a reduction over axes, which are dropped."""
        if not axes:
            return x
        element = element_of(x)
        start = self.constant(initial, element)
        shape = [size for axis, size in enumerate(shape_of(x)) if axis not in axes]
        made = self.op("reduce", (x, start), shape, element, {"dimensions": ints(sorted(axes))}, regions=1)
        self.body(made.owner.regions[0], element, lambda a, b: self.op(name, (a, b), (), element))
        return made

    def reduce_windows(
        self,
        x: Any,
        name: str,
        initial: Any,
        sizes: Sequence[int],
        pads: Sequence[tuple[int, int]],
        strides: Sequence[int] | None = None,
        dilations: Sequence[int] | None = None,
    ) -> Any:
        """Writes a reduction of windows, of which each dim of an operand has a size, and may have a padding, a stride and a dilation."""
        element, units = element_of(x), [1] * len(sizes)
        strides, dilations = strides or units, dilations or units
        shape = [
            max((size + low + high - (window - 1) * dilation - 1) // stride + 1, 0)
            for size, (low, high), window, stride, dilation in zip(
                shape_of(x), pads, sizes, strides, dilations, strict=True
            )
        ]
        attributes = {
            "window_dimensions": ints(sizes),
            "window_strides": ints(strides),
            "window_dilations": ints(dilations),
            "padding": matrix(pads),
        }
        start = self.constant(initial, element)
        made = self.op("reduce_window", (x, start), shape, element, attributes, regions=1)
        self.body(made.owner.regions[0], element, lambda a, b: self.op(name, (a, b), (), element))
        return made
