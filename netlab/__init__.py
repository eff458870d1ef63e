"""A network in the laboratory, and the server in it: what the integration tests and the benchmarks
share (README.md)."""
