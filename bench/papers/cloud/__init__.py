"""Paper 000's video service: players fetch segments from a server, over paths like those from a home to
a cloud's regions.

    places     the paths
    player     chooses segments and models playback; no I/O, no clock
    figures    figures of one session; no I/O, no clock
    client     a player with its connection; the other user of a contested path
    replay     all sessions, in the guest (papers/guest.py)
    live       symcast over the same paths, emulated by link_emulator
    published  the paper's findings
    page       the page's tables and plots
"""
