"""Transformed parameters: made from dicts and files, shared by functions, consumed, saved, refused where they do not belong."""

from __future__ import annotations

import io
import runpy
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
import xdsl_relax
from safetensors.numpy import load_file, save_file
from xdsl.passes import PassPipeline
from xdsl_relax.dialects.relax.function_signature import functions
from xdsl_relax.interpreter.host.errors import ArgumentError
from xdsl_relax.interpreter.host.value_types import TensorValue
from xdsl_relax.runtime.compiler import available_passes, relax_context
from xdsl_relax.runtime.executable import leaf
from xdsl_relax.runtime.executable.arguments import Argument
from xdsl_relax.runtime.executable.leaf import address
from xdsl_relax.runtime.params.params import load_params
from xdsl_relax.runtime.params.safetensors_file import SafetensorsFile, write_safetensors
from xdsl_relax.runtime.signatures import signatures

EXAMPLES = Path(__file__).parents[2] / "examples"
LIFT = ["relax-lift-transform-params{shared=true}"]

TWO = """
func.func @a(%x: tensor<2x4xf32>, %w: tensor<3x4xf32> {relax.name = "w"}, %b: tensor<3xf32> {relax.name = "b"}) -> tensor<2x3xf32>
    attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %t = relax.permute_dims %w : (tensor<3x4xf32>) -> tensor<4x3xf32>
    %y = relax.matmul %x, %t : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
    %z = relax.add %y, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    relax.output %z : tensor<2x3xf32>
  } : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
"""


def shape_of(param: Argument) -> tuple[int, ...]:
    """Returns the shape of a parameter."""
    assert isinstance(param.type, TensorValue)
    return tuple(dim for dim in param.type.dims if isinstance(dim, int))


@pytest.fixture(scope="module")
def exe():
    """`TWO`, lifted."""
    return xdsl_relax.compile(TWO, passes=["relax-lift-transform-params"])


@pytest.fixture(scope="module")
def llama():
    """A decoder of a single layer: more layers have the same forms of parameters."""
    module = runpy.run_path(str(EXAMPLES / "llama_decoder.py"))["build"](1).build()
    params = signatures(module)["prefill"].params
    rng = np.random.default_rng(0)
    weights = {param.label: (rng.standard_normal(shape_of(param)) * 0.05).astype(np.float32) for param in params}
    return module, weights, xdsl_relax.compile(module), xdsl_relax.compile(module, passes=LIFT)


def test_mapped_weights_that_no_transform_changes_are_plain_arrays(exe, tmp_path):
    np.save(tmp_path / "b.npy", np.arange(3, dtype=np.float32))
    mapped = np.load(tmp_path / "b.npy", mmap_mode="r")
    params = exe.transform_params({"w": np.ones((3, 4), np.float32), "b": mapped})
    (kept,) = (value for value in params.values if value.shape == (3,))
    assert type(kept) is np.ndarray and np.shares_memory(kept, mapped)
    np.testing.assert_array_equal(exe["a"](np.ones((2, 4), np.float32), params), [[4, 5, 6]] * 2)


def test_prefill_and_decode_share_one_set_and_give_the_same_bits(llama):
    _, weights, plain, lifted = llama
    params = lifted.transform_params(weights)
    tokens, positions = np.array([[5, 6, 7]]), np.arange(3)
    expected = plain["prefill"](tokens, positions, *weights.values())
    results = lifted["prefill"](tokens, positions, params)
    for result, wanted in zip(results, expected, strict=True):
        np.testing.assert_array_equal(result, wanted)
    token, position, caches = np.array([[9]]), np.array([3]), expected[1:]
    expected = plain["decode"](token, position, *caches, *weights.values())
    for result, wanted in zip(lifted["decode"](token, position, *caches, params), expected, strict=True):
        np.testing.assert_array_equal(result, wanted)


@pytest.mark.any_target
@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    "options",
    [
        "{bundle=true consume=true}",
        "{shared=prefill,decode lift_unused=true}",
        "{shared=true private=true consume=true bundle=true}",
    ],
)
def test_every_form_of_lifting_runs_and_gives_the_same_bits(llama, options):
    module, weights, plain, _ = llama
    exe = xdsl_relax.compile(module, passes=[f"relax-lift-transform-params{options}"])

    def params(function: str):
        name = "transform_params" if "shared" in options else f"{function}_transform_params"
        return exe.transform_params(dict(weights), transform=name, consume="consume" in options)

    tokens, positions = np.array([[5, 6, 7]]), np.arange(3)
    expected = plain["prefill"](tokens, positions, *weights.values())
    for result, wanted in zip(exe["prefill"](tokens, positions, params("prefill")), expected, strict=True):
        np.testing.assert_array_equal(result, wanted)
    token, position, caches = np.array([[9]]), np.array([3]), expected[1:]
    expected = plain["decode"](token, position, *caches, *weights.values())
    for result, wanted in zip(exe["decode"](token, position, *caches, params("decode")), expected, strict=True):
        np.testing.assert_array_equal(result, wanted)


