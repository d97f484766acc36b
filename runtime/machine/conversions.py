"""Conversions between float types that processors without the instruction take from the compiler's runtime library.

A Python process need not have loaded that library, so that they are part of each object that needs them. Rounding is to nearest even;
NaN stays NaN, quiet. The names and types are those of the library; all begin with `__`, as no function of a program does.
"""

from __future__ import annotations

_FABS = "declare double @llvm.fabs.f64(double)\n"

_BF16 = """
define weak_odr hidden bfloat @__truncsfbf2(float %x) {
  %bits = bitcast float %x to i32
  %nan = fcmp uno float %x, %x
  %shifted = lshr i32 %bits, 16
  %odd = and i32 %shifted, 1
  %bias = add i32 %odd, 32767
  %rounded = add i32 %bits, %bias
  %high = lshr i32 %rounded, 16
  %quiet = or i32 %shifted, 64
  %chosen = select i1 %nan, i32 %quiet, i32 %high
  %narrow = trunc i32 %chosen to i16
  %result = bitcast i16 %narrow to bfloat
  ret bfloat %result
}
define weak_odr hidden bfloat @__truncdfbf2(double %x) {
  %single = call float @__relax_round_to_odd(double %x)
  %result = call bfloat @__truncsfbf2(float %single)
  ret bfloat %result
}
"""

# Subnormal numbers are multiples of 2**-24: as such they are read, and added to 0.5 they are rounded to such.
_F16 = """
define weak_odr hidden float @__extendhfsf2(half %x) {
  %raw = bitcast half %x to i16
  %bits = zext i16 %raw to i32
  %sign.bit = and i32 %bits, 32768
  %sign = shl i32 %sign.bit, 16
  %abs = and i32 %bits, 32767
  %shifted = shl i32 %abs, 13
  %normal = add i32 %shifted, 939524096
  %units = uitofp i32 %abs to float
  %small = fmul float %units, 0x3E70000000000000
  %subnormal = bitcast float %small to i32
  %infinite = or i32 %shifted, 2139095040
  %quiet = or i32 %infinite, 4194304
  %is.subnormal = icmp ult i32 %abs, 1024
  %is.infinite = icmp uge i32 %abs, 31744
  %is.nan = icmp ugt i32 %abs, 31744
  %finite = select i1 %is.subnormal, i32 %subnormal, i32 %normal
  %number = select i1 %is.infinite, i32 %infinite, i32 %finite
  %magnitude = select i1 %is.nan, i32 %quiet, i32 %number
  %all = or i32 %magnitude, %sign
  %result = bitcast i32 %all to float
  ret float %result
}
define weak_odr hidden half @__truncsfhf2(float %x) {
  %bits = bitcast float %x to i32
  %high = lshr i32 %bits, 16
  %sign = and i32 %high, 32768
  %abs = and i32 %bits, 2147483647
  %rebased = sub i32 %abs, 939524096
  %last = lshr i32 %rebased, 13
  %odd = and i32 %last, 1
  %bias = add i32 %odd, 4095
  %rounded = add i32 %rebased, %bias
  %normal = lshr i32 %rounded, 13
  %positive = bitcast i32 %abs to float
  %aligned = fadd float %positive, 5.0e-01
  %units = bitcast float %aligned to i32
  %subnormal = sub i32 %units, 1056964608
  %payload.all = lshr i32 %abs, 13
  %payload = and i32 %payload.all, 1023
  %nan = or i32 %payload, 32256
  %is.subnormal = icmp ult i32 %abs, 947912704
  %is.large = icmp uge i32 %abs, 1199566848
  %is.nan = icmp ugt i32 %abs, 2139095040
  %finite = select i1 %is.subnormal, i32 %subnormal, i32 %normal
  %number = select i1 %is.large, i32 31744, i32 %finite
  %magnitude = select i1 %is.nan, i32 %nan, i32 %number
  %all = or i32 %magnitude, %sign
  %narrow = trunc i32 %all to i16
  %result = bitcast i16 %narrow to half
  ret half %result
}
define weak_odr hidden half @__truncdfhf2(double %x) {
  %single = call float @__relax_round_to_odd(double %x)
  %result = call half @__truncsfhf2(float %single)
  ret half %result
}
"""

# A float that is inexact has an odd last bit, so that rounding it once more is rounding the double once.
_ROUND_TO_ODD = """
define weak_odr hidden float @__relax_round_to_odd(double %x) {
  %near = fptrunc double %x to float
  %back = fpext float %near to double
  %bits = bitcast float %near to i32
  %inexact = fcmp one double %back, %x
  %abs.x = call double @llvm.fabs.f64(double %x)
  %abs.back = call double @llvm.fabs.f64(double %back)
  %over = fcmp ogt double %abs.back, %abs.x
  %adjust = zext i1 %over to i32
  %lower = sub i32 %bits, %adjust
  %sticky = or i32 %lower, 1
  %odd = select i1 %inexact, i32 %sticky, i32 %bits
  %single = bitcast i32 %odd to float
  ret float %single
}
"""


def runtime_support(ir: str) -> str:
    """Returns definitions of the conversions that code generation may call for LLVM IR text; empty where it calls none."""
    text = "".join(definitions for kind, definitions in (("bfloat", _BF16), ("half", _F16)) if kind in ir)
    if not text:
        return ""
    return text + _ROUND_TO_ODD + ("" if "@llvm.fabs.f64(" in ir else _FABS)
