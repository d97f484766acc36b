"""Transformed parameters: made from dicts and files, shared by functions, consumed, saved, refused where they do not belong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import xdsl_relax
from safetensors.numpy import save_file
from xdsl_relax.runtime.arguments import ArgumentError, signatures
from xdsl_relax.runtime.params import load_params

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


@pytest.fixture(scope="module")
def llama():
    module = xdsl_relax.load(EXAMPLES / "llama_decoder.mlir")
    params = signatures(module)["prefill"].params
    rng = np.random.default_rng(0)
    weights = {p.label: (rng.standard_normal(p.type.get_shape()) * 0.05).astype(np.float32) for p in params}
    return module, weights, xdsl_relax.compile(module), xdsl_relax.compile(module, passes=LIFT)


def test_prefill_and_decode_share_one_set_and_give_the_same_bits(llama):
    _, weights, plain, lifted = llama
    params = lifted.transform_params(weights)
    tokens, positions = np.array([[5, 6, 7]]), np.arange(3)
    expected = plain["prefill"](tokens, positions, *weights.values())
    found = lifted["prefill"](tokens, positions, params)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)
    token, position, caches = np.array([[9]]), np.array([3]), expected[1:]
    expected = plain["decode"](token, position, *caches, *weights.values())
    for one, other in zip(lifted["decode"](token, position, *caches, params), expected, strict=True):
        np.testing.assert_array_equal(one, other)


def test_no_transpose_of_a_weight_is_left(llama):
    module = llama[0].clone()
    from xdsl.passes import PassPipeline
    from xdsl_relax.runtime.compiler import available_passes, relax_context

    PassPipeline.parse_spec(available_passes(), LIFT[0]).apply(relax_context(), module)
    left = {
        function.sym_name.data: sum(op.name == "relax.permute_dims" for op in function.walk())
        for function in module.body.block.ops
    }
    assert left["prefill"] == left["decode"] == 0
    assert left["transform_params"] > 0


def test_parts_are_not_listed_as_functions(llama):
    assert list(llama[3]) == ["transform_params", "prefill", "decode"]
    assert len(llama[3]) == 3


def test_weights_that_stay_as_they_are_are_not_copied():
    exe = xdsl_relax.compile(TWO, passes=["relax-lift-transform-params"])
    weights = {"w": np.ones((3, 4), np.float32), "b": np.arange(3, dtype=np.float32)}
    params = exe.transform_params(weights)
    assert any(value is weights["b"] for value in params.values)
    np.testing.assert_array_equal(exe["a"](np.ones((2, 4), np.float32), params), [[4, 5, 6]] * 2)


def test_consumed_weights_leave_the_dict():
    exe = xdsl_relax.compile(TWO, passes=["relax-lift-transform-params"])
    weights = {"w": np.ones((3, 4), np.float32), "b": np.arange(3, dtype=np.float32)}
    exe.transform_params(weights, consume=True)
    assert list(weights) == ["b"]


def test_weights_come_from_files_shard_by_shard(tmp_path):
    exe = xdsl_relax.compile(TWO, passes=["relax-lift-transform-params"])
    save_file({"w": np.ones((3, 4), np.float32)}, tmp_path / "1.safetensors")
    save_file({"b": np.arange(3, dtype=np.float32)}, tmp_path / "2.safetensors")
    params = exe.transform_params([tmp_path / "1.safetensors", tmp_path / "2.safetensors"])
    np.testing.assert_array_equal(exe["a"](np.ones((2, 4), np.float32), params), [[4, 5, 6]] * 2)


def test_what_is_wrong_with_weights_is_said_at_once():
    exe = xdsl_relax.compile(TWO, passes=["relax-lift-transform-params"])
    with pytest.raises(ArgumentError) as error:
        exe.transform_params({"w": np.ones((3, 5), np.float32), "c": np.ones(3, np.float32)})
    assert str(error.value).splitlines() == [
        "parameter 'w': expected float32 [3, 4], got float32 [3, 5]",
        "missing parameter 'b': expected float32 [3]",
        "surplus parameter 'c': float32 [3] is not used by a_transform_params",
    ]


def test_saved_set_is_mapped_and_other_programs_refuse_it(llama, tmp_path):
    _, weights, plain, lifted = llama
    params = lifted.transform_params(weights)
    path = tmp_path / "params.safetensors"
    params.save(path)
    mapped = lifted.load_params(path)
    assert not any(value.flags.owndata for value in mapped.values)
    tokens, positions = np.array([[1, 2]]), np.arange(2)
    for one, other in zip(
        lifted["prefill"](tokens, positions, mapped), lifted["prefill"](tokens, positions, params), strict=True
    ):
        np.testing.assert_array_equal(one, other)
    other = xdsl_relax.compile(TWO, passes=["relax-lift-transform-params"])
    with pytest.raises(ArgumentError, match="made by another transform"):
        other.load_params(path)
    with pytest.raises(
        ArgumentError, match=r"expected parameters from a_transform_params \(.*\), got those of transform_params"
    ):
        other["a"](np.ones((2, 4), np.float32), params)
    with pytest.raises(ArgumentError, match="takes no transformed parameters"):
        plain["prefill"](tokens, positions, params)


def test_a_plain_weights_file_is_no_transformed_set(tmp_path):
    exe = xdsl_relax.compile(TWO, passes=["relax-lift-transform-params"])
    save_file({"result_0": np.ones(3, np.float32)}, tmp_path / "w.safetensors")
    with pytest.raises(ArgumentError, match="has no fingerprint"):
        exe.load_params(tmp_path / "w.safetensors")


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
