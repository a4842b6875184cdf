"""Compiled kernels in a folder of their own, so that only a change here compiles them anew (nav_eval.jit)."""
