"""The relax dialect: the index of its op families, types and attributes."""

from __future__ import annotations

from types import ModuleType

from xdsl.ir import Attribute, Dialect, Operation
from xdsl.irdl import IRDLOperation

from .attrs import ObjectType, ShapeType, SymAttr, UnknownType, VDeviceAttr
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
    packing,
    reduction,
    scan,
    shape,
    sorting,
    unary,
    vdevice,
)
from .ops.nn import activation as nn_activation
from .ops.nn import attention as nn_attention
from .ops.nn import conv as nn_conv
from .ops.nn import loss as nn_loss
from .ops.nn import norm as nn_norm
from .ops.nn import pool as nn_pool
from .ops.nn import softmax as nn_softmax
from .ops.nn import winograd as nn_winograd
from .ops.qnn import contraction as qnn_contraction
from .ops.qnn import elementwise as qnn
from .ops.qnn import unary as qnn_unary
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
    nn_winograd,
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

ATTRIBUTES: tuple[type[Attribute], ...] = (SymAttr, VDeviceAttr, ShapeType, ObjectType, UnknownType, ScheduleAttr)

Relax = Dialect("relax", [*OPS], [*ATTRIBUTES])
