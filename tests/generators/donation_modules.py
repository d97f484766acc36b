"""Random programs with two states, one or both of them donated: updates of rows, slices up to a row, element-wise ops, products, sums."""

from __future__ import annotations

import random

STATE, ROW = "tensor<?x4xf32, #relax.sym<m>>", "tensor<1x4xf32>"
SLICE = "tensor<?x4xf32, #relax.sym<min(m, p + 1)>>"


class _Program:
    def __init__(self, seed: int):
        self.rng = random.Random(seed)
        self.values: dict[str, list[str]] = {STATE: ["%a", "%b"], ROW: ["%x"], SLICE: []}
        self.lines = [
            f"%{name} = relax.shape : () -> !relax.shape<[{at}]>" for name, at in (("zero", "0"), ("begin", "p"))
        ]
        self.lines.append("%end = relax.shape : () -> !relax.shape<[p + 1]>")

    def pick(self, value_type: str) -> str:
        """Returns one of the latest values of a type."""
        return self.rng.choice(self.values[value_type][-3:])

    def insert(self, result: str, op: str, operands: list[tuple[str, str]], attributes: str = "") -> None:
        """Inserts an op whose result is of the given type."""
        name = f"%v{len(self.lines)}"
        names, types = ", ".join(value for value, _ in operands), ", ".join(kind for _, kind in operands)
        self.lines.append(f"{name} = relax.{op} {names} {attributes} : ({types}) -> {result}")
        self.values[result].append(name)

    def step(self) -> None:
        """Inserts a random op."""
        state, row = (self.pick(STATE), STATE), (self.pick(ROW), ROW)
        end = ("%end", "!relax.shape<[p + 1]>")
        match self.rng.randrange(9):
            case 0 | 1 | 2:
                self.insert(STATE, "slice_scatter", [state, row, ("%begin", "!relax.shape<[p]>"), end])
            case 3:
                start = self.rng.randrange(8)
                self.insert(STATE, "slice_scatter", [state, row], f"{{start = {start} : i64, end = {start + 1} : i64}}")
            case 4:
                self.insert(STATE, "add", [state, (self.pick(STATE), STATE)])
            case 5:
                self.insert(STATE, "matmul", [state, ("%w", "tensor<4x4xf32>")])
            case 6:
                self.insert(
                    SLICE, "strided_slice", [state, ("%zero", "!relax.shape<[0]>"), end], "{axes = array<i64: 0>}"
                )
            case 7 if self.values[SLICE]:
                self.insert(ROW, "sum", [(self.pick(SLICE), SLICE)], "{axis = array<i64: 0>, keepdims = true}")
            case _:
                self.insert(ROW, "max", [state], "{axis = array<i64: 0>, keepdims = true}")

    def text(self) -> str:
        """Returns the program: two states, one of them at least donated, and the latest values of each type."""
        results = [(self.pick(kind), kind) for kind in (STATE, STATE, ROW, SLICE) if self.values[kind]]
        donated = self.rng.sample((0, 1), 2)
        marks = [f" {{relax.donate = {donated[0]} : i64}}", f" {{relax.donate = {donated[1]} : i64}}"]
        if self.rng.random() < 0.5:
            marks[1] = ""
        types, names = ", ".join(kind for _, kind in results), ", ".join(value for value, _ in results)
        body = "\n  ".join(self.lines)
        if self.rng.random() < 0.5:
            inner = ", ".join(f"%r{i}" for i in range(len(results)))
            body, names = (
                f"{inner} = relax.dataflow {{\n  {body}\n  relax.output {names} : {types}\n  }} : {types}",
                inner,
            )
        return (
            f"func.func @main(%a: {STATE}{marks[0]}, %b: {STATE}{marks[1]}, %x: {ROW}, %w: tensor<4x4xf32>, "
            f"%p: !relax.shape<[p]>) -> ({types}) {{\n  {body}\n  return {names} : {types}\n}}"
        )


def donation_module(seed: int) -> str:
    """Returns a program of up to eight ops, which may ask for a donation that cannot be."""
    program = _Program(seed)
    for _ in range(program.rng.randint(1, 8)):
        program.step()
    return program.text()
