"""The C header of a library: types, and for each function what it takes, what it returns, and what it refuses."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files

from ...targets.cpu import cpu_target
from ..executable.leaf import Leaf
from ..executable.shown import function_text
from ..interface.record import Interface, SteppedFunction
from ..machine.stacks import UNCHECKED
from .c_text import comment
from .functions import SCALARS, CFunction
from .messages import Messages

MAX_SHOWN = 40
"""So many checks are listed one by one."""


def resource(name: str) -> str:
    """Returns a file of C that every library has the text of."""
    return files(__package__ or "").joinpath(name).read_text()


def header(
    name: str, interface: Interface, functions: Sequence[CFunction], has_params: bool, *, has_code_alone: bool
) -> str:
    """Returns the text of the header; `has_code_alone` is said of a shared library that a linker made of machine code."""
    guard = f"{name.upper()}_H"
    title = f"{name}: compiled by xdsl-relax {interface.version} for {interface.target} ({interface.architecture})."
    parts = [
        _comment([title, "", *_usage(name, interface, has_params, has_code_alone)]),
        f"#ifndef {guard}\n#define {guard}\n\n#include <stddef.h>\n",
        resource("types.h"),
        '#ifdef __cplusplus\nextern "C" {\n#endif\n',
    ]
    if has_params:
        parts.append(_PARAMS.format(name=name))
    parts += [f"{_comment(_documentation(name, function))}{prototype(name, function)};\n" for function in functions]
    parts.append(_comment([_RELEASE]) + f"void {name}_release(void);\n")
    parts.append(f"#ifdef __cplusplus\n}}\n#endif\n\n#endif /* {guard} */\n")
    return "\n".join(parts)


def exports(name: str, functions: Sequence[CFunction], has_params: bool) -> list[str]:
    """Returns the names of all functions that the header declares."""
    params = [f"{name}_{function}" for function in ("load_params", "params_in", "free_params")] if has_params else []
    return [*params, *(function.symbol for function in functions), f"{name}_release"]


def _build(name: str, interface: Interface, has_code_alone: bool) -> list[str]:
    """Returns how a program is built with the library."""
    target = cpu_target(interface.target)
    if target.is_wasm:
        return [
            f"zig cc -target wasm32-wasi main.c {name}.c {name}.o -o main.wasm   makes a program;",
            f"{name}.wasm, where there is one, exports the functions below to any host of WebAssembly.",
        ]
    libraries = f"-lm{' -lgomp' if interface.threads != 1 else ''}"
    if has_code_alone:
        shared = f"with the shared library, which is machine code alone:   cc main.c {name}.c -L. -l{name} {libraries}"
    else:
        shared = f"where there is a shared library:   cc main.c -L. -l{name}"
    return [f"cc main.c {name}.c {name}.o {libraries}   or, {shared}"]


def _usage(name: str, interface: Interface, has_params: bool, has_code_alone: bool) -> list[str]:
    lines = [
        *_build(name, interface, has_code_alone),
        "",
        "Functions may be called by several threads at once. They return RELAX_OK, or what is wrong, which `error` says in one",
        "line; `error` may be NULL. A result with memory is written there and must have the sizes that the call finds; one",
        "without (`relax_tensor y = {0};`) gets some, which belongs to the caller: free(y.data). Memory of a result is not that",
        "of an argument or of another result. Where data decides a size, memory has the largest one, and `shape` says which it is.",
    ]
    if has_params:
        lines += ["", f"{name}.params has the parameters; {name}_load_params maps it."]
    if interface.assertions:
        shown = [f"  {assertion.message}" for assertion in interface.assertions[:MAX_SHOWN]]
        more = len(interface.assertions) - len(shown)
        lines += ["", "RELAX_FAILED_CHECK is returned, with the sizes of the call, for", *shown]
        lines += [f"  ... {more} more"] if more else []
    return lines


_PARAMS = """\
/* The parameters of all functions, which read them: several threads may use them at the same time. */
typedef struct {name}_params {name}_params;

