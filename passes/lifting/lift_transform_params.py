"""The pass `relax-lift-transform-params`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import PassFailedException

from ...dialects.relax.function_signature import calls, fresh, functions, transforms
from ...dialects.relax.program import uses_relax
from ...dialects.relax.vocabulary.attributes import CONSUME_PARAMS, NUM_INPUT, PARAMS_FROM, PARAMS_INDEX
from ...dialects.relax.vocabulary.symbols import TRANSFORM as TRANSFORM_NAME
from ..analysis.call_graph import named_functions, required_function
from ..analysis.remarks import is_recording
from ..options import PassWithOptions
from .bundle_model_params import (
    bundle_parameters,
    bundle_results,
    is_one_tuple,
    reset_consumed_items,
    unbundle_parameters,
)
from .lift_analysis import Analysis, View, Weight, adopt_types, make_view, own_weights
from .lift_from_callees import lift_from_callees
from .lift_plan import Plan, Sharing, make_plan
from .lift_remarks import Report
from .lift_rewrite import (
    extend_transform,
    labels,
    new_transform,
    rewrite_function,
    source_weights,
)


def targets(module: ModuleOp, shared: bool | Sequence[str]) -> list[func.FuncOp]:
    """Returns the functions to lift from: those named, in that order, else all with `relax.num_input`, sorted by name.

    Functions that take no parameters share no transform with such that do, unless they are named.
    """
    # No function is chosen twice, and none that is a transform.
    by_name = named_functions(module)
    if isinstance(shared, bool) or not shared:
        made = set(transforms(module))
        candidates = [
            function
            for _, function in sorted(by_name.items())
            if function.body.blocks and NUM_INPUT.of(function) is not None and function not in made
        ]
        return candidates if shared is False else list(filter(_takes_parameters, candidates)) or candidates
    chosen: list[func.FuncOp] = []
    for name in dict.fromkeys(shared):
        function = required_function(by_name, name)
        if not function.body.blocks or not (uses_relax(function) or NUM_INPUT.of(function) is not None):
            raise PassFailedException(f"@{name} is not a relax function")
        if NUM_INPUT.of(function) is None:
            raise PassFailedException(f"@{name} has no {NUM_INPUT}, which says where its parameters begin")
        chosen.append(function)
    return chosen


def _takes_parameters(function: func.FuncOp) -> bool:
    return len(function.body.block.args) > (NUM_INPUT.of(function) or 0)


class Lifting:
    """Lifts from one group of functions into one transform."""

    def __init__(self, module: ModuleOp, group: Sequence[func.FuncOp], name: str, sharing: Sharing):
        self.module = module
        self.group = group
        self.name = name
        self.sharing = sharing
        self.source = self._source()

    def _source(self) -> func.FuncOp | None:
        """Returns the transform that the functions take their parameters from already."""
        users = {PARAMS_FROM.of(function): function.sym_name.data for function in self.group}
        if len(users) > 1:
            (first, user), (second, other), *_ = users.items()
            raise PassFailedException(
                f"@{user} takes its parameters from {_source_text(first)} and @{other} from {_source_text(second)}: "
                "they cannot share a transform"
            )
        (declared,) = users
        name = declared or self.name
        source = next((function for function in transforms(self.module) if function.sym_name.data == name), None)
        if declared is not None and source is None:
            raise PassFailedException(
                f"@{self.group[0].sym_name.data} takes its parameters from @{declared}, which is no function"
            )
        return source

    def views(self) -> tuple[list[Weight], list[View]]:
        """Returns the weights of the transform, and each function's view of them."""
        first, *_ = self.group
        if self.source is not None:
            weights = source_weights(self.source, first.function_type.inputs.data[NUM_INPUT.of(first) or 0 :])
        else:
            weights = own_weights(first)
        views = [self._view(function, weights) for function in self.group]
        if self.source is None:
            adopt_types(views[0], weights)
        for view in views[0 if self.source is not None else 1 :]:
            self._unify(view, weights)
        return weights, views

    def _view(self, function: func.FuncOp, weights: Sequence[Weight]) -> View:
        count = NUM_INPUT.of(function) or 0
        args = function.body.block.args[count:]
        index = PARAMS_INDEX.of(function)
        positions = list(range(len(args))) if index is None else list(index)
        expected = len(weights) if index is None else len(index)
        if len(args) != expected or any(not 0 <= position < len(weights) for position in positions):
            first = self.group[0].sym_name.data if self.source is None else self.source.sym_name.data
            verb = "takes" if self.source is None else "returns"
            raise PassFailedException(
                f"the number of parameters should be the same: @{first} {verb} {len(weights)}, "
                f"@{function.sym_name.data} takes {len(args)}"
            )
        return make_view(function, positions)

    def _unify(self, view: View, weights: Sequence[Weight]) -> None:
        function = view.function
        types = [arg.type for arg in view.parameters]
        wrong = view.symbols.unify(types, [weights[value_id].type for value_id in view.weights], self.source is None)
        if wrong is None:
            return
        weight = weights[view.weights[wrong]]
        first = self.group[0] if self.source is None else self.source
        label = weight.name or weight.hint or str(view.weights[wrong])
        expected = (
            first.body.block.args[(NUM_INPUT.of(first) or 0) + wrong].type if self.source is None else weight.type
        )
        raise PassFailedException(
            f"the types of parameter '{label}' should be the same: {expected} in @{first.sym_name.data}, "
            f"{types[wrong]} in @{function.sym_name.data}"
        )

    def run(self, report: Report | None) -> func.FuncOp | None:
        """Rewrites the functions; returns the transform, `None` where there was nothing left to do."""
        weights, views = self.views()
        analysis = Analysis(weights, unify=self.sharing.shared, define_symbols=self.sharing.private)
        for view in views:
            analysis.scan(view)
        plan = make_plan(analysis, views, self.sharing)
        names = labels(plan)
        is_done = plan.is_identity and all(plan.keeps(view) for view in views)
        transform = self.source if self.source is not None and is_done else self._transform(plan)
        if report is not None:
            # A new transform may have another name than the one asked for, which may be taken.
            report.add(plan, f"@{transform.sym_name.data}", names)
        if self.source is not None and is_done:
            for view in views:
                PARAMS_FROM.set(view.function, transform.sym_name.data)
            return None
        extend_transform(plan, transform, names)
        for view in views:
            rewrite_function(plan, view, transform.sym_name.data, names)
        return transform

    def _transform(self, plan: Plan) -> func.FuncOp:
        """Returns the function to extend: a new transform, the source, or a copy of the source if other functions still use that."""
        block = self.module.body.block
        members = set(self.group)
        names = {op.sym_name.data for op in block.ops if isinstance(op, func.FuncOp)}
        first = next(op for op in block.ops if op in members)
        if self.source is None:
            transform = new_transform(plan, fresh(self.name, names))
            block.insert_op_before(transform, first)
            return transform
        old = self.source.sym_name.data
        in_use = any(PARAMS_FROM.of(function) == old for function in functions(self.module) if function not in members)
        if old == self.name and not in_use:
            return self.source
        transform = self.source.clone()
        transform.sym_name = StringAttr(fresh(self.name, names))
        block.insert_op_before(transform, first)
        if not in_use:
            Rewriter.erase_op(self.source)
        return transform


