"""Relax-to-relax passes: the registry, one line a pass. A pass is imported when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xdsl.passes import ModulePass


def lazy(package: str, module: str, name: str) -> Callable[[], type[ModulePass]]:
    """Returns a factory that imports a pass class when it is called."""
    return lambda: getattr(import_module(f"{package}.{module}"), name)


def _pass(module: str, name: str) -> Callable[[], type[ModulePass]]:
    return lazy(__name__, module, name)


PASSES: dict[str, Callable[[], type[ModulePass]]] = {
    "relax-adjust-matmul-order": _pass("contraction.adjust_matmul_order", "AdjustMatmulOrderPass"),
    "relax-backward-fold-scale-axis": _pass("folding.backward_fold_scale_axis", "BackwardFoldScaleAxisPass"),
    "relax-bind-element-types": _pass("cleanup.bind_element_types", "BindElementTypesPass"),
    "relax-bind-params": _pass("cleanup.bind_params", "BindParamsPass"),
    "relax-bind-symbolic-vars": _pass("cleanup.bind_symbolic_vars", "BindSymbolicVarsPass"),
    "relax-bundle-model-params": _pass("lifting.bundle_model_params", "BundleModelParamsPass"),
    "relax-canonicalize-bindings": _pass("cleanup.canonicalize_bindings", "CanonicalizeBindingsPass"),
    "relax-combine-parallel-batch-matmul": _pass(
        "contraction.combine_parallel_batch_matmul", "CombineParallelBatchMatmulPass"
    ),
    "relax-combine-parallel-conv2d": _pass("contraction.combine_parallel_conv2d", "CombineParallelConv2DPass"),
    "relax-combine-parallel-matmul": _pass("contraction.combine_parallel_matmul", "CombineParallelMatmulPass"),
    "relax-computable-at-compile-time": _pass("lifting.computable_at_compile_time", "ComputableAtCompileTimePass"),
    "relax-convert-to-dataflow": _pass("cleanup.convert_to_dataflow", "ConvertToDataflowPass"),
    "relax-convert-to-destination-style": _pass("memory.convert_to_destination_style", "ConvertToDestinationStylePass"),
    "relax-convert-to-value-semantics": _pass("memory.convert_to_value_semantics", "ConvertToValueSemanticsPass"),
    "relax-dead-code-elimination": _pass("cleanup.dead_code_elimination", "DeadCodeEliminationPass"),
    "relax-eliminate-common-subexpr": _pass("cleanup.eliminate_common_subexpr", "EliminateCommonSubexprPass"),
    "relax-expand-matmul-of-sum": _pass("contraction.expand_matmul_of_sum", "ExpandMatmulOfSumPass"),
    "relax-expand-tuple-arguments": _pass("cleanup.expand_tuple_arguments", "ExpandTupleArgumentsPass"),
    "relax-fold-batch-norm-to-conv2d": _pass("folding.fold_batch_norm_to_conv2d", "FoldBatchNormToConv2DPass"),
    "relax-fold-constant": _pass("folding.fold_constant", "FoldConstantPass"),
    "relax-fold-scale-axis": _pass("folding.fold_scale_axis", "FoldScaleAxisPass"),
    "relax-forward-fold-scale-axis": _pass("folding.forward_fold_scale_axis", "ForwardFoldScaleAxisPass"),
    "relax-fuse-attention": _pass("fusion.fuse_attention", "FuseAttentionPass"),
    "relax-fuse-ops": _pass("fusion.fuse_ops", "FuseOpsPass"),
    "relax-fuse-ops-by-pattern": _pass("fusion.fuse_ops_by_pattern", "FuseOpsByPatternPass"),
    "relax-fuse-transpose-matmul": _pass("contraction.fuse_transpose_matmul", "FuseTransposeMatmulPass"),
    "relax-infer-num-input": _pass("lifting.infer_num_input", "InferNumInputPass"),
    "relax-infer-shapes": _pass("cleanup.infer_shapes", "InferShapesPass"),
    "relax-inline": _pass("cleanup.inline", "InlinePass"),
    "relax-kill-after-last-use": _pass("memory.kill_after_last_use", "KillAfterLastUsePass"),
    "relax-lazy-get-input": _pass("lifting.lazy_get_input", "LazyGetInputPass"),
    "relax-lazy-set-output": _pass("lifting.lazy_set_output", "LazySetOutputPass"),
    "relax-lazy-transform-params": _pass("lifting.lazy_transform_params", "LazyTransformParamsPass"),
    "relax-lift-transform-params": _pass("lifting.lift_transform_params", "LiftTransformParamsPass"),
    "relax-merge-composite-functions": _pass("fusion.merge_composite_functions", "MergeCompositeFunctionsPass"),
    "relax-offload-blas": _pass("fusion.offload_blas", "OffloadBlasPass"),
    "relax-hoist-padding": _pass("contraction.hoist_padding", "HoistPaddingPass"),
    "relax-hoist-weights": _pass("lifting.hoist_weights", "HoistWeightsPass"),
    "relax-pack-weights": _pass("lifting.pack_weights", "PackWeightsPass"),
    "relax-plan-devices": _pass("devices.plan_devices", "PlanDevicesPass"),
    "relax-qnn-legalize": _pass("quantization.qnn_legalize", "QnnLegalizePass"),
    "relax-read-transposed-operands": _pass("contraction.read_transposed_operands", "ReadTransposedOperandsPass"),
    "relax-realize-vdevice": _pass("devices.realize_vdevice", "RealizeVDevicePass"),
    "relax-recognize-norms": _pass("folding.recognize_norms", "RecognizeNormsPass"),
    "relax-convert-layout": _pass("contraction.convert_layout", "ConvertLayoutPass"),
    "relax-recognize-quantized": _pass("quantization.recognize_quantized", "RecognizeQuantizedPass"),
    "relax-remove-unused-functions": _pass("cleanup.remove_unused_functions", "RemoveUnusedFunctionsPass"),
    "relax-remove-unused-outputs": _pass("cleanup.remove_unused_outputs", "RemoveUnusedOutputsPass"),
    "relax-remove-unused-parameters": _pass("cleanup.remove_unused_parameters", "RemoveUnusedParametersPass"),
    "relax-reorder-permute-dims-after-concat": _pass(
        "contraction.reorder_permute_dims_after_concat", "ReorderPermuteDimsAfterConcatPass"
    ),
    "relax-reorder-take-after-matmul": _pass("contraction.reorder_take_after_matmul", "ReorderTakeAfterMatmulPass"),
    "relax-simplify-inference": _pass("folding.simplify_inference", "SimplifyInferencePass"),
    "relax-slice-splits": _pass("fusion.slice_splits", "SliceSplitsPass"),
    "relax-split-batches": _pass("memory.split_batches", "SplitBatchesPass"),
    "relax-stack-shuffles": _pass("fusion.stack_shuffles", "StackShufflesPass"),
    "relax-static-plan-memory": _pass("memory.static_plan_memory", "StaticPlanMemoryPass"),
    "relax-tabulate-bytes": _pass("quantization.tabulate_bytes", "TabulateBytesPass"),
    "relax-topological-sort": _pass("cleanup.topological_sort", "TopologicalSortPass"),
    "relax-update-vdevice": _pass("devices.update_vdevice", "UpdateVDevicePass"),
    "relax-use-winograd": _pass("lifting.use_winograd", "UseWinogradPass"),
    "relax-verify-devices": _pass("devices.verify_devices", "VerifyDevicesPass"),
    "relax-verify-symbols": _pass("cleanup.verify_symbols", "VerifySymbolsPass"),
}
