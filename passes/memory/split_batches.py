"""The pass `relax-split-batches`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import FixedBitwidthType, FunctionType, ModuleOp, SymbolRefAttr, TensorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects.new_op import new_op
from ...dialects.relax.attrs import has_encoding
from ...dialects.relax.base import RelaxOp, normalized_axis
from ...dialects.relax.ops.binary import BinaryOp, WhereOp
from ...dialects.relax.ops.core import ConstantOp, ShapeOp
from ...dialects.relax.ops.indexing import StridedSliceOp
from ...dialects.relax.ops.manipulate import ConcatOp
from ...dialects.relax.ops.memory import element_bytes
from ...dialects.relax.ops.nn.activation import ActivationOp
from ...dialects.relax.ops.nn.conv import ConvOp
from ...dialects.relax.ops.nn.pool import PoolLikeOp
from ...dialects.relax.ops.nn.winograd import WinogradConv2DOp
from ...dialects.relax.ops.unary import AsTypeOp, UnaryOp
from ...dialects.relax.vocabulary.symbols import SymbolNames
from ...dialects.upstream.func_ops import CallOp
from ...dialects.upstream.positions import fused
from ...records import record
from ..analysis.remarks import Topic, function_of, is_recording, named_op, remark
from ..options import PassWithOptions, within
from ..rewriting.dataflow_blocks import insert_dataflow
from ..rewriting.emitter import Emitter
from ..rewriting.kernel_functions import graph_functions
from ..rewriting.value_types import retype

LARGE_PART = 4
"""Tensors of at least this fraction (1 / 4) of a cache are not read from it by the op that follows."""

IMAGES_PART = 8
"""The largest tensor of the images that go together takes at most this fraction (1 / 8) of the cache, unless one image takes more."""

STEM = "images"
"""The name of the functions, with a number where the program has it."""

MOST_CALLS = 64
"""Calls for a batch at most."""

_WINDOWED = ConvOp | PoolLikeOp | WinogradConv2DOp


@dataclass(frozen=True)
class SplitBatchesPass(PassWithOptions):
    """Computes ops on large batches for some images at a time, all ops for these before the first one for the next.

    ```mlir
    %y = relax.nn.conv2d %x, %w : (tensor<16x32x112x112xf32>, ...) -> tensor<16x96x112x112xf32>
    %z = relax.nn.max_pool2d %y : ...
    ```
    becomes
    ```mlir
    func.func private @images(%x: tensor<1x32x112x112xf32>, %w: ...) -> tensor<1x96x56x56xf32>
    %x0 = relax.strided_slice %x {axes = [0], begin = [0], end = [1]}
    %z0 = func.call @images(%x0, %w) : ...
    ...
    %z = relax.concat %z0, %z1, ... {axis = 0}
    ```

    so that what an op writes is in the cache when the next op reads it. Ops that follow one another are taken whose results belong to one
    image each: convolutions and pooling, at least one, and element-wise ops and concatenations of channels; as long as the kernels of
    these are smaller than what they make of an image, as each call reads them anew. *Requires* `relax-infer-shapes`. *Leaves* relax ops.
    """

    name = "relax-split-batches"

    cache: int = within(1 << 25, 1)
    """The bytes of the last cache before memory."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        names = SymbolNames(op)
        for function in graph_functions(op):
            for block in list(function.walk_blocks()):
                runs = _runs(block)
                if is_recording():
                    _remark_on_others(block, runs, self.cache)
                for run in runs:
                    part = _worthwhile(run, self.cache)
                    size = _images(part, self.cache)
                    if isinstance(size, int):
                        _split(op, part, size, names.fresh(STEM))
                    elif size:
                        _remark_on_whole([member.op for member in part], size)


@record
class _Batched:
    """An op with a result of one dim of images, the first, and which of its operands have it, too."""

    op: RelaxOp
    batch: int
    operands: tuple[bool, ...]

    @property
    def result(self) -> SSAValue:
        """What it makes."""
        return self.op.results[0]

    @property
    def whole(self) -> list[SSAValue]:
        """What it reads as a whole for each image, such as a kernel."""
        return [value for value, has in zip(self.op.operands, self.operands, strict=True) if not has]


def _batched(op: Operation) -> _Batched | None:
    """Returns an op with its images; `None` where it is no such op, or reads more that it shares with others than it makes of one."""
    if not isinstance(op, RelaxOp) or len(op.results) != 1:
        return None
    *shapes, result = (_shape(value) for value in (*op.operands, op.results[0]))
    known = [shape for shape in shapes if shape is not None]
    if len(known) < len(shapes) or not result or result[0] < 2:
        return None
    operands = _operands_of_images(op, known, result)
    member = _Batched(op, result[0], operands)
    return member if any(operands) and _is_mostly_images(member) else None


