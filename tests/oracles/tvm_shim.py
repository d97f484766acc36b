"""Modules with TVM's names that hand model files of others to `xdsl_relax.frontend.nn`: `tvm.relax.frontend.nn`, `tvm.te`, `tvm.tirx`.

Everything that such files import but do not need here (kernels, targets, loaders of libraries) is a name that fails when it is called.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from xdsl_relax.frontend import nn
from xdsl_relax.frontend.nn.llm import kv_cache


class Unavailable:
    """A name that the shim does not map: it may be imported, decorate, and be asked for attributes, not called for a result."""

    def __init__(self, name: str):
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Unavailable(f"{self._name}.{name}")

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        # A decorator gets one function, and gives back something that nobody calls.
        if len(arguments) == 1 and not named and callable(arguments[0]):
            return Unavailable(self._name)
        raise NotImplementedError(f"{self._name} is not mapped by the shim of TVM")

    def __or__(self, other: Any) -> Any:
        return self

    __ror__ = __or__


class ShimModule(ModuleType):
    """A module whose unknown names are `Unavailable`."""

    def __init__(self, name: str):
        super().__init__(name)
        self.__path__ = []
        # What looks for modules by name expects one.
        self.__spec__ = ModuleSpec(name, None)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Unavailable(f"{self.__name__}.{name}")


class Object(nn.Object):
    """An object with the constructor that it has in TVM."""

    def __init__(self, value: Any = None, *, _expr: Any = None, _name: str = ""):
        super().__init__(value if _expr is None else _expr)


class PagedKVCache(Object, kv_cache.PagedKVCache):
    """The cache with the constructor that it has in TVM."""


def call_pure_packed(callee: str, *arguments: Any, ty_args: Any) -> Any:
    """Makes a paged cache, as model files ask for it."""
    if callee != "mlc.create_paged_kv_cache_generic":
        raise NotImplementedError(f"{callee} is not mapped by the shim of TVM")
    kind, sizes, _, layers, heads, key_value_heads, qk_dim, v_dim, *rest = arguments
    _, _, mode, scale, theta, scaling, factors, rotary_dim, _, dtype = rest
    is_latent = kind == "mla"
    return PagedKVCache.create(
        max_batch_size=sizes[0],
        max_total_seq_len=sizes[1],
        prefill_chunk_size=sizes[2],
        page_size=sizes[3],
        support_sliding_window=sizes[4],
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=1 if is_latent else key_value_heads,
        qk_head_dim=qk_dim,
        v_head_dim=v_dim,
        attn_kind=kind,
        rope_mode=mode,
        rope_scale=scale,
        rope_theta=theta,
        rope_scaling=json.loads(scaling),
        rope_ext_factors=None if isinstance(factors, int) else list(factors),
        rotary_dim=rotary_dim,
        dtype=dtype,
    ).value


class AttentionKernel:
    """The kernel of TVM that `op.attention` of MLC-LLM calls where there is no cache: attention without a mask."""

    def __init__(self, *, sm_scale: float, **_: Any):
        self.sm_scale = sm_scale

    def __call__(self, q: Any, k: Any, v: Any) -> tuple[Any, None]:
        queries, keys, values = (nn.op.permute_dims(states, [0, 2, 1, 3]) for states in (q, k, v))
        scores = nn.op.matmul(queries, nn.op.permute_dims(keys, [0, 1, 3, 2])) * self.sm_scale
        output = nn.op.matmul(nn.op.softmax(scores, axis=-1), values)
        return nn.op.permute_dims(output, [0, 2, 1, 3]), None


def tensor_ir_op(func: Any, name_hint: str, args: Any, out: Any) -> Any:
    """Computes a kernel of TVM that is mapped, or one that a callback builds."""
    return func(*args) if isinstance(func, AttentionKernel) else nn.op.tensor_ir_op(func, name_hint, args, out)


def frontend_modules() -> dict[str, ModuleType]:
    """Returns `tvm.relax.frontend.nn` and what is in it, with our names."""
    op = ShimModule("tvm.relax.frontend.nn.op")
    op.__dict__.update({name: getattr(nn.op, name) for name in dir(nn.op)}, tensor_ir_op=tensor_ir_op)
    front = ShimModule("tvm.relax.frontend.nn")
    front.__dict__.update(
        {name: getattr(nn, name) for name in nn.__all__} | {name: getattr(nn.op, name) for name in nn.op.__all__}
    )
    front.__dict__.update({name: getattr(nn.modules, name) for name in nn.modules.__all__})
    front.__dict__.update(op=op, Object=Object, IntExpr=int)
    cache = ShimModule("tvm.relax.frontend.nn.llm.kv_cache")
    cache.__dict__.update(PagedKVCache=PagedKVCache, RopeMode=kv_cache.RopeMode)
    cache.__dict__.update(_attention_sequence_prefill=AttentionKernel)
    layers, core = ShimModule("tvm.relax.frontend.nn.modules"), ShimModule("tvm.relax.frontend.nn.core")
    layers.__dict__.update({name: getattr(nn.modules, name) for name in nn.modules.__all__})
    for module in (layers, core):
        module.__dict__.update(Module=nn.Module, Effect=nn.Effect, Parameter=nn.Parameter, Tensor=nn.Tensor)
    front.__dict__.update(modules=layers, core=core, spec=nn.spec)
    name = "tvm.relax.frontend.nn"
    return {
        name: front,
        f"{name}.op": op,
        f"{name}.modules": layers,
        f"{name}.core": core,
        f"{name}.llm.kv_cache": cache,
    }


def install(checkout: Path) -> None:
    """Puts the modules into `sys.modules`, and `mlc_llm` of a checkout without what its `__init__` loads."""
    modules = frontend_modules()
    relax = ShimModule("tvm.relax")
    relax.__dict__.update(
        call_pure_packed=call_pure_packed,
        const=lambda data: data,
        prim_value=lambda number: number,
        ShapeExpr=tuple,
        StringImm=str,
        DataTypeImm=str,
        ObjectType=lambda: None,
    )
    tirx = ShimModule("tvm.tirx")
    tirx.__dict__.update(Var=nn.SymbolicVar, IntImm=lambda _, number: number)
    modules |= {"tvm.relax": relax, "tvm.tirx": tirx}
    modules["tvm.te"] = nn.te
    tirx.__dict__.update({name: getattr(nn.te, name) for name in ("any", "if_then_else")})
    tirx.__dict__.update(min_value=lambda dtype: nn.te.const(float(np.finfo(dtype).min), dtype))
    tirx.__dict__.update(max_value=lambda dtype: nn.te.const(float(np.finfo(dtype).max), dtype))
    target = ShimModule("tvm.target")
    target.__dict__.update(Target=str)
    modules["tvm.target"] = target
    bare = (
        "tvm",
        "tvm_ffi",
        "tvm.relax.frontend",
        "tvm.relax.frontend.nn.llm",
        "tvm.relax.frontend.nn.modules",
        "tvm.relax.op",
    )
    bare += (
        "tvm.relax.frontend.nn.llm.position_embedding",
        "tvm.script",
        "tvm.script.tirx",
        "tvm.script.ir",
        "tvm.topi",
    )
    bare += ("tvm.runtime", "tvm.ir", "tvm.ir.transform", "tvm.s_tir", "tvm.s_tir.dlight", "tvm.support", "tvm.contrib")
    for name in bare:
        modules.setdefault(name, ShimModule(name))
    for name, module in modules.items():
        sys.modules[name] = module
        parent, _, last = name.rpartition(".")
        if parent:
            setattr(modules[parent], last, module)
    for name in ("mlc_llm", "mlc_llm.model", "mlc_llm.loader"):
        package = ModuleType(name)
        package.__path__ = [str(checkout / "python" / name.replace(".", "/"))]
        sys.modules[name] = package
    quantization = ShimModule("mlc_llm.quantization")
    quantization.__dict__.update(BlockScaleQuantize=type("BlockScaleQuantize", (), {}))
    sys.modules["mlc_llm.quantization"] = quantization
    mapping = import_module("mlc_llm.loader.mapping")
    sys.modules["mlc_llm.loader"].__dict__.update(
        ExternMapping=mapping.ExternMapping, QuantizeMapping=mapping.QuantizeMapping
    )
