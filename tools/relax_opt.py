"""`relax-opt`: xDSL's driver with our dialects, passes and stages, and errors that a person can read."""

from __future__ import annotations

import argparse
import dataclasses
import os
import sys
import time
import traceback
from collections.abc import Sequence
from functools import partial

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass, PassPipeline
from xdsl.printer import Printer
from xdsl.utils.exceptions import DiagnosticException, ParseError
from xdsl.xdsl_opt_main import xDSLOptMain

from ..dialects.upstream.located_parser import parse_module
from ..extensions import ExtensionError, run_pass
from ..lowering.pipeline import Settings, pipelines
from ..lowering.pipeline_spec import parse_pass_pipeline, pass_called
from ..targets.cpu import DEFAULT, cpu_target
from ..universe import multiverse, our_passes
from ..version import package_version
from ..whole_file import write_text
from .command_line import refuse
from .commands import run_command
from .diagnostics import Diagnostic, diagnose, is_diagnosable
from .expected_diagnostics import compare, find_expectations
from .multiverse import tool_context
from .option_values import thread_count
from .pass_list import pass_description, pass_list

EXIT_BAD_INPUT = 1
EXIT_INTERNAL = 2

SEPARATOR = "// -----"
_PACKAGE = __name__.partition(".")[0]


def _with_remarks(item: ModulePass) -> ModulePass:
    """Returns the pass with its option `remarks`, if it has one."""
    return dataclasses.replace(item, **{"remarks": True}) if has_remarks(item) else item


def has_remarks(item: ModulePass) -> bool:
    """Returns whether a pass has an option that lets it print remarks."""
    return any(field.name == "remarks" for field in dataclasses.fields(item))


class UnusedFlagError(DiagnosticException):
    """Says that a flag of the command line has nothing to act on."""


