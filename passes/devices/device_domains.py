"""Where the values of a module live: domains of values that share a device, and the reads that join or cross them."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import func, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.traits import is_side_effect_free
from xdsl.utils.disjoint_set import DisjointSet
from xdsl.utils.exceptions import PassFailedException

from ...dialects.relax.attrs import HOST, VDeviceAttr, vdevice_of
from ...dialects.relax.base import RelaxOp
from ...dialects.relax.ops.core import (
    DataflowOp,
    KillObjectOp,
    OutputOp,
    TupleGetItemOp,
    TupleOp,
)
from ...dialects.relax.ops.shape import ShapeOfOp
from ...dialects.relax.ops.vdevice import DeviceCopyOp, HintOnDeviceOp, ToVDeviceOp
from ...dialects.relax.placement import ON_HOST, Path, label, leaves
from ...dialects.relax.program import uses_relax
from ...dialects.walks import inner_blocks
from ...records import record

"""The attribute of a module that lists its devices."""


class Domain:
    """Where a value lives. Domains on one device are joined; the representative of those joined knows the device."""

    def __init__(self, joined: DisjointSet[Domain]) -> None:
        joined.add(self)
        self._joined = joined
        self._device: VDeviceAttr | None = None
        self._reason = ""

    def root(self) -> Domain:
        """Returns the representative."""
        return self._joined.find(self)

    @property
    def device(self) -> VDeviceAttr | None:
        """The device, if it is known."""
        return self.root()._device

    @property
    def description(self) -> str:
        """The device and where it is known from."""
        root = self.root()
        assert root._device is not None
        return f"{root._device.label} ({root._reason})"

    def place(self, device: VDeviceAttr, reason: str) -> bool:
        """Puts the domain on a device; returns whether it is there, and not on another one."""
        root = self.root()
        if root._device is None:
            root._device, root._reason = device, reason
        return root._device == device

    def default(self, device: VDeviceAttr) -> None:
        """Puts the domain on a device if nothing else says where it is."""
        if self.device is None:
            self.place(device, "default")

    def join(self, other: Domain) -> bool:
        """Makes one domain of two; returns False if they are on different devices."""
        root, other_root = self.root(), other.root()
        if root._device is None:
            root._device, root._reason = other_root._device, other_root._reason
        elif other_root._device not in (None, root._device):
            return False
        self._joined.union_left(root, other_root)
        return True


@record(eq=False)
class Read:
    """An operand, or a tensor inside of it: `source` is where the value lives, `target` where the op wants it."""

    op: Operation
    index: int
    path: Path
    source: Domain
    target: Domain

    @property
    def value(self) -> SSAValue:
        """The operand."""
        return self.op.operands[self.index]

    @property
    def crosses(self) -> bool:
        """Whether the value lives on another device than the op wants it on."""
        return self.source.device != self.target.device


class Domains:
    """The domains of a module as its structure and the types of arguments make them; reads are not joined yet.

    All results of an op share its domain, a field of a tuple is where `relax.tuple_get_item` reads it, a call has its results where the
    callee returns them. Raises `PassFailedException` where these contradict each other.
    """

    def __init__(self, module: ModuleOp):
        self.functions = {op.sym_name.data: op for op in module.body.block.ops if isinstance(op, func.FuncOp)}
        self._joined = DisjointSet[Domain]()
        self.reads: list[Read] = []
        """All reads in program order, but for `moves`."""
        self.moves: list[Read] = []
        """The operands of hints and of `relax.to_vdevice`; the target is their result."""
        self.computing: dict[Operation, Domain] = {}
        """The domains of the ops that compute."""
        self.placeless: set[Operation] = set()
        """Ops that can be done on any device, as `find_placeless` found them."""
        self._declared: list[tuple[Operation, Domain, VDeviceAttr, str]] = []
        self._values: dict[tuple[SSAValue, Path], Domain] = {}
        self._parameters: dict[str, dict[tuple[int, Path], Domain]] = {name: {} for name in self.functions}
        self._results: dict[str, dict[tuple[int, Path], Domain]] = {name: {} for name in self.functions}
        for name, function in self.functions.items():
            self._declare(name, function)
        for name, function in self.functions.items():
            if function.body.blocks and uses_relax(function):
                self._block(function.body.block, name)

    def value(self, value: SSAValue, path: Path = ()) -> Domain:
        """Returns where a value lives."""
        return self._values.setdefault((value, path), Domain(self._joined))

    def parameter(self, name: str, index: int, path: Path = ()) -> Domain:
        """Returns where an argument of a function lives."""
        return self._parameters[name][index, path]

    def result(self, name: str, index: int, path: Path = ()) -> Domain:
        """Returns where a result of a function lives."""
        return self._results[name][index, path]

    def parameters(self, name: str) -> list[Domain]:
        """Returns where the arguments of a function live."""
        return list(self._parameters[name].values())

    def results(self, name: str) -> list[Domain]:
        """Returns where the results of a function live."""
        return list(self._results[name].values())

    def all(self) -> list[Domain]:
        """Returns the domains of all values."""
        return list(self._values.values())

    def place_declared(self, weak: bool = False) -> None:
        """Places results, of ops and of functions, as their types say; with `weak` only where nothing else is known."""
        for op, domain, device, reason in self._declared:
            if not weak or domain.device is None:
                self._place(op, domain, device, reason)

    def find_placeless(self) -> None:
        """Finds the ops that read no tensor and of whose results nothing says where they are."""
        for op, domain in self.computing.items():
            reads = any(True for operand in op.operands for _ in leaves(operand.type))
            if domain.device is None and not reads and is_side_effect_free(op):
                self.placeless.add(op)

    def _declare(self, name: str, function: func.FuncOp) -> None:
        args = function.body.block.args if function.body.blocks else ()
        types = function.function_type
        for index, value_type in enumerate(types.inputs.data):
            for path, leaf in leaves(value_type):
                domain = self.value(args[index], path) if args else Domain(self._joined)
                text = label(args[index]) if args else str(index)
                self._place(function, domain, vdevice_of(leaf), f"argument {text} of @{name}")
                self._parameters[name][index, path] = domain
        for index, value_type in enumerate(types.outputs.data):
            for path, leaf in leaves(value_type):
                self._results[name][index, path] = domain = Domain(self._joined)
                self._declare_result(function, domain, leaf, f"result {index} of @{name}")
        if not function.body.blocks or not uses_relax(function):
            # A function without relax ops counts as one kernel.
            kernel = Domain(self._joined)
            for domain in (*self.parameters(name), *self.results(name)):
                self._join(function, kernel, domain)

    def _block(self, block: Block, function: str) -> None:
        for op in block.ops:
            for inner in inner_blocks(op):
                self._block(inner, function)
            for result in op.results:
                for path, leaf in leaves(result.type):
                    self._declare_result(op, self.value(result, path), leaf, f"the type of {label(result)}")
            self._op(op, function)

    def _op(self, op: Operation, function: str) -> None:
        # Reads are recorded and joined later; here only values are joined that are on one device by the structure of the program.
        match op:
            case DataflowOp() | scf.IfOp() | ShapeOfOp() | KillObjectOp():
                pass
            case OutputOp() | scf.YieldOp():
                outer = op.parent_op()
                assert outer is not None
                for index in range(len(op.operands)):
                    self._read(op, index, lambda path, i=index: self.value(outer.results[i], path))
            case func.ReturnOp():
                for index in range(len(op.operands)):
                    self._read(op, index, lambda path, i=index: self.result(function, i, path))
            case HintOnDeviceOp() | ToVDeviceOp():
                self.moves.append(Read(op, 0, (), self.value(op.x), self.value(op.result)))
            case DeviceCopyOp():
                source = Domain(self._joined)
                source.place(op.src_vdevice, "src_vdevice")
                self._read(op, 0, lambda path: source)
            case TupleOp():
                for index in range(len(op.operands)):
                    self._read(op, index, lambda path, i=index: self.value(op.result, (i, *path)))
            case TupleGetItemOp():
                for path, _ in leaves(op.result.type):
                    field = self.value(op.tuple_value, (op.index.value.data, *path))
                    self._join(op, field, self.value(op.result, path))
            case func.CallOp() if op.callee.string_value() in self.functions:
                name = op.callee.string_value()
                for index in range(len(op.operands)):
                    self._read(op, index, lambda path, i=index: self.parameter(name, i, path))
                for index, result in enumerate(op.results):
                    for path, _ in leaves(result.type):
                        self._join(op, self.result(name, index, path), self.value(result, path))
            case _:
                self._computation(op)
        if isinstance(op, ToVDeviceOp | DeviceCopyOp):
            self._place(op, self.value(op.result), op.dst_vdevice, f"dst_vdevice of {op.name}")

    def _computation(self, op: Operation) -> None:
        """Puts all tensors of an op on one device: the host, for ops that the host runs and for those of other dialects."""
        domain = Domain(self._joined)
        for result in op.results:
            for path, _ in leaves(result.type):
                self._join(op, domain, self.value(result, path))
        for index in range(len(op.operands)):
            self._read(op, index, lambda path: domain)
        if not isinstance(op, RelaxOp) or isinstance(op, ON_HOST):
            self._place(op, domain, HOST, f"{op.name} runs on the host")
        else:
            self.computing[op] = domain

    def _declare_result(self, op: Operation, domain: Domain, leaf: Attribute, reason: str) -> None:
        device = vdevice_of(leaf)
        # The type of a hint's result repeats that of its operand.
        if device is not None and not isinstance(op, HintOnDeviceOp):
            self._declared.append((op, domain, device, reason))

    def _read(self, op: Operation, index: int, target: Callable[[Path], Domain]) -> None:
        value = op.operands[index]
        for path, _ in leaves(value.type):
            self.reads.append(Read(op, index, path, self.value(value, path), target(path)))

    def _place(self, op: Operation, domain: Domain, device: VDeviceAttr | None, reason: str) -> None:
        if device is not None and not domain.place(device, reason):
            raise PassFailedException(f"{op.name}: expected {device.label} ({reason}), got {domain.description}")

    def _join(self, op: Operation, domain: Domain, other: Domain) -> None:
        if not domain.join(other):
            raise PassFailedException(f"{op.name}: its values are on {domain.description} and on {other.description}")
