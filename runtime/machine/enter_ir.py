"""The LLVM IR that `repeated_calls` compiles, and where objects of CPython and arrays of numpy have what it reads."""

from __future__ import annotations

from ...dialects.relax.vocabulary.call_words import INTERRUPTED, LOOK, LOOKED, VALUES, WORDS

_HEAD = object.__basicsize__
TYPE, DATA, RANK, DIMS, DTYPE, FLAGS = _HEAD - 8, _HEAD, _HEAD + 8, _HEAD + 16, _HEAD + 40, _HEAD + 48
"""Where an object has its type, and an array what is asked of it."""
KIND, BYTE_ORDER = _HEAD, _HEAD + 10
"""Where an element type has its scalar type and its byte order."""
_TAKEN_AS_IT_IS = 0x101
"""The flags of numpy for arrays that are contiguous and aligned."""
_WRITTEN_AS_IT_IS = 0x501
"""The flags of those that may be written as well."""
_HEADER = 3
"""The words that are declared of an array in front of its dims: dtype, rank, bytes."""
C_API = {
    "PyTuple_Size": "i64 (ptr)",
    "PyTuple_GetItem": "ptr (ptr, i64)",
    "PyList_GetItem": "ptr (ptr, i64)",
    "PyBytes_AsString": "ptr (ptr)",
    "PyBytes_FromStringAndSize": "ptr (ptr, i64)",
    "PyBool_FromLong": "ptr (i64)",
    "PyErr_CheckSignals": "i32 ()",
    "PyEval_SaveThread": "ptr ()",
    "PyEval_RestoreThread": "void (ptr)",
    "PyThread_get_thread_ident": "i64 ()",
}


def _declaration(name: str, function_type: str) -> str:
    result, _, parameters = function_type.partition(" ")
    return f"declare {result} @{name}{parameters}"


