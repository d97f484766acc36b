"""`torch.compile` with this package as its backend: results, sizes, graphs, state, and what stays with torch."""

from __future__ import annotations

import subprocess
import sys
import tomllib
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import torch
import xdsl_relax
from xdsl.dialects.builtin import ModuleOp
from xdsl_relax.frontend.torch import backend
from xdsl_relax.frontend.torch.api import FallbackWarning

pytestmark = pytest.mark.filterwarnings("ignore", "error::xdsl_relax.frontend.torch.backend.FallbackWarning")

ROOT = Path(__file__).resolve().parents[2]


class Network(torch.nn.Module):
    """Two graphs, a buffer that counts, a transposed result and a size among the results."""

    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 4, 3)
        self.linear = torch.nn.Linear(4, 6)
        self.calls: torch.Tensor
        self.register_buffer("calls", torch.zeros(1))

    def forward(self, x: torch.Tensor, scale: float) -> Any:
        self.calls.add_(1)
        y = self.conv(x).relu().mean(dim=(2, 3))
        torch._dynamo.graph_break()
        z = self.linear(y) * scale
        z[:, 0] = 1.5
        return {"z": z, "turned": z.t(), "calls": self.calls + 1, "rows": x.shape[0]}


@pytest.fixture(autouse=True)
def fresh_compiler() -> Iterator[None]:
    torch.manual_seed(0)
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def test_several_graphs_state_and_sizes_that_change(monkeypatch: pytest.MonkeyPatch):
    made: list[int] = []
    plain = backend.CompiledGraph.__init__

    def counted(self: Any, *args: Any) -> None:
        made.append(1)
        plain(self, *args)

    monkeypatch.setattr(backend.CompiledGraph, "__init__", counted)
    module, reference = Network().eval(), Network().eval()
    reference.load_state_dict(module.state_dict())
    compiled = xdsl_relax.torch.compile(module)
    for rows in (2, 3, 5, 7):
        x = torch.randn(rows, 3, 5, 5)
        got = compiled(x, 0.5)
        with torch.no_grad():
            want = reference(x, 0.5)
        assert got["rows"] == rows and got["calls"].item() == want["calls"].item()
        for name in ("z", "turned"):
            torch.testing.assert_close(got[name], want[name])
            assert got[name].stride() == want[name].stride()
    # Two graphs for the first size, two for all others.
    assert len(made) == 4


def test_weights_that_change_are_transformed_again():
    module = torch.nn.Linear(4, 3).eval()
    compiled = xdsl_relax.torch.compile(module)
    x = torch.randn(2, 4)
    for factor in (1.0, 2.0):
        with torch.no_grad():
            module.weight.mul_(factor)
            torch.testing.assert_close(compiled(x), module(x))


def _double(weight: torch.Tensor) -> None:
    weight.data.mul_(2)


def _write_numbers(weight: torch.Tensor) -> None:
    weight.detach().numpy()[:] = 1


def _exchange_rows(weight: torch.Tensor) -> None:
    weight.data.copy_(weight.detach().flip(0))


@pytest.mark.parametrize("write", [_double, _write_numbers, _exchange_rows])
@pytest.mark.parametrize("frozen", [False, True])
def test_writes_to_weights_that_torch_does_not_count(write: Callable[[torch.Tensor], None], frozen: bool):
    module = torch.nn.Linear(4, 3).eval()
    compiled = xdsl_relax.torch.compile(module, frozen=frozen)
    x = torch.randn(2, 4)
    before = compiled(x).clone()
    write(module.weight)
    # Weights that are said to be frozen are not looked at.
    torch.testing.assert_close(compiled(x), before if frozen else module(x).detach())


NUMBERS: dict[str, Callable[[torch.Tensor, float], torch.Tensor]] = {
    "add": torch.add,
    "sub": torch.sub,
    "rsub": torch.rsub,
    "mul": torch.mul,
    "div": torch.div,
    "remainder": torch.remainder,
    "remainder of a number": lambda x, number: number % x,
    "fmod": torch.fmod,
    "floor_divide": torch.floor_divide,
    "less": torch.lt,
    "clamp": lambda x, number: x.clamp(min=number),
    "where": lambda x, number: torch.where(x > 0, x, number),
}


