"""Walks a function: its ops by their rules, calls by the bodies of what they call, control flow as `If` and `Loop`."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from onnx import GraphProto
from xdsl.dialects import func, scf
from xdsl.dialects.builtin import i1, i64
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from ....dialects.relax.function_signature import identifier
from ....dialects.relax.ops.core import DataflowOp, OutputOp
from ...model.problems import Problem, Unsupported
from .nodes import Graph, Nodes
from .ops.rules import RULES
from .sizes import Sizes
from .table import Scope
from .values import Value, bound, element_of, flattened, leaves_of, rebuilt, resolved

_TERMINATORS = (func.ReturnOp, OutputOp, scf.YieldOp, scf.ConditionOp)
_STRUCTURE = (DataflowOp, func.CallOp, scf.IfOp, scf.ForOp, scf.WhileOp)


def covers(op_class: type[Operation]) -> bool:
    """Returns whether ops of a class can be written."""
    return op_class in RULES or op_class in _STRUCTURE or op_class in _TERMINATORS


class FunctionExporter:
    """Writes the ops of a function, and of those that it calls, into one graph."""

    def __init__(self, nodes: Nodes, functions: Mapping[str, func.FuncOp]):
        self.nodes = nodes
        self.problems: list[Problem] = []
        self._functions = functions
        self._calls: list[str] = []
        self._values: dict[SSAValue, Value] = {}
        self._scope = Scope(nodes, Sizes(nodes))

    @property
    def sizes(self) -> Sizes:
        """The sizes that are known where the walk is."""
        return self._scope.sizes

    def run(self, function: func.FuncOp, args: Sequence[Value]) -> list[Value]:
        """Returns the results of a function for arguments."""
        name = function.sym_name.data
        if name in self._calls:
            raise Unsupported(f"@{name} calls itself")
        args = [resolved(arg, self.sizes) for arg in args]
        outer, values = self._scope, self._values
        self._scope, self._values = Scope(self.nodes, Sizes(self.nodes)), {}
        self._calls.append(name)
        try:
            results = self._block(function.body.block, args)
            return [resolved(result, self.sizes) for result in results]
        finally:
            self._calls.pop()
            self._scope, self._values = outer, values

    def _block(self, block: Block, args: Sequence[Value]) -> list[Value]:
        """Returns the operands of the terminator of a block."""
        for argument, value in zip(block.args, args, strict=True):
            self._values[argument] = bound(argument.type, value, self.sizes)
        for op in block.ops:
            operands = [self._values[operand] for operand in op.operands]
            if isinstance(op, _TERMINATORS):
                return operands
            results = self._written(op, operands)
            for result, value in zip(op.results, results, strict=True):
                self._values[result] = bound(result.type, value, self.sizes)
        return []

    def _written(self, op: Operation, operands: Sequence[Value]) -> Sequence[Value]:
        """Returns the results of an op, `None` for those of what has no counterpart, or reads what has none."""
        if any(operand is None for operand in operands):
            return [None] * len(op.results)
        hint = next((result.name_hint for result in op.results if result.name_hint), None)
        self.nodes.stem = identifier(hint) if hint else ""
        try:
            return self._results(op, operands)
        except (Unsupported, VerifyException) as error:
            self.problems.append(Problem(op.name, str(error), f"@{self._calls[-1]}{f' %{hint}' if hint else ''}"))
            return [None] * len(op.results)

    def _results(self, op: Operation, operands: Sequence[Value]) -> Sequence[Value]:
        match op:
            case DataflowOp():
                return self._block(op.body.block, ())
            case func.CallOp():
                callee = self._functions.get(op.callee.string_value())
                if callee is None or not callee.body.blocks:
                    raise Unsupported("a call of a function without a body")
                return self.run(callee, operands)
            case scf.IfOp():
                return self._if(op, operands)
            case scf.ForOp():
                return self._for(op, operands)
            case scf.WhileOp():
                return self._while(op, operands)
            case _:
                # Ops of upstream dialects may be of subclasses.
                rule = next((RULES[kind] for kind in type(op).__mro__ if kind in RULES), None)
                if rule is None:
                    raise Unsupported("the op has no counterpart")
                result = rule(op, operands, self._scope)
                return result if isinstance(result, list) else [result]

    # Control flow

    @contextmanager
    def _body(self) -> Generator[Graph]:
        outer = self._scope
        self._scope = Scope(self.nodes, outer.sizes.inner())
        try:
            with self.nodes.body() as graph:
                yield graph
        finally:
            self._scope = outer

    def _outputs(self, values: Sequence[Value]) -> list[str]:
        """Returns values as outputs of the open body: names of its own."""
        names = [name for value in values for name in flattened(value, self.sizes)]
        self.nodes.stem = ""
        return [self.nodes.emit("Identity", [name], [self.nodes.element(name)])[0] for name in names]

    def _rebuilt(self, types: Sequence[Attribute], names: Sequence[str]) -> list[Value]:
        given = iter(names)
        return [rebuilt(value_type, given) for value_type in types]

    def _elements(self, types: Sequence[Attribute]) -> list[Attribute]:
        return [element_of(leaf) for value_type in types for leaf in leaves_of(value_type)]

    def _carried(self, types: Sequence[Attribute]) -> list[str]:
        """Returns the names of new inputs of a body, for values of some types."""
        return [self.nodes.define(self.nodes.name("carried"), element) for element in self._elements(types)]

    def _if(self, op: scf.IfOp, operands: Sequence[Value]) -> list[Value]:
        types = [result.type for result in op.results]
        graphs: list[GraphProto] = []
        for region in (op.true_region, op.false_region):
            with self._body() as graph:
                values = self._block(region.block, ()) if region.blocks else []
                outputs = [] if any(value is None for value in values) else self._outputs(values)
            if len(outputs) != len(self._elements(types)):
                return [None] * len(types)
            graphs.append(self._scope.graph_of(graph, [], outputs))
        if not types:
            return []
        (condition,) = operands
        assert isinstance(condition, str)
        results = self.nodes.emit(
            "If", [condition], self._elements(types), then_branch=graphs[0], else_branch=graphs[1]
        )
        return self._rebuilt(types, results)

    def _loop(
        self, count: str, again: str, initial: Sequence[Value], types: Sequence[Attribute], step: Any
    ) -> list[Value]:
        """Returns what a `Loop` leaves: `step(iteration, values)` returns whether it goes on, and the next values."""
        start = [name for value in initial for name in flattened(value, self.sizes)]
        with self._body() as graph:
            iteration = self.nodes.define(self.nodes.name("iteration"), i64)
            going = self.nodes.define(self.nodes.name("going"), i1)
            carried = self._carried(types)
            condition, values = step(iteration, self._rebuilt(types, carried))
            outputs = [] if condition is None or None in values else self._outputs([condition, *values])
        if len(outputs) != len(carried) + 1:
            return [None] * len(types)
        scalars = (iteration, going)
        body = self._scope.graph_of(graph, [*scalars, *carried], outputs, scalars)
        results = self.nodes.emit("Loop", [count, again, *start], self._elements(types), body=body)
        return self._rebuilt(types, results)

    def _for(self, op: scf.ForOp, operands: Sequence[Value]) -> list[Value]:
        nodes = self.nodes
        lower, upper, step, *initial = operands
        assert isinstance(lower, str) and isinstance(upper, str) and isinstance(step, str)
        element = nodes.element(lower)
        unit, zero = nodes.scalar(1, i64), nodes.scalar(0, i64)
        distance = nodes.add("Sub", nodes.cast(upper, i64), nodes.cast(lower, i64))
        wide = nodes.cast(step, i64)
        count = nodes.add("Div", nodes.add("Add", distance, nodes.add("Sub", wide, unit)), wide)

        def body(iteration: str, values: Sequence[Value]) -> tuple[Value, list[Value]]:
            at = nodes.add("Add", nodes.cast(lower, i64), nodes.add("Mul", iteration, wide))
            return nodes.scalar(True, i1), self._block(op.body.block, [nodes.cast(at, element), *values])

        types = [result.type for result in op.results]
        if not types:
            return []
        return self._loop(nodes.add("Max", count, zero), "", initial, types, body)

    def _while(self, op: scf.WhileOp, operands: Sequence[Value]) -> list[Value]:
        # The values that a loop carries are those that its first region passes on: that region runs before the loop, and at the
        # end of each iteration, after the second region.
        types = [result.type for result in op.results]
        again, *values = self._block(op.before_region.block, operands)
        if again is None or None in values:
            return [None] * len(types)

        def body(iteration: str, values: Sequence[Value]) -> tuple[Value, list[Value]]:
            following = self._block(op.after_region.block, values)
            if None in following:
                return None, []
            condition, *results = self._block(op.before_region.block, following)
            return condition, results

        assert isinstance(again, str)
        return self._loop("", again, values, types, body)