def _operands_of_images(op: RelaxOp, shapes: Sequence[Sequence[int]], result: Sequence[int]) -> tuple[bool, ...]:
    """Returns which operands have the images whose results an op makes, each of one image; none where it may mix images."""
    none = (False,) * len(shapes)
    # What moves windows has images first by its layout, and one operand of them; the others name their axes or have none.
    match op:
        case ConvOp() | PoolLikeOp():
            is_first = all(layout.startswith("N") for layout in _layouts(op))
            return (True, *none[1:]) if is_first else none
        case WinogradConv2DOp():
            return (True, *none[1:])
        case ConcatOp():
            axis = normalized_axis(op.prop("axis", 0), len(result), "concat_c2")
            return (axis != 0,) * len(shapes)
        case UnaryOp() | BinaryOp() | ActivationOp() | AsTypeOp() | WhereOp():
            return tuple(len(shape) == len(result) and shape[0] == result[0] for shape in shapes)
        case _:
            # Others that are element-wise may depend on where an element is, such as a triangle, or scales along an axis.
            return none


def _layouts(op: ConvOp | PoolLikeOp) -> tuple[str, str]:
    """Returns the layouts of the images and of the result of an op, as far as they are given."""
    layout = op.prop("layout" if isinstance(op, PoolLikeOp) else "data_layout", "N")
    return layout, op.prop("out_layout", layout)


def _shape(value: SSAValue) -> tuple[int, ...] | None:
    """Returns the sizes of a tensor that are all known, on no device of its own."""
    kind = value.type
    if not isinstance(kind, TensorType) or not isinstance(kind.element_type, FixedBitwidthType):
        return None
    return kind.get_shape() if kind.has_static_shape() and not has_encoding(kind) else None


def _bytes(value: SSAValue) -> int:
    """Returns the bytes of a tensor of known sizes."""
    kind = value.type
    assert isinstance(kind, TensorType)
    return prod(kind.get_shape()) * element_bytes(kind.element_type)


def _runs(block: Block) -> list[list[_Batched]]:
    """Returns the longest sequences of ops of as many images each, whose other operands none of them makes."""
    runs: list[list[_Batched]] = [[]]
    # Invariant: `made` is what the ops of the last run make.
    made: set[SSAValue] = set()
    for op in block.ops:
        if isinstance(op, ConstantOp | ShapeOp):
            continue
        member = _batched(op)
        run = runs[-1]
        if member is None or made.intersection(member.whole) or (run and run[0].batch != member.batch):
            runs.append([])
            made = set()
        if member is not None:
            runs[-1].append(member)
            made.add(member.result)
    return runs


def _is_mostly_images(member: _Batched) -> bool:
    """Returns whether what an op reads anew for each image is less than what it makes of one."""
    return sum(map(_bytes, member.whole)) <= _bytes(member.result) // member.batch


def _is_large(value: SSAValue, cache: int) -> bool:
    """Returns whether a tensor of known sizes is not read from the cache by the op that follows."""
    return _bytes(value) * LARGE_PART >= cache


def _worthwhile(run: Sequence[_Batched], cache: int) -> list[_Batched]:
    """Returns the part of a sequence from the first to the last op between which there are large tensors."""
    large = {member.result for member in run if _is_large(member.result, cache)}
    touching = [i for i, member in enumerate(run) if large & {member.result, *member.op.operands}]
    return list(run[touching[0] : touching[-1] + 1]) if touching else []