/* Returns the parameters in a file ({name}.params), mapped where the system can; NULL where it cannot be read or is that of
 * another program. */
{name}_params *{name}_load_params(const char *path, relax_error *error);

/* Returns the parameters in the content of such a file, at an address that is a multiple of 64; it is not copied. */
{name}_params *{name}_params_in(const void *data, size_t bytes, relax_error *error);

/* Gives parameters back, when no call reads them any more. */
void {name}_free_params({name}_params *params);
"""

_RELEASE = "Gives back the scratch memory that is kept from one call to the next."


def prototype(name: str, function: CFunction) -> str:
    """Returns the declaration of a function."""
    donors = {function.donor(result) for result in range(len(function.results))}
    arguments = [f"const {name}_params *params"] if function.takes_params else []
    for index, (leaf, text) in enumerate(zip(function.boundary.inputs, function.inputs, strict=True)):
        if isinstance(text, str):
            arguments.append(_argument(leaf, text, index in donors))
    for index, (leaf, text) in enumerate(zip(function.boundary.outputs, function.results, strict=True)):
        if function.donor(index) is None:
            arguments.append(f"{'relax_tensor' if leaf.is_tensor else SCALARS[leaf.dtype.name]} *{text}")
    arguments.append("relax_error *error")
    line = f"relax_status {function.symbol}({', '.join(arguments)})"
    if len(line) <= 110:
        return line
    return f"relax_status {function.symbol}(\n    " + ",\n    ".join(arguments) + ")"


def _argument(leaf: Leaf, name: str, is_donated: bool) -> str:
    if not leaf.is_tensor:
        return f"{SCALARS[leaf.dtype.name]} {name}"
    return f"{'' if is_donated else 'const '}relax_tensor *{name}"


def _documentation(name: str, function: CFunction) -> list[str]:
    # Invariant: each argument and result that C passes has a line, in their order; donated results are those of their arguments.
    boundary = function.boundary
    donated = {function.donor(result): result for result in range(len(function.results))}
    lines = [function_text(function.signature), ""]
    if function.takes_params:
        lines.append(f"  params: what {name}_load_params returns")
    for index, (leaf, text) in enumerate(zip(boundary.inputs, function.inputs, strict=True)):
        if isinstance(text, str):
            note = f"; overwritten, holds result {donated[index]} after the call" if index in donated else ""
            said = "" if leaf.label == text else f", '{leaf.label}' in messages"
            lines.append(f"  {text}: {_leaf_text(leaf)}{said}{note}")
    for index, (leaf, text) in enumerate(zip(boundary.outputs, function.results, strict=True)):
        if function.donor(index) is None:
            lines.append(f"  {text}: {_leaf_text(leaf)}")
    conditions = Messages(boundary).conditions()
    if conditions:
        shown = [f"  {condition}" for condition in conditions[:MAX_SHOWN]]
        more = len(conditions) - len(shown)
        lines += ["", "RELAX_BAD_ARGUMENT is returned unless these sizes are", *shown]
        lines += [f"  ... {more} more"] if more else []
    return lines + _stack_note(function)


def _stack_note(function: CFunction) -> list[str]:
    """Returns what a function needs on the stacks of threads, where that is more than any stack has room for."""
    record = function.record
    if isinstance(record, SteppedFunction) or record.stack_bytes <= UNCHECKED:
        return []
    return ["", f"Kernels need {-(-record.stack_bytes // 1024)} KiB on the stack of each thread that computes."]


def _leaf_text(leaf: Leaf) -> str:
    if not leaf.is_tensor:
        return "a size" if leaf.is_dim else str(leaf.dtype)
    return f"{leaf.dtype}[{', '.join('?' if dim is None else str(dim) for dim in leaf.dims)}]"


def _comment(lines: Sequence[str]) -> str:
    first, *rest = (comment(line) for line in lines)
    if not rest:
        return f"/* {first} */\n"
    return "\n".join((f"/* {first}", *(f" * {line}".rstrip() for line in rest), " */\n"))
