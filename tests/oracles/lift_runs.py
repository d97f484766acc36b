"""Runs the functions of a module before and after a pass that changes where their parameters come from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from generators.lift_modules import flattened, random_arguments, size_of
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl_relax.dialects.relax.attrs import ObjectType
from xdsl_relax.dialects.relax.function_signature import functions, is_private, result_attributes
from xdsl_relax.dialects.relax.vocabulary.attributes import NAMES, NUM_INPUT, PARAMS_FROM, PARAMS_INDEX, TRANSFORM
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.interpreter.host.packed_functions import register_packed
from xdsl_relax.passes.lifting.bundle_model_params import is_bundled


class Caller:
    """Calls functions with the arguments that they had before a pass gave them another calling convention."""

    def __init__(self, module: ModuleOp):
        self.interpreter = Interpreter(module)
        self.loaded: list[int] = []
        """The parameters that the last function loaded, by position."""

    def call(self, name: str, inputs: Sequence[Any], params: Sequence[Any]) -> list[Any]:
        """Returns the arrays that a function computes, be it through a transform, a tuple, or functions that load and store."""
        function = self.interpreter.functions[name]
        source = PARAMS_FROM.of(function)
        if source is not None:
            params = self._transformed(function, source, params)
        if is_packed(function):
            return self._call_packed(name, params)
        objects = [arg.name_hint for arg in function.body.block.args if isinstance(arg.type, ObjectType)]
        self.loaded = []
        stored: dict[int, Any] = {}

        def load(index: Any, label: str) -> Any:
            self.loaded.append(int(index))
            return params[int(index)]

        def store(index: Any, value: Any) -> None:
            assert int(index) not in stored, "a result is stored once"
            stored[int(index)] = value

        closures = [{"fget_param": load, "fset_output": store}[hint] for hint in objects if hint is not None]
        assert len(closures) == len(objects)
        passed = [tuple(params)] if is_bundled(function) else [] if "fget_param" in objects else params
        results = self.interpreter.call(name, *inputs, *closures, *passed)
        if "fset_output" in objects:
            assert results == ()
            results = tuple(stored[index] for index in range(len(stored)))
        return flattened(results)

    def _transformed(self, function: func.FuncOp, source: str, params: Sequence[Any]) -> list[Any]:
        transform = self.interpreter.functions[source]
        if is_packed(transform):
            results = self._call_packed(source, params)
        else:
            results = self.interpreter.call(source, *([tuple(params)] if is_bundled(transform) else params))
            if any(NAMES.is_on(entry) for entry in result_attributes(transform)):
                (results,) = results
        index = PARAMS_INDEX.of(function)
        chosen = range(len(results)) if index is None else index
        assert len(chosen) == len(function.function_type.inputs) - (NUM_INPUT.of(function) or 0)
        return [results[place] for place in chosen]

    def _call_packed(self, name: str, params: Sequence[Any]) -> list[Any]:
        """Runs a transform that loads and stores through packed functions."""
        self.loaded = []
        stored: dict[int, Any] = {}

        def load(index: Any) -> Any:
            self.loaded.append(int(index))
            return params[int(index)]

        register_packed("get_item", load)
        register_packed("set_item", lambda index, value: stored.__setitem__(int(index), value))
        assert self.interpreter.call(name) == ()
        return [stored[index] for index in range(len(stored))]


def is_packed(function: func.FuncOp) -> bool:
    """Returns whether a function is a transform that loads and stores through packed functions, be it nothing at all."""
    signature = function.function_type
    return TRANSFORM.is_on(function) and not signature.inputs.data and not signature.outputs.data


def assert_same_results(before: ModuleOp, after: ModuleOp, seed: int) -> int:
    """Checks that all public functions compute the same, bit for bit; returns how many there are."""
    interpreter, caller = Interpreter(before), Caller(after)
    count = 0
    for function in functions(before):
        if is_private(function):
            continue
        name = function.sym_name.data
        arguments = random_arguments(function, size_of, seed)
        expected = flattened(interpreter.call(name, *arguments))
        lazy = any(arg.name_hint == "fget_param" for arg in caller.interpreter.functions[name].body.block.args)
        inputs = NUM_INPUT.of(function)
        split = (0 if lazy else len(arguments)) if inputs is None else inputs
        results = caller.call(name, arguments[:split], arguments[split:])
        assert len(results) == len(expected), f"seed {seed}, @{name}"
        for result, reference in zip(results, expected, strict=True):
            np.testing.assert_array_equal(np.asarray(result), np.asarray(reference), err_msg=f"seed {seed}, @{name}")
        assert len(caller.loaded) == len(set(caller.loaded)), "a parameter is loaded once"
        count += 1
    return count
