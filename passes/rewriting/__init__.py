"""How passes change a program: emission of ops with inferred types, outlining, inlining, dataflow blocks. No passes."""
