"""A TVM module whose kernels are of each kind that the import tells apart."""

import tvm
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T

mod = tvm.script.from_source(
    """
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def add(x: T.Buffer((4, 8), "float32"), y: T.Buffer((8,), "float32"), z: T.Buffer((4, 8), "float32")):
        T.func_attr({"op_pattern": 1})
        for i, j in T.grid(4, 8):
            with T.sblock("z"):
                vi, vj = T.axis.remap("SS", [i, j])
                z[vi, vj] = x[vi, vj] + y[vj]

    @T.prim_func(private=True, s_tir=True)
    def matmul(x: T.Buffer((4, 8), "float32"), y: T.Buffer((16, 8), "float32"), z: T.Buffer((4, 16), "float32")):
        T.func_attr({"op_pattern": 4})
        for i, j, k in T.grid(4, 16, 8):
            with T.sblock("z"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    z[vi, vj] = T.float32(0)
                z[vi, vj] = z[vi, vj] + x[vi, vk] * y[vj, vk]

    @T.prim_func(private=True, s_tir=True)
    def softmax(x: T.Buffer((4, 16), "float32"), y: T.Buffer((4, 16), "float32")):
        T.func_attr({"op_pattern": 4})
        total = T.sblock_alloc_buffer((4,))
        for i, k in T.grid(4, 16):
            with T.sblock("total"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    total[vi] = T.float32(0)
                total[vi] = total[vi] + T.exp(x[vi, vk])
        for i, j in T.grid(4, 16):
            with T.sblock("y"):
                vi, vj = T.axis.remap("SS", [i, j])
                y[vi, vj] = T.exp(x[vi, vj]) / total[vi]

    @T.prim_func(private=True, s_tir=True)
    def pad(x: T.Buffer((4, 16), "float32"), y: T.Buffer((4, 18), "float32")):
        T.func_attr({"op_pattern": 2})
        for i, j in T.grid(4, 18):
            with T.sblock("y"):
                vi, vj = T.axis.remap("SS", [i, j])
                y[vi, vj] = T.if_then_else(1 <= vj and vj < 17, x[vi, vj - 1], T.float32(0))

    @T.prim_func(private=True, s_tir=True)
    def take(x: T.Buffer((4, 18), "float32"), k: T.Buffer((3,), "int64"), y: T.Buffer((3, 18), "float32")):
        T.func_attr({"op_pattern": 2})
        for i, j in T.grid(3, 18):
            with T.sblock("y"):
                vi, vj = T.axis.remap("SS", [i, j])
                y[vi, vj] = x[k[vi], vj]

    @T.prim_func(private=True, s_tir=True)
    def prefix_sum(x: T.Buffer((3, 18), "float32"), y: T.Buffer((3, 18), "float32")):
        for i in T.parallel(3):
            for j in range(18):
                y[i, j] = x[i, j]
                if j > 0:
                    y[i, j] = y[i, j] + y[i, j - 1]

    @T.prim_func(private=True, s_tir=True)
    def foreign(x: T.Buffer((3, 18), "float32"), y: T.Buffer((3, 18), "float32")):
        T.func_attr({"op_pattern": 0})
        for i, j in T.grid(3, 18):
            with T.sblock("y"):
                vi, vj = T.axis.remap("SS", [i, j])
                y[vi, vj] = T.call_pure_extern("float32", "bessel", x[vi, vj])

    @R.function
    def main(x: R.Tensor((4, 8), "float32"), b: R.Tensor((8,), "float32"), w: R.Tensor((16, 8), "float32"), k: R.Tensor((3,), "int64")):
        cls = Module
        with R.dataflow():
            lv = R.call_tir(cls.add, (x, b), out_ty=R.Tensor((4, 8), "float32"))
            lv1 = R.call_tir(cls.matmul, (lv, w), out_ty=R.Tensor((4, 16), "float32"))
            lv2 = R.call_tir(cls.softmax, (lv1,), out_ty=R.Tensor((4, 16), "float32"))
            lv3 = R.call_tir(cls.pad, (lv2,), out_ty=R.Tensor((4, 18), "float32"))
            lv4 = R.call_tir(cls.take, (lv3, k), out_ty=R.Tensor((3, 18), "float32"))
            lv5 = R.call_tir(cls.prefix_sum, (lv4,), out_ty=R.Tensor((3, 18), "float32"))
            gv = R.call_tir(cls.foreign, (lv5,), out_ty=R.Tensor((3, 18), "float32"))
            R.output(gv)
        return gv
""",
    {"I": I, "R": R, "T": T},
)
