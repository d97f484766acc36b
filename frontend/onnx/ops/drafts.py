"""Ops of subgraphs that wait for their place, and the types that what several subgraphs yield has in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.ir import Attribute, Block, SSAValue

from ....builder import BlockBuilder
from ....dialects.relax.attrs import dims_of, element_type_of, tensor_type
from ....dialects.symbolic.expressions import Dim, equal, symbols
from ...model.problems import Unsupported
from ...model.sizes import number_hint
from ..node import Node
from ..values import Tensor


@dataclass
class Draft:
    """Ops that wait for their place: a block under another name, and what it yields."""

    block: Block
    values: list[SSAValue]

    def enter(self, builder: BlockBuilder, arguments: Sequence[SSAValue] = ()) -> None:
        """Moves the ops to the end of a builder's block."""
        for item in list(self.block.ops):
            item.detach()
            builder.block.add_op(item)
        replaced = dict(zip(self.block.args, arguments, strict=True))
        for old, new in replaced.items():
            old.replace_all_uses_with(new)
        # What is yielded is not used by any op yet, and may be an argument as it is.
        self.values = [replaced.get(value, value) for value in self.values]  # pyright: ignore[reportArgumentType, reportCallIssue]


def drafted(
    node: Node, write: Callable[[Sequence[SSAValue]], list[SSAValue]], types: Sequence[Attribute] = ()
) -> Draft:
    """Returns the ops that `write` inserts into a block with arguments of the types."""
    block = Block(arg_types=types)
    with node.importer.inserting(node.g.inner(block)):
        values = write(block.args)
    return Draft(block, values)


def with_type(g: BlockBuilder, value: SSAValue, wanted: Attribute) -> SSAValue:
    """Returns a value with a type that says as much as its own, or less."""
    return value if value.type == wanted else g.match_cast(value, wanted)


def joined_type(lhs: Attribute, rhs: Attribute, outer: frozenset[str]) -> Attribute:
    """Returns the type of what is either; sizes that differ, or have names that are not known outside, have none."""
    element = element_type_of(lhs)
    if element != element_type_of(rhs):
        raise Unsupported(f"yields elements of {element} on one way, of {element_type_of(rhs)} on the other")
    left, right = dims_of(lhs), dims_of(rhs)
    if left is None or right is None or len(left) != len(right):
        sizes = [dim for dim in (*(left or ()), *(right or ())) if dim is not None and symbols(dim)]
        hint = f"; {number_hint(sizes)} if the condition depends on sizes" if sizes else ""
        raise Unsupported(f"yields {lhs} on one way, {rhs} on the other{hint}")
    return tensor_type([_common(a, b, outer) for a, b in zip(left, right, strict=True)], element)


def _common(lhs: Dim, rhs: Dim, outer: frozenset[str]) -> Dim:
    return lhs if equal(lhs, rhs) and set(symbols(lhs)) <= outer else None


def origin_of(*tensors: Tensor | None) -> list[str]:
    """Returns the inputs of the model that unknown tensors come from."""
    return sorted({name for item in tensors if item is not None and not item.is_known for name in item.origin})
