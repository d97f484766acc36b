"""The pass `split-at-sizes`: a function whose memory depends on data becomes steps, each of which knows its sizes before it is called."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.context import Context
from xdsl.dialects import arith, func, tensor
from xdsl.dialects.builtin import FunctionType, IndexType, ModuleOp, TensorType, i1
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects.relax.function_signature import argument_attributes, attribute_array, is_private
from ...dialects.relax.vocabulary.attributes import (
    BORROWED,
    DONATE,
    NUM_INPUT,
    PARAMS_FROM,
    PARAMS_INDEX,
    STEP_ARGUMENTS,
    STEP_OF,
    STEP_RESULTS,
    VDEVICE,
)
from ...dialects.relax.vocabulary.symbols import STEP, SymbolNames
from ...dialects.upstream.op_error import OpError
from ...dialects.walks import ops_inside
from ...passes.options import PassWithOptions
from .bufferize import declared_dims, result_dims
from .call_order import callees_first
from .sizes_of_branches import find_before_branches
from .unbounded_sizes import Callees, Steps, UnboundedSizes, operands_from_outside


class SplitAtSizesPass(PassWithOptions):
    """Splits functions where a size that depends on data, and that nothing bounds, becomes known.

    ```mlir
    func.func @f(%t: tensor<1xi64>) -> tensor<?xf32> {
      %n = arith.index_cast %element : i64 to index
      %y = func.call @ones(%n) : (index) -> tensor<?xf32>
      return %y
    ```
    becomes
    ```mlir
    func.func @f.step(%t: tensor<1xi64>) -> index attributes {relax.step_of = "f", relax.step_arguments = array<i64: 0>}
    func.func @f.step_1(%n: index) -> tensor<?xf32>
        attributes {relax.step_of = "f", relax.step_arguments = array<i64: 1>, relax.step_results = array<i64: 2>}
    ```

    Before: the linalg stage. After: in each function every size of a tensor, and every size that the memory of a callee depends
    on, is known from the sizes and `index` values that the function takes, or has a bound that is. The first step takes all arguments;
    later ones take what they read, and compute constants and sizes again. A private function that finds such a size is inlined, and
    what a branch finds is found in a branch before it (`sizes_of_branches.py`).
    """

    name = "split-at-sizes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = {f.sym_name.data: f for f in op.body.block.ops if isinstance(f, func.FuncOp)}
        names = SymbolNames(op)
        callees = Callees()
        inlined: dict[str, func.FuncOp] = {}
        for function in callees_first(functions):
            name = function.sym_name.data
            if not function.body.blocks:
                callees.calls_python.add(name)
                callees.dims[name] = declared_dims(function)
                continue
            _inline(function, inlined)
            unbounded = UnboundedSizes(function, callees)
            while unbounded.waiting and find_before_branches(unbounded):
                unbounded = UnboundedSizes(function, callees)
            if unbounded.calls_python(function):
                callees.calls_python.add(name)
            if not unbounded.waiting:
                callees.needs[name] = unbounded.memory_arguments()
                callees.dims[name] = result_dims(function, unbounded.sizes)
                continue
            steps = unbounded.steps()
            inlined[name] = function
            if not is_private(function):
                _verify_splits(function, functions)
                op.body.block.insert_ops_before(_Split(function, steps, names).functions(), function)
            function.detach()
        for function in inlined.values():
            function.erase()


def _inline(function: func.FuncOp, bodies: Mapping[str, func.FuncOp]) -> None:
    """Replaces the calls of some functions by their bodies."""
    for call in [op for op in ops_inside(function) if isinstance(op, func.CallOp)]:
        callee = bodies.get(call.callee.string_value())
        if callee is None:
            continue
        block = callee.clone().body.block
        last = block.last_op
        assert last is not None
        returned = list(last.operands)
        last.detach()
        last.erase()
        arguments = dict(zip(block.args, call.operands, strict=True))
        Rewriter.inline_block(block, InsertPoint.before(call), list(arguments.values()))
        Rewriter.replace_op(call, [], [arguments.get(value, value) for value in returned])  # pyright: ignore


def _verify_splits(function: func.FuncOp, functions: Mapping[str, func.FuncOp]) -> None:
    """Raises `OpError` for a function of which memory belongs to someone else between its steps."""
    name = function.sym_name.data
    called = [functions[op.callee.string_value()] for op in ops_inside(function) if isinstance(op, func.CallOp)]
    entries = [entry for f in (function, *called) for entry in (*(f.arg_attrs or ()), *(f.res_attrs or ()))]
    for attribute in (DONATE, VDEVICE):
        if any(attribute.is_on(entry) for entry in entries):
            raise OpError(
                function,
                f"split-at-sizes: @{name} has sizes that depend on data and that nothing bounds, which {attribute} excludes",
            )


class _Split:
    """Makes the steps of one function."""

    def __init__(self, function: func.FuncOp, steps: Steps, names: SymbolNames):
        self.function = function
        self.names = names
        self.name = function.sym_name.data
        self.count = 1 + max(steps.values())
        self.step_of = steps
        last = function.body.block.last_op
        assert last is not None
        self.returned = list(last.operands)
        self.ops = [self._ops(step) for step in range(self.count)]
        """The ops of each step, those that it computes again among them, in order."""
        self.taken = [self._taken(step) for step in range(self.count)]
        """The values that each step takes."""
        self.given = [self._given(step) for step in range(self.count)]
        """The values that each step returns, tensors first."""

    def functions(self) -> list[func.FuncOp]:
        """Returns the steps."""
        numbers: dict[SSAValue, int] = {value: number for number, value in enumerate(self.function.body.block.args)}
        results: list[int | None] = [None] * len(self.returned)
        made: list[func.FuncOp] = []
        total = len(numbers)
        for step in range(self.count):
            made.append(self._function(step, tuple(numbers[value] for value in self.taken[step])))
            for value in self.given[step]:
                # A value that is returned twice is given twice: results never share memory.
                places = [i for i, v in enumerate(self.returned) if v is value and results[i] is None]
                if self._returns(value, step) and places:
                    results[places[0]] = total
                numbers.setdefault(value, total)
                total += 1
        STEP_RESULTS.set(made[-1], tuple(number for number in results if number is not None))
        return made

    def _ops(self, step: int) -> list[Operation]:
        """Returns the ops of a step: its own, and those of earlier ones that are computed again rather than handed on."""
        own = {op for op, at in self.step_of.items() if at == step}
        read = operands_from_outside(op for op in self.step_of if op in own)
        read += [value for value in self.returned if step == self.count - 1 and self._step(value) == step]
        while read:
            owner = read.pop().owner
            if isinstance(owner, Operation) and owner not in own and _is_computed_again(owner):
                own.add(owner)
                read += owner.operands
        return [op for op in self.step_of if op in own]

    def _step(self, value: SSAValue) -> int:
        """Returns the step that returns a value of the function: that of its op; the last one for an argument, which is copied."""
        return self.step_of[value.owner] if isinstance(value.owner, Operation) else self.count - 1

    def _returns(self, value: SSAValue, step: int) -> bool:
        return self._step(value) == step

    def _taken(self, step: int) -> list[SSAValue]:
        if step == 0:
            return list(self.function.body.block.args)
        read = operands_from_outside(self.ops[step])
        if step == self.count - 1:
            read += [value for value in self.returned if isinstance(value, BlockArgument)]
        return list(dict.fromkeys(read))

    def _given(self, step: int) -> list[SSAValue]:
        made = {result for op in self.ops[step] for result in op.results if self.step_of[op] == step}
        later = {value for taken in self.taken[step + 1 :] for value in taken}
        values = [value for value in self.returned if self._returns(value, step)]
        values += [result for op in self.ops[step] for result in op.results if result in made & later - set(values)]
        for value in values:
            if isinstance(value.owner, Operation) and BORROWED.is_on(value.owner) and value in later:
                raise OpError(
                    value.owner,
                    f"split-at-sizes: @{self.name}: the result of {value.owner.name} is memory of Python, and is read behind "
                    "a size that depends on data and that nothing bounds",
                )
        return sorted(values, key=lambda value: not isinstance(value.type, TensorType))

    def _function(self, step: int, numbers: tuple[int, ...]) -> func.FuncOp:
        block = Block(arg_types=[value.type for value in self.taken[step]])
        mapping: dict[SSAValue, SSAValue] = {}
        for value, argument in zip(self.taken[step], block.args, strict=True):
            argument.name_hint = value.name_hint
            mapping[value] = argument
        block.add_ops([op.clone(mapping) for op in self.ops[step]])
        last = self.function.body.block.last_op
        assert last is not None
        returned = func.ReturnOp(*(mapping[value] for value in self.given[step]))
        returned.location = last.location
        block.add_op(returned)
        types = FunctionType.from_lists([a.type for a in block.args], [value.type for value in self.given[step]])
        function = func.FuncOp(self.names.fresh(STEP.format(self.name)), types, Region(block))
        function.location = self.function.location
        if step == 0:
            # What the caller promises of arguments is checked by the first step, which takes all of them.
            function.attributes.update(self.function.attributes)
            for attribute in (NUM_INPUT, PARAMS_FROM, PARAMS_INDEX):
                attribute.clear(function)
            function.arg_attrs = attribute_array(argument_attributes(self.function))
        STEP_OF.set(function, self.name)
        STEP_ARGUMENTS.set(function, numbers)
        return function


def _is_computed_again(op: Operation) -> bool:
    """Returns whether an op costs nothing, so that each step that needs its result computes it: a constant, or arithmetic on sizes."""
    match op:
        case arith.ConstantOp() | tensor.EmptyOp():
            return True
        case tensor.DimOp():
            return isinstance(op.source, BlockArgument)
        case _:
            values = (*op.operands, *op.results)
            is_arithmetic = op.dialect_name() == "arith" and not op.regions
            return is_arithmetic and all(isinstance(v.type, IndexType) or v.type == i1 for v in values)
