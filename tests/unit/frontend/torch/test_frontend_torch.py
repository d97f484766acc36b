"""Programs of torch.export become modules: signatures, sizes, names, state, locations, and what is refused."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import xdsl_relax
from torch.export import Dim, export
from torch.utils import _pytree as pytree
from xdsl_relax.frontend.model.problems import ModelImportError, UnsupportedModelError
from xdsl_relax.frontend.model.weights import ImportedModel
from xdsl_relax.frontend.torch import decompositions, from_exported_program, import_exported_program
from xdsl_relax.frontend.torch.types import to_numpy
from xdsl_relax.runtime.interpreted import interpret
from xdsl_relax.tools import relax_import, relax_run

pytestmark = pytest.mark.filterwarnings("ignore")


class Function(torch.nn.Module):
    """A function as a module."""

    def __init__(self, function: Callable[..., Any]):
        super().__init__()
        self.function = function

    def forward(self, *args: Any) -> Any:
        return self.function(*args)


def exported(function: Any, *args: Any, **options: Any) -> Any:
    """Exports a function, or a module, for inference."""
    module = function if isinstance(function, torch.nn.Module) else Function(function)
    return export(module.eval(), args, **options)


def run(model: ImportedModel, *args: torch.Tensor) -> tuple[Any, ...]:
    """Runs an imported model by the interpreter."""
    arrays = [to_numpy(item) for item in args]
    return interpret(model.module)(
        "main", *arrays, *model.state.values(), *(model.params[name] for name in model.params)
    )


class Network(torch.nn.Module):
    """A convolution, its norm, attention, a buffer that counts, and results in a dictionary."""

    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 8, 3)
        self.norm = torch.nn.BatchNorm2d(8)
        self.attention = torch.nn.MultiheadAttention(8, 2, batch_first=True)
        self.calls: torch.Tensor
        self.register_buffer("calls", torch.zeros(1))

    def forward(self, x: torch.Tensor, extra: dict[str, torch.Tensor]) -> Any:
        self.calls.add_(1)
        y = self.norm(self.conv(x)).relu().flatten(2).transpose(1, 2)
        z = self.attention(y, y, y, need_weights=False)[0].clone()
        z[:, 0] = 1.5
        return {"features": z, "sums": [z.sum(-1) + extra["bias"] * 2 + self.calls, x.shape[0]]}


@pytest.fixture(scope="module")
def network() -> tuple[Network, Any, ImportedModel]:
    torch.manual_seed(0)
    module = Network().eval()
    args = (torch.randn(2, 3, 6, 6), {"bias": torch.randn(())})
    batch = Dim("batch", min=1, max=64)
    program = export(module, args, dynamic_shapes=({0: batch}, {"bias": None}))
    return module, args, import_exported_program(program)


def test_names_of_inputs_results_parameters_and_sizes(network: tuple[Network, Any, ImportedModel]):
    _, _, model = network
    assert model.inputs == ("x", "extra_bias")
    assert model.outputs == ("features", "sums_0", "sums_1")
    assert {"conv.weight", "norm.running_mean", "attention.in_proj_weight"} <= {*model.params}
    text = str(model.module)
    assert "%x: tensor<?x3x6x6xf32, #relax.sym<batch>>" in text
    assert "relax.sym_lower_bounds = {batch = 1 : i64}, relax.sym_upper_bounds = {batch = 64 : i64}" in text


@pytest.mark.parametrize("batch", [1, 2, 5])
def test_a_network_agrees_for_every_batch(network: tuple[Network, Any, ImportedModel], batch: int):
    module, args, model = network
    x = torch.randn(batch, 3, 6, 6)
    results = run(model, x, args[1]["bias"])
    module.calls.zero_()
    with torch.no_grad():
        expected = module(x, args[1])
    np.testing.assert_allclose(results[0], expected["features"].numpy(), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(results[1], expected["sums"][0].numpy(), rtol=1e-4, atol=1e-5)
    assert results[2] == batch


def test_a_written_buffer_is_an_input_whose_memory_its_result_takes(network: tuple[Network, Any, ImportedModel]):
    _, args, model = network
    assert list(model.state) == ["calls"] and model.state["calls"].tolist() == [0]
    assert "%calls: tensor<1xf32> {relax.donate = 3 : i64}" in str(model.module)
    assert run(model, args[0], args[1]["bias"])[3].tolist() == [1]


def test_sizes_can_be_given_and_renamed():
    program = exported(lambda x: x.reshape(-1) * x.shape[0], torch.randn(4, 3), dynamic_shapes=(({0: Dim.DYNAMIC},),))
    assert "#relax.sym<args_0_0>" in str(from_exported_program(program))
    assert "#relax.sym<rows>" in str(from_exported_program(program, dims={"args_0_0": "rows"}))
    assert "tensor<5x3xf32>" in str(from_exported_program(program, dims={"args_0_0": 5}))
    with pytest.raises(ModelImportError, match="no size of the model is named 'batch', it has args_0_0"):
        from_exported_program(program, dims={"batch": 5})


def test_a_size_that_is_a_multiple_is_a_symbol_of_its_own():
    half = Dim("half", min=1)
    program = exported(
        lambda x: x.reshape(-1, 2).sum(0) * x.shape[0], torch.ones(8), dynamic_shapes=(({0: 2 * half},),)
    )
    model = import_exported_program(program)
    assert run(model, torch.ones(6))[0].tolist() == [18, 18]


def test_numbers_are_weak_and_dtypes_are_those_of_torch():
    def compute(i: torch.Tensor, h: torch.Tensor, b: torch.Tensor) -> Any:
        return i + 1, i * 2.5, i / 2, h * 0.1, h + i, b + b, b * 2, (i > 0.5), i.sum(), b.any(), h.mean(), i // 2

    args = (
        torch.tensor([3, -4], dtype=torch.int8),
        torch.tensor([1.5, 2.5], dtype=torch.float16),
        torch.tensor([True, False]),
    )
    results = run(import_exported_program(exported(compute, *args)), *args)
    for got, want in zip(results, compute(*args), strict=True):
        assert got.dtype == to_numpy(want).dtype
        np.testing.assert_allclose(got, want.numpy(), rtol=1e-3)


def test_bfloat16_weights_are_read_as_they_are():
    module = torch.nn.Linear(4, 3).to(torch.bfloat16)
    x = torch.randn(2, 4, dtype=torch.bfloat16)
    model = import_exported_program(exported(module, x))
    assert model.params["weight"].dtype.name == "bfloat16"
    np.testing.assert_allclose(run(model, x)[0].astype("f"), module(x).detach().float().numpy(), rtol=2e-2, atol=2e-2)


def test_all_that_is_unsupported_is_one_error():
    def compute(x: torch.Tensor) -> Any:
        return torch.linalg.svdvals(x), torch.rand(3), torch.linalg.svdvals(x + 1)

    with pytest.raises(UnsupportedModelError) as caught:
        from_exported_program(exported(compute, torch.randn(3, 3)))
    assert caught.value.counts == {"aten._linalg_svd": 2, "aten.rand": 1}
    assert "\n" not in str(caught.value) and "test_frontend_torch.py:" in str(caught.value)


@pytest.mark.parametrize(
    ("module", "expected"),
    [
        (torch.nn.Dropout(0.5), "drops at random: export the module after eval()"),
        (torch.nn.BatchNorm1d(3), "export the module after eval()"),
    ],
)
def test_a_module_in_training_is_refused(module: torch.nn.Module, expected: str):
    program = export(module.train(), (torch.randn(4, 3),))
    with pytest.raises(UnsupportedModelError, match=expected.replace("(", r"\(").replace(")", r"\)")):
        from_exported_program(program)


class KeptStatistics(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("mean", torch.tensor([1.0, -2.0]))
        self.register_buffer("variance", torch.tensor([4.0, 0.25]))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.ops.aten._native_batch_norm_legit(x, None, None, self.mean, self.variance, False, 0.1, 1e-5)[0]


def test_statistics_that_are_kept_stay():
    """The functional form that an export makes returns the running statistics too."""
    x = torch.randn(3, 2, 4)
    module = KeptStatistics()
    imported = import_exported_program(export(module, (x,)))
    inputs = [x.numpy(), *imported.state.values(), *imported.params.values()]
    (result, *_) = interpret(imported.module)("main", *inputs)
    np.testing.assert_allclose(result, module(x).numpy(), rtol=1e-5, atol=1e-6)


def test_complex_numbers_are_refused():
    with pytest.raises(UnsupportedModelError, match="input at 'args_0': tensors of complex64 have no counterpart"):
        from_exported_program(exported(lambda x: x * 2, torch.randn(3, dtype=torch.complex64)))


def test_what_is_no_exported_program_is_refused(tmp_path: Any):
    with pytest.raises(ModelImportError, match="expected an exported program, got a module; torch"):
        from_exported_program(torch.nn.Linear(2, 2))  # pyright: ignore[reportArgumentType]
    broken, checkpoint = tmp_path / "broken.pt2", tmp_path / "checkpoint.pt2"
    broken.write_bytes(b"no model")
    with pytest.raises(ModelImportError, match="the file is no archive"):
        from_exported_program(broken)
    torch.save({"a": torch.ones(2)}, checkpoint)
    with pytest.raises(ModelImportError, match="the file is a checkpoint"):
        from_exported_program(checkpoint)


def test_a_file_is_read(tmp_path: Any):
    x = torch.randn(3, 4)
    module = torch.nn.Linear(4, 2)
    path = tmp_path / "model.pt2"
    torch.export.save(exported(module, x), path)
    np.testing.assert_allclose(
        run(import_exported_program(path), x)[0], module(x).detach().numpy(), rtol=1e-5, atol=1e-6
    )


def test_ops_say_where_they_come_from():
    model = import_exported_program(exported(Network(), torch.randn(2, 3, 6, 6), {"bias": torch.randn(())}))
    conv = next(op for op in model.module.walk() if op.name == "relax.nn.conv2d")
    assert '"convolution"("conv"("' in str(conv.location) and "test_frontend_torch.py" in str(conv.location)


def test_the_programs_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    page = Path(__file__).parents[4] / "docs" / "torch.md"
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
    assert len(blocks) == 2
    for block in blocks:
        exec(compile(block, str(page), "exec"), {"__name__": "page"})


def test_the_tools_take_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    class Counter(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = torch.nn.Linear(4, 2)
            self.calls: torch.Tensor
            self.register_buffer("calls", torch.full((1,), 3.0))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            self.calls.add_(1)
            return self.fc(x) * self.calls

    path, mlir, weights = (str(tmp_path / name) for name in ("m.pt2", "m.mlir", "m.safetensors"))
    torch.export.save(exported(Counter(), torch.randn(3, 4), dynamic_shapes=({0: Dim("rows")},)), path)
    assert relax_run.main([path, "--dim", "x_0=5", "--check=torch"]) == 0
    shown = capsys.readouterr().out
    assert "result 0 agrees with torch" in shown and "result 1 agrees with torch" in shown
    assert relax_import.main(["torch", path, "-o", mlir, "--params", weights]) == 0
    assert relax_run.main([mlir, "--params", weights, "--dim", "x_0=2", "--check"]) == 0
    model = xdsl_relax.compile(path)
    assert [model(torch.ones(1, 4)).shape for _ in range(2)] == [(1, 2), (1, 2)]
    assert model.state["calls"].tolist() == [5.0]


def test_a_file_that_is_none_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "m.pt2"
    path.write_bytes(b"no model")
    assert relax_run.main([str(path)]) == 1
    error = capsys.readouterr().err
    assert (
        error.startswith(f"{path}: error: not an exported program of torch: the file is no archive")
        and error.count("\n") == 1
    )


@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN"])
def test_recurrent_layers_are_loops(kind: str):
    module = getattr(torch.nn, kind)(5, 4, num_layers=2, bidirectional=True, batch_first=True)
    program = exported(module, torch.randn(3, 7, 5), dynamic_shapes=({0: Dim.DYNAMIC},))
    model = import_exported_program(program)
    assert sum(op.name == "scf.while" for op in model.module.walk()) == 4
    x = torch.randn(2, 7, 5)
    expected = [item for item in pytree.tree_leaves(module(x)) if isinstance(item, torch.Tensor)]
    for got, want in zip(run(model, x), expected, strict=True):
        np.testing.assert_allclose(got, want.detach().numpy(), rtol=1e-4, atol=1e-6)


def test_the_first_of_a_symbolic_number():
    def half(x: torch.Tensor) -> Any:
        return torch.topk(x, x.shape[1] // 2, dim=1)

    program = exported(half, torch.randn(3, 8), dynamic_shapes=(({1: 2 * Dim("n", min=2, max=100)},),))
    for size in (4, 6, 10):
        x = torch.randn(3, size)
        for actual, expected in zip(run(import_exported_program(program), x), half(x), strict=True):
            np.testing.assert_array_equal(actual, expected.numpy())


def test_branches_loops_and_sizes_from_data():
    def compute(x: torch.Tensor) -> Any:
        branch = torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x * 2, (x,))
        _, loop = torch.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), (torch.tensor(0), x))
        return branch, loop, x[x > 0], torch.nonzero(x), x * x.sum().item()

    program = exported(compute, torch.ones(2, 3))
    model = import_exported_program(program)
    assert {"scf.if", "scf.while"} <= {op.name for op in model.module.walk()}
    for x in (torch.randn(2, 3), -torch.ones(2, 3)):
        for got, want in zip(run(model, x), compute(x), strict=True):
            np.testing.assert_allclose(got, want.numpy(), rtol=1e-5)


def test_ops_of_others_and_sizes_that_nothing_bounds_are_refused():
    @torch.library.custom_op("xdsl_relax_tests::twice", mutates_args=())
    def twice(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    @twice.register_fake
    def _(x: torch.Tensor) -> torch.Tensor:
        return torch.empty_like(x)

    def compute(x: torch.Tensor) -> Any:
        count = x.sum().item()
        torch._check(count >= 0)
        return twice(x), torch.zeros(count)  # pyright: ignore[reportCallIssue, reportArgumentType]

    with pytest.raises(UnsupportedModelError) as caught:
        from_exported_program(exported(compute, torch.tensor([1, 2])))
    assert caught.value.counts == {"xdsl_relax_tests.twice": 1, "aten.zeros": 1}
    assert "depends on data" in str(caught.value)


def test_numbers_that_are_computed_from_sizes():
    def compute(x: torch.Tensor) -> Any:
        doubled = torch.nn.functional.interpolate(x[None, None], scale_factor=2, mode="bilinear")
        return x * x.shape[0] ** 0.5, x / (x.shape[0] * 2), doubled, x[x.shape[0] // 2 :], x.roll(1, 0), x.shape[0] + 3

    program = exported(compute, torch.randn(6, 4), dynamic_shapes=(({0: Dim.DYNAMIC},),))
    model = import_exported_program(program)
    for rows in (6, 3):
        x = torch.randn(rows, 4)
        for got, want in zip(run(model, x), compute(x), strict=True):
            np.testing.assert_allclose(got, np.asarray(want), rtol=1e-4, atol=1e-6)


def _scaled(x: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.softmax(x * x.shape[0] * 2, dim=-1)


def test_a_program_of_known_ops_alone_is_taken_as_it_is(monkeypatch: pytest.MonkeyPatch):
    program = exported(_scaled, torch.randn(4, 5), dynamic_shapes=(({0: Dim("n")},),))
    assert decompositions.is_decomposed(program)
    taken = from_exported_program(program)
    monkeypatch.setattr(decompositions, "is_decomposed", lambda program: False)
    assert str(from_exported_program(program)) == str(taken)


@pytest.mark.parametrize("function", [lambda x: x.add(1).mul_(2), torch.special.expit, torch.special.entr])
def test_writes_and_ops_without_a_converter_are_taken_apart(function: Callable[..., Any]):
    x = torch.rand(4, 5)
    program = exported(function, x)
    assert not decompositions.is_decomposed(program)
    (result,) = run(import_exported_program(program), x)
    torch.testing.assert_close(torch.from_numpy(result), function(x.clone()))


@pytest.mark.parametrize("suffix", ["weights/weight_0", "archive_format", ".data/version"])
def test_a_damaged_file_is_one_line(suffix: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]):
    path, damaged = tmp_path / "whole.pt2", tmp_path / "damaged.pt2"
    torch.export.save(exported(torch.nn.Linear(4, 3), torch.randn(2, 4)), path)
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(damaged, "w") as target:
        for info in source.infolist():
            data = source.read(info)
            target.writestr(info, data[: len(data) // 4] if info.filename.endswith(suffix) else data)
    assert relax_run.main([str(damaged)]) == 1
    error = capfd.readouterr().err
    assert error.startswith(f"{damaged}: error: not an exported program that torch ")
    assert error.count("\n") == 1
