"""Forced changes of group: between encoders in one process (C++), and in HLS and DASH (proxy)."""
