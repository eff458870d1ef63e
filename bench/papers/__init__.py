"""Experiments of the papers that this project implements, replayed with the real server, the
kernel's TCP and emulated paths.

    experiment    what an experiment is
    experiments/  one file each
    runner        self-checks, runs, progress; what failed is said and not counted
    figures       what was measured, kept in a file from run to run
    page          a Markdown page with tables, plots and what is confirmed
    testbed       the testbeds' self-checks; the machine
    player_check  the measuring player beside stock ffmpeg
    segment_server, picking_player, playout    who serves segments, fetches them, watches
    steered       flows of steered_sender, and what came of them
    cross_traffic  datagrams that do not give way
    guest         another Linux, for what this machine's kernel lacks
    inside/       what runs in there
"""
