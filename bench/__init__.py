"""Benchmarks beside the goals of docs/explanation/performance.md; run them with `make bench`."""
