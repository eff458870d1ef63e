"""Paper 000's video service: players that fetch segments from a server, over paths like those from a
home to a cloud's regions.

    places     the paths
    player     what is fetched, what is played when; pure
    figures    what one session had; pure
    client     a player with its connection; who else uses its path
    replay     all of it, in the guest (papers/guest.py)
    live       symcast over the same paths, emulated by link_emulator
    published  what the paper found
    page       the page's tables and plots
"""
