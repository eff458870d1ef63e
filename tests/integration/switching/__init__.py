"""Forced changes of group: in one process (C++), and between a player and a server (proxy)."""
