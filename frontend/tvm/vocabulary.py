"""Attributes by which an imported module remembers what the dialect has no place for; the exporter reads them."""

ALIAS = "tvm.alias"
"""On a terminator: the variables that repeat its operands, empty where there is none."""

CALLABLE = "tvm.callable"
"""On an argument: purity and type of a function that is passed at run time."""

CALLEE = "callee"
"""In `tvm.op`: the function of the module, or the packed function, that is called."""

CALLS = "tvm.calls"
"""On a function that stands for a kernel: the functions that stand for the kernels which that one calls."""

DTYPES = "tvm.dtypes"
"""On an op: dtypes of number arguments that are not i64, f64 or i1."""

FREE_SIZES = "tvm.free_sizes"
"""On a kernel: its last argument holds the sizes that Relax tells it by the type of its result alone."""

FORCE_PURE = "tvm.relax.force_pure"
"""On a function: it counts as free of side effects, although it allocates and writes."""

FUNCTION = "tvm.function"
"""The packed function that stands for a function as a value; in `tvm.op` the function."""

IMPLICIT = "tvm.implicit"
"""On a cast that Relax does not have: "refines" where its result has the type of Relax, "forgets" where its operand has, and "erases"
where the result of a function has the type of the operand in Relax."""

INPLACE = "tvm.inplace_indices"
"""On a function that stands for a kernel that writes its arguments: for each result the argument it is written to, -1 for none."""

KEPT = "tvm.kept"
"""On a call of a packed function: by their position, as JSON, the arguments that are no values in the dialect, such as dtypes."""

KERNEL = "tvm.kernel"
"""On a function that stands for a kernel: the name of the kernel; one kernel may have a function for each signature."""

OP = "tvm.op"
"""On a call of a packed function that stands for an op of Relax: as JSON, the attributes of the op (`attrs`), and by their position the
arguments that are no values in the dialect."""

PACKED = "tvm.packed"
"""On a tuple of all results of an op: the value that the op has in Relax."""

PRIM = "tvm.prim"
"""On an argument or a shape of one dim: a scalar of type i64 in Relax. On a constant tensor of rank 0: a scalar that is an
operand there, with the number as TVM has it if that is a float.
On what makes a tensor of a size: it is the size there, or a condition on sizes."""

PURE = "tvm.is_pure"
"""On a function of which what it computes does not tell: whether it counts as free of side effects."""

RESULT_SIZES = "tvm.result_sizes"
"""On a function: how TVM wrote the dims of its result, in order, where it writes one of them as it does not elsewhere."""

SHAPE = "tvm.shape"
"""On an argument that is an object: a shape of unknown rank in Relax."""

SIZES = "tvm.sizes"
"""On a function: how TVM wrote dims, by their text, where export would write them in another way. On an op or an argument: how it wrote
the dims of the type, in order, where it writes one of them as it does not elsewhere."""

TENSOR_TO_SHAPE = "vm.builtin.tensor_to_shape"
"""The packed function that `relax.tensor_to_shape` becomes in Relax."""

TIR = "tvm.tir"
"""On a function that stands for a kernel: the text of the kernel."""
