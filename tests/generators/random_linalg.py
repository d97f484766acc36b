"""Random programs of linalg, tensor and scf ops, each with its meaning in numpy, to compare lowerings with."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

ROWS, COLUMNS = 4, 6
Env = dict[str, np.ndarray]
Step = Callable[[Env], None]


@dataclass
class Value:
    name: str
    shape: tuple[int, ...]
    type: str


@dataclass
class Program:
    """The text of a function, its arguments, and what it returns."""

    name: str
    text: str
    arguments: list[tuple[int, ...]]
    results: list[tuple[int, ...]]
    run: Callable[[list[np.ndarray]], list[np.ndarray]]


@dataclass
class Builder:
    """Writes ops of one function; `scope` holds the tensors that may be used here."""

    rng: random.Random
    dynamic: bool
    count: int = 0
    lines: list[str] = field(default_factory=list)

    def fresh(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def type(self, shape: tuple[int, ...]) -> str:
        dims = ["?" if self.dynamic and s in (ROWS, COLUMNS) else str(s) for s in shape]
        return "tensor<" + "".join(d + "x" for d in dims) + "f32>"

    def value(self, shape: tuple[int, ...]) -> Value:
        return Value(self.fresh(), shape, self.type(shape))

    def size(self, s: int) -> str:
        return {ROWS: "%rows", COLUMNS: "%columns"}[s] if self.dynamic and s in (ROWS, COLUMNS) else str(s)

    def emit(self, text: str) -> None:
        self.lines.append(text)

    def empty(self, shape: tuple[int, ...]) -> str:
        name = self.fresh()
        sizes = ", ".join(self.size(s) for s in shape if self.dynamic and s in (ROWS, COLUMNS))
        self.emit(f"{name} = tensor.empty({sizes}) : {self.type(shape)}")
        return name

    def pick(self, scope: list[Value], shape: tuple[int, ...] | None = None) -> Value:
        fitting = [v for v in scope if shape is None or v.shape == shape]
        return self.rng.choice(fitting[-6:] if self.rng.random() < 0.7 else fitting)

    # ---- ops; each returns the new value and what it does ----

    def pointwise(self, scope: list[Value]) -> tuple[Value, Step]:
        a = self.pick(scope)
        b = self.pick(scope, a.shape)
        out = self.value(a.shape)
        rank = len(a.shape)
        dims = ", ".join(f"d{i}" for i in range(rank))
        maps = ", ".join([f"affine_map<({dims}) -> ({dims})>"] * 3)
        kinds = ", ".join(['"parallel"'] * rank)
        accumulate = self.rng.random() < 0.4
        target = self.pick(scope, a.shape) if accumulate else None
        dest = target.name if target is not None else self.empty(a.shape)
        last = "%u = arith.addf %t, %z : f32\n linalg.yield %u : f32" if accumulate else "linalg.yield %t : f32"
        self.emit(
            f"{out.name} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} "
            f"ins({a.name}, {b.name} : {a.type}, {b.type}) outs({dest} : {out.type}) {{\n"
            f"^bb0(%x: f32, %y: f32, %z: f32):\n %s = arith.constant 0.5 : f32\n %m = arith.mulf %y, %s : f32\n"
            f" %t = arith.addf %x, %m : f32\n {last}\n}} -> {out.type}"
        )

        def step(env: Env) -> None:
            total = env[a.name] + env[b.name] * np.float32(0.5)
            env[out.name] = total + env[target.name] if target is not None else total

        return out, step

    def transpose_add(self, scope: list[Value]) -> tuple[Value, Step] | None:
        fitting = [v for v in scope if len(v.shape) == 2]
        if not fitting:
            return None
        a = self.rng.choice(fitting)
        out = self.value(a.shape[::-1])
        dest = self.empty(out.shape)
        self.emit(
            f"{out.name} = linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, "
            f'affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}} '
            f"ins({a.name} : {a.type}) outs({dest} : {out.type}) {{\n^bb0(%x: f32, %z: f32):\n"
            f" linalg.yield %x : f32\n}} -> {out.type}"
        )
        return out, lambda env: env.__setitem__(out.name, env[a.name].T.copy())

    def reverse(self, scope: list[Value]) -> tuple[Value, Step] | None:
        """Reads the destination's shape at other places than it writes: never in place."""
        fitting = [v for v in scope if v.shape == (ROWS,)]
        if not fitting:
            return None
        a = self.rng.choice(fitting)
        out = self.value(a.shape)
        dest = self.empty(a.shape)
        self.emit(
            f'{out.name} = linalg.generic {{indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}} '
            f"outs({dest} : {out.type}) {{\n^bb0(%z: f32):\n %i = linalg.index 0 : index\n"
            f" %c = arith.constant {ROWS - 1} : index\n %j = arith.subi %c, %i : index\n"
            f" %e = tensor.extract {a.name}[%j] : {a.type}\n linalg.yield %e : f32\n}} -> {out.type}"
        )
        return out, lambda env: env.__setitem__(out.name, env[a.name][::-1].copy())

    def reduce(self, scope: list[Value]) -> tuple[Value, Step] | None:
        matrices = [v for v in scope if v.shape == (ROWS, COLUMNS)]
        vectors = [v for v in scope if v.shape == (ROWS,)]
        if not matrices or not vectors:
            return None
        a, acc = self.rng.choice(matrices), self.rng.choice(vectors)
        out = self.value(acc.shape)
        self.emit(
            f"{out.name} = linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, "
            f'affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}} '
            f"ins({a.name} : {a.type}) outs({acc.name} : {out.type}) {{\n^bb0(%x: f32, %z: f32):\n"
            f" %t = arith.maximumf %x, %z : f32\n linalg.yield %t : f32\n}} -> {out.type}"
        )
        return out, lambda env: env.__setitem__(out.name, np.maximum(env[acc.name], env[a.name].max(axis=1)))

    def fill(self, scope: list[Value]) -> tuple[Value, Step]:
        a = self.pick(scope)
        number = self.rng.randrange(-3, 4)
        out = self.value(a.shape)
        dest = self.empty(a.shape) if self.rng.random() < 0.5 else a.name
        scalar = self.fresh()
        self.emit(f"{scalar} = arith.constant {number}.0 : f32")
        self.emit(f"{out.name} = linalg.fill ins({scalar} : f32) outs({dest} : {out.type}) -> {out.type}")
        return out, lambda env: env.__setitem__(out.name, np.full(a.shape, number, np.float32))

    def insert(self, scope: list[Value]) -> tuple[Value, Step]:
        a, b = self.pick(scope), self.pick(scope)
        at = [self.rng.randrange(s) for s in a.shape]
        source = [self.rng.randrange(s) for s in b.shape]
        names = []
        for i in (*at, *source):
            names.append(self.fresh())
            self.emit(f"{names[-1]} = arith.constant {i} : index")
        scalar = self.fresh()
        self.emit(f"{scalar} = tensor.extract {b.name}[{', '.join(names[len(at) :])}] : {b.type}")
        out = self.value(a.shape)
        self.emit(f"{out.name} = tensor.insert {scalar} into {a.name}[{', '.join(names[: len(at)])}] : {a.type}")

        def step(env: Env) -> None:
            element = env[b.name][tuple(source)]
            copied = env[a.name].copy()
            copied[tuple(at)] = element
            env[out.name] = copied

        return out, step

    def _slice(self, whole: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        sizes = tuple(self.rng.choice([1, 2, 3, s]) if s > 3 else self.rng.randint(1, s) for s in whole)
        return tuple(self.rng.randint(0, w - s) for w, s in zip(whole, sizes, strict=True)), sizes

    def _slice_text(self, offsets: tuple[int, ...], sizes: tuple[int, ...]) -> str:
        text = ", ".join(self.size(s) for s in sizes)
        return f"[{', '.join(map(str, offsets))}] [{text}] [{', '.join('1' for _ in sizes)}]"

    def slice_update(self, scope: list[Value]) -> tuple[Value, Step]:
        """Takes a slice, changes it, and puts it back, at the same or another place."""
        a = self.pick(scope)
        offsets, sizes = self._slice(a.shape)
        part = self.value(sizes)
        text = self._slice_text(offsets, sizes)
        self.emit(f"{part.name} = tensor.extract_slice {a.name}{text} : {a.type} to {part.type}")
        changed, steps = part, []
        if self.rng.random() < 0.7:
            changed, step = self.rng.choice([self.pointwise, self.fill, self.insert])([part])
            steps.append(step)
        target = a if self.rng.random() < 0.7 else self.pick(scope, a.shape)
        other = offsets
        if self.rng.random() < 0.4:
            other = tuple(self.rng.randint(0, w - s) for w, s in zip(a.shape, sizes, strict=True))
        out = self.value(a.shape)
        self.emit(
            f"{out.name} = tensor.insert_slice {changed.name} into {target.name}{self._slice_text(other, sizes)} : "
            f"{changed.type} into {target.type}"
        )

        def run(env: Env) -> None:
            env[part.name] = env[a.name][tuple(slice(o, o + s) for o, s in zip(offsets, sizes, strict=True))].copy()
            for step in steps:
                step(env)
            copied = env[target.name].copy()
            copied[tuple(slice(o, o + s) for o, s in zip(other, sizes, strict=True))] = env[changed.name]
            env[out.name] = copied

        return out, run

    def row(self, scope: list[Value]) -> tuple[Value, Step] | None:
        """A rank-reduced column, which is not contiguous."""
        fitting = [v for v in scope if v.shape == (ROWS, COLUMNS)]
        if not fitting:
            return None
        a = self.rng.choice(fitting)
        at = self.rng.randrange(COLUMNS)
        out = self.value((ROWS,))
        text = f"[0, {at}] [{self.size(ROWS)}, 1] [1, 1]"
        self.emit(f"{out.name} = tensor.extract_slice {a.name}{text} : {a.type} to {out.type}")
        return out, lambda env: env.__setitem__(out.name, env[a.name][:, at].copy())

    def reshape(self, scope: list[Value]) -> tuple[Value, Step] | None:
        """Collapses, changes the collapsed view, expands again."""
        fitting = [v for v in scope if v.shape == (ROWS, COLUMNS)]
        if not fitting:
            return None
        a = self.rng.choice(fitting)
        flat = self.value((ROWS * COLUMNS,))
        if self.dynamic:
            flat.type = "tensor<?xf32>"
        self.emit(f"{flat.name} = tensor.collapse_shape {a.name} [[0, 1]] : {a.type} into {flat.type}")
        at, scalar = self.rng.randrange(ROWS * COLUMNS), self.fresh()
        self.emit(f"{scalar} = arith.constant 9.0 : f32")
        index, changed = self.fresh(), self.fresh()
        self.emit(f"{index} = arith.constant {at} : index")
        self.emit(f"{changed} = tensor.insert {scalar} into {flat.name}[{index}] : {flat.type}")
        out = self.value((ROWS, COLUMNS))
        shape = f"[{self.size(ROWS)}, {self.size(COLUMNS)}]"
        self.emit(
            f"{out.name} = tensor.expand_shape {changed} [[0, 1]] output_shape {shape} : {flat.type} into {out.type}"
        )

        def step(env: Env) -> None:
            copied = env[a.name].copy()
            copied.reshape(-1)[at] = 9
            env[out.name] = copied

        return out, step

    def constant(self, scope: list[Value]) -> tuple[Value, Step]:
        number = self.rng.randrange(5)
        data = (np.arange(ROWS) + number).astype(np.float32)
        name = self.fresh()
        text = ", ".join(f"{x:.1f}" for x in data)
        self.emit(f"{name} = arith.constant dense<[{text}]> : tensor<{ROWS}xf32>")
        if not self.dynamic:
            return Value(name, (ROWS,), self.type((ROWS,))), lambda env: env.__setitem__(name, data)
        out = self.value((ROWS,))
        self.emit(f"{out.name} = tensor.cast {name} : tensor<{ROWS}xf32> to {out.type}")
        return out, lambda env: env.__setitem__(out.name, data)

    def call(self, scope: list[Value]) -> tuple[Value, Step] | None:
        fitting = [v for v in scope if v.shape == (ROWS, COLUMNS)]
        if not fitting:
            return None
        a, b = self.rng.choice(fitting), self.rng.choice(fitting)
        out = self.value(a.shape)
        callee = "@helper_dynamic" if self.dynamic else "@helper_static"
        self.emit(f"{out.name} = func.call {callee}({a.name}, {b.name}) : ({a.type}, {b.type}) -> {out.type}")
        return out, lambda env: env.__setitem__(out.name, env[a.name] + env[b.name] * np.float32(2))

    def block(self, scope: list[Value], length: int, depth: int) -> tuple[list[Value], list[Step]]:
        local, steps = list(scope), []
        simple = [self.pointwise, self.pointwise, self.fill, self.insert, self.insert, self.slice_update]
        simple += [self.slice_update, self.reshape, self.reduce, self.transpose_add, self.row, self.constant]
        simple += [self.reverse, self.call]
        for _ in range(length):
            kind = self.rng.random()
            if depth and kind < 0.2:
                made = self.loop(local, depth)
            elif depth and kind < 0.35:
                made = self.branch(local, depth)
            elif depth and kind < 0.42:
                made = self.while_loop(local, depth)
            else:
                choice = self.rng.choice(simple)(local)
                made = None if choice is None else ([choice[0]], choice[1])
            if made is None:
                continue
            local.extend(made[0])
            steps.append(made[1])
        return local, steps

    def _carried(self, scope: list[Value]) -> tuple[list[Value], list[Value], list[Value]]:
        initial = [self.pick(scope) for _ in range(self.rng.randint(1, 2))]
        inner = [self.value(v.shape) for v in initial]
        return initial, inner, [self.value(v.shape) for v in initial]

    def loop(self, scope: list[Value], depth: int) -> tuple[list[Value], Step]:
        initial, inner, outer = self._carried(scope)
        trips = self.rng.randint(0, 3)
        bound, iv = self.fresh(), self.fresh()
        self.emit(f"{bound} = arith.constant {trips} : index")
        types = ", ".join(v.type for v in initial)
        init = ", ".join(f"{i.name} = {v.name}" for i, v in zip(inner, initial, strict=True))
        self._results(outer, f"scf.for {iv} = %zero to {bound} step %one iter_args({init}) -> ({types}) {{")
        local, steps = self.block([*scope, *inner], self.rng.randint(1, 4), depth - 1)
        yielded = [self.pick(local, v.shape) for v in inner]
        self.emit(f"scf.yield {', '.join(y.name for y in yielded)} : {types}\n}}")

        def run(env: Env) -> None:
            state = [env[v.name] for v in initial]
            for _ in range(trips):
                for name, value in zip(inner, state, strict=True):
                    env[name.name] = value
                for step in steps:
                    step(env)
                state = [env[y.name] for y in yielded]
            for name, value in zip(outer, state, strict=True):
                env[name.name] = value

        return outer, run

    def while_loop(self, scope: list[Value], depth: int) -> tuple[list[Value], Step]:
        initial, inner, outer = self._carried(scope)
        trips = self.rng.randint(0, 3)
        bound = self.fresh()
        self.emit(f"{bound} = arith.constant {trips} : index")
        types = ", ".join(v.type for v in initial)
        counter, after_counter = self.fresh(), self.fresh()
        init = ", ".join(f"{i.name} = {v.name}" for i, v in zip(inner, initial, strict=True))
        names = ", ".join([self.fresh(), *(v.name for v in outer)])
        self.emit(
            f"{names.split(', ')[0]}, {', '.join(v.name for v in outer)} = scf.while ({counter} = %zero, {init}) : "
            f"(index, {types}) -> (index, {types}) {{"
        )
        before, before_steps = self.block([*scope, *inner], self.rng.randint(0, 2), 0)
        passed = [self.pick(before, v.shape) for v in inner]
        go = self.fresh()
        self.emit(f"{go} = arith.cmpi slt, {counter}, {bound} : index")
        self.emit(f"scf.condition({go}) {counter}, {', '.join(p.name for p in passed)} : index, {types}\n}} do {{")
        args = [self.value(v.shape) for v in inner]
        listed = ", ".join(f"{a.name}: {a.type}" for a in args)
        self.emit(f"^bb0({after_counter}: index, {listed}):")
        after, after_steps = self.block([*scope, *args], self.rng.randint(1, 3), depth - 1)
        yielded = [self.pick(after, v.shape) for v in inner]
        following = self.fresh()
        self.emit(f"{following} = arith.addi {after_counter}, %one : index")
        self.emit(f"scf.yield {following}, {', '.join(y.name for y in yielded)} : index, {types}\n}}")

        def run(env: Env) -> None:
            state = [env[v.name] for v in initial]
            for trip in range(trips + 1):
                for name, value in zip(inner, state, strict=True):
                    env[name.name] = value
                for step in before_steps:
                    step(env)
                moved = [env[p.name] for p in passed]
                if trip == trips:
                    for name, value in zip(outer, moved, strict=True):
                        env[name.name] = value
                    return
                for name, value in zip(args, moved, strict=True):
                    env[name.name] = value
                for step in after_steps:
                    step(env)
                state = [env[y.name] for y in yielded]

        return outer, run

    def branch(self, scope: list[Value], depth: int) -> tuple[list[Value], Step]:
        shapes = [self.pick(scope).shape for _ in range(self.rng.randint(1, 2))]
        outer = [self.value(s) for s in shapes]
        source = self.pick(scope)
        indices = [self.rng.randrange(s) for s in source.shape]
        names = []
        for i in indices:
            names.append(self.fresh())
            self.emit(f"{names[-1]} = arith.constant {i} : index")
        element, zero, flag = self.fresh(), self.fresh(), self.fresh()
        self.emit(f"{element} = tensor.extract {source.name}[{', '.join(names)}] : {source.type}")
        self.emit(f"{zero} = arith.constant 0.5 : f32")
        self.emit(f"{flag} = arith.cmpf ogt, {element}, {zero} : f32")
        types = ", ".join(v.type for v in outer)
        self._results(outer, f"scf.if {flag} -> ({types}) {{")
        sides = []
        for side in range(2):
            local, steps = self.block(scope, self.rng.randint(0, 3), depth - 1)
            yielded = [self.pick(local, s) for s in shapes]
            self.emit(f"scf.yield {', '.join(y.name for y in yielded)} : {types}")
            self.emit("} else {" if side == 0 else "}")
            sides.append((steps, yielded))

        def run(env: Env) -> None:
            steps, yielded = sides[0 if env[source.name][tuple(indices)] > 0.5 else 1]
            for step in steps:
                step(env)
            for name, value in zip(outer, [env[y.name] for y in yielded], strict=True):
                env[name.name] = value

        return outer, run

    def _results(self, values: list[Value], text: str) -> None:
        self.emit(", ".join(v.name for v in values) + " = " + text)


HELPERS = "\n".join(
    f"""func.func private @helper_{kind}(%a: {t}, %b: {t}) -> {t} {{
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rows = tensor.dim %a, %zero : {t}
  %columns = tensor.dim %a, %one : {t}
  %e = tensor.empty({sizes}) : {t}
  %s = linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
    iterator_types = ["parallel", "parallel"]}} ins(%b : {t}) outs(%e : {t}) {{
  ^bb0(%x: f32, %y: f32):
    %t = arith.addf %x, %x : f32
    linalg.yield %t : f32
  }} -> {t}
  %r = linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>,
    affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}} ins(%a, %s : {t}, {t})
    outs(%e : {t}) {{
  ^bb0(%x: f32, %y: f32, %z: f32):
    %t = arith.addf %x, %y : f32
    linalg.yield %t : f32
  }} -> {t}
  return %r : {t}
}}"""
    for kind, t, sizes in (
        ("static", f"tensor<{ROWS}x{COLUMNS}xf32>", ""),
        ("dynamic", "tensor<?x?xf32>", "%rows, %columns"),
    )
)


def program(seed: int) -> Program:
    """Returns the random program of a seed."""
    rng = random.Random(seed)
    b = Builder(rng, dynamic=seed % 3 == 0)
    shapes = [(ROWS, COLUMNS), (ROWS,), (ROWS, COLUMNS)]
    arguments = [Value(f"%a{i}", s, b.type(s)) for i, s in enumerate(shapes)]
    values, steps = b.block(arguments, rng.randint(3, 9), 2)
    results = [rng.choice(values[-5:] if rng.random() < 0.8 else values) for _ in range(rng.randint(1, 3))]
    listed = ", ".join(f"{a.name}: {a.type}" for a in arguments)
    types = ", ".join(r.type for r in results)
    head = [f"func.func @p{seed}({listed}) -> ({types}) {{"]
    head += ["%zero = arith.constant 0 : index", "%one = arith.constant 1 : index"]
    if b.dynamic:
        head += [f"%rows = tensor.dim %a0, %zero : {arguments[0].type}"]
        head += [f"%columns = tensor.dim %a0, %one : {arguments[0].type}"]
    tail = [f"return {', '.join(r.name for r in results)} : {types}", "}"]

    def run(inputs: list[np.ndarray]) -> list[np.ndarray]:
        env = {a.name: x for a, x in zip(arguments, inputs, strict=True)}
        for step in steps:
            step(env)
        return [env[r.name] for r in results]

    return Program(f"p{seed}", "\n".join([*head, *b.lines, *tail]), shapes, [r.shape for r in results], run)
