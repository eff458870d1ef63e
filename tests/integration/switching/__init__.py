"""Changes of group, forced: between encoders in one process (C++), and in HLS and DASH (proxy)."""