def _source_text(name: str | None) -> str:
    return "its caller" if name is None else f"@{name}"


@dataclass(frozen=True)
class LiftTransformParamsPass(PassWithOptions):
    """Moves every computation that needs model parameters alone into a function that is run once.

    ```mlir
    func.func @main(%x: ..., %w: tensor<4x8xf32> {relax.name = "fc.weight"}) -> ... attributes {relax.num_input = 1 : i64} {
      %r = relax.dataflow {
        %w_t = relax.permute_dims %w : ...
        %y = relax.matmul %x, %w_t : ...
    ```
    becomes
    ```mlir
    func.func @main_transform_params(%w: tensor<4x8xf32> {relax.name = "fc.weight"}) -> (tensor<8x4xf32> {relax.name = "w_t"})
        attributes {relax.num_input = 0 : i64} {
      %0 = relax.dataflow {
        %w_t = relax.permute_dims %w : ...
    func.func @main(%x: ..., %w_t: tensor<8x4xf32> {relax.name = "w_t"}) -> ...
        attributes {relax.num_input = 1 : i64, relax.params_from = @main_transform_params} {
      %r = relax.dataflow {
        %y = relax.matmul %x, %w_t : ...
    ```

    docs/lifting.md says what can be lifted, and what the modes are. Result i of the transform feeds argument `relax.num_input + i`, or,
    where a function has `relax.params_index`, result `params_index[i]` does.

    A tuple that stands for the parameters, with `relax.names`, is taken apart first: weights are passed one each. A private function
    with `relax.num_input` that is called takes transformed parameters as well, which its callers compute (`relax-infer-num-input` says
    which arguments these are); from there they are lifted.

    *Requires* that no other function with parameters is called. *Leaves* no `stop_lift_params` in them;
    a second run changes nothing. The dialect has no local functions, so that nothing is lambda-lifted.
    """

    name = "relax-lift-transform-params"

    shared: bool | tuple[str, ...] = field(default=False)
    """`false`: a transform per function. `true`: one for all functions. Names: one for these functions."""
    private: bool = field(default=False)
    """In a shared transform: also lift what only some functions compute; each function receives what it uses."""
    lift_unused: bool = field(default=False)
    """In a shared transform: also lift what only some functions compute if the others never touch the weight."""
    bundle: bool = field(default=False)
    """Transforms take one tuple `model_params` and return one."""
    consume: bool = field(default=False)
    """Transforms may release a parameter once it has been read."""
    remarks: bool = field(default=False)
    """Prints to stderr why each binding that depends on weights was or was not lifted, and a summary."""
    called: Literal["refuse", "keep"] = field(default="refuse")
    """What to do with a function that is called by another one, which would have to pass other parameters."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        report = Report() if self.remarks or is_recording() else None
        lift_from_callees(op, report)
        called = calls(op)
        chosen = targets(op, self.shared)
        if self.called == "keep":
            chosen = [function for function in chosen if function.sym_name.data not in called]
        is_shared = self.shared is not False
        if not chosen and is_shared:
            raise PassFailedException(f"no function with {NUM_INPUT} to share a transform")
        for function in chosen:
            if function.sym_name.data in called:
                raise PassFailedException(
                    f"@{function.sym_name.data} is called by another function, which would have to pass other parameters"
                )
            unbundle_parameters(function)
        sharing = Sharing(is_shared, self.lift_unused, is_shared and self.private)
        # Each group of functions gets a transform of its own.
        groups = [chosen] if is_shared else [[function] for function in chosen]
        made: set[func.FuncOp] = set()
        for group in groups:
            name = TRANSFORM_NAME if is_shared else f"{group[0].sym_name.data}_{TRANSFORM_NAME}"
            lifting = Lifting(op, group, name, sharing)
            transform = lifting.run(report)
            if transform is not None and lifting.source is None:
                made.add(transform)
        for function in transforms(op):
            if NUM_INPUT.of(function) == 0:
                self._finish(function, function in made)
        if self.remarks:
            print(report, file=sys.stderr)

    def _finish(self, transform: func.FuncOp, is_new: bool) -> None:
        # One that was there may have tuples already, without names; the one weight of a new one may be a tuple.
        if self.bundle and (is_new or not is_one_tuple(transform.function_type.inputs.data)):
            bundle_parameters(transform, "model_params")
        if self.bundle and (is_new or not is_one_tuple(transform.function_type.outputs.data)):
            bundle_results(transform)
        if self.consume:
            CONSUME_PARAMS.set(transform)
            reset_consumed_items(transform)
