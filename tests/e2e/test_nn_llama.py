"""The Llama of examples/nn: compiled, against the same network written with functions of torch on the same weights; what the stages make of it."""

from __future__ import annotations

import math

import pytest
from harness.nn_references import close, llama_reference, tokens_of, weights_for
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl_relax.lowering.pipeline import Settings
from xdsl_relax.passes.lifting.lift_transform_params import LiftTransformParamsPass
from xdsl_relax.runtime.compiler import available_passes, pipeline_of, relax_context

torch = pytest.importorskip("torch")

import llama  # noqa: E402

AWKWARD = llama.LlamaConfig(
    hidden_size=36,
    intermediate_size=50,
    num_attention_heads=3,
    num_key_value_heads=1,
    head_dim=10,
    vocab_size=77,
    rope_theta=500.0,
    attention_bias=True,
    tie_word_embeddings=True,
)


def test_llama():
    model = llama.LlamaForCausalLM(AWKWARD)
    weights = weights_for(model)
    compiled = model.jit(model.spec())
    (plan,) = compiled.executable.interface.transforms
    assert plan.name == "transform_params"
    for batch, length in ((2, 5), (1, 3)):
        tokens = tokens_of((batch, length + 4), AWKWARD.vocab_size)
        expected, expected_caches = llama_reference(weights, AWKWARD, tokens)
        caches = [torch.full(cache.shape, math.nan) for cache in model.caches(batch, 9)]
        # A prompt, the rest of a prompt, and token by token.
        for method, first, end in (
            ("prefill", 0, length),
            ("prefill", length, length + 2),
            ("decode", length + 2, length + 3),
            ("decode", length + 3, length + 4),
        ):
            scores, *results = compiled[method](tokens[:, first:end], first, *caches)
            close(scores[:, 0], expected[:, end - 1])
            # The caches are overwritten where they are.
            assert [cache.data_ptr() for cache in results] == [cache.data_ptr() for cache in caches]
        for rows, expected_rows in zip(caches, expected_caches, strict=True):
            close(rows[:, : length + 4], expected_rows)
            assert rows[:, length + 4 :].isnan().all()


def lines(module: ModuleOp, function: str) -> list[str]:
    (text,) = (str(op) for op in module.walk() if isinstance(op, func.FuncOp) and op.sym_name.data == function)
    return text.splitlines()


@pytest.mark.parametrize("is_shared", [True, False])
def test_gate_and_up_are_joined_by_the_transform(is_shared: bool):
    config = llama.LlamaConfig(num_hidden_layers=1)
    model = llama.LlamaForCausalLM(config)
    module, _ = model.export(model.spec())
    for method in ("prefill", "decode"):
        (use,) = (line for line in lines(module, method) if "%gate_up_weight = " in line)
        assert "relax.concat %model_layers_0_mlp_gate_proj_weight, %model_layers_0_mlp_up_proj_weight" in use
    LiftTransformParamsPass(shared=is_shared).apply(relax_context(), module)
    module.verify()
    transforms = ["transform_params"] if is_shared else ["decode_transform_params", "prefill_transform_params"]
    for transform in transforms:
        text = "\n".join(lines(module, transform))
        joined = text.partition(" = relax.concat %model_layers_0_mlp_gate_proj_weight")[0].split()[-1]
        assert f"relax.permute_dims {joined} : (tensor<344x64xf32>) -> tensor<64x344xf32>" in text
    for method in ("prefill", "decode"):
        text = "\n".join(lines(module, method))
        assert "gate_proj" not in text and "up_proj" not in text and "relax.permute_dims" not in text


def kernels_of(layers: int) -> int:
    """Returns how many kernels are left of a Llama-7B of some layers, which is exported, lifted and fused without weights."""
    model = llama.LlamaForCausalLM(llama.LlamaConfig(4096, 11008, layers, 32, 32, vocab_size=32000))
    module, parameters = model.export(model.spec())
    assert len(parameters) == 9 * layers + 3 and all(parameter.data is None for _, parameter in parameters)
    settings, context = Settings(lift="shared"), relax_context()
    for stage in ("optimize", "graph", "linalg"):
        for item in pipeline_of(settings.passes_of(stage), available_passes()):
            item.apply(context, module)
        module.verify()
        if stage == "graph":
            methods = [op for op in module.ops if isinstance(op, func.FuncOp) and op.sym_name.data in model.spec()]
            inside = {line for method in methods for line in lines(module, method.sym_name.data)}
            assert len(methods) == 2 and not any("relax.permute_dims" in line for line in inside)
    return sum(isinstance(op, func.FuncOp) for op in module.ops)


def test_a_model_of_many_layers_has_the_kernels_of_few():
    assert kernels_of(32) == kernels_of(2)
