"""Relax-to-relax passes: the registry, one line a pass. A pass is imported when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from xdsl.passes import ModulePass


def lazy(package: str, module: str, name: str) -> Callable[[], type[ModulePass]]:
    """Returns a factory that imports a pass class when it is called."""
    return lambda: getattr(import_module(f"{package}.{module}"), name)


def _pass(module: str, name: str) -> Callable[[], type[ModulePass]]:
    return lazy(__name__, module, name)


PASSES: dict[str, Callable[[], type[ModulePass]]] = {
    "relax-adjust-matmul-order": _pass("adjust_matmul_order", "AdjustMatmulOrderPass"),
    "relax-backward-fold-scale-axis": _pass("backward_fold_scale_axis", "BackwardFoldScaleAxisPass"),
    "relax-bind-params": _pass("bind_params", "BindParamsPass"),
    "relax-bind-symbolic-vars": _pass("bind_symbolic_vars", "BindSymbolicVarsPass"),
    "relax-bundle-model-params": _pass("bundle_model_params", "BundleModelParamsPass"),
    "relax-canonicalize-bindings": _pass("canonicalize_bindings", "CanonicalizeBindingsPass"),
    "relax-combine-parallel-batch-matmul": _pass("combine_parallel_batch_matmul", "CombineParallelBatchMatmulPass"),
    "relax-combine-parallel-conv2d": _pass("combine_parallel_conv2d", "CombineParallelConv2DPass"),
    "relax-combine-parallel-matmul": _pass("combine_parallel_matmul", "CombineParallelMatmulPass"),
    "relax-computable-at-compile-time": _pass("computable_at_compile_time", "ComputableAtCompileTimePass"),
    "relax-convert-to-dataflow": _pass("convert_to_dataflow", "ConvertToDataflowPass"),
    "relax-convert-to-destination-style": _pass("convert_to_destination_style", "ConvertToDestinationStylePass"),
    "relax-convert-to-value-semantics": _pass("convert_to_value_semantics", "ConvertToValueSemanticsPass"),
    "relax-dead-code-elimination": _pass("dead_code_elimination", "DeadCodeEliminationPass"),
    "relax-eliminate-common-subexpr": _pass("eliminate_common_subexpr", "EliminateCommonSubexprPass"),
    "relax-expand-matmul-of-sum": _pass("expand_matmul_of_sum", "ExpandMatmulOfSumPass"),
    "relax-expand-tuple-arguments": _pass("expand_tuple_arguments", "ExpandTupleArgumentsPass"),
    "relax-fold-batch-norm-to-conv2d": _pass("fold_batch_norm_to_conv2d", "FoldBatchNormToConv2DPass"),
    "relax-fold-constant": _pass("fold_constant", "FoldConstantPass"),
    "relax-fold-scale-axis": _pass("fold_scale_axis", "FoldScaleAxisPass"),
    "relax-forward-fold-scale-axis": _pass("forward_fold_scale_axis", "ForwardFoldScaleAxisPass"),
    "relax-fuse-ops": _pass("fuse_ops", "FuseOpsPass"),
    "relax-fuse-ops-by-pattern": _pass("fuse_ops_by_pattern", "FuseOpsByPatternPass"),
    "relax-fuse-transpose-matmul": _pass("fuse_transpose_matmul", "FuseTransposeMatmulPass"),
    "relax-infer-shapes": _pass("infer_shapes", "InferShapesPass"),
    "relax-inline": _pass("inline", "InlinePass"),
    "relax-kill-after-last-use": _pass("kill_after_last_use", "KillAfterLastUsePass"),
    "relax-lazy-get-input": _pass("lazy_get_input", "LazyGetInputPass"),
    "relax-lazy-set-output": _pass("lazy_set_output", "LazySetOutputPass"),
    "relax-lazy-transform-params": _pass("lazy_transform_params", "LazyTransformParamsPass"),
    "relax-lift-transform-params": _pass("lift_transform_params", "LiftTransformParamsPass"),
    "relax-merge-composite-functions": _pass("merge_composite_functions", "MergeCompositeFunctionsPass"),
    "relax-offload-blas": _pass("offload_blas", "OffloadBlasPass"),
    "relax-pack-weights": _pass("pack_weights", "PackWeightsPass"),
    "relax-plan-devices": _pass("plan_devices", "PlanDevicesPass"),
    "relax-qnn-legalize": _pass("qnn_legalize", "QnnLegalizePass"),
    "relax-realize-vdevice": _pass("realize_vdevice", "RealizeVDevicePass"),
    "relax-remove-unused-functions": _pass("remove_unused_functions", "RemoveUnusedFunctionsPass"),
    "relax-remove-unused-outputs": _pass("remove_unused_outputs", "RemoveUnusedOutputsPass"),
    "relax-remove-unused-parameters": _pass("remove_unused_parameters", "RemoveUnusedParametersPass"),
    "relax-reorder-permute-dims-after-concat": _pass(
        "reorder_permute_dims_after_concat", "ReorderPermuteDimsAfterConcatPass"
    ),
    "relax-reorder-take-after-matmul": _pass("reorder_take_after_matmul", "ReorderTakeAfterMatmulPass"),
    "relax-simplify-inference": _pass("simplify_inference", "SimplifyInferencePass"),
    "relax-static-plan-memory": _pass("static_plan_memory", "StaticPlanMemoryPass"),
    "relax-topological-sort": _pass("topological_sort", "TopologicalSortPass"),
    "relax-update-vdevice": _pass("update_vdevice", "UpdateVDevicePass"),
    "relax-verify-devices": _pass("verify_devices", "VerifyDevicesPass"),
    "relax-verify-symbols": _pass("verify_symbols", "VerifySymbolsPass"),
}
