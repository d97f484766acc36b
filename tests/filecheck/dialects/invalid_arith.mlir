// RUN: relax-opt %s --split-input-file --verify-diagnostics

func.func @integers(%a: i32) {
  // expected-error@below {{the predicate must be from 0 to 9, found 10}}
  %c = "arith.cmpi"(%a, %a) <{predicate = 10 : i64}> : (i32, i32) -> i1
  return
}

// -----

func.func @negative(%a: i32) {
  // expected-error@below {{the predicate must be from 0 to 9, found -1}}
  %c = "arith.cmpi"(%a, %a) <{predicate = -1 : i64}> : (i32, i32) -> i1
  return
}

// -----

func.func @floats(%a: f32) {
  // expected-error@below {{the predicate must be from 0 to 15, found 16}}
  %c = "arith.cmpf"(%a, %a) <{predicate = 16 : i64}> : (f32, f32) -> i1
  return
}
