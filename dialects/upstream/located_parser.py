"""A parser that records on each operation where in the text it stood.

xDSL's parser forgets positions as soon as an operation is built, so an error that the verifier or a pass finds
later cannot say where. `LocatedParser` fills `Operation.location`; operations with an explicit `loc(...)` keep theirs.

For upstream: "The parser sets the location of each operation to its position in the text, and raises `ParseError` for every bad text."
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Sequence
from difflib import get_close_matches
from threading import RLock
from typing import Any, NoReturn, cast

from xdsl.context import Context
from xdsl.dialects.builtin import FileLineColLoc, FunctionType, IntAttr, ModuleOp, NameLoc, StringAttr, UnknownLoc
from xdsl.ir import Attribute, Block, Operation, TypeAttribute
from xdsl.parser import SSAValue, UnresolvedOperand
from xdsl.utils.exceptions import ParseError, PyRDLError, VerifyException
from xdsl.utils.lexer import Input, Span
from xdsl.utils.mlir_lexer import MLIRTokenKind

from ..relax.known_op_parser import KnownOpParser, Op
from .dense_parser import DenseParser
from .known_form import KnownForm
from .nesting import TOO_DEEP
from .positions import file_position, name_of

_IMPLICIT_BUILDERS = RLock()
"""Held while a text is parsed: some of xDSL's parsers (`scf.for`, `linalg.add`) make regions by its implicit builder, which patches
`Operation` for all threads; where two do so at once, ops are lost."""

_TENSOR = re.compile(r'tensor<[^<>"/]*(?:<[^<>"/]*>)?>')

_TYPE = rf'(?:{_TENSOR.pattern}|![a-z]\w*\.[\w.]+<[^<>"/]*>)'
"""A tensor, or a type of a dialect, that is spelled on one line without types inside of it."""

_LIST = rf"\((?:{_TYPE}(?:, {_TYPE})*)?\)"

_FUNCTION_TYPE = re.compile(rf"{_LIST} -> (?:{_TYPE}|{_LIST})")

_PLAIN_ENTRIES = re.compile(r"\{(?![^}]*dense)[\w.$ =,:<>\[\]-]*\}")
"""Attributes of numbers, words, types and lists of them, which mean the same wherever they stand."""

_NAME = r"(?:[0-9]+|[a-zA-Z$._-][a-zA-Z0-9$._-]*)"

_VALUE = f"%{_NAME}"

_RESULTS = re.compile(rf"({_VALUE}(?:, {_VALUE})*) = ")

_TEXT_ENTRY = re.compile(r'\{([a-zA-Z_][a-zA-Z0-9_.$]*) = "([^"\\\n\v\f]*)"\}')
"""One attribute that is a text without escapes, as the names of parameters are."""

_KNOWN_OP = re.compile(
    rf"(?:({_VALUE}(?:, {_VALUE})*) )?((?:({_PLAIN_ENTRIES.pattern}) )?: ({_FUNCTION_TYPE.pattern})[ \t\r]*)\n"
)

_KNOWN_LINE = re.compile(
    rf"[ \t\r\n]*(?:%({_NAME}(?:, {_VALUE})*) = )?([a-z][a-z0-9_.]*)(?: %({_NAME}(?:, {_VALUE})*))? (?=[{{:])"
)
"""A line up to the attributes and types, with the names of results and operands."""

_OPERATION = re.compile(
    r'^[ \t]*(?:%[\w$.:, %#-]*=[ \t]*)?"?([a-z][a-z0-9_]*\.[a-z][a-z0-9_.]*)"?(?=[ \t(])', re.MULTILINE
)

_INSTEAD = {
    "tensor.gather": "a gather is linalg.generic with tensor.extract",
    "tensor.scatter": "a scatter is scf.for with tensor.insert_slice",
    "scf.parallel": "programs have scf.for",
    "scf.forall": "programs have scf.for",
}
"""What programs have in place of ops of upstream that no stage takes."""

_CLEARER = {
    "Could not parse entire input!": "expected an operation",
    " in block definition": "expected an operation, a block or '}'",
}
"""Messages of xDSL that do not say what is expected."""


def parse_module(
    ctx: Context,
    source: str | bytes,
    name: str = "<string>",
    *,
    line_offset: int = 0,
    implicit_module: bool = True,
    own_positions: bool = False,
) -> ModuleOp:
    """Parses the text of a module; any text that is not one raises `ParseError` with its position.

    `name` is the file name that positions carry; `line_offset` is the number of lines before `source` in
    the file. With `own_positions` ops that say where they come from are located in this text all the same, so that no two have one
    position; names of layers stay. The module is not verified.
    """
    text = source if isinstance(source, str) else _decode(source, name, line_offset)
    try:
        parser = LocatedParser(ctx, text, name, line_offset=line_offset, own_positions=own_positions)
        return parser.parse_module(implicit_module)
    except ParseError as error:
        object.__setattr__(error.span, "line_offset", line_offset)
        raise


def _decode(data: bytes, name: str, line_offset: int) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        span = Span(error.start, error.start + 1, Input(data, name), line_offset)
        raise ParseError(span, f"not a text file: byte 0x{data[error.start]:02x} is not valid UTF-8") from None


class LocatedParser(DenseParser, KnownOpParser):
    """xDSL's parser with positions: on operations, on undefined values, and on errors from building an operation."""

    def __init__(
        self,
        ctx: Context,
        text: str,
        name: str = "<string>",
        *,
        line_offset: int = 0,
        own_positions: bool = False,
    ) -> None:
        super().__init__(ctx, text, name)
        self._own_positions = own_positions
        self._file = StringAttr(name)
        self._line_offset = line_offset
        self._line_starts = [0]
        position = text.find("\n")
        while position >= 0:
            self._line_starts.append(position + 1)
            position = text.find("\n", position + 1)
        self._operation_start = 0
        self._first_uses: dict[str, Span] = {}
        self._forward_uses: list[tuple[Operation, SSAValue, Span]] = []
        # A program spells few types and attributes, each at many places; most of the parsing time would go into them.
        self._tensor_types: dict[str, TypeAttribute] = {}
        self._function_types: dict[str, FunctionType] = {}
        self._entries: dict[str, dict[str, Attribute]] = {}
        # Nor many ops: those of layers differ in their values alone. By names, and what follows the operands.
        self._forms: dict[tuple[str, str], KnownForm] = {}
        self._columns: dict[int, IntAttr] = {}
        # Nor many tuples; that of all parameters of a model is long, and stands in each op that takes a parameter out of it.
        self._tuple_types: deque[tuple[str, TypeAttribute]] = deque(maxlen=8)

    def location_at(self, position: int) -> FileLineColLoc:
        """Returns the file, line and column (both from 1) of a position in the text."""
        line = bisect_right(self._line_starts, position)
        number = position - self._line_starts[line - 1] + 1
        column = self._columns.get(number) or self._columns.setdefault(number, IntAttr(number))
        return file_position(self._file, IntAttr(line + self._line_offset), column)

    def parse_module(self, allow_implicit_module: bool = True) -> ModuleOp:
        try:
            with _IMPLICIT_BUILDERS:
                module = super().parse_module(allow_implicit_module)
        except RecursionError:
            # Not `from` the error: its traceback is a thousand frames of no use.
            raise ParseError(self._current_token.span, TOO_DEEP) from None
        except VerifyException as error:
            self.raise_error(str(error))
        self._check_order_of_definitions()
        if isinstance(module.location, UnknownLoc):
            module.location = self.location_at(0)
        return module

    def parse_operation(self) -> Operation:
        start = self._operation_start = self._parser_state.current_token.span.start
        try:
            op = super().parse_operation()
        except (ParseError, RecursionError, PyRDLError, ImportError):
            # The last two are a dialect that does not load: no fault of the text.
            raise
        except VerifyException as error:
            self.raise_error(str(error), start)
        except Exception as error:
            detail = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            self.raise_error(f"cannot parse this operation ({detail})", start)
        if isinstance(op.location, UnknownLoc):
            op.location = self.location_at(start)
        elif self._own_positions:
            layer = name_of(op.location)
            own = self.location_at(start)
            op.location = own if layer is None else NameLoc(StringAttr(layer), own)
        return op

    def _get_op_by_name(self, name: str) -> type[Operation]:
        # Called before anything inside the operation is parsed, so the start is this operation's own.
        if op_type := self.ctx.get_optional_op(name, dialect_stack=self._parser_state.dialect_stack):
            return op_type
        loaded = [op_type.name for op_type in self.ctx.loaded_ops]
        close = get_close_matches(name, loaded, n=1, cutoff=0.8)
        hint = f"; {_INSTEAD[name]}" if name in _INSTEAD else f"; did you mean {close[0]}?" if close else ""
        also = self._also_unknown(name)
        listed = f"; nor are {', '.join(also)}" if also else ""
        self.raise_error(f"operation {name} is not registered{hint}{listed}", self._operation_start)

    def _also_unknown(self, name: str) -> list[str]:
        """Returns the names of other operations, in what follows, that are not registered; for a message, as they are not parsed."""
        names = dict.fromkeys(
            match[1] for match in _OPERATION.finditer(self.lexer.input.content, self._operation_start)
        )
        names.pop(name, None)
        # A custom form may leave out the dialect: only names with one count.
        return [other for other in names if self.ctx.get_optional_op(other) is None]

    def parse_optional_type(self) -> TypeAttribute | None:
        start = self._parser_state.current_token.span.start
        content = self.lexer.input.content
        if content.startswith("tuple<", start):
            return self._parse_tuple_type(start)
        spelling = _TENSOR.match(content, start)
        if spelling is not None and (known := self._tensor_types.get(spelling[0])) is not None:
            self._resume_from(spelling.end())
            return known
        try:
            parsed = super().parse_optional_type()
        except VerifyException as error:
            self.raise_error(str(error), start)
        if spelling is not None and parsed is not None and self._follows(spelling.end()):
            self._tensor_types[spelling[0]] = parsed
        return parsed

    def parse_optional_function_type(self) -> FunctionType | None:
        spelling = _FUNCTION_TYPE.match(self.lexer.input.content, self._parser_state.current_token.span.start)
        if spelling is not None and (known := self._function_types.get(spelling[0])) is not None:
            self._resume_from(spelling.end())
            return known
        parsed = super().parse_optional_function_type()
        if spelling is not None and parsed is not None and self._follows(spelling.end()):
            self._function_types[spelling[0]] = parsed
        return parsed

    def _parse_op_result_list(self) -> list[tuple[Span, int]]:
        start = self._parser_state.current_token.span.start
        match = _RESULTS.match(self.lexer.input.content, start)
        if match is None:
            return super()._parse_op_result_list()
        results: list[tuple[Span, int]] = []
        for name in match[1].split(", "):
            results.append((Span(start, start + len(name), self.lexer.input), 1))
            start += len(name) + 2
        self._resume_from(match.end())
        return results

    def parse_known_op(self, op_type: type[Op]) -> Op | None:
        match = _KNOWN_OP.match(self.lexer.input.content, self._parser_state.current_token.span.start)
        if match is None:
            return None
        names, rest, spelled_entries, spelled_types = match.groups()
        types = self._function_types.get(spelled_types)
        entries = {} if spelled_entries is None else self._entries.get(spelled_entries)
        if types is None or entries is None:
            return None
        form = KnownForm.of(op_type, entries, types)
        operands = self._defined(names and names[1:], form)
        if operands is None:
            return None
        self._forms[op_type.name, rest] = form
        self._resume_from(match.end())
        return cast(Op, form.make(operands))

    def _defined(self, names: str | None, form: KnownForm) -> list[SSAValue] | None:
        """Returns the values with names in a list, if each is defined, alone, with the type that the form has."""
        operands: list[SSAValue] = []
        for name in names.split(", %") if names else ():
            values = self.ssa_values.get(name, ())
            if len(values) != 1:
                return None
            operands.append(values[0])
        return operands if [operand.type for operand in operands] == form.operand_types else None

    def _parse_block_body(self, block: Block) -> None:
        while True:
            self._parse_known_lines(block)
            op = self.parse_optional_operation()
            if op is None:
                return
            block.add_op(op)

    def _parse_known_lines(self, block: Block) -> None:
        """Reads ops, each on a line that differs from one before in the names of values alone, up to what is not such a line."""
        content = self.lexer.input.content
        start = position = self._parser_state.current_token.span.start
        while (match := _KNOWN_LINE.match(content, position)) is not None:
            end = content.find("\n", match.end())
            form = self._forms.get((match[2], content[match.end() : end])) if end >= 0 else None
            op = None if form is None else self._known_line(form, match[1], match[3])
            if op is None:
                break
            op.location = self.location_at(match.start(2) if match[1] is None else match.start(1) - 1)
            block.add_op(op)
            position = end
        if position != start:
            self._resume_from(position)

    def _known_line(self, form: KnownForm, result_names: str | None, operand_names: str | None) -> Operation | None:
        names = result_names.split(", %") if result_names else []
        if names and len(names) != len(form.result_types):
            return None
        if len({*names}) != len(names) or not self._are_new(names):
            return None
        operands = self._defined(operand_names, form)
        if operands is None:
            return None
        op = form.make(operands)
        for name, result in zip(names, op.results):
            self.ssa_values[name] = (result,)
            if not name[0].isdigit():
                result.name_hint = name
        return op

    def _are_new(self, names: Sequence[str]) -> bool:
        return not any(name in self.ssa_values or name in self.forward_ssa_references for name in names)

    def parse_optional_dictionary_attr_dict(self) -> dict[str, Attribute]:
        content, start = self.lexer.input.content, self._parser_state.current_token.span.start
        spelling = _PLAIN_ENTRIES.match(content, start)
        if spelling is None:
            entry = _TEXT_ENTRY.match(content, start)
            if entry is None:
                return super().parse_optional_dictionary_attr_dict()
            self._resume_from(entry.end())
            return {entry[1]: StringAttr(entry[2])}
        known = self._entries.get(spelling[0])
        if known is None:
            known = self._entries[spelling[0]] = super().parse_optional_dictionary_attr_dict()
        else:
            self._resume_from(spelling.end())
        return {**known}

    def _parse_tuple_type(self, start: int) -> TypeAttribute | None:
        content = self.lexer.input.content
        # A spelling is a whole type, with all its brackets: what begins with it is that type.
        for spelling, known in self._tuple_types:
            if content.startswith(spelling, start):
                self._resume_from(start + len(spelling))
                return known
        parsed = super().parse_optional_type()
        spelling = content[start : self.pos].rstrip()
        # A comment may follow, which is no part of the type.
        if parsed is not None and "//" not in spelling:
            self._tuple_types.appendleft((spelling, parsed))
        return parsed

    def _follows(self, position: int) -> bool:
        """Returns whether the current token is the first after the position."""
        return self.lexer.input.content[position : self.pos].isspace() or position == self.pos

    def parse_optional_attribute(self) -> Attribute | None:
        start = self._parser_state.current_token.span.start
        try:
            return super().parse_optional_attribute()
        except VerifyException as error:
            self.raise_error(str(error), start)

    def resolve_operand(self, operand: UnresolvedOperand, type: Any) -> SSAValue[Any]:
        name = operand.operand_name
        if name not in self.ssa_values:
            self._first_uses.setdefault(name, operand.span)
        return super().resolve_operand(operand, type)

    def _register_ssa_definition(self, name: str, values: Sequence[SSAValue], span: Span) -> None:
        for index, forward in self.forward_ssa_references.get(name, {}).items():
            if index < len(values):
                self._forward_uses += [(use.operation, values[index], self._first_uses[name]) for use in forward.uses]
        super()._register_ssa_definition(name, values, span)

    def _check_order_of_definitions(self) -> None:
        """Refuses a value that is used before its definition in the same block; xDSL's verifier does not look."""
        for user, value, span in self._forward_uses:
            block = value.owner if isinstance(value.owner, Block) else value.owner.parent
            if block is None or isinstance(block.parent_op(), ModuleOp):
                continue
            if block.find_ancestor_op_in_block(user) is not None:
                self.raise_error(f"value {span.text} is used before it is defined", span)

    def raise_error(self, msg: str, at_position: Any = None, end_position: Any = None) -> NoReturn:
        if at_position is None and self.forward_ssa_references and "used but not defined" in msg:
            at_position = self._first_uses.get(next(iter(self.forward_ssa_references)))
        elif at_position is None or at_position is self._current_token.span:
            msg = _CLEARER.get(msg, msg).rstrip(".!")
            if self._current_token.kind is MLIRTokenKind.EOF:
                msg = f"{msg}, found the end of the file"
        if at_position is None or end_position is None:
            super().raise_error(msg, at_position)
        super().raise_error(msg, at_position, end_position)
