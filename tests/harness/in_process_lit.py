"""A lit test format that runs our tools and filecheck in the worker process of lit, where they are imported once.

A `RUN` line that is a pipe of commands with `2>&1`, `<` and `>` is run here; commands other than ours become processes of their own. A test
with anything else of a shell in it goes to lit's own shell.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import lit.Test
import lit.TestRunner
from lit.formats import ShTest

from harness.in_process_tools import run_tool, tools


@dataclass
class Command:
    """One command of a pipe."""

    words: list[str]
    joins_stderr: bool = False
    stdin: str | None = None
    stdout: str | None = None


@dataclass
class Outcome:
    """What the commands of a test printed to stderr, for the report of a failure."""

    report: list[str] = field(default_factory=list[str])
    status: int = 0


def parse(line: str) -> list[Command] | None:
    """Returns the commands of a line, `None` for a line that needs a shell."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|<>&;()")
    lexer.whitespace_split = True
    try:
        tokens = list(lexer)
    except ValueError:
        return None
    if "$" in line or "`" in line:
        return None
    commands = [Command([])]
    position = 0
    while position < len(tokens):
        token = tokens[position]
        if token == "|":
            commands.append(Command([]))
        elif token == "2" and tokens[position + 1 : position + 3] == [">&", "1"]:
            commands[-1].joins_stderr = True
            position += 2
        elif token == ">" and commands[-1].joins_stderr:
            return None
        elif token in ("<", ">") and position + 1 < len(tokens):
            target = tokens[position + 1]
            if token == "<":
                commands[-1].stdin = target
            else:
                commands[-1].stdout = target
            position += 1
        elif set(token) <= set("|<>&;()"):
            return None
        else:
            commands[-1].words.append(token)
        position += 1
    return commands if all(command.words for command in commands) else None


class InProcessShTest(ShTest):
    """The shell tests of lit, with our tools called as functions."""

    def __init__(self, seconds: int):
        super().__init__(execute_external=False)
        self.seconds = seconds

    def execute(self, test, litConfig):
        """Runs a test."""
        if test.config.unsupported or litConfig.noExecute:
            return super().execute(test, litConfig)
        script = lit.TestRunner.parseIntegratedTestScript(test, require_script=True)
        if isinstance(script, lit.Test.Result):
            return script
        folder, base = lit.TestRunner.getTempPaths(test)
        substitutions = lit.TestRunner.getDefaultSubstitutions(test, folder, base)
        conditions = dict.fromkeys(test.config.available_features, True)
        lines = lit.TestRunner.applySubstitutions(
            script, substitutions, conditions, recursion_limit=test.config.recursiveExpansionLimit
        )
        plain = [re.sub(r"^%dbg\(.*?\) ?", "", line).strip() for line in lines]
        pipes = [parse(line) for line in plain]
        if any(pipe is None for pipe in pipes):
            return super().execute(test, litConfig)
        os.makedirs(os.path.dirname(base), exist_ok=True)
        outcome = Outcome()
        try:
            with self._limited():
                for line, pipe in zip(plain, pipes, strict=True):
                    assert pipe is not None
                    outcome.report.append(f"$ {line}")
                    if not self._run(pipe, outcome, os.path.dirname(test.getExecPath()), test.config.environment):
                        return lit.Test.Result(lit.Test.FAIL, "\n".join(outcome.report))
        except TimeoutError:
            return lit.Test.Result(lit.Test.TIMEOUT, "\n".join([*outcome.report, f"more than {self.seconds} s"]))
        return lit.Test.Result(lit.Test.PASS, "")

    @contextmanager
    def _limited(self) -> Iterator[None]:
        def expire(*_: object) -> None:
            raise TimeoutError

        previous = signal.signal(signal.SIGALRM, expire)
        signal.alarm(self.seconds)
        try:
            yield
        finally:
            signal.alarm(0)
            signal.signal(signal.SIGALRM, previous)

    def _run(self, pipe: Sequence[Command], outcome: Outcome, folder: str, environment: dict[str, str]) -> bool:
        """Runs a pipe; returns whether every command of it succeeded, as lit's shell does with `pipefail`."""
        os.environ.update({name: environment[name] for name in ("COLUMNS", "PATH") if name in environment})
        data, succeeded = b"", True
        os.makedirs(folder, exist_ok=True)
        for command in pipe:
            words = list(command.words)
            inverted = words[0] == "not"
            if inverted:
                del words[0]
            if command.stdin is not None:
                with open(command.stdin, "rb") as stream:
                    data = stream.read()
            previous = os.getcwd()
            os.chdir(folder)
            try:
                status, out, err = self._command(words, data, environment)
            finally:
                os.chdir(previous)
            if command.joins_stderr:
                out, err = err + out, b""
            if err:
                outcome.report.append(err.decode("utf-8", "replace"))
            if (status == 0) == inverted:
                succeeded = False
                outcome.report.append(f"{words[0]}: exit status {status}")
                if command is pipe[-1]:
                    outcome.report.append(out.decode("utf-8", "replace"))
            if command.stdout is not None:
                with open(command.stdout, "wb") as stream:
                    stream.write(out)
                out = b""
            data = out
        return succeeded

    def _command(self, words: list[str], stdin: bytes, environment: dict[str, str]) -> tuple[int, bytes, bytes]:
        main = tools().get(words[0])
        if main is not None:
            return run_tool(main, words[1:], stdin)
        process = subprocess.run(words, input=stdin, capture_output=True, env=environment, check=False)
        return process.returncode, process.stdout, process.stderr
