"""What `compile(passes=...)` takes, and when it runs."""

from __future__ import annotations

import pytest
import xdsl_relax
from xdsl_relax.lowering.cpu.schedule.schedule_linalg import ScheduleLinalgPass
from xdsl_relax.lowering.pipeline_spec import PipelineSpecError
from xdsl_relax.passes.fusion.fuse_ops import FuseOpsPass
from xdsl_relax.targets.cpu import DEFAULT, cpu_target, default_target

PROGRAM = """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = relax.nn.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
"""

FIRST = "relax-convert-to-value-semantics"


def names_of(passes) -> list[str]:
    seen: list[str] = []
    xdsl_relax.compile(PROGRAM, passes=passes, observer=lambda name, module, seconds: seen.append(name))
    return seen


@pytest.mark.parametrize(
    ("passes", "expected"),
    [
        ((), []),
        ("", []),
        ("cse", ["cse"]),
        ("cse,relax-fuse-ops{opt_level=0}", ["cse", "relax-fuse-ops{opt_level=0}"]),
        (["cse,dce", FuseOpsPass(opt_level=0)], ["cse", "dce", "relax-fuse-ops{opt_level=0}"]),
    ],
)
def test_passes_run_first(passes, expected: list[str]):
    names = names_of(passes)
    assert names[: len(expected) + 1] == [*expected, FIRST]


def test_passes_run_before_a_stage():
    names = names_of({"linalg": "cse,dce", "optimize": [FuseOpsPass(opt_level=0)]})
    assert names[0] == "relax-fuse-ops{opt_level=0}"
    at = names.index("check-bounds")
    assert names[at - 3 : at + 2] == ['check-legality{stage="graph"}', "cse", "dce", "check-bounds", "relax-to-linalg"]


@pytest.mark.parametrize("threads", [0, 1, 2])
@pytest.mark.parametrize("target", [None, "x86-64-v2", "x86-64-v3"])
def test_passes_are_for_the_target_and_the_threads_of_the_compilation(target: str | None, threads: int):
    seen: list[str] = []
    passes = {"loops": ["schedule-linalg", "schedule-linalg{target=x86-64 threads=3}", ScheduleLinalgPass()]}
    xdsl_relax.compile(
        PROGRAM, target=target, threads=threads, passes=passes, observer=lambda name, module, seconds: seen.append(name)
    )
    own = ScheduleLinalgPass(target=cpu_target(target or default_target()).name, threads=threads)
    given = [own, ScheduleLinalgPass(target="x86-64", threads=3), ScheduleLinalgPass(target=DEFAULT)]
    made = [str(each.pipeline_pass_spec()) for each in given]
    assert [name for name in seen if name.startswith("schedule-linalg")][:3] == made


@pytest.mark.parametrize(
    ("passes", "message"),
    [
        (
            "relax-fuse-opz",
            "unknown pass 'relax-fuse-opz' (did you mean 'relax-fuse-ops' or ",
        ),
        (["cse{", "dce"], "cannot read the pass pipeline 'cse{': "),
        ("relax-fuse-ops{level=0}", "pass 'relax-fuse-ops' has no option 'level' (did you mean 'opt_level'?)"),
        (
            {"tune": "cse"},
            "there is no stage 'tune', expected one of optimize, graph, linalg, fuse, buffers, loops, llvm",
        ),
    ],
)
def test_what_is_no_pass_is_refused(passes, message: str):
    with pytest.raises(PipelineSpecError) as error:
        xdsl_relax.compile(PROGRAM, passes=passes)
    assert str(error.value).startswith(message)
