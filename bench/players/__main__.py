"""How players in Chromium follow a live stream:

    players live                  how far behind live they are, and how fast they catch up (live.py)
    players falling [OPTION]...   MP4 and HLS behind a link that falls to a fifth (falling.py)
    players far [OPTION]...       MP4 and HLS over long paths with losses (far.py)

Without arguments, all. Needs root, to make network namespaces."""

import sys

from bench.players import falling, far, live
from netlab import network
from netlab.browser import chromium

KINDS = {"live": live.main, "falling": falling.main, "far": far.main}


def main():
    kind, *arguments = sys.argv[1:] or [None]
    if kind in ("-h", "--help"):
        return print(__doc__)
    if kind not in (None, *KINDS):
        sys.exit(f"{__doc__}\nplayers: the first argument has to be one of {', '.join(KINDS)}")
    reason = network.why_unavailable() or chromium.why_unavailable()
    if reason:
        sys.exit(f"players: {reason}")
    for name in [kind] if kind else KINDS:
        KINDS[name](arguments)


main()
