"""Attributes by which an imported module remembers what the dialect has no place for; the exporter reads them."""

ALIAS = "tvm.alias"
"""On a terminator: the variables that repeat its operands, empty where there is none."""

CALLABLE = "tvm.callable"
"""On an argument: purity and type of a function that is passed at run time."""

DTYPES = "tvm.dtypes"
"""On an op: dtypes of number arguments that are not i64, f64 or i1."""

FREE_SIZES = "tvm.free_sizes"
"""On a kernel: its last argument holds the sizes that Relax tells it by the type of its result alone."""

FORCE_PURE = "tvm.relax.force_pure"
"""On a function: it counts as free of side effects, although it allocates and writes."""

IMPLICIT = "tvm.implicit"
"""On a cast that Relax does not have: "refines" where its result has the type of Relax, "forgets" where its operand has, and "erases"
where the result of a function has the type of the operand in Relax."""

KERNEL = "tvm.kernel"
"""On a function that stands for a kernel: the name of the kernel; one kernel may have a function for each signature."""

PACKED = "tvm.packed"
"""On a tuple of all results of an op: the value that the op has in Relax."""

PRIM = "tvm.prim"
"""On an argument or a shape of one dim: a scalar of type i64 in Relax."""

PURE = "tvm.is_pure"
"""On a function with side effects: false."""

RESULT_SIZES = "tvm.result_sizes"
"""On a function: how TVM wrote the dims of its result, in order, where it writes one of them as it does not elsewhere."""

SIZES = "tvm.sizes"
"""On a function: how TVM wrote dims, by their text, where export would write them in another way. On an op or an argument: how it wrote
the dims of the type, in order, where it writes one of them as it does not elsewhere."""

TIR = "tvm.tir"
"""On a function that stands for a kernel: the text of the kernel."""