def test_prefill_and_decode_read_the_same_memory(llama, monkeypatch):
    _, weights, _, lifted = llama
    params = lifted.transform_params(weights)
    wanted = {value.ctypes.data for value in params.values}
    read: list[int] = []
    monkeypatch.setattr(leaf, "address", lambda array: read.append(start := address(array)) or start)
    _, *caches = lifted["prefill"](np.array([[5, 6, 7]]), np.arange(3), params)
    assert wanted <= set(read)
    read.clear()
    lifted["decode"](np.array([[9]]), np.array([3]), *caches, params)
    assert wanted <= set(read)


def test_no_transpose_of_a_weight_is_left(llama):
    module = llama[0].clone()
    PassPipeline.parse_spec(available_passes(), LIFT[0]).apply(relax_context(), module)
    left = {
        function.sym_name.data: sum(op.name == "relax.permute_dims" for op in function.walk())
        for function in functions(module)
    }
    assert left["prefill"] == left["decode"] == 0
    assert left["transform_params"] > 0


def test_parts_are_not_listed_as_functions(llama):
    assert list(llama[3]) == ["transform_params", "prefill", "decode"]
    assert len(llama[3]) == 3


def test_weights_that_stay_as_they_are_are_not_copied(exe):
    weights = {"w": np.ones((3, 4), np.float32), "b": np.arange(3, dtype=np.float32)}
    params = exe.transform_params(weights)
    assert any(value is weights["b"] for value in params.values)
    np.testing.assert_array_equal(exe["a"](np.ones((2, 4), np.float32), params), [[4, 5, 6]] * 2)


def test_consumed_weights_leave_the_dict(exe):
    weights = {"w": np.ones((3, 4), np.float32), "b": np.arange(3, dtype=np.float32)}
    exe.transform_params(weights, consume=True)
    assert list(weights) == ["b"]


def test_bundled_parameters_of_functions_take_sets_and_tuples():
    exe = xdsl_relax.compile(TWO, passes=["relax-lift-transform-params{shared=true}", "relax-bundle-model-params"])
    x, w, b = np.ones((2, 4), np.float32), np.ones((3, 4), np.float32), np.arange(3, dtype=np.float32)
    params = exe.transform_params({"w": w, "b": b})
    np.testing.assert_array_equal(exe["a"](x, params), [[4, 5, 6]] * 2)
    np.testing.assert_array_equal(exe["a"](x, params.values), [[4, 5, 6]] * 2)
    transformed = exe["transform_params"].call((w, b))
    np.testing.assert_array_equal(exe["a"](x, transformed), [[4, 5, 6]] * 2)


@pytest.mark.parametrize("dtype", ["f16", "bf16"])
def test_half_precision_weights_are_transformed_saved_and_mapped(dtype, tmp_path):
    exe = xdsl_relax.compile(TWO.replace("f32", dtype), passes=["relax-lift-transform-params"])
    numpy_type = np.float16 if dtype == "f16" else ml_dtypes.bfloat16
    x, w, b = (np.arange(size).astype(numpy_type) for size in (8, 12, 3))
    w = w.reshape(3, 4)
    save_file({"w": w, "b": b}, tmp_path / "model.safetensors")
    params = exe.transform_params(tmp_path / "model.safetensors")
    exe.save_params(params, tmp_path / "transformed.safetensors")
    mapped = exe.load_params(tmp_path / "transformed.safetensors")
    assert {value.dtype for value in mapped.values} == {np.dtype(numpy_type)}
    expected = x.reshape(2, 4).astype("f") @ w.astype("f").T + b.astype("f")
    np.testing.assert_array_equal(exe["a"](x.reshape(2, 4), mapped), expected.astype(numpy_type))