def _images(part: Sequence[_Batched], cache: int) -> int | str:
    """Returns how many images go together; else why all do, nothing where nobody would expect less."""
    # Element-wise ops alone are one kernel, which reads and writes each element once.
    if not any(isinstance(member.op, _WINDOWED) for member in part):
        return ""
    if len(part) < 2:
        readers = dict.fromkeys(named_op(use.operation) for use in part[0].result.uses)
        known = "a neighbor that is known to compute images one by one"
        return f"it is read by {', '.join(readers) or 'nothing'}, want {known}"
    batch = part[0].batch
    image = max(_bytes(member.result) // batch for member in part)
    if image * 2 > cache:
        return f"one of them takes {image} bytes, more than half of a cache of {cache}"
    most = max(1, cache // IMAGES_PART // image)
    sizes = [n for n in range(1, batch) if batch % n == 0 and batch // n <= MOST_CALLS and n <= most]
    return max(sizes) if sizes else f"{batch} in equal parts of at most {most} are more than {MOST_CALLS} calls"


def _remark_on_others(block: Block, runs: Iterable[Iterable[_Batched]], cache: int) -> None:
    """Records why ops that move windows over large batches are in no sequence."""
    members = {member.op for run in runs for member in run}
    for op in block.ops:
        if isinstance(op, _WINDOWED) and op not in members:
            reason = _refusal(op, cache)
            if reason:
                _remark_on_whole([op], reason)


def _refusal(op: ConvOp | PoolLikeOp | WinogradConv2DOp, cache: int) -> str:
    """Returns why an op that makes large images is not taken; nothing where it makes none, or some of unknown sizes."""
    *shapes, result = (_shape(value) for value in (*op.operands, op.results[0]))
    if result is None or None in shapes or not _is_large(op.results[0], cache):
        return ""
    if isinstance(op, ConvOp | PoolLikeOp):
        layouts = _layouts(op)
        if not all(layout.startswith("N") for layout in layouts):
            is_batch = result[layouts[1].find("N")] > 1
            return f"its layouts are {' and '.join(dict.fromkeys(layouts))}, want N first" if is_batch else ""
    if result[0] < 2:
        return ""
    kernels, image = sum(map(_bytes, op.operands[1:])), _bytes(op.results[0]) // result[0]
    return f"its kernel takes {kernels} bytes, want at most the {image} that it makes of an image"


def _remark_on_whole(ops: Sequence[Operation], reason: str) -> None:
    """Records why ops are computed for all images of a batch at once."""
    last = f" to {named_op(ops[-1])} are" if len(ops) > 1 else " is"
    text = f"{named_op(ops[0])}{last} not computed for some images at a time: {reason}"
    remark(Topic.REWRITE, function_of(ops[0]), [op.location for op in ops], text)


def _split(module: ModuleOp, part: Sequence[_Batched], size: int, name: str) -> None:
    """Replaces ops by calls of a function that computes them for as many images each."""
    ops = [member.op for member in part]
    members = set[Operation](ops)
    batch = part[0].batch
    last = ops[-1]
    outputs = [
        member.result
        for member in part
        if member.op is last or any(use.operation not in members for use in member.result.uses)
    ]
    # A value may be images to one op and, as a whole, the kernel of another one.
    inputs = dict.fromkeys(
        (value, has)
        for member in part
        for value, has in zip(member.op.operands, member.operands, strict=True)
        if value.owner not in members
    )
    function = _function(part, inputs, outputs, size, name)
    module.body.block.add_op(function)
    remark(
        Topic.REWRITE,
        function_of(last),
        [op.location for op in ops],
        f"{named_op(ops[0])} to {named_op(last)} are computed for {size} of {batch} images at a time",
    )
    emit = Emitter(last)
    made: list[list[SSAValue]] = [[] for _ in outputs]
    for first in range(0, batch, size):
        operands = [
            emit.op(StridedSliceOp, value, axes=[0], begin=[first], end=[first + size]) if has else value
            for value, has in inputs
        ]
        call = new_op(CallOp, operands, function.function_type.outputs.data, {"callee": SymbolRefAttr(name)})
        call.location = function.location
        Rewriter.insert_op(call, InsertPoint.before(last))
        for results, value in zip(made, call.results, strict=True):
            results.append(value)
    for value, results in zip(outputs, made, strict=True):
        joined = emit.op(ConcatOp, *results, axis=0)
        joined.name_hint = value.name_hint
        value.replace_uses_with_if(joined, lambda use: use.operation not in members)
    for op in reversed(ops):
        Rewriter.erase_op(op)


def _part(kind: Attribute, size: int) -> TensorType[Attribute]:
    """Returns the type of a tensor with so many images."""
    assert isinstance(kind, TensorType)
    return TensorType(kind.element_type, [size, *kind.get_shape()[1:]])


def _function(
    part: Sequence[_Batched], inputs: Iterable[tuple[SSAValue, bool]], outputs: Sequence[SSAValue], size: int, name: str
) -> func.FuncOp:
    """Returns the function that computes ops for so many images; of its arguments some are images, and others are read as a whole."""
    body = Block(arg_types=[_part(value.type, size) if has else value.type for value, has in inputs])
    arguments = dict(zip(inputs, body.args, strict=True))
    for (value, _), argument in arguments.items():
        argument.name_hint = value.name_hint
    made: dict[SSAValue, SSAValue] = {}
    inner = Block()
    for member in part:
        clone = member.op.clone()
        clone.operands = [
            made[value] if value in made else arguments[value, has]
            for value, has in zip(member.op.operands, member.operands, strict=True)
        ]
        retype(clone.results[0], _part(clone.results[0].type, size))
        made[member.result] = clone.results[0]
        inner.add_op(clone)
    end = func.ReturnOp(*(made[value] for value in outputs))
    body.add_op(end)
    insert_dataflow(inner, end)
    types = FunctionType.from_lists([argument.type for argument in body.args], [value.type for value in end.operands])
    function = func.FuncOp(name, types, Region(body), "private")
    function.location = fused(member.op.location for member in part)
    return function
