"""Model files in the style of TVM and of MLC-LLM: after their import lines are changed they export and run."""

from __future__ import annotations

import enum
import importlib
from typing import Any

import numpy as np
import pytest
import xdsl_relax
from xdsl_relax.frontend import nn
from xdsl_relax.frontend.nn import Tensor, core, op, te
from xdsl_relax.frontend.nn.llm.kv_cache import PagedKVCache, TIRPagedKVCache

WIDTH, HEADS, KEY_HEADS, DIM, LAYERS = 8, 4, 2, 6, 2


class RopeMode(enum.IntEnum):
    """The modes, as files write them down themselves."""

    NONE = 0
    NORMAL = 1


class Attention(core.Module):
    def __init__(self) -> None:
        super().__init__()
        self.qkv = nn.Linear(in_features=WIDTH, out_features=(HEADS + 2 * KEY_HEADS) * DIM, bias=False)
        self.out = nn.Linear(HEADS * DIM, WIDTH, bias=False)

    def forward(self, x: Tensor, cache: PagedKVCache, layer: int) -> Tensor:
        b, s, _ = x.shape
        qkv = op.reshape(self.qkv(x), (b, s, HEADS + 2 * KEY_HEADS, DIM))
        y = cache.attention_with_fused_qkv(layer, qkv, HEADS, sm_scale=DIM**-0.5)
        return self.out(op.reshape(y, (b, s, HEADS * DIM)))


class Decoder(core.Module):
    def __init__(self) -> None:
        self.layers = nn.ModuleList([Attention() for _ in range(LAYERS)])
        self.dtype = "float32"

    def to(self, dtype: str | None = None) -> None:
        super().to(dtype=dtype)

    def prefill(self, x: Tensor, paged_kv_cache: PagedKVCache):
        def last(x: te.Tensor):
            b, s, d = x.shape
            return te.compute((b, 1, d), lambda i, _, k: x[i, s - 1, k], name="last")

        for index, layer in enumerate(self.layers):
            x += layer(x, paged_kv_cache, index)
        return op.tensor_expr_op(last, name_hint="last", args=[x]), paged_kv_cache

    def sizes(self) -> dict[str, Any]:
        return {
            "attn_kind": "mha",
            "support_sliding_window": 0,
            "layer_partition": [0, LAYERS],
            "num_hidden_layers": LAYERS,
            "num_attention_heads": HEADS,
            "num_key_value_heads": KEY_HEADS,
            "qk_head_dim": DIM,
            "v_head_dim": DIM,
            "mla_original_qk_head_dim": 0,
            "mla_original_v_head_dim": 0,
            "rope_mode": RopeMode.NORMAL,
            "rope_scale": 1,
            "rope_theta": 10000,
            "rotary_dim": DIM,
            "enable_disaggregation": False,
            "dtype": self.dtype,
        }

    def tir(self, max_batch_size, max_total_seq_len, prefill_chunk_size, page_size) -> PagedKVCache:
        return TIRPagedKVCache(
            max_batch_size=max_batch_size,
            max_total_seq_len=max_total_seq_len,
            prefill_chunk_size=prefill_chunk_size,
            page_size=page_size,
            **self.sizes(),
            rope_scaling={},
            rope_ext_factors=0,
            target=None,
        )

    def generic(self, max_batch_size, max_total_seq_len, prefill_chunk_size, page_size) -> PagedKVCache:
        sizes = (max_batch_size, max_total_seq_len, prefill_chunk_size, page_size)
        names = ("max_batch_size", "max_total_seq_len", "prefill_chunk_size", "page_size")
        return PagedKVCache.create_generic(**dict(zip(names, sizes, strict=True)), **self.sizes())

    def get_default_spec(self) -> nn.spec.ModuleSpec:
        modes = {"param_mode": "none", "effect_mode": "none"}
        sizes = dict.fromkeys(("max_batch_size", "max_total_seq_len", "prefill_chunk_size", "page_size"), int)
        raw = {
            "prefill": {
                "x": nn.spec.Tensor([1, "seq_len", WIDTH], self.dtype),
                "paged_kv_cache": nn.spec.Object(object_type=PagedKVCache),
                "$": {"param_mode": "packed", "effect_mode": "none"},
            },
            "tir": {**sizes, "$": modes},
            "generic": {**sizes, "$": modes},
        }
        return nn.spec.ModuleSpec.from_raw(raw, self)


