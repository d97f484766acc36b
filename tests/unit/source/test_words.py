"""The words of the source: names, spelling, docstrings, and paths that are named in prose."""

import ast
import io
import os
import re
import tokenize
from collections.abc import Callable, Collection, Iterable
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[3]
NOT_PACKAGE = {"tests", "benchmarks", "examples"}
PRONOUNS = {"one", "found", "mine", "theirs", "it", "them", "this", "that", "these", "those", "both", "some"}
BRITISH_STEMS = (
    *("optimis", "initialis", "normalis", "generalis", "vectoris", "bufferis", "materialis", "serialis", "specialis"),
    *("canonicalis", "quantis", "minimis", "maximis", "organis", "recognis", "summaris", "analyse", "colour"),
    *("behaviour", "neighbour", r"centre\b", "artefact", "travell", "cancell", "labell", "modell"),
)
BRITISH = re.compile(rf"({'|'.join(BRITISH_STEMS)})\w*", re.IGNORECASE)
NOT_BRITISH = {"canonicalise", "cancellation"}
"""A misspelled pass name in a test of suggestions; a word that is the same on both sides."""
ROOMS = "builder|dialects|interpreter|passes|targets|lowering|runtime|frontend|tools|tests|benchmarks|examples|docs"
NAMED_PATH = re.compile(rf"(?<![\w./<-])(?:{ROOMS})/[\w./]*\w\.(?:py|md|mlir)\b")


def files(*suffixes: str) -> list[Path]:
    paths: list[Path] = []
    for folder, inner, names in os.walk(ROOT):
        inner[:] = [name for name in inner if not name.startswith(".") and name != "build"]
        paths += [Path(folder, name) for name in names if name.endswith(suffixes) and not name.startswith(".")]
    return paths


def relative(path: Path) -> Path:
    return path.relative_to(ROOT)


SOURCE = files(".py")
PACKAGE = [path for path in SOURCE if relative(path).parts[0] not in NOT_PACKAGE]
PROSE = files(".py", ".md", ".mlir")


@cache
def nodes_in(tree: ast.AST) -> list[ast.AST]:
    """Returns the nodes of a tree, which Python's own walk takes long to list."""
    return list(ast.walk(tree))


def names_in(tree: ast.AST) -> list[tuple[str, int]]:
    """Returns the names that a module assigns or takes as arguments, with their lines."""
    nodes = [node for node in nodes_in(tree) if isinstance(node, ast.Name | ast.arg)]
    stored = [(n.id, n.lineno) for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    return stored + [(n.arg, n.lineno) for n in nodes if isinstance(n, ast.arg)]


def first_words(tree: ast.AST) -> list[tuple[str, int]]:
    """Returns the first word of each function's docstring; a property's may be a noun phrase."""
    functions = [node for node in nodes_in(tree) if isinstance(node, ast.FunctionDef)]
    plain = [f for f in functions if not any("property" in ast.unparse(d) for d in f.decorator_list)]
    return [(doc.split()[0], f.lineno) for f in plain if (doc := ast.get_docstring(f))]


MOST_BRANCHES = 8
"""Functions with more of them say in a comment what holds throughout, or in which order the cases stand."""


def branches(function: ast.AST) -> int:
    """Returns the statements that branch or loop, the cases and the `and`s and `or`s of a function, without functions inside of it."""
    count, pending = 0, list(ast.iter_child_nodes(function))
    while pending:
        node = pending.pop()
        if isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            continue
        count += isinstance(node, ast.If | ast.For | ast.While | ast.ExceptHandler | ast.match_case)
        count += len(node.values) - 1 if isinstance(node, ast.BoolOp) else 0
        pending.extend(ast.iter_child_nodes(node))
    return count


def silent_functions(source: str, tree: ast.AST | None = None) -> list[tuple[str, int]]:
    """Returns the functions with many branches and no comment, with the number of branches."""
    functions = [node for node in nodes_in(tree or ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    branched = [(f, count) for f in functions if (count := branches(f)) > MOST_BRANCHES]
    # Few files have any, and Python's tokenizer is slow.
    commented = comment_lines(source) if branched else set[int]()
    return [
        (f.name, count) for f, count in branched if not commented & {*range(f.lineno, (f.end_lineno or f.lineno) + 1)}
    ]


def comment_lines(source: str) -> set[int]:
    """Returns the lines with a comment that is no directive."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    directives = ("# pyright", "# noqa", "# type:")
    return {t.start[0] for t in tokens if t.type == tokenize.COMMENT and not t.string.startswith(directives)}


def british_words(text: str) -> list[str]:
    """Returns the words that are not spelled as in American English."""
    # A pattern of many words that ignores case is tried at each letter.
    lower = text.lower()
    if not any(stem.removesuffix(r"\b") in lower for stem in BRITISH_STEMS):
        return []
    return [match[0] for match in BRITISH.finditer(text) if match[0].lower() not in NOT_BRITISH]


def test_there_is_something_to_read():
    assert len(PACKAGE) > 400 and len(SOURCE) > 600 and len(PROSE) > 700
    assert names_in(ast.parse("def f(one): found = one")) == [("found", 1), ("one", 1)]
    assert first_words(ast.parse('def f():\n    """The size."""')) == [("The", 1)]
    assert british_words("It is Vectorised, and the centre cancels") == ["Vectorised", "centre"]
    assert NAMED_PATH.search("see `lowering/gone.py`")


@cache
def tree_of(path: Path) -> ast.Module:
    """Returns the syntax tree of a file, which several tests walk."""
    return ast.parse(path.read_text())


def hits_in(
    paths: Iterable[Path], words_of: Callable[[ast.Module], Iterable[tuple[str, int]]], refused: Collection[str]
) -> dict[str, list[tuple[str, int]]]:
    """Returns the words that are refused, with their lines, by file."""
    hits = {str(relative(path)): [hit for hit in words_of(tree_of(path)) if hit[0] in refused] for path in paths}
    return {path: words for path, words in hits.items() if words}


# Of all files in one test each: the work of a file takes less time than a test of its own.
def test_names_say_what_things_are():
    assert hits_in(SOURCE, names_in, PRONOUNS) == {}


def test_docstrings_begin_with_a_verb():
    nouns = {"The", "A", "An", "Whether", "All", "Each"}
    assert hits_in(PACKAGE, first_words, nouns) == {}


def test_many_branches_have_a_comment():
    many = "".join(f"    if x == {n} and y:\n        pass\n" for n in range(5))
    assert silent_functions(f"def f(x, y):\n{many}") == [("f", 10)]
    assert silent_functions(f"def f(x, y):\n    # Why.\n{many}") == []
    assert silent_functions(f"def f(x, y):\n    pass  # noqa\n{many}") == [("f", 10)]
    silent = {
        str(relative(path)): names for path in PACKAGE if (names := silent_functions(path.read_text(), tree_of(path)))
    }
    assert silent == {}


def test_spelling_is_american():
    hits = [
        (str(relative(path)), word)
        for path in PROSE
        if path != Path(__file__)
        for word in british_words(path.read_text())
    ]
    assert hits == []


def test_named_paths_exist():
    missing = [
        (str(relative(path)), name)
        for path in PROSE
        if path != Path(__file__) and path.name != "CHANGELOG.md"
        for name in NAMED_PATH.findall(path.read_text())
        if not (ROOT / name).exists()
    ]
    assert missing == []
