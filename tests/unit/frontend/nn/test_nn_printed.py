"""The cases of the exporter document: the printed IR of small modules, with and without effects."""

import re

import pytest
from xdsl_relax.frontend import nn


class Activations(nn.Module):
    def forward_relu(self, x: nn.Tensor) -> nn.Tensor:
        return nn.relu(x)

    def forward_silu(self, x: nn.Tensor) -> nn.Tensor:
        return nn.silu(x)


MODULES = {
    "relu": (nn.modules.ReLU(), {"forward": {"x": nn.spec.Tensor((3, 3), "float32")}}, False),
    "relu_debug": (nn.modules.ReLU(), {"forward": {"x": nn.spec.Tensor((3, 3), "float32")}}, True),
    "dynamic": (
        nn.modules.ReLU(),
        {"forward": {"x": nn.spec.Tensor([nn.SymbolicVar("batch_size"), 8], "float32")}},
        False,
    ),
    "two_methods": (
        Activations(),
        {
            name: {"x": nn.spec.Tensor((nn.SymbolicVar("batch_size"), 8), "float32")}
            for name in ("forward_relu", "forward_silu")
        },
        False,
    ),
    "dynamic_linear_debug": (
        nn.modules.Linear(in_features=4, out_features="n", bias=True),
        {"forward": {"x": nn.spec.Tensor((1, 4), "float32")}},
        True,
    ),
}
"""The module, its specification, and whether it is exported for debugging."""

