"""A network in the laboratory and the server in it, for the integration tests and the benchmarks
(README.md)."""
