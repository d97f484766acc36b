"""Random modules on devices: annotated arguments, hints, moves, constants, tuples."""

from __future__ import annotations

import random

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import (
    BytesAttr,
    DenseIntOrFPElementsAttr,
    FunctionType,
    ModuleOp,
    TensorType,
    f32,
)
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter
from xdsl_relax.dialects.relax.attrs import VDeviceAttr, on_device, tensor_type, vdevice_of
from xdsl_relax.dialects.relax.base import RelaxOp
from xdsl_relax.dialects.relax.ops.binary import AddOp, MultiplyOp, SubtractOp
from xdsl_relax.dialects.relax.ops.core import ConstantOp, DataflowOp, OutputOp, TupleGetItemOp, TupleOp
from xdsl_relax.dialects.relax.ops.unary import ExpOp, NegativeOp, TanhOp
from xdsl_relax.dialects.relax.ops.vdevice import DeviceCopyOp, HintOnDeviceOp, ToVDeviceOp
from xdsl_relax.dialects.relax.vocabulary.attributes import VDEVICES
from xdsl_relax.passes.rewriting.value_types import retype

DEVICES = (VDeviceAttr.of("cpu", 0), VDeviceAttr.of("cpu", 1), VDeviceAttr.of("cpu", 2))
SHAPE = (2, 3)


class DeviceModule:
    """One random module with a function `main` of tensors of one shape."""

    def __init__(self, seed: int, *, tuples: bool = False, moves: bool = True):
        self.rng = random.Random(seed)
        self.tuples, self.moves = tuples, moves
        self.devices = DEVICES[: self.rng.randint(2, 3)]
        self.body = Block()
        self.pool: list[SSAValue] = []

    def device(self, chance: float) -> VDeviceAttr | None:
        """Returns one of the devices, or none."""
        return self.rng.choice(self.devices) if self.rng.random() < chance else None

    def module(self) -> ModuleOp:
        """Returns the verified module."""
        types = [tensor_type(SHAPE, f32, self.device(0.25)) for _ in range(self.rng.randint(1, 4))]
        block = Block(arg_types=types)
        for index, arg in enumerate(block.args):
            arg.name_hint = f"x{index}"
        self.pool = list(block.args)
        for _ in range(self.rng.randint(2, 12)):
            self.step()
        leaving = (
            self.pool[-1:] if self.rng.random() < 0.6 else list(dict.fromkeys(self.rng.choices(self.pool[-4:], k=2)))
        )
        self.body.add_op(OutputOp(*leaving))
        dataflow = DataflowOp(self.body, [value.type for value in leaving])
        block.add_ops([dataflow, func.ReturnOp(*dataflow.outputs)])
        main = func.FuncOp("main", FunctionType.from_lists(types, [v.type for v in leaving]), Region(block))
        module = ModuleOp([main])
        VDEVICES.set(module, tuple(self.devices))
        module.verify()
        return module

    def add(self, op: Operation) -> SSAValue:
        """Adds an op; returns its result."""
        self.body.add_op(op)
        op.results[0].name_hint = f"v{len(self.pool)}"
        self.pool.append(op.results[0])
        return op.results[0]

    def step(self) -> None:
        """Adds an op that reads a recent value."""
        x = self.rng.choice(self.pool[-5:])
        kind = self.rng.random()
        if kind < 0.3:
            self.add(self.rng.choice([ExpOp, TanhOp, NegativeOp]).build_from(x))
        elif kind < 0.65:
            self.binary(x)
        elif kind < 0.82 and self.moves:
            self.add(HintOnDeviceOp.build_from(x, dst_vdevice=self.rng.choice(self.devices)))
        elif kind < 0.92 and self.moves:
            self.add(ToVDeviceOp.build_from(x, dst_vdevice=self.rng.choice(self.devices)))
        elif self.tuples:
            y = self.rng.choice(self.pool)
            whole = TupleOp.build_from(x, y)
            self.body.add_op(whole)
            self.add(TupleGetItemOp.build_from(whole.result, index=self.rng.randrange(2)))

    def binary(self, x: SSAValue) -> None:
        """Adds an op of two operands, which are not known to be on different devices."""
        fitting = [
            y for y in self.pool if None in (devices := {vdevice_of(x.type), vdevice_of(y.type)}) or len(devices) == 1
        ]
        y = self.rng.choice(fitting)
        if self.rng.random() < 0.25:
            value = DenseIntOrFPElementsAttr(TensorType(f32, SHAPE), BytesAttr(np.full(SHAPE, 0.5, "f").tobytes()))
            constant = ConstantOp.build_from(value=value)
            self.body.add_op(constant)
            y = constant.result
        op_type: type[RelaxOp] = self.rng.choice([AddOp, SubtractOp, MultiplyOp])
        self.add(op_type.build_from(*self.rng.sample([x, y], 2)))


def without_devices(module: ModuleOp) -> ModuleOp:
    """Returns a copy of a module that says nothing of devices and moves nothing."""
    copy = module.clone()
    for op in list(copy.walk()):
        if isinstance(op, HintOnDeviceOp | ToVDeviceOp | DeviceCopyOp):
            op.result.replace_all_uses_with(op.x)
            Rewriter.erase_op(op)
            continue
        for value in (*op.results, *(arg for region in op.regions for block in region.blocks for arg in block.args)):
            retype(value, on_device(value.type, None))
        if isinstance(op, func.FuncOp):
            sides = op.function_type.inputs, op.function_type.outputs
            op.function_type = FunctionType.from_lists(
                *([on_device(type_, None) for type_ in side.data] for side in sides)
            )
    copy.verify()
    return copy
