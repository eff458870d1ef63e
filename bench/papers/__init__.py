"""Experiments of the papers that this project implements, replayed with the real server, the
kernel's TCP and emulated paths.

    experiment    what an experiment is
    experiments/  one file each
    runner        self-checks, runs, progress; failed runs are reported and not counted
    figures       the measurements, kept in a file from run to run
    page          a Markdown page with tables, plots and claims
    testbed       the testbeds' self-checks; description of the machine
    player_check  the measuring player compared with stock ffmpeg
    segment_server, picking_player, playout    serve segments, fetch them, model a player's buffer
    steered       flows of steered_sender, and their records
    cross_traffic  datagrams that do not yield to other flows
    guest         another Linux, for features that this machine's kernel does not have
    inside/       the code that runs in the guest
"""
