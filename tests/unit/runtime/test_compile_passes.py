"""What `compile(passes=...)` takes, and when it runs."""

from __future__ import annotations

import pytest
import xdsl_relax
from xdsl_relax.lowering.pipeline_spec import PipelineSpecError
from xdsl_relax.passes.fusion.fuse_ops import FuseOpsPass

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
