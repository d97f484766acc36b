"""`relax-run`: arguments, parameters, results, checks, and one clear line for every mistake."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from safetensors.numpy import save_file
from xdsl_relax.runtime import interpreted
from xdsl_relax.targets.cpu import host_target
from xdsl_relax.tools.relax_run import main

PROGRAM = """
func.func @main(%x: tensor<?x8xf32, #relax.sym<n>>, %w: tensor<8x4xf32> {relax.name = "fc.weight"}, %b: tensor<4xf32>)
    -> tensor<?x4xf32, #relax.sym<n>> attributes {relax.num_input = 1 : i64} {
  %y = relax.matmul %x, %w : (tensor<?x8xf32, #relax.sym<n>>, tensor<8x4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
  %z = relax.add %y, %b : (tensor<?x4xf32, #relax.sym<n>>, tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
  return %z : tensor<?x4xf32, #relax.sym<n>>
}
"""

LIFTED = """
func.func @main(%x: tensor<?x8xf32, #relax.sym<n>>, %w: tensor<8x4xf32>)
    -> tensor<?x4xf32, #relax.sym<n>> attributes {relax.num_input = 1 : i64, relax.params_from = @main_transform_params} {
  %y = relax.matmul %x, %w : (tensor<?x8xf32, #relax.sym<n>>, tensor<8x4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
  return %y : tensor<?x4xf32, #relax.sym<n>>
}
func.func @main_transform_params(%w: tensor<4x8xf32> {relax.name = "fc.weight"}) -> tensor<8x4xf32>
    attributes {relax.num_input = 0 : i64} {
  %t = relax.permute_dims %w {axes = array<i64: 1, 0>} : (tensor<4x8xf32>) -> tensor<8x4xf32>
  return %t : tensor<8x4xf32>
}
"""

UNLIFTED = """
func.func @main(%x: tensor<?x8xf32, #relax.sym<n>>, %w: tensor<4x8xf32> {relax.name = "fc.weight"})
    -> tensor<?x4xf32, #relax.sym<n>> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %t = relax.permute_dims %w {axes = array<i64: 1, 0>} : (tensor<4x8xf32>) -> tensor<8x4xf32>
    %y = relax.matmul %x, %t : (tensor<?x8xf32, #relax.sym<n>>, tensor<8x4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
    relax.output %y : tensor<?x4xf32, #relax.sym<n>>
  } : tensor<?x4xf32, #relax.sym<n>>
  return %r : tensor<?x4xf32, #relax.sym<n>>
}
"""

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.mlir").write_text(PROGRAM)
    (tmp_path / "lifted.mlir").write_text(LIFTED)
    (tmp_path / "unlifted.mlir").write_text(UNLIFTED)

    def call(*args: str, file: str = "p.mlir") -> tuple[int, str, str]:
        status = main([file, "--backend", "interpret", *args])
        output = capsys.readouterr()
        return status, output.out, output.err

    return call


def save_params(path: str, **changes: np.ndarray | None) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(1)
    params: dict[str, np.ndarray | None] = {
        "fc.weight": rng.standard_normal((8, 4), dtype=np.float32),
        "b": rng.standard_normal(4, dtype=np.float32),
        **changes,
    }
    kept = {name: array for name, array in params.items() if array is not None}
    save_file(kept, path)
    return kept


def test_results_are_those_of_the_given_arrays(run: Run, tmp_path: Path):
    x = np.random.default_rng(0).standard_normal((5, 8), dtype=np.float32)
    np.save("x.npy", x)
    params = save_params("w.safetensors")
    status, out, _ = run("--input", "x=x.npy", "--params", "w.safetensors", "--out", "results")
    assert status == 0
    assert "with n = 5\n" in out and "tensor<5x4xf32>" in out
    expected = x @ params["fc.weight"] + params["b"]
    np.testing.assert_allclose(np.load(tmp_path / "results" / "result_0.npy"), expected, rtol=1e-5, atol=1e-6)


def test_the_seed_decides_and_default_sizes_are_said(run: Run):
    first, again, other = (run("--seed", seed)[1] for seed in ("1", "1", "2"))
    assert first == again != other
    assert "n = 4 (default)" in first


def test_an_input_does_not_change_the_random_parameters(run: Run):
    def weight(out: str) -> str:
        return next(line for line in out.splitlines() if "fc.weight" in line)

    assert weight(run()[1]) == weight(run("--input", "x=zeros", "--dim", "n=9")[1])


@pytest.mark.parametrize(
    ("spec", "mean"), [("zeros", "0"), ("ones", "1"), ("arange", "15.5"), ("2.5", "2.5"), ("-3", "-3")]
)
def test_made_inputs(run: Run, spec: str, mean: str):
    _, out, _ = run("--input", f"0={spec}")
    row = next(line.split() for line in out.splitlines() if line.split()[:1] == ["x"])
    assert (row[2], row[4]) == (spec, mean)


def test_a_transform_function_feeds_the_parameters(run: Run, tmp_path: Path):
    weight = np.random.default_rng(0).standard_normal((4, 8), dtype=np.float32)
    save_file({"fc.weight": weight}, "w.safetensors")
    args = ("--params", "w.safetensors", "--input", "x=ones", "--out", "r", "--check")
    status, out, err = run(*args, file="lifted.mlir")
    assert (status, err) == (0, "")
    assert "tensor<4x8xf32>" in out
    expected = np.ones((4, 8), np.float32) @ weight.T
    np.testing.assert_allclose(np.load(tmp_path / "r" / "result_0.npy"), expected, rtol=1e-5, atol=1e-6)


def test_native_code_takes_lifted_parameters_from_level_2_on(run: Run):
    for flags, lifts in (("", True), ("-O 3", True), ("-O 1", False), ("--backend interpret", False)):
        status, out, _ = run("--backend", "native", "--check", *flags.split(), file="unlifted.mlir")
        assert status == 0
        assert ("main_transform_params: 1 parameters to 1" in out) is lifts, flags


def test_parameters_come_from_several_files(run: Run):
    params = save_params("w.safetensors")
    for name, array in params.items():
        save_file({name: array}, f"{name}.safetensors")
    single = run("--params", "w.safetensors", "--out", "one")
    several = run("--params", "b.safetensors", "--params", "fc.weight.safetensors", "--out", "two")
    assert single[0] == several[0] == 0
    np.testing.assert_array_equal(np.load("one/result_0.npy"), np.load("two/result_0.npy"))


LIFT = ("--backend", "native", "-p", "relax-lift-transform-params{bundle=true}", "--input", "x=ones")


def test_transformed_parameters_are_written_and_mapped(run: Run):
    weight = np.random.default_rng(0).standard_normal((4, 8), dtype=np.float32)
    save_file({"fc.weight": weight}, "w.safetensors")
    args = (*LIFT, "--params", "w.safetensors", "--save-transformed", "t.safetensors", "--out", "made", "--check")
    status, out, err = run(*args, file="unlifted.mlir")
    assert (status, err) == (0, "")
    assert "main_transform_params: 1 parameters to 1" in out and "wrote t.safetensors" in out
    status, out, err = run(*LIFT, "--transformed", "t.safetensors", "--out", "mapped", file="unlifted.mlir")
    assert (status, err) == (0, "")
    assert "fc.weight" not in out and "main_transform_params:" not in out
    np.testing.assert_array_equal(np.load("made/result_0.npy"), np.load("mapped/result_0.npy"))
    np.testing.assert_allclose(np.load("made/result_0.npy"), np.ones((4, 8)) @ weight.T, rtol=1e-5, atol=1e-6)


def test_transformed_parameters_take_the_place_of_a_model_s_weights(run: Run):
    onnx = pytest.importorskip("onnx")
    helper, f32 = onnx.helper, onnx.TensorProto.FLOAT
    weight = onnx.numpy_helper.from_array(np.random.default_rng(0).standard_normal((8, 4), dtype=np.float32), "w")
    x, y = helper.make_tensor_value_info("x", f32, [3, 8]), helper.make_tensor_value_info("y", f32, [3, 4])
    graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["y"])], "g", [x], [y], [weight])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), "m.onnx")
    for args in (
        ("--save-transformed", "t.safetensors", "--out", "made"),
        ("--transformed", "t.safetensors", "--out", "mapped"),
    ):
        status, _, err = run("--backend", "native", "--input", "x=ones", *args, file="m.onnx")
        assert (status, err) == (0, "")
    np.testing.assert_array_equal(np.load("made/result_0.npy"), np.load("mapped/result_0.npy"))


@pytest.mark.parametrize(
    ("file", "args", "message"),
    [
        (
            "unlifted.mlir",
            "--transformed t --params w",
            "--params needs the parameters as they were, but --transformed gives",
        ),
        ("unlifted.mlir", "--transformed t --check", "--check needs the parameters as they were"),
        (
            "unlifted.mlir",
            "--transformed t --save-transformed s",
            "--save-transformed needs the parameters as they were",
        ),
        ("unlifted.mlir", "--transformed t --backend interpret", "--transformed needs --backend native"),
        ("p.mlir", "--save-transformed s -p cse", "--save-transformed: main takes no transformed parameters"),
    ],
)
def test_options_about_transformed_parameters_that_do_not_fit(run: Run, file: str, args: str, message: str):
    status, _, err = run(*LIFT, *args.split(), file=file)
    assert status == 1
    assert err.startswith(f"{file}: error: {message}")


def test_all_problems_of_parameters_are_listed_at_once(run: Run):
    changes = {"fc.weight": np.zeros((4, 8), np.float32), "b": None, "extra": np.zeros(1, np.float32)}
    save_params("w.safetensors", **changes)
    status, out, err = run("--params", "w.safetensors")
    assert (status, out) == (1, "")
    assert err.splitlines() == [
        "w.safetensors: error: parameter 'fc.weight': expected float32 [8, 4], got float32 [4, 8]",
        "w.safetensors: error: missing parameter 'b' of main: expected float32 [4]",
        "w.safetensors: error: surplus parameter 'extra': float32 [1] is not used by main",
    ]


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float64])
def test_a_parameter_of_another_dtype_is_refused(run: Run, dtype: type):
    save_params("w.safetensors", b=np.zeros(4, dtype))
    _, _, err = run("--params", "w.safetensors")
    assert f"parameter 'b': expected float32 [4], got {np.dtype(dtype).name} [4]" in err


def test_a_default_size_is_in_the_declared_range(run: Run, tmp_path: Path):
    declared = "relax.sym_lower_bounds = {n = 8 : i64}, relax.sym_upper_bounds = {n = 64 : i64}"
    (tmp_path / "ranged.mlir").write_text(PROGRAM.replace("num_input = 1 : i64", f"num_input = 1 : i64, {declared}"))
    status, out, _ = run(file="ranged.mlir")
    assert status == 0 and "n = 8 (default)" in out
    status, _, err = run("--dim", "n=65", file="ranged.mlir")
    assert status == 1 and err.endswith("error: main: argument 'x' dim 0: expected 8 <= n <= 64, got 65\n")
    status, _, interpreted = run("--dim", "n=65", "--backend", "interpret", file="ranged.mlir")
    assert status == 1 and interpreted == err


@pytest.mark.parametrize("backend", ["native", "interpret"])
def test_a_divisor_of_0_is_a_mistake(run: Run, tmp_path: Path, backend: str):
    of_n, of_m, rest = (f"tensor<?xf32, #relax.sym<{size}>>" for size in ("n", "m", "m mod n"))
    text = f"func.func @main(%x: {of_n}, %y: {of_m}, %s: {rest}) -> {of_n} {{\n  return %x : {of_n}\n}}"
    (tmp_path / "rest.mlir").write_text(text)
    for name, size in ("x", 0), ("y", 4), ("s", 3):
        np.save(f"{name}.npy", np.zeros(size, np.float32))
    for args in "--dim n=0 --dim m=4", "--input x=x.npy --input y=y.npy --input s=s.npy":
        status, _, err = run("--backend", backend, *args.split(), file="rest.mlir")
        assert status == 1 and "a divisor in the size m mod n is not positive" in err
        assert len(err.splitlines()) == 1 and err.startswith("rest.mlir: error: ")


MISTAKES = {
    "--dim m=3": "main has no symbolic dim 'm'; it has n",
    "--dim n=x": "--dim n=x: expected an integer",
    "--dim n": "--dim n: expected NAME=VALUE",
    "--dim n=-1": "dim n = -1 is negative",
    "--dim n=99999999999999": "argument 'x': a tensor of 99999999999999x8 elements: 9599999999999904 bytes of memory are needed",
    "--dim n=99999999999999 --backend interpret": "argument 'x': a tensor of 99999999999999x8 elements: ",
    "--dim n=1 --dim n=2": "--dim n is given twice",
    "--input y=zeros": "main has no argument 'y'; its inputs are x",
    "--input 7=zeros": "main has no argument '7'; its inputs are x",
    "--input x=zeros --input 0=ones": "argument 'x' is given twice",
    "--input x=foo": "input 'foo' is neither a .npy file, nor random, zeros, ones, arange, nor a number",
    "--entry nope": "there is no public function 'nope'; the module has main",
    "-p nope": "unknown pass 'nope'",
}


@pytest.mark.parametrize("args", MISTAKES)
def test_a_mistake_gives_one_line(run: Run, args: str):
    status, _, err = run(*args.split())
    assert status == 1
    assert MISTAKES[args] in err
    assert len(err.splitlines()) == 1 and err.startswith("p.mlir: error: ")


INTEGERS = """
func.func @main(%x: tensor<2xi8>, %k: i8, %i: index, %b: i1, %u: tensor<1xui64>, %f: tensor<1xf32>)
    -> (tensor<2xi8>, i8, index, i1, tensor<1xui64>, tensor<1xf32>) {
  return %x, %k, %i, %b, %u, %f : tensor<2xi8>, i8, index, i1, tensor<1xui64>, tensor<1xf32>
}
"""


@pytest.mark.parametrize(
    "number", ["99999999999999999999", "-99999999999999999999", "nan", "inf", "0.5", "1e30", "9" * 5000]
)
@pytest.mark.parametrize(
    ("spec", "wanted"),
    [
        ("x={}", "argument 'x': expected an integer from -128 to 127, got "),
        ("x=[1,{}]", "argument 'x': expected an integer from -128 to 127, got "),
        ("k={}", "argument 'k': expected an integer from -128 to 127, got "),
        ("i={}", f"argument 'i': expected an integer from {-(2**63)} to {2**63 - 1}, got "),
        ("b={}", "argument 'b': expected an integer from 0 to 1, got "),
        ("u=[{}]", f"argument 'u': expected an integer from 0 to {2**64 - 1}, got "),
    ],
)
def test_integers_hold_what_is_given(run: Run, tmp_path: Path, spec: str, wanted: str, number: str):
    (tmp_path / "p.mlir").write_text(INTEGERS)
    status, _, err = run("--backend", "interpret", "--input", spec.format(number))
    assert status == 1 and err.startswith(f"p.mlir: error: {wanted}") and err.count("\n") == 1 and len(err) < 200


@pytest.mark.parametrize(
    ("spec", "shown"),
    [
        ("x=[1e2,-128]", "-128 -14 100"),
        ("k=127", "127 127 127"),
        (f"i={-(2**63)}", f"{-(2**63)} -9.2234e+18 {-(2**63)}"),
        ("b=1", "1 1 1"),
        (f"u={2**64 - 1}", f"{2**64 - 1} 1.8447e+19 {2**64 - 1}"),
        ("f=99999999999999999999", "1e+20 1e+20 1e+20"),
        (f"f=-1{'0' * 400}", "-inf -inf -inf"),
    ],
)
def test_integers_at_the_ends_of_their_range(run: Run, tmp_path: Path, spec: str, shown: str):
    (tmp_path / "p.mlir").write_text(INTEGERS)
    status, out, err = run("--backend", "interpret", "--input", spec)
    position = "xkibuf".index(spec[0])
    assert status == 0, err
    assert next(line.split()[3:] for line in out.splitlines() if f"result {position}" in line) == shown.split()


FILES_AT_FAULT = {
    "--input x=no.npy": "no.npy: error: no such file or directory",
    "--input x=text.npy": "text.npy: error: not a numpy array file (EOF: reading magic string, expected 8 bytes got 7)",
    "--input x=plain.npy": "plain.npy: error: not a numpy array file (the magic string is not correct",
    "--input x=short.npy --dim n=3": "short.npy: error: argument 'x': expected float32 [n, 8] where n = 3, got float32 [2, 8]",
    "--input x=wide.npy": "wide.npy: error: argument 'x': expected float32 [n, 8], got float32 [2, 9]",
    "--input x=deep.npy": "deep.npy: error: argument 'x': expected float32 [n, 8], got float32 [2, 8, 1]",
    "--input x=double.npy": "double.npy: error: argument 'x': expected float32 [n, 8], got float64 [2, 8]",
    "--input fc.weight=short.npy": "short.npy: error: argument 'fc.weight': expected float32 [8, 4], got float32 [2, 8]",
    "--params no.safetensors": "no.safetensors: error: no such file or directory",
    "--params text.npy": "text.npy: error: not a readable safetensors file (it is shorter than 8 bytes)",
    "--params index.json": "index.json: error: not an index of safetensors files",
    "--params empty": "empty: error: expected one safetensors.index.json or safetensors files, got 0 of them",
    "--out text.npy": "text.npy: error: --out takes a directory, this is a file",
    "--backend native --transformed none": "none: error: no such file or directory",
    "--backend native --transformed text.npy": "text.npy: error: not a readable safetensors file (it is shorter than 8 bytes)",
    "--out text.npy/results": "text.npy/results: error: not a directory",
}


@pytest.mark.parametrize("args", FILES_AT_FAULT)
def test_the_file_at_fault_is_named(run: Run, args: str):
    Path("text.npy").write_text("no data")
    Path("plain.npy").write_text("this is no array")
    Path("index.json").write_text("{}")
    Path("empty").mkdir()
    for name, array in {
        "short": np.zeros((2, 8), np.float32),
        "wide": np.zeros((2, 9), np.float32),
        "deep": np.zeros((2, 8, 1), np.float32),
        "double": np.zeros((2, 8)),
    }.items():
        np.save(f"{name}.npy", array)
    status, _, err = run(*args.split(), file="lifted.mlir" if "transformed" in args else "p.mlir")
    assert status == 1 and err.startswith(FILES_AT_FAULT[args]) and len(err.splitlines()) == 1


def test_a_bad_program_is_reported_as_by_relax_opt(run: Run):
    Path("bad.mlir").write_text("func.func @main() {\n  oops\n}")
    status, _, err = run(file="bad.mlir")
    assert status == 1 and err.startswith("bad.mlir:2:3: error: operation oops is not registered\n")
    Path("scope.mlir").write_text("\nfunc.func @main(%x: tensor<?xf32, #relax.sym<2 * n>>) {\n  return\n}")
    status, _, err = run(file="scope.mlir")
    assert status == 1 and err.startswith("scope.mlir:2:1: error: symbol n in argument 0 of @main is not defined")
    assert run(file="nofile.mlir")[::2] == (1, "nofile.mlir: error: no such file or directory\n")


def test_a_failed_check_is_exit_status_1(run: Run, monkeypatch: pytest.MonkeyPatch):
    interpret = interpreted.interpret
    calls: list[object] = []

    def wrong_first(module: object) -> object:
        calls.append(module)
        call = interpret(module)  # pyright: ignore
        if len(calls) > 1:
            return call
        return lambda *args: tuple(result + np.float32(1) for result in call(*args))

    monkeypatch.setattr(interpreted, "interpret", wrong_first)
    status, out, _ = run("--check")
    assert status == 1 and "check: result 0 FAILED: error" in out


ROOTS = """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = relax.sqrt %x : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}"""


@pytest.mark.parametrize(("value", "is_said"), [("-1", True), ("1", False)])
def test_a_check_says_that_all_results_are_nan(run: Run, tmp_path: Path, value: str, is_said: bool):
    (tmp_path / "roots.mlir").write_text(ROOTS)
    status, out, err = run("--check", "--input", f"x={value}", file="roots.mlir")
    assert (
        status == 0 and ("check: result 0 agrees with the interpreter: all elements of both are NaN" in out) == is_said
    )
    warning = "relax-run: warning: nothing was compared: all results are NaN, empty, or no arrays\n"
    assert err == (warning if is_said else "")


NO_BODY = """
func.func private @elsewhere(tensor<4xf32>) -> tensor<4xf32>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = func.call @elsewhere(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}"""


@pytest.mark.parametrize("backend", ["native", "interpret"])
def test_a_call_of_a_function_without_body_is_refused(run: Run, tmp_path: Path, backend: str):
    (tmp_path / "no_body.mlir").write_text(NO_BODY)
    status, _, err = run("--backend", backend, file="no_body.mlir")
    assert status == 1 and err.startswith("no_body.mlir:4:3: error: @elsewhere has no body")


@pytest.mark.parametrize(
    ("types", "name", "refused"),
    [
        ("%x: tensor<4xi4>", "x", "i4"),
        ("%x: tensor<f8E4M3FN>", "x", "f8E4M3FN"),
        ("%x: tuple<tensor<2xf32>, tensor<4xi128>>", "x", "i128"),
        ("%x: f32, %k: i4", "k", "i4"),
    ],
)
def test_types_of_which_there_are_no_arrays_are_refused(run: Run, tmp_path: Path, types: str, name: str, refused: str):
    (tmp_path / "small.mlir").write_text(f"func.func @main({types}) {{\n  return\n}}")
    for backend in ("native", "interpret"):
        status, _, err = run("--backend", backend, file="small.mlir")
        assert status == 1 and err.splitlines()[0] == (
            f"small.mlir:1:1: error: main: argument '{name}': expected elements of "
            f"f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, i1, got {refused}"
        )


@pytest.mark.parametrize(
    ("args", "flag"),
    [("p.mlir --profile trace.json", "--profile=trace.json"), ("p.mlir --check onnxruntime", "--check=onnxruntime")],
)
def test_a_value_that_stands_behind_a_space_is_said(args: str, flag: str, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit):
        main(args.split())
    assert capsys.readouterr().err.endswith(f"; a value of {flag.partition('=')[0]} stands behind '=': {flag}\n")


def test_threads_may_be_left_to_the_time_of_the_call(run: Run):
    status, out, _ = run("--backend", "native", "--threads", "0", "--check")
    assert status == 0 and "agrees with the interpreter" in out


def test_time_reports_median_and_minimum(run: Run):
    _, out, _ = run("--time", "3")
    assert "time of 3 calls: median " in out and ", minimum " in out


def test_results_that_have_no_place_are_refused_before_the_work(run: Run, tmp_path: Path):
    (tmp_path / "taken").write_text("")
    for file in ("p.mlir", "no_such.mlir"):
        assert run("--out", "taken", file=file) == (1, "", "taken: error: --out takes a directory, this is a file\n")


def test_a_foreign_target_is_refused_before_the_program_is_read(run: Run):
    foreign = "aarch64-generic" if host_target().architecture == "x86_64" else "x86-64"
    status, out, err = run("--backend", "native", "--target", foreign, file="no_such.mlir")
    assert (status, out) == (1, "") and err.startswith(
        f"no_such.mlir: error: cannot run code for {foreign}: this machine is "
    )


@pytest.mark.parametrize(("element", "number"), [("f32", "1e39"), ("f16", "-7e4"), ("bf16", "1e39")])
def test_floats_beyond_their_type_are_refused(element: str, number: str, run: Run, tmp_path: Path):
    (tmp_path / "p.mlir").write_text(
        f"func.func @main(%x: tensor<2x{element}>) -> tensor<2x{element}> {{ return %x : tensor<2x{element}> }}"
    )
    status, _, err = run("--backend", "interpret", "--input", f"x=[1,{number}]")
    assert status == 1
    assert err.startswith("p.mlir: error: argument 'x': expected a number that ")
    assert run("--backend", "interpret", "--input", "x=inf")[0] == 0


def test_numbers_that_are_counted_fit_their_type(run: Run, tmp_path: Path):
    text = "func.func @main(%x: tensor<129xi8>) -> tensor<129xi8> { return %x : tensor<129xi8> }"
    (tmp_path / "p.mlir").write_text(text)
    status, _, err = run("--backend", "interpret", "--input", "x=arange")
    assert status == 1
    assert err == "p.mlir: error: argument 'x' as 'arange': expected an integer from -128 to 127, got 128\n"
    (tmp_path / "p.mlir").write_text(text.replace("129", "128"))
    status, out, err = run("--backend", "interpret", "--input", "x=arange")
    assert (status, err) == (0, "") and "0 63.5 127" in " ".join(out.split())


@pytest.mark.parametrize("flags", ["--time --profile", "--profile --time", "--time -O 1"])
def test_calls_are_timed_without_a_number(run: Run, flags: str):
    status, out, err = run("--backend", "native", *flags.split())
    assert (status, err) == (0, "")
    assert "10 calls" in out


def test_a_command_line_without_a_file_is_refused(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit):
        main([])
    assert "relax-run: error: the following arguments are required: file" in capsys.readouterr().err


@pytest.mark.parametrize("number", ["0", "-3", "x"])
def test_a_number_of_calls_is_positive(run: Run, capsys: pytest.CaptureFixture[str], number: str):
    with pytest.raises(SystemExit):
        run("--time", number)
    assert "argument --time: expected" in capsys.readouterr().err


def test_an_empty_file_of_bytecode_is_called_empty(run: Run, tmp_path: Path):
    pytest.importorskip("jaxlib", reason="needs jax")
    (tmp_path / "p.mlirbc").write_bytes(b"")
    status, _, err = run(file="p.mlirbc")
    assert (status, err) == (1, "p.mlirbc: error: not a program of StableHLO: the file is empty\n")