def test_every_way_to_ask_for_a_cache_gives_the_same_one():
    model = Decoder()
    random = np.random.default_rng(0)
    model.load_state_dict(
        {name: random.standard_normal(p.shape).astype("f") / 3 for name, p in model.state_dict().items()}  # pyright: ignore[reportArgumentType, reportCallIssue]
    )
    compiled = model.jit(spec=model.get_default_spec(), pipeline="default_build", out_format="numpy")
    x = random.standard_normal((1, 7, WIDTH)).astype(np.float32)

    def tokens(create, parts):
        cache = create(1, 32, 32, 4)
        cache.add_sequence(0)
        outputs = []
        for part in np.split(x, parts, axis=1):
            cache.begin_forward([0], [part.shape[1]])
            outputs.append(compiled.prefill(part, cache)[0])
            cache.end_forward()
        return outputs[-1]

    whole = tokens(compiled.tir, [])
    for create, parts in ((compiled.tir, [4]), (compiled.generic, [2, 6])):
        np.testing.assert_allclose(tokens(create, parts), whole, atol=1e-5)
    assert not np.allclose(whole, x[:, -1:])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"layer_partition": [0, 1, 2]}, r"expected all layers in one partition, \[0, 2\], got \[0, 1, 2\]"),
        ({"enable_disaggregation": True}, "expected enable_disaggregation=False"),
        ({"rope_mode": 7}, r"expected rope_mode to be NONE \(0\), NORMAL \(1\), INLINE \(2\), got 7"),
    ],
)
def test_caches_that_there_are_not(options: dict[str, Any], message: str):
    model = Decoder()
    sizes = model.sizes() | options
    model.sizes = lambda: sizes
    for name in ("tir", "generic"):
        spec = dict.fromkeys(("max_batch_size", "max_total_seq_len", "prefill_chunk_size", "page_size"), int)
        with pytest.raises(nn.ModelError, match=message):
            model.export({name: spec})


def test_what_is_not_rotated_needs_no_rotation():
    """Files of models without rotation give numbers that no rotation has."""
    model = Decoder()
    sizes = model.sizes() | {"rope_mode": RopeMode.NONE, "rope_theta": -1, "rope_scale": -1}
    model.sizes = lambda: sizes
    spec: dict[str, Any] = dict.fromkeys(
        ("max_batch_size", "max_total_seq_len", "prefill_chunk_size", "page_size"), int
    )
    spec["$"] = {"param_mode": "none"}
    create = xdsl_relax.compile(model.export({"tir": spec})[0])["tir"]
    assert create(1, 8, 8, 4).total_length == 0
    sizes["rope_mode"] = RopeMode.NORMAL
    create = xdsl_relax.compile(model.export({"tir": spec})[0])["tir"]
    with pytest.raises(ValueError, match="expected theta to be a positive number, got -1"):
        create(1, 8, 8, 4)


def test_pipelines_are_those_of_the_compiler():
    with pytest.raises(nn.ModelError, match="expected default_build as the pipeline, got 'zero': passes are given by"):
        Decoder().jit({}, "cpu", "zero")


def test_modules_have_the_names_of_tvm():
    """What `tvm.relax.frontend.nn` has in a module is in the module of that name here."""
    pytest.importorskip("tvm")
    # The functions on tensors and the layers are compared elsewhere.
    public = {
        "core": {
            "Effect",
            "Module",
            "ModuleDict",
            "ModuleList",
            "Object",
            "Parameter",
            "ParameterDict",
            "ParameterList",
        }
        | {"Tensor", "get_default_dtype", "set_default_dtype"},
        "extern": {"ExternModule", "ObjectModule", "SourceModule"},
        "spec": {"Int", "MethodSpec", "ModuleSpec", "Object", "Tensor", "Tuple"},
        "subroutine": {"SubroutineMixin"},
        "visitor": {"Mutator"},
        "llm.kv_cache": {"PagedKVCache", "RopeMode", "TIRPagedKVCache"},
    }
    for module, names in public.items():
        of_tvm, ours = (
            importlib.import_module(f"{package}.frontend.nn.{module}") for package in ("tvm.relax", "xdsl_relax")
        )
        assert [name for name in sorted(names) if not (hasattr(of_tvm, name) and hasattr(ours, name))] == []