def test_the_package_of_the_format_reads_what_is_written(tmp_path):
    arrays = {
        "a": np.arange(6, dtype=np.int8).reshape(2, 3),
        "b": np.arange(4, dtype=np.float64),
        "c": np.empty((0, 3), np.float32),
        "d": np.arange(12).astype(ml_dtypes.bfloat16).reshape(3, 4).T,
        "e": np.array(True),
    }
    write_safetensors(tmp_path / "a.safetensors", arrays, {"key": "value"})
    reference, ours = load_file(tmp_path / "a.safetensors"), load_params(tmp_path / "a.safetensors")
    assert isinstance(ours, SafetensorsFile)
    assert reference.keys() == ours.keys() == arrays.keys()
    assert ours.metadata == {"key": "value"}
    for name, array in arrays.items():
        assert ours[name].flags.aligned and ours[name].dtype == array.dtype
        np.testing.assert_array_equal(ours[name], array)
        np.testing.assert_array_equal(reference[name], array)


def test_a_failed_save_leaves_the_old_file(tmp_path):
    path = tmp_path / "a.safetensors"
    write_safetensors(path, {"a": np.ones(2, np.float32)})
    with pytest.raises(ArgumentError, match="tensor 'a' of element type complex64 cannot be written"):
        write_safetensors(path, {"a": np.ones(2, np.complex64)})
    assert [file.name for file in tmp_path.iterdir()] == ["a.safetensors"]
    np.testing.assert_array_equal(load_params(path)["a"], [1, 1])


def test_a_weight_that_is_not_aligned_in_its_file_is_copied_once(exe, tmp_path):
    header = b'{"w":{"dtype":"F32","shape":[3,4],"data_offsets":[0,48]},"b":{"dtype":"F32","shape":[3],"data_offsets":[48,60]}}'
    header += b" " * (-len(header) % 8 + 1)
    content = np.ones(12, np.float32).tobytes() + np.arange(3, dtype=np.float32).tobytes()
    path = tmp_path / "odd.safetensors"
    path.write_bytes(len(header).to_bytes(8, "little") + header + content)
    assert not load_params(path)["b"].flags.aligned
    params = exe.transform_params(path)
    assert all(value.flags.aligned for value in params.values)
    np.testing.assert_array_equal(exe["a"](np.ones((2, 4), np.float32), params), [[4, 5, 6]] * 2)


CALLEE = """
func.func private @double(%w: tensor<3xf32>) -> tensor<3xf32> {
  %y = relax.OP %w, %w : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}
func.func @main_transform_params(%w: tensor<3xf32> {relax.name = "w"}) -> tensor<3xf32> attributes {relax.num_input = 0 : i64, relax.transform} {
  %r = func.call @double(%w) : (tensor<3xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}
"""


def test_the_fingerprint_covers_what_the_transform_calls(tmp_path):
    adding, multiplying = (xdsl_relax.compile(CALLEE.replace("OP", op)) for op in ("add", "multiply"))
    params = adding.transform_params({"w": np.full(3, 3, np.float32)})
    np.testing.assert_array_equal(params.values[0], [6, 6, 6])
    adding.save_params(params, tmp_path / "p.safetensors")
    np.testing.assert_array_equal(adding.load_params(tmp_path / "p.safetensors").values[0], [6, 6, 6])
    with pytest.raises(ArgumentError, match="made by another transform"):
        multiplying.load_params(tmp_path / "p.safetensors")


@pytest.mark.parametrize(
    ("old", "new", "is_other"),
    [("%w", "%weight", False), ('"w"', '"weight"', True), ("tensor<3xf32>", "tensor<3xf16>", True)],
)
def test_the_fingerprint_says_what_is_computed_from_which_weights(old: str, new: str, is_other: bool):
    text = CALLEE.replace("OP", "add")
    before, after = (xdsl_relax.compile(program).interface.transforms[0] for program in (text, text.replace(old, new)))
    assert (before.fingerprint != after.fingerprint) == is_other


class Terminal(io.StringIO):
    def __init__(self, is_terminal: bool):
        super().__init__()
        self.is_terminal = is_terminal

    def isatty(self) -> bool:
        return self.is_terminal


@pytest.mark.parametrize(
    ("is_terminal", "progress", "shown"), [(True, True, True), (True, False, False), (False, True, False)]
)
def test_a_bar_is_shown_on_a_terminal_only(exe, monkeypatch, is_terminal, progress, shown):
    weights = {"w": np.ones((3, 4), np.float32), "b": np.ones(3, np.float32)}
    terminal = Terminal(is_terminal)
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    exe.transform_params(weights, progress=progress)
    assert ("a_transform_params" in terminal.getvalue()) == shown
    assert bool(terminal.getvalue()) == shown