@pytest.mark.sweep(2)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_numbers_beside_16_bit_floats_are_rounded_as_torch_rounds_them(dtype: torch.dtype):
    def everything(x: torch.Tensor) -> list[torch.Tensor]:
        return [function(x, number) for function in NUMBERS.values() for number in (0.3, -0.7, 1.1, 3)]

    x = torch.cat([torch.arange(-40, 40) * 0.037, torch.tensor([float("nan"), float("inf"), -0.0])]).to(dtype)
    for index, (got, want) in enumerate(zip(xdsl_relax.torch.compile(everything)(x), everything(x), strict=True)):
        assert torch.equal(got.nan_to_num(9), want.nan_to_num(9)), list(NUMBERS)[index // 4]


def test_sizes_that_a_program_does_not_take_run_in_torch():
    compiled = xdsl_relax.torch.compile(lambda x, n: x[:n] * 2, dynamic=True)
    x = torch.arange(9.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        for n in (3, -2, 5, -4):
            torch.testing.assert_close(compiled(x, n), x[:n] * 2)


def test_options_that_there_are_not():
    with pytest.raises(ValueError, match="there is no option 'optlevel', expected one of opt_level, "):
        xdsl_relax.torch.compile(torch.relu, optlevel=1)
    unknown: list[dict[str, Any]] = [{"options": {"optlevel": 1}}, {"mode": "max-autotune"}]
    for given in unknown:
        compiled = torch.compile(torch.relu, backend=backend.compile_graph, **given)
        with torch.no_grad(), pytest.raises(Exception, match=r"there is no option '(optlevel|mode)'"):
            compiled(torch.ones(3))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("target", "znver9", "znver9"),
        ("threads", -1, "-1"),
        ("lift", "x", "x"),
        ("opt_level", 9, "9"),
        ("opt_level", "2", "'2'"),
        ("passes", "nope", "nope"),
    ],
)
def test_values_that_no_option_has(name: str, value: Any, message: str):
    """What `xdsl_relax.compile` refuses is refused at once, and nothing runs in torch instead."""
    with pytest.raises(Exception, match=message) as raised:
        xdsl_relax.torch.compile(torch.relu, **{name: value})
    with pytest.raises(type(raised.value), match=message):
        xdsl_relax.compile(ModuleOp([]), **{name: value})


def test_a_defect_of_the_compiler_is_told(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture):
    def fail(*_: Any, **__: Any) -> None:
        raise IndexError("no such block")

    monkeypatch.setattr(backend, "CompiledGraph", fail)
    compiled = xdsl_relax.torch.compile(lambda x: x * 2)
    with (
        caplog.at_level("DEBUG", "xdsl_relax"),
        pytest.warns(FallbackWarning, match="internal error: IndexError: no such block; please report"),
    ):
        torch.testing.assert_close(compiled(torch.ones(3)), torch.full((3,), 2.0))
    assert "Traceback" in caplog.text


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.int64])
def test_element_types(dtype: torch.dtype):
    x = torch.arange(6).reshape(2, 3).to(dtype)
    got = xdsl_relax.torch.compile(lambda x: (x + 1, x.sum(), x > 2))(x)
    for item, want in zip(got, (x + 1, x.sum(), x > 2), strict=True):
        assert item.dtype == want.dtype
        torch.testing.assert_close(item, want)


def test_a_graph_with_an_op_that_has_no_counterpart_runs_in_torch():
    compiled = xdsl_relax.torch.compile(lambda x: torch.linalg.svdvals(x) * 2)
    with pytest.warns(
        FallbackWarning, match="a graph runs in torch: .*aten._linalg_svd.* has no counterpart"
    ) as caught:
        torch.testing.assert_close(compiled(torch.eye(3)), torch.full((3,), 2.0))
        compiled(torch.eye(3))
    assert sum(item.category is FallbackWarning for item in caught) == 1


