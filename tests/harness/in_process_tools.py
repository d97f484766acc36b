"""Our tools and filecheck, called as functions: a process that runs many of them imports them once."""

from __future__ import annotations

import io
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache

from xdsl.dialect_interfaces.op_asm import OpAsmDialectInterface
from xdsl.dialects.builtin import Builtin

Main = Callable[[Sequence[str]], object]


@cache
def tools() -> dict[str, Main]:
    """Returns our tools by name. They are imported when one is first asked for: lit pickles its format with every result."""
    from filecheck.main import main as filecheck
    from xdsl_relax.tools import relax_import, relax_opt, relax_run

    return {
        "relax-opt": lambda words: relax_opt.main(words),
        "relax-run": lambda words: relax_run.main(words),
        "relax-import": lambda words: relax_import.main(words),
        "filecheck": lambda words: filecheck(["filecheck", *words]),
    }


@contextmanager
def _redirected(stdin: bytes) -> Iterator[tuple[io.BytesIO, io.BytesIO]]:
    """Gives the program streams of its own."""
    out, err = io.BytesIO(), io.BytesIO()
    saved = sys.stdin, sys.stdout, sys.stderr
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")
    sys.stdout = io.TextIOWrapper(out, encoding="utf-8", write_through=True)
    sys.stderr = io.TextIOWrapper(err, encoding="utf-8", write_through=True)
    try:
        yield out, err
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        sys.stdin, sys.stdout, sys.stderr = saved


def _forget_resources() -> None:
    """Empties the store of `dense_resource` blobs, which xDSL keeps for the process: a key that was read before would be renamed."""
    interface = Builtin.get_interface(OpAsmDialectInterface)
    assert interface is not None
    interface._blob_storage.clear()


def run_tool(main: Main, words: Sequence[str], stdin: bytes) -> tuple[int, bytes, bytes]:
    """Returns the exit status of a tool, and what it prints to each of its streams."""
    _forget_resources()
    with _redirected(stdin) as (out, err):
        try:
            result = main(words)
            status = result if isinstance(result, int) else 0
        except SystemExit as exit_:
            status = exit_.code if isinstance(exit_.code, int) else int(exit_.code is not None)
        except Exception:
            traceback.print_exc()
            status = 1
        sys.stdout.flush()
        sys.stderr.flush()
        return status, out.getvalue(), err.getvalue()
