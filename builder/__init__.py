"""The public builder of programs: modules, functions, dataflow blocks, and every op as a method with inferred types.

```python
from xdsl_relax.builder import ModuleBuilder, tensor

m = ModuleBuilder()
with m.function("main") as f:
    x = f.input("x", tensor(["n", 8], "f32"))
    w = f.param("fc.weight", tensor([4, 8], "f32"))
    with f.dataflow() as g:
        y = g.output(g.matmul(x, g.permute_dims(w, axes=[1, 0])))
    f.returns(y)
module = m.build()
```

Frontends and examples write programs with it alone. It knows the dialect, not what becomes of a program: no passes, no lowering.
Values are xDSL's `SSAValue`, modules its `ModuleOp`; docs/builder.md tells the whole of it.
"""

from __future__ import annotations

from .block import BlockBuilder, DataflowBuilder
from .errors import BuilderError, UnknownOpError
from .functions import FunctionBuilder, ModuleBuilder
from .types import Size, device, element_type, shape, sizes_of, sym, tensor

__all__ = [
    "BlockBuilder",
    "BuilderError",
    "DataflowBuilder",
    "FunctionBuilder",
    "ModuleBuilder",
    "Size",
    "UnknownOpError",
    "device",
    "element_type",
    "shape",
    "sizes_of",
    "sym",
    "tensor",
]
