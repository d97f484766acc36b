"""The relax dialect: the index of its op families, types and attributes."""

from __future__ import annotations

from types import ModuleType

from xdsl.ir import Attribute, Dialect, Operation
from xdsl.irdl import IRDLOperation

from .attrs import ObjectType, ShapeType, SymAttr, VDeviceAttr
from .ops import (
    binary,
    collective,
    core,
    create,
    data_dependent,
    image,
    indexing,
    linear_algebra,
    manipulate,
    memory,
    nn_activation,
    nn_attention,
    nn_conv,
    nn_loss,
    nn_norm,
    nn_pool,
    nn_softmax,
    packing,
    qnn,
    qnn_contraction,
    qnn_unary,
    reduction,
    scan,
    shape,
    sorting,
    unary,
    vdevice,
)
from .schedule_attribute import ScheduleAttr

FAMILIES: tuple[ModuleType, ...] = (
    core,
    memory,
    unary,
    binary,
    linear_algebra,
    packing,
    manipulate,
    indexing,
    reduction,
    scan,
    sorting,
    data_dependent,
    create,
    shape,
    nn_activation,
    nn_softmax,
    nn_norm,
    nn_conv,
    nn_pool,
    nn_attention,
    nn_loss,
    image,
    qnn,
    qnn_contraction,
    qnn_unary,
    vdevice,
    collective,
)
"""The files of ops, in the order in which documents list them."""


def ops_of(family: ModuleType) -> tuple[type[Operation], ...]:
    """Returns the ops that a file defines, in its order; the abstract base of a family is none."""
    return tuple(
        value
        for value in vars(family).values()
        if isinstance(value, type)
        and value.__module__ == family.__name__
        and issubclass(value, IRDLOperation)
        and "name" in vars(value)
    )


OPS: tuple[type[Operation], ...] = tuple(op for family in FAMILIES for op in ops_of(family))

ATTRIBUTES: tuple[type[Attribute], ...] = (SymAttr, VDeviceAttr, ShapeType, ObjectType, ScheduleAttr)

Relax = Dialect("relax", [*OPS], [*ATTRIBUTES])
