"""Stock players as processes, and which of their messages are about the stream."""

import os
import re
import shutil
import subprocess

import pytest

SECONDS = int(os.environ.get("PLAYER_SECONDS", "6"))
# Messages of VLC's modules that process the stream, not of those for desktops. VLC also reports some
# things that are no errors: the first AAC frame only primes the decoder, MPEG-TS signals a change of
# group as a discontinuity, and fragmented MP4 begins with empty tables.
VLC_COMPLAINT = re.compile(
    r"\] (\S+ (access|stream|demux|packetizer|decoder)|main (input|.* output)) "
    r"(error|warning): (?!decoded zero sample|discontinuity indicator|no chunk defined"
    r"|STTS table of 0 entries|that media doesn't look interleaved)")


def run(command, **options):
    """Exit code, standard output and error of a command that ends by itself."""
    done = subprocess.run(command, text=True, capture_output=True, timeout=60 + SECONDS,
                          check=False, stdin=subprocess.DEVNULL, **options)
    return done.returncode, done.stdout, done.stderr


def needs(program):
    return pytest.mark.skipif(not shutil.which(program), reason=f"{program} is not installed")


def vlc_command(home, *options):
    """VLC's command line; `home` is a directory that VLC may write to."""
    home.chmod(0o777)
    command = ["cvlc", "-vv", "--vout=vdummy", "--aout=adummy", "--no-color", *options]
    if os.geteuid() == 0:  # VLC refuses to run as root
        command = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", *command]
    return command, {**os.environ, "HOME": str(home)}


def vlc_complaints(log):
    return [line for line in log.splitlines() if VLC_COMPLAINT.search(line)]
