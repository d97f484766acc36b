"""Every attribute of ours on modules, functions, arguments, results, calls and loops, with its type and what it means.

`NUM_INPUT.of(function)` reads one, `NUM_INPUT.set(function, 2)` writes it, `NAME.entry("w")` makes an entry for an argument or a result.
"""

from __future__ import annotations

from . import names
from .attribute_name import (
    Devices,
    Elements,
    Flag,
    FunctionName,
    Integer,
    IntegerPairs,
    Integers,
    Nested,
    OneOrMore,
    Places,
    Sizes,
    Text,
    TextLists,
    Texts,
)
from .dim_attribute import Checks, Dims, SizeLimits
from .place import Place
from .schedule_name import ScheduleName

# Programs: what their authors and importers write, and what passes on relax ops leave.

NUM_INPUT = Integer(
    "relax.num_input", Place.FUNCTION, "On a function: how many arguments come before the model parameters."
)
NAME = Text(
    "relax.name",
    Place.ARGUMENT | Place.RESULT,
    "On an argument or a result: its external name; that of a parameter is its key in a file of weights.",
)
NAMES = Texts(
    "relax.names",
    Place.ARGUMENT | Place.RESULT,
    "On an argument or a result: the external names of the fields of a tuple that stands for several parameters.",
)
DONATE = Places(
    "relax.donate",
    Place.ARGUMENT,
    "On an argument: the result, fields of tuples counted one by one, that takes its memory; the caller's array is overwritten, and "
    "returned as that result. On a tuple: those of its fields, `array<i64: 2, -1>`, with -1 for a field that stays.",
)
VDEVICES = Devices("relax.vdevices", Place.MODULE, "On a module: the devices that hints may name.")
SYM_UPPER_BOUNDS = Sizes(
    "relax.sym_upper_bounds",
    Place.FUNCTION,
    "On a function: the largest size that a symbol stands for, `{n = 32 : i64}`; a call with a larger one is refused.",
    least=1,
)
SYM_LOWER_BOUNDS = Sizes(
    "relax.sym_lower_bounds",
    Place.FUNCTION,
    "On a function: the smallest size that a symbol stands for, 0 where nothing is said; a call with a smaller one is refused.",
    least=0,
)
INLINE = Flag(
    "relax.inline",
    Place.FUNCTION,
    "On a private function: its calls are replaced by its body. `0` and `false` mean no.",
)
OPAQUE = Text(
    "relax.opaque",
    Place.CALL | Place.FUNCTION,
    "On a call of a packed function that stands for code that could not be imported: why it could not.",
)
OP_PATTERN = Integer(
    "relax.op_pattern",
    Place.FUNCTION,
    "On a kernel: how its results depend on its arguments, as TVM numbers the kinds.",
)
MEMORY_PLAN_DYNAMIC_OUTPUT = Flag(
    "relax.memory_plan_dynamic_func_output",
    Place.FUNCTION,
    "On a function: tensors that are not planned get a storage of bounded size too, where their size is symbolic.",
)
CALL_OP_PATTERN = Integer(
    "op_pattern",
    Place.OP | Place.CALL,
    "On an op or a call of a kernel: how fusion treats it, as `relax.op_pattern` does; it overrides that of the op.",
)
COMPILE_TIME = Flag(
    "relax.compile_time", Place.OP | Place.CALL, "On an op: it can be computed from model parameters alone."
)
STOP_LIFT_PARAMS = Flag(
    "relax.stop_lift_params",
    Place.ARGUMENT,
    "On an argument: nothing is lifted from this parameter; a `stop_lift_params` of it was removed.",
)

# Functions that passes make.

