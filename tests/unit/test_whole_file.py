"""Output files after a write that fails: the one before is kept, nothing is left beside it, and the error names it."""

from __future__ import annotations

import os
import resource
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from xdsl_relax.builder import ModuleBuilder
from xdsl_relax.runtime.params.safetensors_file import write_safetensors
from xdsl_relax.runtime.session import save_results
from xdsl_relax.tools import relax_opt
from xdsl_relax.whole_file import write_text

LIMIT = 4096
ARRAY = np.zeros(10 * LIMIT, np.float32)


@pytest.fixture
def small_files() -> Iterator[None]:
    """Lets no file grow beyond `LIMIT` bytes, as a disk without space does."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def _built(path: Path) -> None:
    module = ModuleBuilder()
    with module.function("main") as f:
        f.returns()
    module.write(path, comment="long " * LIMIT)


WRITERS: dict[str, Callable[[Path], object]] = {
    "text": lambda path: write_text(path, "x" * 10 * LIMIT),
    "safetensors": lambda path: write_safetensors(path, {"a": ARRAY}),
    "results": lambda path: save_results([ARRAY], path.parent),
    "builder": _built,
}


@pytest.mark.usefixtures("small_files")
@pytest.mark.parametrize("before", [b"before", None])
@pytest.mark.parametrize("writer", WRITERS)
def test_a_write_that_fails_leaves_the_file_as_it_was(writer: str, before: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "result_0.npy"
    if before is not None:
        path.write_bytes(before)
    with pytest.raises(OSError, match=r"result_0\.npy") as caught:
        WRITERS[writer](path)
    assert caught.value.filename == str(path) and caught.value.strerror
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == (
        {} if before is None else {path.name: before}
    )


@pytest.mark.usefixtures("small_files")
def test_relax_opt_names_the_output_that_it_cannot_write(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, out = tmp_path / "in.mlir", tmp_path / "out.mlir"
    source.write_text("".join(f"func.func @f{k}() {{ return }}\n" for k in range(100)))
    assert relax_opt.main([str(source), "-o", str(out)]) == 1
    assert capsys.readouterr().err == f"{out}: error: file too large\n"
    assert [file.name for file in tmp_path.iterdir()] == ["in.mlir"]


def test_mode_and_link_of_a_file_stay(tmp_path: Path) -> None:
    file, link = tmp_path / "file", tmp_path / "link"
    file.write_text("before")
    file.chmod(0o640)
    link.symlink_to(file)
    write_text(link, "after")
    assert link.is_symlink() and file.read_text() == "after" and file.stat().st_mode & 0o777 == 0o640


def test_a_pipe_is_written_in_place(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=write_text, args=(pipe, "text"))
    writer.start()
    assert pipe.read_text() == "text"
    writer.join()
    assert pipe.is_fifo()


@pytest.mark.parametrize(
    "array", [np.float32(3), np.zeros((0, 2), np.int8), np.arange(6).reshape(2, 3).T, np.array([True])]
)
def test_results_are_read_back_by_numpy(array: np.ndarray, tmp_path: Path) -> None:  # pyright: ignore[reportMissingTypeArgument]
    (path,) = save_results([array], tmp_path)
    again = np.load(path)
    np.testing.assert_array_equal(again, array)
    assert again.dtype == np.asarray(array).dtype and again.shape == np.shape(array)
