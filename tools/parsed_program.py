"""Programs of `relax-run` that are read, changed by passes, compiled and interpreted: all that a program in the cache does without."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from ..collector import importing
from ..dialects.relax.ops.qnn.elementwise import QuantizeBase
from ..dialects.relax.program import drop_stale_attributes, verify_program
from ..dialects.relax.symbol_ranges import declared_ranges
from ..dialects.symbolic.order import Ranges
from ..dialects.upstream.known_elements import verify_known_elements
from ..dialects.upstream.located_parser import parse_module
from ..extensions import run_pass
from ..frontend.model.files import format_of, import_as
from ..frontend.model.problems import ModelImportError
from ..frontend.model.weights import ImportedModel
from ..lowering.check_legality import verify_enters
from ..lowering.pipeline import Settings, pipelines
from ..lowering.pipeline_spec import parse_pass_pipeline
from ..passes.analysis.call_graph import named_functions
from ..passes.devices.plan_devices import PlanDevicesPass
from ..runtime.compiler import compile as compile_module
from ..runtime.executable.arguments import Signature
from ..runtime.executable.executable import Executable
from ..runtime.inputs import load_files, parse_assignments
from ..runtime.session import Call
from ..runtime.signatures import signatures
from ..runtime.source import Source
from ..targets.cpu import cpu_target, default_target
from ..universe import multiverse
from .history import History
from .multiverse import tool_context
from .report import Report

if TYPE_CHECKING:
    from ..runtime.activation_memory import ActivationMemory

LIFTING_LEVEL = 2
"""The level from which parameters are transformed once before the calls, unless passes are given."""


class ParsedProgram:
    """A program as it was read, from its text or from the file of a model; sizes of a model are taken out of `sizes`."""

    def __init__(self, args: argparse.Namespace, source: Source | None, sizes: dict[str, int]):
        self._args = args
        self._model: ImportedModel | None = None
        self._fixed = load_files(parse_assignments(args.value, "--value"))
        self._ctx = tool_context()
        self.original = self._load(source, sizes)
        self.history = History(self.original, is_on=args.report is not None)
        """What passes did, for a report."""
        if args.passes is None:
            # Compilation copies values between devices; the interpreter runs the same copies.
            PlanDevicesPass().apply(self._ctx, self.original)

    @cached_property
    def functions(self) -> dict[str, Signature]:
        """The functions as they were read."""
        return signatures(self.original)

    @cached_property
    def module(self) -> ModuleOp:
        """The program after the passes that run before compilation."""
        module = self.original.clone()
        with self.history.recording():
            for item in self._passes():
                run_pass(item, self._ctx, module)
                drop_stale_attributes(module)
                verify_program(module)
                self.history.observe(item.name, module)
        return module

    @cached_property
    def transformed(self) -> dict[str, Signature]:
        """The functions of `module`."""
        return signatures(self.module)

    def ranges(self, name: str) -> Ranges:
        """Returns the ranges of sizes that a function declares."""
        return declared_ranges(named_functions(self.original)[name])

    @property
    def is_quantized(self) -> bool:
        """Whether values of the program as it was read are quantized."""
        return any(isinstance(op, QuantizeBase) for op in self.original.walk())

    @property
    def state(self) -> Mapping[str, Any]:
        """The first values of what the model keeps from call to call, by the names of its inputs."""
        return {} if self._model is None else self._model.state

    @property
    def weights(self) -> Mapping[str, Any] | None:
        """The weights that come with the program."""
        return None if self._model is None else self._model.params

    def _load(self, source: Source | None, sizes: dict[str, int]) -> ModuleOp:
        """Returns the program of a text, or without one, that of the model in the file."""
        file = self._args.file
        if source is None:
            model_format = format_of(file)
            assert model_format is not None
            # Sizes are fixed in the import: a model may decide by them what it computes.
            self._model = import_as(model_format, file, sizes, self._fixed)
            sizes.clear()
            return self._model.module
        if file.endswith(".py"):
            raise ModelImportError(
                "the file is a program of Python; relax-import tvm reads a module of TVM that it defines"
            )
        if file.endswith(".json"):
            with importing():
                from ..frontend.graph_json import load_graph

            data = source.text
            return load_graph(self._ctx, data if isinstance(data, str) else data.decode("utf-8", "replace"), file)
        module = parse_module(self._ctx, source.text, file, own_positions=self._args.report is not None)
        verify_program(module)
        verify_enters(module)
        verify_known_elements(module)
        return module

    def compile(self) -> Executable:
        """Compiles the program."""
        module = self.module
        with self.history.recording():
            return self._compile(module)

    def _compile(self, module: ModuleOp) -> Executable:
        args = self._args
        return compile_module(
            module,
            opt_level=args.opt_level,
            threads=args.threads,
            target=args.target,
            bounds_checks=args.bounds_checks,
            profile=args.profile is not None or args.report is not None,
            observer=None if args.report is None else lambda name, module, _: self.history.observe(name, module),
        )

    def interpreted(self) -> Call:
        """Returns what calls the functions of `module` by the interpreter."""
        return _interpreted(self.module)

    def oracle(self) -> Call:
        """Returns what calls the functions as they were read by the interpreter."""
        return _interpreted(self.original)

    def activation_memory(self, entry: str, sizes: Mapping[str, int]) -> ActivationMemory:
        """Returns the memory that intermediate tensors of a function take."""
        with importing():
            from ..runtime.activation_memory import activation_memory

        return activation_memory(self.module, entry, sizes, Settings(self._args.opt_level))

    def run_original(self, inputs: Sequence[Any]) -> list[Any]:
        """Returns what the library that the model comes from computes."""
        model_format = format_of(self._args.file)
        assert self._model is not None and model_format is not None and model_format.run is not None
        names = (*self._model.inputs, *self._model.state)
        named = {**dict(zip(names, inputs, strict=True)), **self._fixed}
        return model_format.run(Path(self._args.file), named)

    def bisect(self, report: Report, entry: str, arguments: Sequence[Any]) -> bool:
        """Says where the results of the program go wrong, and writes a small one; returns whether they do."""
        with importing():
            from .bisection_report import report_bisection

        return report_bisection(report, self._args, self.original, entry, arguments, self._passes(), self._settings())

    def _passes(self) -> tuple[ModulePass, ...]:
        """Returns the passes that run before compilation."""
        args = self._args
        lifts = args.passes is None and args.backend == "native" and args.opt_level >= LIFTING_LEVEL
        spec = "optimize" if lifts else args.passes
        if not spec:
            return ()
        settings = self._settings(lift=lifts)
        return parse_pass_pipeline(spec, multiverse().all_passes, pipelines(settings), settings.target)

    def _settings(self, lift: bool = False) -> Settings:
        args = self._args
        target = cpu_target(args.target or default_target()).name
        return Settings(
            opt_level=args.opt_level, lift=lift, threads=args.threads, target=target, bounds_checks=args.bounds_checks
        )


def _interpreted(module: ModuleOp) -> Call:
    with importing():
        from ..runtime.interpreted import interpret

    return interpret(module)