PRIMITIVE = Flag(
    "relax.primitive",
    Place.FUNCTION,
    "On a private function: it is a kernel, one piece of computation that calls nobody.",
)
COMPOSITE = Text("relax.composite", Place.FUNCTION, "On a function: the name of the pattern that its body matches.")
CODEGEN = Text(
    "relax.codegen",
    Place.FUNCTION,
    "On a function that consists of composite functions: the code generator that it is meant for.",
)
GLOBAL_SYMBOL = Text("relax.global_symbol", Place.FUNCTION, "On a function for another code generator: its name there.")
PARAMS_FROM = FunctionName(
    names.PARAMS_FROM, Place.FUNCTION, "On a function: the transform whose results are its parameters, in order."
)
PARAMS_INDEX = Integers(
    "relax.params_index",
    Place.FUNCTION,
    "On a function that takes its parameters from a transform: which results it takes, in order.",
)
TRANSFORM = Flag(
    "relax.transform",
    Place.FUNCTION,
    "On a function: it is a transform of parameters, as are those that a `relax.params_from` names.",
)
CONSUME_PARAMS = Flag(
    "relax.consume_params", Place.FUNCTION, "On a transform: a parameter may be released once it has been read."
)

# The linalg stage: symbols and devices have left the types.

DIMS = Dims("relax.dims", Place.ARGUMENT, "On an argument: the expression of each of its dims.")
VDEVICE = Text(
    "relax.vdevice",
    Place.ARGUMENT | Place.RESULT,
    "On an argument or a result: the device of a tensor that is not on the host, as `cpu:1`.",
)
PACKED = Text("relax.packed", Place.FUNCTION, "On a declaration: the packed function that it stands for.")
RUNTIME_FUNCTION = Text(
    "relax.runtime_function",
    Place.FUNCTION,
    "On a declaration: the function of the runtime that it stands for, `invoke_closure` (calls its first argument with the others), "
    "`tensor_of_object` (lends the array that an object is; its last argument is the element type), `null_value` (makes an object that "
    "is `None`) or `release` (gives back what was lent).",
)
ELEMENT_TYPES = Texts(
    "relax.element_types",
    Place.FUNCTION,
    "On the declaration of a packed or runtime function: what Python sees of each argument and result, `object`, `index` (a size) or a "
    "numpy dtype.",
)
ARGUMENTS = Nested(
    "relax.arguments",
    Place.FUNCTION,
    "On the declaration of a packed function, where these are not its values in order: what Python gets as arguments, "
    '`[0, [1, 2], "name"]`: values by their positions, tuples of them, strings.',
)
RESULT_SIZES = Integer(
    "relax.result_sizes",
    Place.FUNCTION,
    "On the declaration of a packed function: how many `index` arguments at the end are sizes of its results.",
)
DESTINATION_PASSING = Flag(
    "relax.destination_passing",
    Place.FUNCTION,
    "On the declaration of a packed function: it writes its results into its last arguments.",
)
BORROWED = Flag(
    "relax.borrowed",
    Place.FUNCTION | Place.CALL,
    "On the declaration of a packed function and on its calls: the result is memory of the callee, read where it is.",
)

NOT_POSITIVE = Flag(
    "relax.not_positive",
    Place.OP,
    "On an exponential: its operand is a NaN, or at most 0 but for rounding, as numbers less the greatest of them are.",
)

# The stage of buffers.

RESULT = Flag("relax.result", Place.ARGUMENT, "On an argument: the function writes a result into it.")
UPDATED = Flag(
    "relax.updated", Place.ARGUMENT, "On an argument: the function writes a result into it, over what it reads there."
)
WORKSPACE = Flag("relax.workspace", Place.ARGUMENT, "On an argument: it is scratch space.")
ACTUAL_DIMS = IntegerPairs(
    "relax.actual_dims",
    Place.FUNCTION,
    "On a function: which dims of results, as pairs of tensor result and axis, its last `index` results tell.",
)
CHECKS = Checks(
    "relax.checks",
    Place.FUNCTION,
    "On a shape function: what it compares, `[argument, axis, expected dim]` for each status that it returns.",
)
SIZE_LIMITS = SizeLimits(
    "relax.size_limits",
    Place.FUNCTION,
    "On a function and its shape function: the sizes, and the bytes of tensors, that must be in range, `[op, bytes of an element, dims]`.",
)

