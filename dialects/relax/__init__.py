"""The relax dialect: the index of its op families, types and attributes."""

from __future__ import annotations

from xdsl.ir import Attribute, Dialect, Operation

from . import calls
from .attrs import ObjectType, ShapeType, SymAttr, VDeviceAttr
from .ops import (
    binary,
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

OPS: tuple[type[Operation], ...] = (
    *core.OPS,
    *memory.OPS,
    *unary.OPS,
    *binary.OPS,
    *linear_algebra.OPS,
    *packing.OPS,
    *manipulate.OPS,
    *indexing.OPS,
    *reduction.OPS,
    *scan.OPS,
    *sorting.OPS,
    *data_dependent.OPS,
    *create.OPS,
    *shape.OPS,
    *nn_activation.OPS,
    *nn_softmax.OPS,
    *nn_norm.OPS,
    *nn_conv.OPS,
    *nn_pool.OPS,
    *nn_attention.OPS,
    *nn_loss.OPS,
    *image.OPS,
    *qnn.OPS,
    *qnn_contraction.OPS,
    *qnn_unary.OPS,
    *vdevice.OPS,
)

ATTRIBUTES: tuple[type[Attribute], ...] = (SymAttr, VDeviceAttr, ShapeType, ObjectType)

Relax = Dialect("relax", [*OPS], [*ATTRIBUTES])

# A call is relax's where its types are: the names of sizes belong to each function.
calls.install()
