"""What `relax-opt --explain` may be asked for, and what it answers and refuses."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from harness.explained_programs import CHAIN, CONVOLUTION, PRODUCT, expand, place, program
from xdsl_relax.tools.relax_opt import main


def test_what_is_asked_for_may_be_a_value_an_op_or_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "p.mlir"
    file.write_text(PRODUCT)
    assert main([str(file), "--explain", "y"]) == 0
    answer = capsys.readouterr().out
    assert "%y = relax.matmul in @main" in answer
    ways = ("%y", "relax.matmul", "matmul", "4", "4:5", "4:8", "4:30", f"{file}:4:5")
    assert main([str(file), *(word for wanted in ways for word in ("--explain", wanted))]) == 0
    assert capsys.readouterr().out == answer * len(ways)


def test_the_external_name_of_a_parameter_stands_for_what_reads_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "p.mlir"
    text = CONVOLUTION.replace("%w: tensor<24x3x3x3xf32>", '%w: tensor<24x3x3x3xf32> {relax.name = "conv.weight"}')
    file.write_text(
        text.replace("%x: tensor<1x3x32x32xf32>", '%u: !M {relax.name = "unused"}, %x: tensor<1x3x32x32xf32>')
    )
    file.write_text(expand(file.read_text()).replace("relax.num_input = 1", "relax.num_input = 2"))
    answers: set[str] = set()
    for wanted in ("a", "conv.weight"):
        assert main([str(file), "--lift", "--explain", wanted]) == 0
        answers.add(capsys.readouterr().out)
    assert len(answers) == 1 and "%a = relax.nn.conv2d in @main" in answers.pop()
    assert main([str(file), "--explain", "unused"]) == 1
    reason = "'unused' is an argument of @main, which no op computes; nothing reads it"
    assert capsys.readouterr().err.splitlines() == [f"{file}: error: --explain: {reason}"]
    assert main([str(file), "--explain", "conv.wieght"]) == 1
    assert "did you mean 'conv.weight'?" in capsys.readouterr().err


def test_the_last_word_of_a_name_is_enough(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "p.mlir"
    file.write_text(
        "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
        "  %y = relax.nn.relu %x : (tensor<4xf32>) -> tensor<4xf32>\n  return %y : tensor<4xf32>\n}\n"
    )
    assert main([str(file), "--explain", "relu"]) == 0
    assert "%y = relax.nn.relu in @main" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("wanted", "reason"),
    [
        ("w", "'w' is an argument of @main, which no op computes; it is read by relax.permute_dims ({t})"),
        ("%w", "'%w' is an argument of @main, which no op computes; it is read by relax.permute_dims ({t})"),
        ("output", "'output' is an op without results, nothing is decided of it"),
        (
            "matmull",
            "no op with results has the name, value, line or line:column 'matmull', did you mean 'relax.matmul'?",
        ),
        ("rellu", "no op with results has the name, value, line or line:column 'rellu', did you mean 'relax.nn.relu'?"),
        (
            "conv2d",
            "no op with results has the name, value, line or line:column 'conv2d'; "
            "there are relax.dataflow, relax.permute_dims, relax.matmul, relax.nn.relu",
        ),
        ("4:2", "no op with results has the name, value, line or line:column '4:2'"),
        ("99:1", "no op with results has the name, value, line or line:column '99:1'"),
        ("4:500", "no op with results has the name, value, line or line:column '4:500'"),
        ("0:5", "no op with results has the name, value, line or line:column '0:5'"),
    ],
)
def test_what_no_op_computes_is_one_line_that_says_why(
    wanted: str, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = tmp_path / "p.mlir"
    file.write_text(PRODUCT)
    assert main([str(file), "--explain", wanted]) == 1
    expected = reason.replace("{t}", f"{file}:{place(PRODUCT, 't')}")
    assert capsys.readouterr().err.splitlines() == [f"{file}: error: --explain: {expected}"]


DEAD = """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = relax.nn.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  %a = relax.sin %r : (tensor<4xf32>) -> tensor<4xf32>
  %b = relax.cos %a : (tensor<4xf32>) -> tensor<4xf32>
  %o = relax.dataflow {
    %c = relax.exp %r : (tensor<4xf32>) -> tensor<4xf32>
    relax.output %c : tensor<4xf32>
  } : tensor<4xf32>
  %n = relax.negative %r : (tensor<4xf32>) -> tensor<4xf32>
  %m = relax.negative %n : (tensor<4xf32>) -> tensor<4xf32>
  return %m : tensor<4xf32>
}"""


@pytest.mark.parametrize("pipeline", ["relax-dead-code-elimination", "loops"])
def test_nothing_reads_an_op_that_is_dead(pipeline: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "p.mlir"
    file.write_text(DEAD)
    for value in "abc":
        assert main([str(file), "-p", pipeline, "--explain", value]) == 0
        last = capsys.readouterr().out.splitlines()[-1]
        assert last.startswith("  it is gone since ") and last.endswith(": nothing reads it")
    for value in "rnm":
        assert main([str(file), "-p", pipeline, "--explain", value]) == 0
        assert "nothing reads it" not in capsys.readouterr().out


def test_several_ops_are_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "p.mlir"
    file.write_text(PRODUCT)
    alone: list[str] = []
    for value in ("z", "t"):
        assert main([str(file), "--explain", value]) == 0
        alone.append(capsys.readouterr().out)
    assert main([str(file), "--explain", "z", "--explain", "t"]) == 0
    assert capsys.readouterr().out == "".join(alone)


def test_what_was_not_decided_is_not_answered(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "p.mlir"
    file.write_text(PRODUCT)
    for passes, undecided in (
        ("relax-infer-shapes", ("relax-fuse-ops", "schedule-linalg", "plan-arena")),
        ("linalg", ("schedule-linalg", "plan-arena")),
        ("buffers", ("schedule-linalg",)),
        ("loops", ()),
    ):
        assert main([str(file), "--explain", "y", "-p", passes]) == 0
        out = capsys.readouterr().out
        said = re.findall(r"not decided: (\S+) did not run$", out, re.MULTILINE)
        assert tuple(said) == undecided and "no kernel computes it" not in out


VIEWED = program(
    "%x: !M, %w: !M, %b: !V",
    """
    %e = relax.expand_dims %b {axis = array<i64: 1>} : (!V) -> tensor<64x1xf32>
    %y = relax.matmul %x, %w : (!M, !M) -> !M
    %a = relax.add %y, %e : (!M, tensor<64x1xf32>) -> !M
    %z = relax.matmul %a, %w : (!M, !M) -> !M
    %c = relax.add %z, %e : (!M, tensor<64x1xf32>) -> !M
    """,
    "%c:!M",
)


def test_kernels_that_take_views_are_followed_under_their_new_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Also the second of two that are equal, whose loops have the positions of the first."""
    file = tmp_path / "p.mlir"
    file.write_text(VIEWED)
    renamed = "  kernel: @fused_matmul_add becomes @fused_expand_dims_matmul_add, which takes views of operands itself"
    for value in ("y", "z"):
        assert main([str(file), "--explain", value]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines.count(renamed) == 1
        assert [line for line in lines if "  schedule: linalg.generic" in line and "<contraction, " in line]
        assert [line for line in lines if line.startswith("  memory: @fused_expand_dims_matmul_add ")]
    file.write_text(PRODUCT)
    assert main([str(file), "--explain", "y"]) == 0
    assert "becomes" not in capsys.readouterr().out


def test_remarks_of_all_passes_are_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "p.mlir"
    file.write_text(PRODUCT)
    assert main([str(file), "-p", "loops"]) == 0
    plain = capsys.readouterr()
    assert main([str(file), "-p", "loops", "--remarks"]) == 0
    printed = capsys.readouterr()
    assert printed.out == plain.out and plain.err == ""
    lines = printed.err.splitlines()
    assert all(line.startswith(f"{file}:") for line in lines)
    for topic in ("fusion", "kernel", "schedule", "memory"):
        assert any(f": remark: {topic}: " in line for line in lines), topic
    assert main([str(file), "--remarks"]) == 0
    assert capsys.readouterr() == printed


def test_layers_of_models_have_their_names_and_positions_of_their_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = tmp_path / "p.mlir"
    text = CHAIN.replace(") -> tensor<64x64xf32>\n", ') -> tensor<64x64xf32> loc("layers.0.act"("model.py":7:9))\n')
    file.write_text(text)
    assert main([str(file), "--explain", "b"]) == 0
    out = capsys.readouterr().out
    assert f"{file}:{place(text, 'b')}: %b = relax.negative of layers.0.act in @main" in out and "model.py" not in out


def test_what_stands_in_a_branch_is_said_to_stay_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "p.mlir"
    file.write_text(
        expand(
            "func.func @main(%x: !V, %c: i1, %w: !V) -> !V attributes {relax.num_input = 2 : i64} {\n"
            "  %r = scf.if %c -> (!V) {\n    %e = relax.exp %w : (!V) -> !V\n    %s = relax.add %e, %x : (!V, !V) -> !V\n"
            "    scf.yield %s : !V\n  } else {\n    scf.yield %x : !V\n  }\n  return %r : !V\n}\n"
        )
    )
    for wanted, shown in (("e", "%e"), ("s", "relax.add")):
        assert main([str(file), "-p", "relax-lift-transform-params", "--explain", wanted]) == 0
        text = f"{shown} stays in @main: it is in the body of a loop or branch"
        assert text in capsys.readouterr().out


@pytest.mark.parametrize("options", ["", "{shared=true}"])
def test_a_transform_has_the_name_that_it_gets(tmp_path: Path, capsys: pytest.CaptureFixture[str], options: str):
    taken = "transform_params" if options else "main_transform_params"
    file = tmp_path / "p.mlir"
    file.write_text(PRODUCT + expand(f"func.func @{taken}(%a: !V) -> !V {{\n  return %a : !V\n}}\n"))
    assert main([str(file), "-p", f"relax-lift-transform-params{options}", "--explain", "t"]) == 0
    assert f"%t lifted from @main into @{taken}_1 as 't'" in capsys.readouterr().out


def test_compilation_says_the_same_whether_remarks_are_recorded_or_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    from xdsl_relax.passes.analysis.remarks import recording

    file = tmp_path / "p.mlir"
    file.write_text(PRODUCT)
    texts: list[str] = []
    for record in (False, True):
        if record:
            with recording() as remarks:
                assert main([str(file), "-p", "loops", "--lift"]) == 0
            assert len(remarks) > 10
        else:
            assert main([str(file), "-p", "loops", "--lift"]) == 0
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1]


BATCH = """
func.func @main(%x: tensor<8x3x8x8xf32>, %w: tensor<6x3x3x3xf32>) -> tensor<8x6x8x8xf32> {
  %c = relax.nn.conv2d %x, %w {padding = array<i64: 1, 1, 1, 1>} : (tensor<8x3x8x8xf32>, tensor<6x3x3x3xf32>) -> tensor<8x6x8x8xf32>
  %y = relax.nn.relu %c : (tensor<8x6x8x8xf32>) -> tensor<8x6x8x8xf32>
  return %y : tensor<8x6x8x8xf32>
}
"""


def test_what_holds_for_all_images_of_a_batch_is_said_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "p.mlir"
    counts: list[int] = []
    for batch in (8, 32):
        file.write_text(BATCH.replace("<8x", f"<{batch}x"))
        passes = "relax-infer-shapes,relax-split-batches{cache=12288},loops"
        for value in ("c", "y"):
            assert main([str(file), "-p", passes, "--explain", value]) == 0
            out = capsys.readouterr().out
            assert f"@images ({file}:3:3): its {batch} results take 1536 bytes each, at offsets " in out
        counts.append(len(out))
    assert counts[1] < counts[0] * 1.1
