"""The clocks of a server or of players, which a test can set (clock_shim.cc)."""

import os
import pathlib
import shutil
import struct

SHIM = pathlib.Path(os.environ.get("NETLAB_TOOLS", "build/dev/netlab")) / "clock_shim.so"
NS = 1_000_000_000


class Clocks:
    """`wrapper` goes before a program's command. `directory` is one that the program may read."""

    def __init__(self, directory):
        shim = pathlib.Path(shutil.copy(SHIM, directory))
        self._path = pathlib.Path(directory) / "clocks"
        self._offsets = [0, 0, 0]  # seconds: the system clock, the time since boot, the monotonic clock
        self._path.write_bytes(bytes(8 * len(self._offsets)))
        self.wrapper = ("env", f"LD_PRELOAD={shim.resolve()}", f"CLOCK_SHIM={self._path}")

    def set(self, seconds):
        """Somebody sets the system clock, this far ahead."""
        self._add(seconds, 0, 0)

    def suspend(self, seconds):
        """The machine was suspended."""
        self._add(seconds, seconds, 0)

    def pass_time(self, seconds):
        """Time passes, in which nothing reaches the program."""
        self._add(seconds, seconds, seconds)

    def _add(self, *seconds):
        self._offsets = [offset + more for offset, more in zip(self._offsets, seconds)]
        with open(self._path, "r+b") as file:  # in place: the program has mapped it
            file.write(struct.pack("qqq", *(int(seconds * NS) for seconds in self._offsets)))
