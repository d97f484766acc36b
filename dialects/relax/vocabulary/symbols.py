"""The names of what the compiler makes. They never meet a name of the program: what a function is, its attributes say, not its name."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp, StringAttr

from ..function_signature import fresh

TRANSFORM = "transform_params"
"""A transform of parameters that several functions share; one of a single function `f` is `f_transform_params`."""
RESULT_DIMS = "{}.dims"
"""The function of the result dims of a function."""
WORKSPACE = "{}.workspace"
"""The function of the workspace bytes of a function."""
SHAPE_FUNCTION = "{}.shape"
"""The shape function of a function."""
STEP = "{}.step"
"""A step of a function whose memory depends on data."""
SHAPE_TABLE = "{}.shape.{}"
"""A constant table of a shape function."""
ENTRY = "{}.call"
"""The C entry of a function."""
RENAMED = "impl.{}"
"""A function whose own name belongs to the C library, to LLVM or to the OpenMP runtime."""
PARALLEL_BODY = "{}.parallel"
"""The body of a parallel loop of a function."""
THREAD = "{}.thread"
"""What one thread runs of a parallel body."""
LOOK_FOR_SIGNALS = "relax.look_for_signals"
"""What a call does before each kernel."""
TRANSFORM_PART = "{}.part"
"""A part of a transform of parameters."""
PACKED_FUNCTION = "packed.{}"
"""The declaration of a packed function."""
RUNTIME_CALL = "runtime.{}"
"""The declaration of a function of the runtime."""
CONSTANT = "constant"
"""A dense constant."""
CONSTANT_COPY = "constant.copy"
"""A kernel that copies a constant to a device."""
COPY = "copy"
"""A kernel that copies what a function returns as it is."""
PROFILE = "profile"
"""The memory of the profile of code that measures itself."""
PROFILE_END = "profile.end"
"""The function that ends a region of a profile."""
MICRO_KERNEL = "relax.contract"
"""The beginning of the name of a function that multiplies tiles of matrices."""


class SymbolNames:
    """The symbols of a module, and new ones that are none of them."""

    def __init__(self, module: ModuleOp):
        self._taken: set[str] = set()
        for op in module.body.block.ops:
            name = op.properties.get("sym_name")
            if isinstance(name, StringAttr):
                self._taken.add(name.data)

    def fresh(self, stem: str) -> str:
        """Returns a symbol that nothing has, and takes it: the stem, or the stem and a number."""
        name = fresh(stem, self._taken)
        self._taken.add(name)
        return name