EXPECTED = """
// relu
builtin.module {
  func.func @forward(%x: tensor<3x3xf32>) -> tensor<3x3xf32> attributes {relax.num_input = 1 : i64} {
    %gv = relax.dataflow {
      %relu = relax.nn.relu %x : (tensor<3x3xf32>) -> tensor<3x3xf32>
      relax.output %relu : tensor<3x3xf32>
    } : tensor<3x3xf32>
    func.return %gv : tensor<3x3xf32>
  }
}
// relu_debug
builtin.module {
  func.func @_initialize_effect() -> tuple<!relax.object> {
    %gv = relax.dataflow {
      %_io = relax.null_value : () -> !relax.object
      %0 = relax.tuple %_io : (!relax.object) -> tuple<!relax.object>
      relax.output %0 : tuple<!relax.object>
    } : tuple<!relax.object>
    func.return %gv : tuple<!relax.object>
  }
  func.func @forward(%x: tensor<3x3xf32>, %_io: !relax.object) -> tuple<tensor<3x3xf32>, tuple<!relax.object>> attributes {relax.num_input = 2 : i64} {
    %gv = relax.dataflow {
      %relu = relax.nn.relu %x : (tensor<3x3xf32>) -> tensor<3x3xf32>
      %0 = relax.tuple %_io : (!relax.object) -> tuple<!relax.object>
      %1 = relax.tuple %relu, %0 : (tensor<3x3xf32>, tuple<!relax.object>) -> tuple<tensor<3x3xf32>, tuple<!relax.object>>
      relax.output %1 : tuple<tensor<3x3xf32>, tuple<!relax.object>>
    } : tuple<tensor<3x3xf32>, tuple<!relax.object>>
    func.return %gv : tuple<tensor<3x3xf32>, tuple<!relax.object>>
  }
}
// dynamic
builtin.module {
  func.func @forward(%x: tensor<?x8xf32, #relax.sym<batch_size>>) -> tensor<?x8xf32, #relax.sym<batch_size>> attributes {relax.num_input = 1 : i64} {
    %gv = relax.dataflow {
      %relu = relax.nn.relu %x : (tensor<?x8xf32, #relax.sym<batch_size>>) -> tensor<?x8xf32, #relax.sym<batch_size>>
      relax.output %relu : tensor<?x8xf32, #relax.sym<batch_size>>
    } : tensor<?x8xf32, #relax.sym<batch_size>>
    func.return %gv : tensor<?x8xf32, #relax.sym<batch_size>>
  }
}
// two_methods
builtin.module {
  func.func @forward_relu(%x: tensor<?x8xf32, #relax.sym<batch_size>>) -> tensor<?x8xf32, #relax.sym<batch_size>> attributes {relax.num_input = 1 : i64} {
    %gv = relax.dataflow {
      %relu = relax.nn.relu %x : (tensor<?x8xf32, #relax.sym<batch_size>>) -> tensor<?x8xf32, #relax.sym<batch_size>>
      relax.output %relu : tensor<?x8xf32, #relax.sym<batch_size>>
    } : tensor<?x8xf32, #relax.sym<batch_size>>
    func.return %gv : tensor<?x8xf32, #relax.sym<batch_size>>
  }
  func.func @forward_silu(%x: tensor<?x8xf32, #relax.sym<batch_size>>) -> tensor<?x8xf32, #relax.sym<batch_size>> attributes {relax.num_input = 1 : i64} {
    %gv = relax.dataflow {
      %silu = relax.nn.silu %x : (tensor<?x8xf32, #relax.sym<batch_size>>) -> tensor<?x8xf32, #relax.sym<batch_size>>
      relax.output %silu : tensor<?x8xf32, #relax.sym<batch_size>>
    } : tensor<?x8xf32, #relax.sym<batch_size>>
    func.return %gv : tensor<?x8xf32, #relax.sym<batch_size>>
  }
}
// dynamic_linear_debug
builtin.module {
  func.func @_initialize_effect() -> tuple<!relax.object> {
    %gv = relax.dataflow {
      %_io = relax.null_value : () -> !relax.object
      %0 = relax.tuple %_io : (!relax.object) -> tuple<!relax.object>
      relax.output %0 : tuple<!relax.object>
    } : tuple<!relax.object>
    func.return %gv : tuple<!relax.object>
  }
  func.func @forward(%x: tensor<1x4xf32>, %_io: !relax.object, %weight: tensor<?x4xf32, #relax.sym<n>> {relax.name = "weight"}, %bias: tensor<?xf32, #relax.sym<n>> {relax.name = "bias"}) -> tuple<tensor<1x?xf32, #relax.sym<n>>, tuple<!relax.object>> attributes {relax.num_input = 2 : i64} {
    %gv = relax.dataflow {
      %permute_dims = relax.permute_dims %weight : (tensor<?x4xf32, #relax.sym<n>>) -> tensor<4x?xf32, #relax.sym<n>>
      %matmul = relax.matmul %x, %permute_dims : (tensor<1x4xf32>, tensor<4x?xf32, #relax.sym<n>>) -> tensor<1x?xf32, #relax.sym<n>>
      %add = relax.add %matmul, %bias : (tensor<1x?xf32, #relax.sym<n>>, tensor<?xf32, #relax.sym<n>>) -> tensor<1x?xf32, #relax.sym<n>>
      %0 = relax.tuple %_io : (!relax.object) -> tuple<!relax.object>
      %1 = relax.tuple %add, %0 : (tensor<1x?xf32, #relax.sym<n>>, tuple<!relax.object>) -> tuple<tensor<1x?xf32, #relax.sym<n>>, tuple<!relax.object>>
      relax.output %1 : tuple<tensor<1x?xf32, #relax.sym<n>>, tuple<!relax.object>>
    } : tuple<tensor<1x?xf32, #relax.sym<n>>, tuple<!relax.object>>
    func.return %gv : tuple<tensor<1x?xf32, #relax.sym<n>>, tuple<!relax.object>>
  }
}
"""


def expected(name: str) -> str:
    """Returns the program that stands behind a name."""
    programs = dict(re.findall(r"^// (\w+)\n(.*?)^(?=// |\Z)", EXPECTED, re.S | re.M))
    return programs[name].strip()


@pytest.mark.parametrize("name", MODULES)
def test_printed_ir(name: str):
    module, spec, debug = MODULES[name]
    program, _ = module.export_tvm(spec=spec, debug=debug)
    assert str(program) == expected(name)
