"""The testbeds of the experiments and their self-checks; results are refused if a check fails."""

import os
import pathlib
import platform
import re
import subprocess
import time

from bench.papers import guest, player_check
from netlab.daemon import binary
from netlab.network import REPOSITORY, tool, why_unavailable


CHECK_SECONDS = 120


class Refused(RuntimeError):
    """Why nothing can be measured here."""


def check_links():
    """The link emulator's self-check: lines with measured and expected values."""
    reason = why_unavailable()
    if reason:
        raise Refused(reason)
    check = subprocess.run([tool("link_emulator"), "--self-check"], capture_output=True, text=True,
                           timeout=CHECK_SECONDS)
    lines = check.stdout.splitlines()
    if check.returncode != 0:
        wrong = [line for line in lines if not line.startswith("ok")]
        raise Refused("link_emulator's self-check failed: " + ("; ".join(wrong) or check.stderr))
    return [re.sub(r"\s+", " ", line.removeprefix("ok").strip()) for line in lines]


def check_guest():
    try:
        return guest.self_check()
    except guest.GuestFailed as error:
        raise Refused(str(error)) from error


def check_player():
    try:
        return player_check.check()
    except Exception as error:  # any error means that the player failed its check
        raise Refused(f"the measuring player does not agree with stock ffmpeg: {error}") from error


CHECKS = {"links": check_links, "guest": check_guest, "player": check_player}


def machine():
    """Description of the machine and the build."""
    processor = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    version = subprocess.run([binary(), "--version"], capture_output=True, text=True)
    return {"measured": time.strftime("%Y-%m-%d"),
            "machine": f"{os.cpu_count()} CPUs, {processor[1] if processor else platform.machine()}",
            "kernel": platform.release(),
            "symcast": version.stdout.partition("\n")[0].strip() or "unknown",
            "commit": _commit()}


def _commit():
    def git(*words):
        return subprocess.run(["git", "-C", REPOSITORY, *words], capture_output=True,
                              text=True).stdout.strip()

    changed = git("status", "--porcelain", "--", "src", "bpf", "netlab", "bench")
    return (git("rev-parse", "--short", "HEAD") or "unknown") + (" and changes" if changed else "")
