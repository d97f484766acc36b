"""The C source of a library: tables of its functions, and functions with the types of C that check arguments and call native code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...dialects.relax.vocabulary.call_words import VALUES, WORDS
from ...dialects.symbolic.expressions import Symbol
from ..executable.boundary import Boundary
from ..executable.leaf import Leaf
from ..executable.stepped_function import step_interface
from ..interface.record import AssertionInterface, FunctionInterface, Interface, SteppedFunction
from .c_text import HELPERS, array, integer, string, uses_helpers
from .functions import CFunction, dtype_of
from .header import prototype, resource
from .messages import LARGE, Messages
from .stored_params import StoredParams

_WORDS = f"enum {{ RELAX_VALUES = {VALUES}, RELAX_WORDS = {WORDS} }};\n"


def source(
    name: str,
    interface: Interface,
    functions: Sequence[CFunction],
    params: StoredParams | None,
    file: StoredFile | None,
) -> str:
    """Returns the text of the source file; `file` is where the parameters lie in theirs."""
    natives = {function.signature.name: function for function in interface.functions}
    asks = uses_tiles(interface)
    tables: list[str] = [_assertions(interface)]
    bodies: list[str] = []
    for function in functions:
        if isinstance(function.record, FunctionInterface):
            tables.append(_function_table(function.symbol, function.record, function.boundary))
            bodies.append(_body(name, function, asks=asks))
        else:
            tables.append(_stepped_table(function, function.record, natives))
            bodies.append(_stepped_body(name, function, function.record, natives, asks=asks))
    if params is not None and file is not None:
        tables.append(_params_table(name, params, file))
    text = "\n".join((*tables, *bodies))
    parts = [
        f'/* What {name}.h declares; compiled with {name}.o. */\n\n#include "{name}.h"\n',
        _WORDS,
        resource("calls.c"),
    ]
    parts += [resource("tiles.c")] if asks else []
    parts += [resource("steps.c")] if interface.stepped else []
    parts += [resource("params.c")] if params is not None else []
    return "\n".join(
        (*parts, *_helpers(text), text, f"void {name}_release(void) {{\n  relax_give_workspace(NULL);\n}}\n")
    )


def _helpers(text: str) -> list[str]:
    """Returns the definitions of what a piece of C calls, and what that calls, in order."""
    wanted = {*uses_helpers(text)}
    wanted |= {inner for name in wanted for inner in uses_helpers(HELPERS[name].partition("{")[2])}
    large = [LARGE] if "relax_is_large(" in text else []
    return [*(definition for name, definition in HELPERS.items() if name in wanted), *large]


class StoredFile:
    """Where the parameters lie in their file."""

    def __init__(self, identity: tuple[int, int, int], offsets: Sequence[int]):
        self.bytes, self.start, self.hash = identity
        self.offsets = offsets


def _assertions(interface: Interface) -> str:
    return array("relax_assertion", "relax_assertions", map(_assertion, interface.assertions))


def _assertion(assertion: AssertionInterface) -> str:
    names = ", ".join(map(string, assertion.values)) or "NULL"
    return f"{{{string(assertion.message)}, {len(assertion.values)}, {{{names}}}}}"


def _kind(leaf: Leaf) -> str:
    return "RELAX_TENSOR" if leaf.is_tensor else "RELAX_SIZE" if leaf.is_dim else "RELAX_SCALAR"


def _leaves(leaves: Sequence[Leaf], donors: Mapping[int, int], donated: set[int]) -> list[str]:
    return [
        f"{{{string(leaf.label)}, {_kind(leaf)}, {dtype_of(leaf)}, {leaf.rank}, {donors.get(index, -1)}, {int(index in donated)}}}"
        for index, leaf in enumerate(leaves)
    ]


def _leaf_tables(symbol: str, boundary: Boundary) -> list[str]:
    donated = {*boundary.donated.values()}
    return [
        array("relax_leaf", f"{symbol}_inputs", _leaves(boundary.inputs, {}, donated)),
        array("relax_leaf", f"{symbol}_results", _leaves(boundary.outputs, boundary.donated, set())),
    ]


def _function_table(symbol: str, record: FunctionInterface, boundary: Boundary) -> str:
    messages = Messages(boundary)
    dims = dim_count(boundary)
    fields = (
        string(boundary.name),
        record.entry,
        record.shape_function,
        f"{len(boundary.inputs)}, {len(boundary.outputs)}, {boundary.input_dims}, {dims}",
        f"{symbol}_inputs, {symbol}_results",
        f"{symbol}_violation, {symbol}_sizes, relax_assertions",
    )
    table = ",\n".join(f"  {entry}" for entry in fields)
    return "\n".join(
        (
            f"int64_t {record.entry}(void **buffers, int64_t *dims, void *workspace, int64_t *words);",
            f"int64_t {record.shape_function}(int64_t *in, int64_t *out);\n",
            *_leaf_tables(symbol, boundary),
            messages.violation(f"{symbol}_violation"),
            messages.sizes(f"{symbol}_sizes"),
            f"static const relax_function {symbol}_function = {{\n{table},\n}};\n",
        )
    )


def dim_count(boundary: Boundary) -> int:
    """Returns how many sizes a call writes down: of arguments, of results, and the bytes of scratch memory."""
    return boundary.input_dims + sum(leaf.rank for _, leaf in boundary.ordered_outputs) + 1


def _inputs(name: str, function: CFunction) -> list[str]:
    """Returns the statements that collect the arguments of a call."""
    lines: list[str] = []
    values: list[str] = []
    for leaf, text in function.given():
        if leaf.is_tensor:
            values.append(f"(relax_tensor *)(uintptr_t){text}")
        else:
            lines.append(f"  relax_tensor {text}_value = {{&{text}, {dtype_of(leaf)}, 0, {{0}}}};")
            values.append(f"&{text}_value")
    count = max(len(function.inputs), 1)
    lines.append(f"  relax_tensor *inputs[{count}] = {{{', '.join(values) or 'NULL'}}};")
    if function.takes_params:
        given = len(values)
        missing = string(f"{function.boundary.name}: expected parameters, got a null pointer")
        lines += [
            "  if (params == NULL) {",
            f'    return relax_fail(error, RELAX_BAD_ARGUMENT, "%s", {missing});',
            "  }",
            f"  for (int32_t i = 0; i < {len(function.inputs) - given}; ++i) {{",
            f"    inputs[{given} + i] = (relax_tensor *)(uintptr_t)&params->values[{function.symbol}_params[i]];",
            "  }",
        ]
    return lines


def _results(function: CFunction) -> list[str]:
    lines: list[str] = []
    values: list[str] = []
    for index, (leaf, text) in enumerate(zip(function.boundary.outputs, function.results, strict=True)):
        if function.donor(index) is not None:
            values.append("NULL")
        elif leaf.is_tensor:
            values.append(text)
        else:
            lines.append(f"  relax_tensor {text}_value = {{{text}, {dtype_of(leaf)}, 0, {{0}}}};")
            values.append(f"&{text}_value")
    return [*lines, f"  relax_tensor *results[{max(len(values), 1)}] = {{{', '.join(values) or 'NULL'}}};"]


def _frame(dims: int, buffers: int, results: int) -> list[str]:
    return [
        f"  int64_t dims[{max(dims, 1)}];",
        f"  void *buffers[{max(buffers, 1)}];",
        f"  bool is_new[{max(results, 1)}];",
        "  relax_frame frame = {dims, buffers, is_new};",
    ]


def uses_tiles(interface: Interface) -> bool:
    """Returns whether code may use tile registers, for which a process has to ask."""
    return "amx-tile" in interface.features


def _check(function: CFunction, *, asks: bool) -> list[str]:
    counts = len(function.boundary.inputs), len(function.boundary.outputs)
    symbol = function.symbol
    lines = [
        f"  relax_status status = relax_check_values({string(function.boundary.name)}, {counts[0]}, {symbol}_inputs, inputs,",
        f"                                           {counts[1]}, {symbol}_results, results, error);",
    ]
    if asks:
        lines += [
            "  if (status == RELAX_OK) {",
            f"    status = relax_ask_for_tiles({string(function.boundary.name)}, error);",
            "  }",
        ]
    return lines


def _definition(name: str, function: CFunction, lines: Sequence[str]) -> str:
    used = [value for value in function.inputs if isinstance(value, int)]
    table = [array("int32_t", f"{function.symbol}_params", map(str, used))] if used else []
    return "\n".join((*table, f"{prototype(name, function)} {{", *lines, "}", ""))


def _body(name: str, function: CFunction, *, asks: bool) -> str:
    boundary, table = function.boundary, f"&{function.symbol}_function"
    lines = [
        *_inputs(name, function),
        *_results(function),
        *_frame(dim_count(boundary), boundary.buffers, len(boundary.outputs)),
        *_check(function, asks=asks),
        "  if (status == RELAX_OK) {",
        f"    status = relax_measure({table}, inputs, frame, error);",
        "  }",
        f"  return status == RELAX_OK ? relax_compute({table}, inputs, results, frame, error) : status;",
    ]
    return _definition(name, function, lines)


def _steps(
    function: CFunction, record: SteppedFunction, natives: Mapping[str, FunctionInterface]
) -> list[tuple[str, FunctionInterface, Boundary]]:
    """Returns the steps of a function with the names of their tables."""
    parts = [step_interface(function.boundary, record, natives[step.function]) for step in record.steps]
    return [(f"{function.symbol}_step_{number}", part, Boundary(part)) for number, part in enumerate(parts)]


def _stepped_table(function: CFunction, record: SteppedFunction, natives: Mapping[str, FunctionInterface]) -> str:
    symbol = function.symbol
    steps = _steps(function, record, natives)
    values = len(function.boundary.inputs) + sum(len(boundary.outputs) for _, _, boundary in steps)
    last_use = {value: number for number, step in enumerate(record.steps) for value in step.arguments}
    known = _known_sizes(function.boundary)
    tables = [_function_table(*step) for step in steps]
    tables += [
        array("int32_t", f"{inner}_arguments", map(str, step.arguments))
        for (inner, _, _), step in zip(steps, record.steps, strict=True)
    ]
    tables += [
        *_leaf_tables(symbol, function.boundary),
        array("int32_t", f"{symbol}_returned", map(str, record.results)),
        array("int32_t", f"{symbol}_last_use", (str(last_use.get(value, -1)) for value in range(values))),
        array("relax_known", f"{symbol}_known", known),
        array("relax_step", f"{symbol}_steps", (f"{{&{inner}_function, {inner}_arguments}}" for inner, _, _ in steps)),
        f"static const relax_stepped {symbol}_function = {{\n"
        f"  {string(function.boundary.name)},\n"
        f"  {len(function.boundary.inputs)}, {len(function.boundary.outputs)}, {len(steps)}, {values}, {len(known)},\n"
        f"  {symbol}_inputs, {symbol}_results, {symbol}_known, {symbol}_steps, {symbol}_returned, {symbol}_last_use,\n}};\n",
    ]
    return "\n".join(tables)


def _known_sizes(boundary: Boundary) -> list[str]:
    """Returns a row for each size of a result that is a number, or a symbol of the arguments."""
    positions, _ = boundary.bindings()
    rows: list[str] = []
    for result, leaf in enumerate(boundary.outputs):
        for axis, dim in enumerate(leaf.dims if leaf.is_tensor else ()):
            if isinstance(dim, int):
                rows.append(f"{{{result}, {axis}, -1, {integer(dim)}}}")
            elif isinstance(dim, Symbol) and dim.name in positions:
                rows.append(f"{{{result}, {axis}, {positions[dim.name]}, 0}}")
    return rows


def _stepped_body(
    name: str,
    function: CFunction,
    record: SteppedFunction,
    natives: Mapping[str, FunctionInterface],
    *,
    asks: bool,
) -> str:
    steps = [boundary for _, _, boundary in _steps(function, record, natives)]
    given, made = len(function.boundary.inputs), sum(len(boundary.outputs) for boundary in steps)
    lines = [
        *_inputs(name, function),
        *_results(function),
        *_frame(
            max(map(dim_count, steps)),
            max(boundary.buffers for boundary in steps),
            max(len(boundary.outputs) for boundary in (function.boundary, *steps)),
        ),
        f"  relax_tensor made[{max(made, 1)}] = {{{{0}}}};",
        f"  relax_tensor *values[{given + made + 1}], *taken[{max(1, *(len(boundary.inputs) for boundary in steps))}];",
        *_check(function, asks=asks),
        "  if (status != RELAX_OK) {",
        "    return status;",
        "  }",
        f"  memcpy(values, inputs, sizeof *values * {given});",
        f"  for (int32_t i = 0; i < {made}; ++i) {{",
        f"    values[{given} + i] = &made[i];",
        "  }",
        f"  return relax_run_steps(&{function.symbol}_function, values, taken, results, frame, error);",
    ]
    return _definition(name, function, lines)


def _params_table(name: str, params: StoredParams, file: StoredFile) -> str:
    rows = [
        f"{{{integer(offset)}, {dtype_of(value.array)}, {value.array.ndim}, {{{', '.join(map(str, value.array.shape)) or 0}}}}}"
        for value, offset in zip(params.values, file.offsets, strict=True)
    ]
    numbers = f"UINT64_C({file.bytes}), UINT64_C({file.start}), UINT64_C({file.hash}), {len(rows)}"
    return "\n".join(
        (
            array("relax_stored", f"{name}_stored", rows),
            f"static const relax_file {name}_file = {{{numbers}, {name}_stored}};\n",
            _PARAMS.format(name=name, count=max(len(rows), 1)),
        )
    )


_PARAMS = """\
struct {name}_params {{
  void *mapped; /* what was read from a file, or NULL */
  size_t bytes;
  relax_tensor values[{count}];
}};

