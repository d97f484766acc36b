"""Records are what `dataclasses` makes of the same class."""

from __future__ import annotations

import copy
import inspect
import pickle
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any

import pytest
from xdsl_relax.records import record


class Point:
    """A class to make records of."""

    x: int
    label: str = "p"
    items: list[int] = field(default_factory=list[int])
    hidden: int = field(default=7, repr=False, compare=False)
    made: list[int] = field(init=False, default_factory=list[int])
    key: str = field(default="k", kw_only=True)

    def twice(self) -> int:
        """Returns twice a field."""
        return 2 * self.x


def both(**options: bool) -> tuple[Any, Any]:
    """Returns the record and the dataclass of `Point`."""
    spaces = [{name: value for name, value in vars(Point).items() if name != "__dict__"} for _ in range(2)]
    made_by_record, made_by_python = (
        type("Point", (), {**space, "__annotations__": Point.__annotations__}) for space in spaces
    )
    return record(**options)(made_by_record), dataclass(**options)(made_by_python)


ARGUMENTS: tuple[tuple[tuple[Any, ...], dict[str, Any]], ...] = (
    ((1,), {}),
    ((1, "q", [3]), {"key": "l"}),
    ((), {"x": 5, "hidden": 8, "items": []}),
)


@pytest.mark.parametrize("options", [{"frozen": True}, {"frozen": False}, {"frozen": False, "eq": False}])
@pytest.mark.parametrize(("arguments", "named"), ARGUMENTS)
def test_records_are_made_like_dataclasses(options: dict[str, bool], arguments: tuple[Any, ...], named: dict[str, Any]):
    made_by_record, made_by_python = both(**options)
    first, other = made_by_record(*arguments, **named), made_by_python(*arguments, **named)
    assert vars(first) == vars(other)
    assert repr(first) == repr(other)
    assert vars(replace(first, x=9)) == vars(replace(other, x=9))
    assert first.twice() == other.twice()
    assert (first == made_by_record(*arguments, **named)) == (other == made_by_python(*arguments, **named))
    assert first != other
    assert inspect.signature(made_by_record.__init__) == inspect.signature(
        made_by_record(*arguments, **named).__init__.__func__
    )


def test_fields_are_known_before_a_record_is_made():
    made_by_record, made_by_python = both()
    assert is_dataclass(made_by_record)
    assert [f.name for f in fields(made_by_record)] == [f.name for f in fields(made_by_python)]
    assert vars(made_by_record)["__match_args__"] == vars(made_by_python)["__match_args__"]


def test_wrong_arguments_are_refused_like_those_of_dataclasses():
    made_by_record, made_by_python = both()
    for arguments in ((), (1, 2, 3, 4, 5)):
        with pytest.raises(TypeError) as expected:
            made_by_python(*arguments)
        with pytest.raises(TypeError) as raised:
            made_by_record(*arguments)
        assert str(raised.value) == str(expected.value)


@record
class Pair:
    """Two values."""

    left: int
    right: int = 0


@record
class Triple(Pair):
    """Three values."""

    last: int = 3
    total: int = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "total", self.left + self.right + self.last)


@record
class Nothing:
    """No value."""


@record
class Single:
    """A value."""

    value: object


@record(frozen=False)
class Counter:
    """A value that changes."""

    count: int = 0


@record
class Own:
    """Methods of its own."""

    value: int

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Own) and self.value % 10 == other.value % 10

    def __hash__(self) -> int:
        return self.value % 10

    def __repr__(self) -> str:
        return "own"


class Plain(Pair):
    """What is derived, and no record itself."""


def test_values_that_are_equal_have_equal_hashes():
    assert hash(Pair(1, 2)) == hash(Pair(1, 2)) == hash((1, 2))
    assert len({Pair(1), Pair(1, 0), Pair(2)}) == 2
    assert Nothing() == Nothing()
    assert hash(Nothing()) == hash(())
    nan = float("nan")
    assert Single(nan) == Single(nan)
    assert hash(Single(1)) == hash((1,))


def test_records_of_other_classes_differ():
    assert Pair(1, 2) != Triple(1, 2)
    assert Plain(1, 2) == Plain(1, 2)
    assert Plain(1, 2) != Pair(1, 2)


def test_derived_records_have_the_fields_of_their_bases():
    assert Triple(1, 2).total == 6
    assert repr(Triple(1)) == "Triple(left=1, right=0, last=3, total=4)"


def test_records_that_change_have_no_hash():
    counter = Counter()
    counter.count += 1
    assert counter == Counter(1)
    with pytest.raises(TypeError, match="unhashable"):
        hash(counter)


def test_methods_of_a_class_stay():
    assert Own(3) == Own(13)
    assert hash(Own(13)) == 3
    assert repr(Own(1)) == "own"


def test_copies_are_equal():
    assert pickle.loads(pickle.dumps(Pair(3, 4))) == copy.deepcopy(Pair(3, 4)) == Pair(3, 4)


def test_a_field_may_be_named_like_what_a_constructor_needs():
    @record
    class Names:
        make: int
        unset: int = 1
        names: list[int] = field(default_factory=list[int])

    assert vars(Names(2)) == {"make": 2, "unset": 1, "names": []}
