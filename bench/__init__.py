"""The benchmarks, one package each (README.md)."""
