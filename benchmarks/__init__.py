"""Benchmarks: every figure beside its reference, measured in the same run."""