class RelaxOptMain(xDSLOptMain):
    """The driver; `process_input` returns the exit status and lets no error about the input escape."""

    version_format = f"relax-opt {package_version()} built on xdsl version {{xdsl_version}}"

    def __init__(self, args: Sequence[str] | None = None) -> None:
        self._seconds: dict[str, float] = {}
        self._is_relax = False
        super().__init__("Runs passes over MLIR text: relax and every dialect that xDSL has.", args)

    def register_all_dialects(self) -> None:
        self.ctx = tool_context()

    def register_all_passes(self) -> None:
        self.available_passes.update(multiverse().all_passes)

    def register_all_targets(self) -> None:
        self.available_targets.update(multiverse().all_targets)

    def register_all_frontends(self) -> None:
        """Registers nothing: there is one input format, whatever the file is called."""

    def register_all_arguments(self, arg_parser: argparse.ArgumentParser) -> None:
        arg_parser.prog = "relax-opt"
        arg_parser.error = partial(refuse, arg_parser)
        super().register_all_arguments(arg_parser)
        arg_parser.add_argument(
            "--list-passes",
            action="store_true",
            help="list our stages, as the other flags make them, and our passes, with their options, and exit",
        )
        arg_parser.add_argument(
            "--describe-pass",
            action="append",
            metavar="PASS",
            help="print what a pass does and what its options mean, and exit; may be given again",
        )
        arg_parser.add_argument("--debug", action="store_true", help="show the Python traceback of an error")
        arg_parser.add_argument(
            "--remarks",
            action="store_true",
            help="print on stderr what passes say that they did and did not do with each op, and why (-p loops by default)",
        )
        arg_parser.add_argument(
            "--explain",
            action="append",
            metavar="OP|VALUE|LINE[:COLUMN]",
            help="print, in place of the program, what became of an op and why, as passes say it (-p loops by default); may be given again",
        )
        arg_parser.add_argument(
            "-O", dest="opt_level", type=int, choices=range(4), default=2, help="the level of stages (default: 2)"
        )
        arg_parser.add_argument(
            "--lift", action="store_true", help="let the stages of -p lift what depends on parameters alone"
        )
        arg_parser.add_argument(
            "--lift-shared", action="store_true", help="the same, with one transform for all functions"
        )
        # xDSL's driver chooses the format of its output by `-t` and by `--target`; here the long form is the CPU.
        group = arg_parser.add_argument_group("CPU", conflict_handler="resolve")
        group.add_argument(
            "--target",
            dest="cpu",
            metavar="CPU",
            help=f"the CPU that stages and passes compile for (default: {DEFAULT} for stages, on every machine, and for passes their "
            "own defaults; docs/targets.md has the names)",
        )
        arg_parser.add_argument(
            "--threads",
            type=thread_count,
            default=0,
            metavar="N",
            help="the threads of one call that stages and passes compile for (default: 0, as many as run time says)",
        )

    def setup_pipeline(self) -> None:
        """Leaves the pipeline to `process_input`, where its errors are reported."""
        self.pipeline = PassPipeline(())

    def run(self) -> None:
        """Processes the input file and exits with its status if that is not 0, as xDSL's driver does."""
        if status := self.process_input():
            sys.exit(status)

    def process_input(self) -> int:
        """Processes the input file; returns 0, 1 for bad input, or 2 for a defect of ours."""
        file = self.get_input_name()
        # What is asked for is wrong before the input is, which may be long in coming.
        try:
            if self.args.describe_pass:
                described = [pass_called(name, self.available_passes) for name in self.args.describe_pass]
                return self._write("\n\n".join(map(pass_description, described)) + "\n")
            stages, target, threads = pipelines(self._settings()), self.args.cpu, self.args.threads
            if self.args.list_passes:
                return self._write(f"{pass_list([load() for load in our_passes().values()], stages)}\n")
            passes = parse_pass_pipeline(self._wanted_passes(), self.available_passes, stages, target, threads)
            self.pipeline = PassPipeline(tuple(map(_with_remarks, passes)) if self.args.remarks else passes)
        except Exception as error:
            return self._report(error, "relax-opt")
        try:
            data = self._read()
        except OSError as error:
            return self._report(error, file)
        status = 0
        output: list[str] = []
        for chunk, line_offset in self._chunks(data):
            if self.args.verify_diagnostics:
                status = max(status, self._check_diagnostics(chunk, line_offset, file, output))
                continue
            try:
                output.append(self._process(chunk, line_offset, file))
            except Exception as error:
                status = self._report(error, file, chunk, line_offset)
                break
        if status == 0 or self.args.output_file is None:
            status = max(status, self._write("// -----\n".join(output)))
        if self.args.time_passes:
            self._print_timing()
        return status

    def _settings(self) -> Settings:
        """Returns what stages are for."""
        args = self.args
        lift = "shared" if args.lift_shared else args.lift
        target = cpu_target(args.cpu or DEFAULT).name
        return Settings(opt_level=args.opt_level, lift=lift, threads=args.threads, target=target)

    def _wanted_passes(self) -> str:
        """Returns the passes that are given; remarks and explanations without any are of all that decide something."""
        passes: str | None = self.args.passes
        if passes:
            return passes
        if self.args.explain is not None or self.args.remarks:
            return "loops"
        for flag, is_given in (("--lift-shared", self.args.lift_shared), ("--lift", self.args.lift)):
            if is_given:
                raise UnusedFlagError(
                    f"{flag} says what stages do: expected -p with a stage, such as 'optimize', got no -p"
                )
        return ""

    def _read(self) -> bytes:
        if self.args.input_file in (None, "-"):
            return sys.stdin.buffer.read()
        with open(self.args.input_file, "rb") as stream:
            return stream.read()

    def _chunks(self, data: bytes) -> list[tuple[bytes, int]]:
        """Returns the parts of the input, each with the number of lines before it; parts of comments alone are left out."""
        if not self.args.split_input_file:
            return [(data, 0)]
        chunks: list[tuple[bytes, int]] = []
        line_offset = 0
        for chunk in data.split(SEPARATOR.encode()):
            if any(line.strip() and not line.strip().startswith(b"//") for line in chunk.split(b"\n")):
                chunks.append((chunk, line_offset))
            line_offset += chunk.count(b"\n")
        return chunks

    def _process(self, chunk: bytes, line_offset: int, file: str) -> str:
        start = time.perf_counter()
        module = parse_module(
            self.ctx,
            chunk,
            file,
            line_offset=line_offset,
            implicit_module=not self.args.no_implicit_module,
            own_positions=self.args.explain is not None or self.args.remarks,
        )
        start = self._clock("(parse)", start)
        # Attributes of ours may stand in programs without an op of ours.
        self._is_relax = b"relax." in chunk
        self._verify(module)
        start = self._clock("(verify)", start)
        if any(type(item).__module__.partition(".")[0] == _PACKAGE for item in self.pipeline.passes):
            from ..lowering.check_legality import verify_blocks

            verify_blocks(module)
        if self.args.explain is not None:
            lines = [""] * line_offset + chunk.decode(errors="replace").split("\n")
            return self._explain(module, lines)
        if self.args.remarks:
            self._remark(module)
        else:
            for item in self.pipeline.passes:
                self._run_pass(item, module)
        start = time.perf_counter()
        text = self.output_resulting_program(module)
        self._clock("(print)", start)
        return text

    def _explain(self, module: ModuleOp, lines: Sequence[str]) -> str:
        from ..passes.analysis.remarks import recording
        from .explanation import choose, explanation, note_gone

        chosen = [op for wanted in self.args.explain for op in choose(module, wanted, lines)]
        with recording() as remarks:
            for item in self.pipeline.passes:
                self._run_pass(item, module)
                note_gone(chosen, module, item.name)
        passes = {item.name for item in self.pipeline.passes}
        return "".join(f"{explanation(op, remarks, passes)}\n" for op in chosen)

    def _remark(self, module: ModuleOp) -> None:
        """Runs the passes, and prints what each says; one with an option of its own for it prints that itself."""
        from ..passes.analysis.remarks import recording

        for item in self.pipeline.passes:
            with recording() as remarks:
                self._run_pass(item, module)
            if not has_remarks(item):
                for text in dict.fromkeys(remark.line for remark in remarks):
                    print(text, file=sys.stderr)

    def _run_pass(self, item: ModulePass, module: ModuleOp) -> None:
        start = time.perf_counter()
        try:
            run_pass(item, self.ctx, module)
            start = self._clock(item.name, start)
            self._verify(module, after_pass=True)
            self._clock("(verify)", start)
        except Exception as error:
            error.add_note(f"in pass {item.name}")
            raise
        if self.args.print_between_passes:
            print(f"// IR after {item.name}:", file=sys.stderr)
            Printer(stream=sys.stderr, print_generic_format=self.args.print_op_generic).print_op(module)
            print("\n", file=sys.stderr)

    def _verify(self, module: ModuleOp, after_pass: bool = False) -> None:
        if self.args.disable_verify:
            return
        if not self._is_relax and all(dialect.name != "relax" for dialect in self.ctx.loaded_dialects):
            module.verify()
            return
        from ..dialects.relax.program import drop_stale_attributes, verify_program

        if after_pass:
            drop_stale_attributes(module)
        verify_program(module)

    def _check_diagnostics(self, chunk: bytes, line_offset: int, file: str, output: list[str]) -> int:
        source = chunk.decode("utf-8", "replace")
        try:
            expected = find_expectations(source, line_offset)
        except ValueError as error:
            return self._fail(Diagnostic(file, None, None, str(error)))
        reported: list[Diagnostic] = []
        try:
            output.append(self._process(chunk, line_offset, file))
        except Exception as error:
            if not is_diagnosable(error):
                return self._report(error, file, source.encode(), line_offset)
            reported.append(diagnose(error, file, source, line_offset=line_offset))
        mismatches = compare(expected, reported, file)
        for mismatch in mismatches:
            print(mismatch, file=sys.stderr)
        return EXIT_BAD_INPUT if mismatches else 0

    def _write(self, text: str) -> int:
        path: str | None = self.args.output_file
        try:
            if path is None:
                sys.stdout.write(text)
                sys.stdout.flush()
            else:
                write_text(path, text)
        except BrokenPipeError:
            # The reader has seen enough; keep Python from complaining about it at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except OSError as error:
            return self._report(error, path or "stdout")
        return 0

    def _report(self, error: Exception, file: str, source: bytes = b"", line_offset: int = 0) -> int:
        if self.args.debug:
            traceback.print_exception(error)
        in_pass = [note for note in getattr(error, "__notes__", ()) if note.startswith("in pass ")]
        if not is_diagnosable(error):
            where = f" {in_pass[0]}" if in_pass else ""
            message = f"internal error: {type(error).__name__}: {error}{where}; run with --debug for the traceback"
            print(f"{file}: {message}", file=sys.stderr)
            return EXIT_INTERNAL
        diagnostic = diagnose(error, file, source.decode("utf-8", "replace"), line_offset=line_offset)
        status = self._fail(_about_model(diagnostic, source) if isinstance(error, ParseError) else diagnostic)
        for note in in_pass:
            print(f"  note: {note}", file=sys.stderr)
        return status

    def _fail(self, diagnostic: Diagnostic) -> int:
        print(diagnostic, file=sys.stderr)
        return EXIT_BAD_INPUT

    def _clock(self, name: str, start: float) -> float:
        now = time.perf_counter()
        self._seconds[name] = self._seconds.get(name, 0.0) + now - start
        return now

    def _print_timing(self) -> None:
        total = sum(self._seconds.values())
        width = max(len(name) for name in self._seconds) if self._seconds else 0
        print("  seconds      %", file=sys.stderr)
        for name, seconds in self._seconds.items():
            print(f"{seconds:9.4f} {100 * seconds / total:6.1f}  {name:{width}}".rstrip(), file=sys.stderr)
        print(f"{total:9.4f}  100.0  total", file=sys.stderr)


def _about_model(diagnostic: Diagnostic, source: bytes) -> Diagnostic:
    """Returns the diagnostic of a text that does not parse; of a file of a model, the tool that reads it, and none of its bytes."""
    from ..frontend.model.files import reader_of

    reader = reader_of(diagnostic.file)
    if reader is None:
        return diagnostic
    if source.strip() and source.isascii() and source.decode().replace("\n", " ").replace("\t", " ").isprintable():
        return dataclasses.replace(diagnostic, message=f"{diagnostic.message}; {reader}", notes=())
    return Diagnostic(diagnostic.file, None, None, f"not a text of MLIR: {reader}")


def main(args: Sequence[str] | None = None) -> int:
    """Runs the tool on a command line; returns its exit status."""
    try:
        driver = RelaxOptMain(args)
    except ExtensionError as error:
        # The command line is not read yet: what it may say depends on the packages.
        if "--debug" in (sys.argv if args is None else args):
            traceback.print_exception(error)
        print(diagnose(error, "relax-opt"), file=sys.stderr)
        return EXIT_BAD_INPUT
    return driver.process_input()


if __name__ == "__main__":
    sys.exit(run_command("relax-opt", main))