def test_weights_come_from_files_shard_by_shard(exe, tmp_path):
    save_file({"w": np.ones((3, 4), np.float32)}, tmp_path / "1.safetensors")
    save_file({"b": np.arange(3, dtype=np.float32)}, tmp_path / "2.safetensors")
    params = exe.transform_params([tmp_path / "1.safetensors", tmp_path / "2.safetensors"])
    np.testing.assert_array_equal(exe["a"](np.ones((2, 4), np.float32), params), [[4, 5, 6]] * 2)


def test_many_weights_that_are_missing_or_surplus_are_one_line():
    names = [f"l{index}.w" for index in range(6)]
    arguments = ", ".join(f'%w{index}: tensor<4xf32> {{relax.name = "{name}"}}' for index, name in enumerate(names))
    text = f"""
        func.func @main(%x: tensor<4xf32>, {arguments}) -> tensor<4xf32> attributes {{relax.num_input = 1 : i64}} {{
          return %x : tensor<4xf32>
        }}"""
    exe, x = xdsl_relax.compile(text, lift=True), np.ones(4, np.float32)
    with pytest.raises(
        ArgumentError, match=r"^missing parameters 'l0.w', 'l1.w', 'l2.w', 'l3.w' and 2 more of main_transform_params$"
    ):
        exe.transform_params({})
    with pytest.raises(
        ArgumentError, match=r"^surplus parameters 'a', 'b', 'c' are not used by main_transform_params$"
    ):
        exe.transform_params({**dict.fromkeys(names, x), "a": x, "b": x, "c": x})
    exe.transform_params({**dict.fromkeys(names, x), "bn.num_batches_tracked": np.int64(3)})


def test_parameters_beside_too_many_or_too_few_arguments_are_said_to_be_that(exe):
    x = np.ones((2, 4), np.float32)
    params = exe.transform_params({"w": np.ones((3, 4), np.float32), "b": np.ones(3, np.float32)})
    for arguments, got in (
        ((x, params, 3), "3"),
        ((x, 2, params), "3"),
        ((x, 2, params, 3), "4"),
        ((params,), "1"),
        ((params, x), "the parameters before others"),
    ):
        with pytest.raises(ArgumentError, match=rf"^a: expected 2 arguments \(x, params\), got {got}$"):
            exe["a"](*arguments)
    with pytest.raises(ArgumentError, match=r"got 9$"):
        exe["a"](*[x] * 9)


def test_a_transform_of_several_is_asked_for_by_name():
    text = "".join(
        f"""
        func.func @{name}(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> attributes {{relax.num_input = 1 : i64}} {{
          return %w : tensor<4xf32>
        }}"""
        for name in "ab"
    )
    exe = xdsl_relax.compile(text, lift=True)
    message = (
        "^the module has several transforms: expected transform=NAME, one of a_transform_params, b_transform_params$"
    )
    with pytest.raises(ArgumentError, match=message):
        exe.transform_params({"w": np.ones(4, np.float32)})
    assert (
        exe.transform_params({"w": np.ones(4, np.float32)}, transform="a_transform_params").transform
        == "a_transform_params"
    )


def test_what_is_wrong_with_weights_is_said_at_once(exe):
    with pytest.raises(ArgumentError) as error:
        exe.transform_params({"w": np.ones((3, 5), np.float32), "c": np.ones(3, np.float32)})
    assert str(error.value).splitlines() == [
        "parameter 'w': expected float32 [3, 4], got float32 [3, 5]",
        "missing parameter 'b' of a_transform_params: expected float32 [3]",
        "surplus parameter 'c': float32 [3] is not used by a_transform_params",
    ]


def test_saved_set_is_mapped_and_other_programs_refuse_it(llama, exe, tmp_path):
    _, weights, plain, lifted = llama
    params = lifted.transform_params(weights)
    path = tmp_path / "params.safetensors"
    lifted.save_params(params, path)
    mapped = lifted.load_params(path)
    assert not any(value.flags.owndata for value in mapped.values)
    tokens, positions = np.array([[1, 2]]), np.arange(2)
    for result, wanted in zip(
        lifted["prefill"](tokens, positions, mapped), lifted["prefill"](tokens, positions, params), strict=True
    ):
        np.testing.assert_array_equal(result, wanted)
    with pytest.raises(ArgumentError, match="made by another transform"):
        exe.load_params(path)
    with pytest.raises(
        ArgumentError, match="expected parameters from a_transform_params, got those of another program's"
    ):
        exe.save_params(params, path)
    with pytest.raises(
        ArgumentError, match=r"expected parameters from a_transform_params \(.*\), got those of transform_params"
    ):
        exe["a"](np.ones((2, 4), np.float32), params)
    with pytest.raises(ArgumentError, match="takes no transformed parameters"):
        plain["prefill"](tokens, positions, params)


