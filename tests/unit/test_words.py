"""The words of the source: names, spelling, docstrings, and paths that are named in prose."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NOT_PACKAGE = {"tests", "benchmarks", "examples"}
PRONOUNS = {"one", "found", "mine", "theirs", "it", "them", "this", "that", "these", "those", "both", "some"}
BRITISH = re.compile(
    r"(optimis|initialis|normalis|generalis|vectoris|bufferis|materialis|serialis|specialis|canonicalis|quantis|minimis"
    r"|maximis|organis|recognis|summaris|analyse|colour|behaviour|neighbour|centre\b|artefact|travell|cancell|labell"
    r"|modell)\w*",
    re.IGNORECASE,
)
NOT_BRITISH = {"canonicalise", "cancellation"}
"""A misspelled pass name in a test of suggestions; a word that is the same on both sides."""
ROOMS = "builder|dialects|interpreter|passes|targets|lowering|runtime|frontend|tools|tests|benchmarks|examples|docs"
NAMED_PATH = re.compile(rf"(?<![\w./<-])(?:{ROOMS})/[\w./]*\w\.(?:py|md|mlir)\b")


def files(*suffixes: str) -> list[Path]:
    paths = [path for path in ROOT.rglob("*") if path.suffix in suffixes and path.is_file()]
    return [path for path in paths if not any(part.startswith(".") or part == "build" for part in relative(path).parts)]


def relative(path: Path) -> Path:
    return path.relative_to(ROOT)


SOURCE = files(".py")
PACKAGE = [path for path in SOURCE if relative(path).parts[0] not in NOT_PACKAGE]
PROSE = files(".py", ".md", ".mlir")


def names_in(tree: ast.AST) -> list[tuple[str, int]]:
    """Returns the names that a module assigns or takes as arguments, with their lines."""
    stored = [(n.id, n.lineno) for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    return stored + [(n.arg, n.lineno) for n in ast.walk(tree) if isinstance(n, ast.arg)]


def first_words(tree: ast.AST) -> list[tuple[str, int]]:
    """Returns the first word of each function's docstring; a property's may be a noun phrase."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    plain = [f for f in functions if not any("property" in ast.unparse(d) for d in f.decorator_list)]
    return [(doc.split()[0], f.lineno) for f in plain if (doc := ast.get_docstring(f))]


def test_there_is_something_to_read():
    assert len(PACKAGE) > 400 and len(SOURCE) > 600 and len(PROSE) > 700
    assert names_in(ast.parse("def f(one): found = one")) == [("found", 1), ("one", 1)]
    assert first_words(ast.parse('def f():\n    """The size."""')) == [("The", 1)]
    assert BRITISH.search("vectorised") and NAMED_PATH.search("see `lowering/gone.py`")


@pytest.mark.parametrize("path", SOURCE, ids=lambda path: str(relative(path)))
def test_names_say_what_things_are(path: Path):
    assert [(name, line) for name, line in names_in(ast.parse(path.read_text())) if name in PRONOUNS] == []


@pytest.mark.parametrize("path", PACKAGE, ids=lambda path: str(relative(path)))
def test_docstrings_begin_with_a_verb(path: Path):
    nouns = {"The", "A", "An", "Whether", "All", "Each"}
    assert [(word, line) for word, line in first_words(ast.parse(path.read_text())) if word in nouns] == []


def test_spelling_is_american():
    hits = [
        (str(relative(path)), match[0])
        for path in PROSE
        if path != Path(__file__)
        for match in BRITISH.finditer(path.read_text())
        if match[0].lower() not in NOT_BRITISH
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