static {name}_params *{name}_make_params(const char *path, const void *data, size_t bytes, relax_error *error) {{
  if (relax_check_file(&{name}_file, path, data, bytes, error) != RELAX_OK) {{
    return NULL;
  }}
  {name}_params *params = malloc(sizeof *params);
  if (params == NULL) {{
    relax_fail(error, RELAX_NO_MEMORY, "%s: there is no memory for its description", path);
    return NULL;
  }}
  params->mapped = NULL;
  params->bytes = bytes;
  relax_point_at(&{name}_file, data, params->values);
  return params;
}}

{name}_params *{name}_params_in(const void *data, size_t bytes, relax_error *error) {{
  return {name}_make_params("parameters", data, bytes, error);
}}

{name}_params *{name}_load_params(const char *path, relax_error *error) {{
  size_t bytes = 0;
  if (path == NULL) {{
    relax_fail(error, RELAX_BAD_ARGUMENT, "{name}_load_params: expected a path, got a null pointer");
    return NULL;
  }}
  void *data = relax_read_file(path, &bytes, error);
  if (data == NULL) {{
    return NULL;
  }}
  {name}_params *params = {name}_make_params(path, data, bytes, error);
  if (params == NULL) {{
    relax_free_file(data, bytes);
    return NULL;
  }}
  params->mapped = data;
  return params;
}}

void {name}_free_params({name}_params *params) {{
  if (params != NULL && params->mapped != NULL) {{
    relax_free_file(params->mapped, params->bytes);
  }}
  free(params);
}}
"""