IR = f"""
@ndarray = external global i8
@main_thread = external global i64
; The state of Python's main thread while a call on it runs native code.
@outside = internal global ptr null
{"".join(_declaration(*entry) + chr(10) for entry in C_API.items())}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define internal i64 @look() {{
  %state = load ptr, ptr @outside
  call void @PyEval_RestoreThread(ptr %state)
  %raised = call i32 @PyErr_CheckSignals()
  %left = call ptr @PyEval_SaveThread()
  store ptr %left, ptr @outside
  %goes_on = icmp eq i32 %raised, 0
  %status = select i1 %goes_on, i64 0, i64 {INTERRUPTED}
  ret i64 %status
}}

; Returns whether an element type is the one that is declared, or another object that says the same, as arrays from other processes have.
define internal i1 @same_type(ptr %dtype, ptr %wanted) {{
  %is_wanted = icmp eq ptr %dtype, %wanted
  br i1 %is_wanted, label %same, label %another
another:
  %kind_p = getelementptr i8, ptr %dtype, i64 {KIND}
  %kind = load ptr, ptr %kind_p
  %wanted_kind_p = getelementptr i8, ptr %wanted, i64 {KIND}
  %wanted_kind = load ptr, ptr %wanted_kind_p
  %of_kind = icmp eq ptr %kind, %wanted_kind
  %order_p = getelementptr i8, ptr %dtype, i64 {BYTE_ORDER}
  %order = load i8, ptr %order_p
  %wanted_order_p = getelementptr i8, ptr %wanted, i64 {BYTE_ORDER}
  %wanted_order = load i8, ptr %wanted_order_p
  %in_order = icmp eq i8 %order, %wanted_order
  %says_the_same = and i1 %of_kind, %in_order
  ret i1 %says_the_same
same:
  ret i1 true
}}

; Returns whether an object is an array with at least these flags, and with the dtype, rank and dims that are declared.
define internal i1 @fits(ptr %array, ptr %declared, i32 %wanted_flags) {{
  %type_p = getelementptr i8, ptr %array, i64 {TYPE}
  %type = load ptr, ptr %type_p
  %is_array = icmp eq ptr %type, @ndarray
  br i1 %is_array, label %array_found, label %differs
array_found:
  %flags_p = getelementptr i8, ptr %array, i64 {FLAGS}
  %flags = load i32, ptr %flags_p
  %set = and i32 %flags, %wanted_flags
  %has_flags = icmp eq i32 %set, %wanted_flags
  %dtype_p = getelementptr i8, ptr %array, i64 {DTYPE}
  %dtype = load ptr, ptr %dtype_p
  %wanted_dtype = load ptr, ptr %declared
  %of_type = call i1 @same_type(ptr %dtype, ptr %wanted_dtype)
  %rank_p = getelementptr i8, ptr %array, i64 {RANK}
  %rank_i = load i32, ptr %rank_p
  %rank = sext i32 %rank_i to i64
  %wanted_rank_p = getelementptr i64, ptr %declared, i64 1
  %wanted_rank = load i64, ptr %wanted_rank_p
  %of_rank = icmp eq i64 %rank, %wanted_rank
  %and = and i1 %has_flags, %of_type
  %all = and i1 %and, %of_rank
  br i1 %all, label %sized, label %differs
sized:
  %shape_p = getelementptr i8, ptr %array, i64 {DIMS}
  %shape = load ptr, ptr %shape_p
  %wanted_shape = getelementptr i64, ptr %declared, i64 {_HEADER}
  br label %axis
axis:
  %k = phi i64 [ 0, %sized ], [ %k_next, %same ]
  %more_axes = icmp slt i64 %k, %rank
  br i1 %more_axes, label %same, label %agrees
same:
  %dim_p = getelementptr i64, ptr %shape, i64 %k
  %dim = load i64, ptr %dim_p
  %wanted_dim_p = getelementptr i64, ptr %wanted_shape, i64 %k
  %wanted_dim = load i64, ptr %wanted_dim_p
  %k_next = add i64 %k, 1
  %is_same = icmp eq i64 %dim, %wanted_dim
  br i1 %is_same, label %axis, label %differs
agrees:
  ret i1 true
differs:
  ret i1 false
}}

; Returns what is declared behind an array of which this is declared.
define internal ptr @next(ptr %declared) {{
  %rank_p = getelementptr i64, ptr %declared, i64 1
  %rank = load i64, ptr %rank_p
  %words = add i64 %rank, {_HEADER}
  %next = getelementptr i64, ptr %declared, i64 %words
  ret ptr %next
}}

; Returns whether the memory of an array, of which this is declared, shares a byte with so many others in a table, whose bytes are `%sizes`.
define internal i1 @overlaps(ptr %data, ptr %declared, ptr %table, ptr %sizes, i64 %count) {{
start:
  %bytes_p = getelementptr i64, ptr %declared, i64 2
  %bytes = load i64, ptr %bytes_p
  %end = getelementptr i8, ptr %data, i64 %bytes
  br label %next
next:
  %i = phi i64 [ 0, %start ], [ %i_next, %look ]
  %more = icmp slt i64 %i, %count
  br i1 %more, label %look, label %apart
look:
  %slot = getelementptr ptr, ptr %table, i64 %i
  %other = load ptr, ptr %slot
  %size_p = getelementptr i64, ptr %sizes, i64 %i
  %size = load i64, ptr %size_p
  %other_end = getelementptr i8, ptr %other, i64 %size
  %i_next = add i64 %i, 1
  %before = icmp ult ptr %other, %end
  %behind = icmp ult ptr %data, %other_end
  %shares = and i1 %before, %behind
  br i1 %shares, label %together, label %next
together:
  ret i1 true
apart:
  ret i1 false
}}

; Reads what `enterer` packs: the entry, seven counts and then, one behind the other, what is declared of each argument and each result
; (dtype, rank, bytes, dims), addresses of parameters, the bytes of arguments, parameters and results, all dims, the bytes of workspaces.
define ptr @enter(ptr %self, ptr %passed, i64 %count) {{
start:
  %plan = call ptr @PyBytes_AsString(ptr %self)
  %entry = load ptr, ptr %plan
  %compared_p = getelementptr i64, ptr %plan, i64 1
  %compared = load i64, ptr %compared_p
  %taken_p = getelementptr i64, ptr %plan, i64 2
  %taken = load i64, ptr %taken_p
  %params_p = getelementptr i64, ptr %plan, i64 3
  %params = load i64, ptr %params_p
  %results_p = getelementptr i64, ptr %plan, i64 4
  %results = load i64, ptr %results_p
  %sizes_p = getelementptr i64, ptr %plan, i64 5
  %sizes = load i64, ptr %sizes_p
  %scratch_p = getelementptr i64, ptr %plan, i64 6
  %scratch = load i64, ptr %scratch_p
  %declared = getelementptr i64, ptr %plan, i64 8
  %is_given = icmp eq i64 %count, 4
  %arguments = load ptr, ptr %passed
  %outputs_p = getelementptr ptr, ptr %passed, i64 1
  %outputs = load ptr, ptr %outputs_p
  %workspaces_p = getelementptr ptr, ptr %passed, i64 2
  %workspaces = load ptr, ptr %workspaces_p
  %before_results = add i64 %compared, %params
  %before_scratch = add i64 %before_results, %results
  %buffers = add i64 %before_scratch, %scratch
  ; In front of the table is the first workspace, which is passed on its own.
  %memory = alloca ptr, i64 %buffers
  %table = getelementptr ptr, ptr %memory, i64 1
  %dims = alloca i64, i64 %sizes
  %words = alloca [{WORDS + 1} x i64]
  %size = call i64 @PyTuple_Size(ptr %arguments)
  %as_many = icmp eq i64 %size, %taken
  br i1 %as_many, label %next, label %differs

next:
  %i = phi i64 [ 0, %start ], [ %i_next, %fits ]
  %wanted = phi ptr [ %declared, %start ], [ %wanted_next, %fits ]
  %more = icmp slt i64 %i, %compared
  br i1 %more, label %compare, label %known
compare:
  %argument = call ptr @PyTuple_GetItem(ptr %arguments, i64 %i)
  %is_fit = call i1 @fits(ptr %argument, ptr %wanted, i32 {_TAKEN_AS_IT_IS})
  br i1 %is_fit, label %fits, label %differs
fits:
  %data_p = getelementptr i8, ptr %argument, i64 {DATA}
  %data = load ptr, ptr %data_p
  %slot = getelementptr ptr, ptr %table, i64 %i
  store ptr %data, ptr %slot
  %wanted_next = call ptr @next(ptr %wanted)
  %i_next = add i64 %i, 1
  br label %next

known:
  %after_given = getelementptr ptr, ptr %table, i64 %compared
  %params_bytes = mul i64 %params, 8
  %result_words_p = getelementptr i64, ptr %plan, i64 7
  %result_words = load i64, ptr %result_words_p
  %known_params = getelementptr i64, ptr %wanted, i64 %result_words
  call void @llvm.memcpy.p0.p0.i64(ptr %after_given, ptr %known_params, i64 %params_bytes, i1 false)
  %bytes_of = getelementptr i64, ptr %known_params, i64 %params
  %known_dims = getelementptr i64, ptr %bytes_of, i64 %before_scratch
  %dims_bytes = mul i64 %sizes, 8
  call void @llvm.memcpy.p0.p0.i64(ptr %dims, ptr %known_dims, i64 %dims_bytes, i1 false)
  %needs = getelementptr i64, ptr %known_dims, i64 %sizes
  br label %output
output:
  %o = phi i64 [ 0, %known ], [ %o_next, %written ]
  %wanted_result = phi ptr [ %wanted, %known ], [ %wanted_result_next, %written ]
  %more_outputs = icmp slt i64 %o, %results
  br i1 %more_outputs, label %place, label %scratched
place:
  %result = call ptr @PyTuple_GetItem(ptr %outputs, i64 %o)
  %result_p = getelementptr i8, ptr %result, i64 {DATA}
  %result_at = add i64 %before_results, %o
  br i1 %is_given, label %check, label %written
check:
  %takes = call i1 @fits(ptr %result, ptr %wanted_result, i32 {_WRITTEN_AS_IT_IS})
  br i1 %takes, label %share, label %differs
share:
  %given_data = load ptr, ptr %result_p
  %shares = call i1 @overlaps(ptr %given_data, ptr %wanted_result, ptr %table, ptr %bytes_of, i64 %result_at)
  br i1 %shares, label %differs, label %written
written:
  %result_data = load ptr, ptr %result_p
  %result_slot = getelementptr ptr, ptr %table, i64 %result_at
  store ptr %result_data, ptr %result_slot
  %wanted_result_next = call ptr @next(ptr %wanted_result)
  %o_next = add i64 %o, 1
  br label %output

scratched:
  %w = phi i64 [ 0, %output ], [ %w_next, %large ]
  %more_scratch = icmp slt i64 %w, %scratch
  br i1 %more_scratch, label %workspace, label %run
workspace:
  %bytes = call ptr @PyList_GetItem(ptr %workspaces, i64 %w)
  %bytes_shape_p = getelementptr i8, ptr %bytes, i64 {DIMS}
  %bytes_shape = load ptr, ptr %bytes_shape_p
  %has = load i64, ptr %bytes_shape
  %need_p = getelementptr i64, ptr %needs, i64 %w
  %need = load i64, ptr %need_p
  %is_large = icmp sge i64 %has, %need
  br i1 %is_large, label %large, label %differs
large:
  %bytes_p = getelementptr i8, ptr %bytes, i64 {DATA}
  %bytes_data = load ptr, ptr %bytes_p
  %is_first = icmp eq i64 %w, 0
  %behind = add i64 %before_scratch, %w
  %bytes_at = select i1 %is_first, i64 0, i64 %behind
  %bytes_slot = getelementptr ptr, ptr %memory, i64 %bytes_at
  store ptr %bytes_data, ptr %bytes_slot
  %w_next = add i64 %w, 1
  br label %scratched

run:
  %first = load ptr, ptr %memory
  %lent = getelementptr i64, ptr %words, i64 1
  %looked = getelementptr i64, ptr %lent, i64 {LOOKED}
  store i64 0, ptr %looked
  %look_p = getelementptr i64, ptr %lent, i64 {LOOK}
  %thread = call i64 @PyThread_get_thread_ident()
  %main = load i64, ptr @main_thread
  %is_main = icmp eq i64 %thread, %main
  %look = select i1 %is_main, ptr @look, ptr null
  store ptr %look, ptr %look_p
  %state = call ptr @PyEval_SaveThread()
  br i1 %is_main, label %on_main, label %elsewhere
on_main:
  ; A handler that runs during a call may make another one.
  %outer = load ptr, ptr @outside
  store ptr %state, ptr @outside
  %main_status = call i64 %entry(ptr %table, ptr %dims, ptr %first, ptr %lent)
  store ptr %outer, ptr @outside
  br label %back
elsewhere:
  %other_status = call i64 %entry(ptr %table, ptr %dims, ptr %first, ptr %lent)
  br label %back
back:
  %status = phi i64 [ %main_status, %on_main ], [ %other_status, %elsewhere ]
  call void @PyEval_RestoreThread(ptr %state)
  switch i64 %status, label %failed [ i64 0, label %done i64 {INTERRUPTED}, label %raised ]
done:
  %true = call ptr @PyBool_FromLong(i64 1)
  ret ptr %true
differs:
  %false = call ptr @PyBool_FromLong(i64 0)
  ret ptr %false
raised:
  ret ptr null
failed:
  store i64 %status, ptr %words
  %said = call ptr @PyBytes_FromStringAndSize(ptr %words, i64 {8 * (VALUES + 1)})
  ret ptr %said
}}
"""
