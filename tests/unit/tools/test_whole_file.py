"""Output files after a write that fails: the one before is kept, nothing is left beside it, and the error names it."""

from __future__ import annotations

import os
import resource
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from fuzz.__main__ import main as fuzz
from xdsl_relax.builder import ModuleBuilder
from xdsl_relax.runtime.params.safetensors_file import write_safetensors
from xdsl_relax.runtime.session import save_results
from xdsl_relax.tools import relax_export, relax_import, relax_opt, relax_run
from xdsl_relax.whole_file import write_text

LIMIT = 4096
ARRAY = np.zeros(10 * LIMIT, np.float32)


@contextmanager
def small_files() -> Iterator[None]:
    """Lets no file grow beyond `LIMIT` bytes, as a disk without space does; that of the test's own report must."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def _built(path: Path) -> None:
    module = ModuleBuilder()
    with module.function("main") as f:
        f.returns()
    module.write(path, comment="long " * LIMIT)


def _exported(path: Path, external: int) -> None:
    onnx = pytest.importorskip("onnx")
    from xdsl_relax.frontend.onnx.exporter import module as exporter

    weight = onnx.numpy_helper.from_array(ARRAY, "w")
    model = onnx.helper.make_model(onnx.helper.make_graph([], "g", [], [], [weight]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exporter, "EXTERNAL", external)
        exporter.save_model(model, path)


WRITERS: dict[str, Callable[[Path], object]] = {
    "text": lambda path: write_text(path, "x" * 10 * LIMIT),
    "safetensors": lambda path: write_safetensors(path, {"a": ARRAY}),
    "results": lambda path: save_results([ARRAY], path.parent),
    "builder": _built,
    "onnx": lambda path: _exported(path, 2**30),
    "onnx, with weights beside it": lambda path: _exported(path, LIMIT),
}


@pytest.mark.parametrize("before", [b"before", None])
@pytest.mark.parametrize("writer", WRITERS)
def test_a_write_that_fails_leaves_the_file_as_it_was(writer: str, before: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "result_0.npy"
    if before is not None:
        path.write_bytes(before)
    with small_files(), pytest.raises(OSError, match=r"result_0\.npy") as caught:
        WRITERS[writer](path)
    assert caught.value.filename == str(path) and caught.value.strerror
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == (
        {} if before is None else {path.name: before}
    )


def test_relax_opt_names_the_output_that_it_cannot_write(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, out = tmp_path / "in.mlir", tmp_path / "out.mlir"
    source.write_text("".join(f"func.func @f{k}() {{ return }}\n" for k in range(100)))
    with small_files():
        assert relax_opt.main([str(source), "-o", str(out)]) == 1
    assert capsys.readouterr().err == f"{out}: error: file too large\n"
    assert [file.name for file in tmp_path.iterdir()] == ["in.mlir"]


LINEAR = str(Path(__file__).parents[3] / "examples" / "linear.mlir")
TOOLS: dict[str, tuple[Callable[[list[str]], int], list[str]]] = {
    "relax-opt": (relax_opt.main, [LINEAR, "-o"]),
    "relax-run --out": (relax_run.main, [LINEAR, "--dim", "n=1", "--out"]),
    "relax-run --save-transformed": (relax_run.main, [LINEAR, "--dim", "n=1", "--save-transformed"]),
    "relax-run --reduced": (relax_run.main, [LINEAR, "--dim", "n=1", "--check", "--bisect", "--reduced"]),
    "relax-import -o": (relax_import.main, ["onnx", "MODEL", "-o"]),
    "relax-import --params": (relax_import.main, ["onnx", "MODEL", "-o", os.devnull, "--params"]),
    "relax-export onnx": (relax_export.main, ["onnx", LINEAR, "-o"]),
    "relax-export stablehlo": (relax_export.main, ["stablehlo", LINEAR, "--dim", "n=1", "-o"]),
    "fuzz": (fuzz, ["--only", "programs", "--count", "1", "--size", "1", "--out"]),
}


@pytest.fixture
def unwritable(tmp_path: Path) -> Iterator[list[tuple[Path, str]]]:
    """Yields directories in which no file can be made, and why; where this process may mount, a read-only one too."""
    file, only_read = tmp_path / "file", tmp_path / "only_read"
    file.write_text("")
    only_read.mkdir()
    mounted = not subprocess.run(["mount", "--bind", only_read, only_read], capture_output=True).returncode
    folders = [(file, "not a directory"), (tmp_path / "none" / "none", "no such file or directory")]
    if mounted and not subprocess.run(["mount", "-o", "remount,ro,bind", only_read], capture_output=True).returncode:
        folders.append((only_read, "read-only file system"))
    yield folders
    if mounted:
        subprocess.run(["umount", only_read], check=True)


@pytest.mark.parametrize("tool", TOOLS)
def test_a_tool_names_what_it_cannot_write(
    tool: str, unwritable: list[tuple[Path, str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main, options = TOOLS[tool]
    if tool.startswith("relax-export"):
        pytest.importorskip({"onnx": "onnx", "stablehlo": "jax"}[options[0]])
    if "MODEL" in options:
        onnx = pytest.importorskip("onnx")
        weight = onnx.numpy_helper.from_array(np.ones((64, 64), np.float32), "w")
        x, y = (onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [2, 64]) for name in "xy")
        graph = onnx.helper.make_graph([onnx.helper.make_node("MatMul", ["x", "w"], ["y"])], "g", [x], [y], [weight])
        onnx.save(onnx.helper.make_model(graph), tmp_path / "model.onnx")
    # Those that compile the program first are asked once.
    for folder, reason in unwritable[:1] if tool in ("relax-run --out", "relax-run --save-transformed") else unwritable:
        if (tool, reason) == ("fuzz", "no such file or directory"):
            continue  # It makes directories.
        path = folder / "result"
        given = [str(tmp_path / "model.onnx") if option == "MODEL" else option for option in options]
        assert main([*given, str(path)]) == 1
        assert capsys.readouterr().err == f"{path}: error: {reason}\n"


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