SCHEDULE = ScheduleName(
    "relax.schedule",
    Place.OP,
    "On a linalg op on memrefs: how its loops are written, by `schedule-linalg` or by hand (docs/schedules.md).",
)

RESULT_DIMS_OF = FunctionName(
    "relax.result_dims_of",
    Place.FUNCTION,
    "On a private function: it computes the dynamic dims of the results of this function, from its shape inputs.",
)
STEP_OF = Text(
    "relax.step_of",
    Place.FUNCTION,
    "On a function: it is a step of the public function of this name, whose steps are called in the order in which they stand.",
)
STEP_ARGUMENTS = Integers(
    "relax.step_arguments",
    Place.FUNCTION,
    "On a step of a function: the values that it takes; the arguments of the function have the first numbers, then come the results of "
    "its steps in order.",
)
STEP_RESULTS = Integers(
    "relax.step_results", Place.FUNCTION, "On the last step of a function: the values that the function returns."
)
WORKSPACE_OF = FunctionName(
    "relax.workspace_of",
    Place.FUNCTION,
    "On a private function: it computes the bytes of the workspaces of this function, from its shape inputs.",
)
SHAPE_FUNCTION_OF = FunctionName(
    "relax.shape_function_of",
    Place.FUNCTION,
    "On a function: it checks the sizes of the arguments of this function, and computes those of its results and workspaces.",
)

# Loops and the llvm dialect.

PROFILE_REGIONS = Nested(
    "relax.profile_regions",
    Place.MODULE,
    "On a module that measures itself: the symbol of the profile, then for each region its kind, its function, what runs there, the name "
    "and the positions of its source, and whether its work is counted.",
)

ENTRY_OF = FunctionName(
    "relax.entry_of", Place.FUNCTION, "On a function of the llvm dialect: it is the C entry of this function."
)

PARALLEL = Integer(
    "relax.parallel",
    Place.CALL,
    "On a call of `@body(%begin, %end, captures)`, or of a body with several ranges: among how many threads each range is split; 0 leaves "
    "it to OpenMP.",
)
ITERATIONS_PER_THREAD = OneOrMore(
    "relax.iterations_per_thread",
    Place.LOOP | Place.CALL,
    "On a parallel loop and on its call, where it has a number for each range: the iterations that are worth a thread; as many threads "
    "run as have that many.",
)
INDEPENDENT = Flag(
    "relax.independent",
    Place.LOOP,
    "On a loop: its whole steps write places of their own, beside scratch of which none reads what another one left. What remains "
    "behind them may depend on the last whole step.",
)
WEIGHTLESS = Flag(
    "relax.weightless",
    Place.OP,
    "On an `arith.select` of an op of linalg, or the `relax.where` that becomes one: where it has its second value, nothing that is "
    "computed of it depends on the point.",
)
NO_UNROLL = Flag("relax.no_unroll", Place.LOOP, "On a loop: LLVM does not unroll it.")
NO_INLINE = Flag("relax.no_inline", Place.FUNCTION, "On a function: LLVM does not inline it.")
MAY_ALIAS = Flag("relax.may_alias", Place.ARGUMENT, "On an argument: its memory may overlap that of others.")
DATA = Elements(
    "relax.data", Place.GLOBAL, "On a global of the llvm dialect: its data, which is not in the machine code."
)
ASSERTIONS = Texts(
    "relax.assertions", Place.MODULE, "On a module: the message of each assertion; a function returns 1 + the index."
)
ASSERTED_VALUES = TextLists(
    "relax.asserted_values",
    Place.MODULE,
    "On a module: for each assertion, what the values are called that a function reports when it fails.",
)
SHOWN = Texts(
    "relax.shown",
    Place.OP,
    "On a comparison or a conversion of sizes: what its operands are called, so that assertions on it show them; an empty name shows none.",
)