def test_gradients_are_left_to_torch():
    module = torch.nn.Linear(4, 3).eval()
    compiled = torch.compile(module, backend=backend.compile_graph)
    with pytest.warns(FallbackWarning, match="gradients are asked for"):
        compiled(torch.randn(2, 4)).sum().backward()
    assert module.weight.grad is not None


def test_a_module_in_training_is_refused():
    with pytest.raises(ValueError, match="Linear is in training mode"):
        xdsl_relax.torch.compile(torch.nn.Linear(2, 2))


def test_options_are_those_of_compile():
    with torch.no_grad():
        compiled = torch.compile(lambda x: x * 2, backend=backend.compile_graph, options={"opt_level": 0})
        torch.testing.assert_close(compiled(torch.ones(3)), torch.full((3,), 2.0))


def test_the_entry_point_names_the_backend():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    module, _, name = project["entry-points"]["torch_dynamo_backends"]["xdsl_relax"].partition(":")
    assert getattr(import_module(module), name) is backend.compile_graph


def test_the_package_alone_does_not_import_torch():
    text = "import sys, xdsl_relax; assert 'torch' in dir(xdsl_relax) and 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", text], check=True)


def test_warnings_of_fallbacks_are_errors_here():
    with pytest.raises(FallbackWarning), warnings.catch_warnings():
        warnings.simplefilter("error")
        backend._warn("planted")


def _encoder(**options: Any) -> torch.nn.TransformerEncoderLayer:
    torch.manual_seed(0)
    layer = torch.nn.TransformerEncoderLayer(12, 3, 20, batch_first=True, **options)
    layer.eval()
    return layer


CAUSAL = torch.nn.Transformer.generate_square_subsequent_mask(5)
PADDING = torch.tensor([[False] * 5, [False] * 3 + [True] * 2])


@pytest.mark.sweep
@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize(
    "masks",
    [
        {},
        {"src_mask": CAUSAL},
        {"src_key_padding_mask": PADDING},
        {"src_mask": CAUSAL, "src_key_padding_mask": PADDING},
    ],
)
def test_an_encoder_layer_that_torch_fuses(norm_first: bool, activation: str, masks: dict[str, torch.Tensor]):
    module, x = _encoder(norm_first=norm_first, activation=activation), torch.randn(2, 5, 12)
    result = xdsl_relax.torch.compile(module)(x, **masks)
    with torch.no_grad():
        torch.testing.assert_close(result, module(x, **masks))


@pytest.mark.sweep(4)
@pytest.mark.parametrize("options", [{"need_weights": False}, {}, {"average_attn_weights": False}])
@pytest.mark.parametrize("mask", [None, CAUSAL.isinf(), PADDING])
def test_attention_that_torch_fuses(options: dict[str, bool], mask: torch.Tensor | None):
    module, x = _encoder().self_attn, torch.randn(2, 5, 12)
    masks = {} if mask is None else {"key_padding_mask" if mask is PADDING else "attn_mask": mask}
    results = xdsl_relax.torch.compile(module)(x, x, x, **masks, **options)
    with torch.no_grad():
        expected = module(x, x, x, **masks, **options)
    for result, wanted in zip(results, expected, strict=True):
        assert (result is None) == (wanted is None)
        if wanted is not None:
            torch.testing.assert_close(result, wanted)


def test_a_count_that_turns_negative_falls_back():
    def first(x: torch.Tensor, count: int) -> torch.Tensor:
        return x[:count] * count

    compiled, x = xdsl_relax.torch.compile(first), torch.randn(8, 3)
    for count in (3, 5):
        torch.testing.assert_close(compiled(x, count), first(x, count))
    with pytest.warns(
        xdsl_relax.frontend.torch.backend.FallbackWarning, match=r"aten\.slice\.Tensor .* where torch has traced"
    ):
        torch.testing.assert_close(compiled(x, -2), first(x, -2))
