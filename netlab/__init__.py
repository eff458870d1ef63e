"""An emulated network with the server in it, for integration tests and benchmarks (README.md)."""