@pytest.mark.parametrize("wrong", [None, 1, {"w": np.ones(3)}, [np.ones(3)], "w.safetensors"])
def test_only_what_a_transform_returned_is_saved(exe, tmp_path, wrong):
    message = f"^params: expected what transform_params returned, got {type(wrong).__name__}$"
    with pytest.raises(ArgumentError, match=message):
        exe.save_params(wrong, tmp_path / "p.safetensors")
    assert not (tmp_path / "p.safetensors").exists()


def test_a_plain_weights_file_is_no_transformed_set(exe, tmp_path):
    save_file({"result_0": np.ones(3, np.float32)}, tmp_path / "w.safetensors")
    with pytest.raises(ArgumentError, match="has no fingerprint"):
        exe.load_params(tmp_path / "w.safetensors")


SHARED_SIZE = """
func.func @main(%x: tensor<f32>, %a: tensor<?x4xf32, #relax.sym<k>> {relax.name = "layers.0.weight"}, %b: tensor<?x4xf32, #relax.sym<k>> {relax.name = "layers.1.weight"})
    -> tensor<?x4xf32, #relax.sym<k>> attributes {relax.num_input = 1 : i64} {
  %w = relax.add %a, %b : (tensor<?x4xf32, #relax.sym<k>>, tensor<?x4xf32, #relax.sym<k>>) -> tensor<?x4xf32, #relax.sym<k>>
  %r = relax.multiply %w, %x : (tensor<?x4xf32, #relax.sym<k>>, tensor<f32>) -> tensor<?x4xf32, #relax.sym<k>>
  return %r : tensor<?x4xf32, #relax.sym<k>>
}
"""


def test_weights_that_share_a_size_are_refused_by_their_names():
    exe = xdsl_relax.compile(SHARED_SIZE, lift=True)
    first, second = np.ones((3, 4), np.float32), np.ones((5, 4), np.float32)
    assert len(exe.transform_params({"layers.0.weight": first, "layers.1.weight": first})) == 1
    with pytest.raises(ArgumentError) as error:
        exe.transform_params({"layers.0.weight": first, "layers.1.weight": second})
    assert str(error.value) == (
        "parameter 'layers.1.weight': expected float32 [k, 4] where k = 3 (from 'layers.0.weight' dim 0), got float32 [5, 4]"
    )


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "cannot mmap an empty file|empty"),
        (b"abc", "shorter than 8 bytes"),
        ((1 << 40).to_bytes(8, "little"), "the header has 1099511627776 bytes"),
        ((4).to_bytes(8, "little") + b"nope", "the header is not JSON"),
        ((2).to_bytes(8, "little") + b"[]", "no JSON object"),
        ((15).to_bytes(8, "little") + b'{"w": "tensor"}', "'w' is not described"),
        (
            (62).to_bytes(8, "little") + b'{"w": {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]}}'.ljust(62),
            "does not fit its shape or the file",
        ),
    ],
)
def test_damaged_files_are_refused_with_the_reason(tmp_path, content, reason):
    path = tmp_path / "bad.safetensors"
    path.write_bytes(content)
    with pytest.raises(ArgumentError, match=reason):
        load_params(path)


def test_a_tensor_of_a_file_takes_memory_while_its_array_lives(tmp_path):
    size = 1 << 24
    write_safetensors(tmp_path / "w.safetensors", {"a": np.ones(size, np.uint8), "b": np.ones(size, np.uint8)})
    tensors = load_params(tmp_path / "w.safetensors")
    kept = tensors["a"]
    assert kept.sum() == size
    before = resident_file_bytes()
    for _ in range(3):
        assert tensors["b"].sum() == size
    assert resident_file_bytes() < before + size // 2
    assert kept.sum() == size


def resident_file_bytes() -> int:
    with open("/proc/self/status") as stream:
        return next(int(line.split()[1]) * 1024 for line in stream if line.startswith("RssFile"))
