"""The clocks of a server under test, which a test can set (clock_shim.cc)."""

import os
import pathlib
import struct

SHIM = pathlib.Path(os.environ.get("NETLAB_TOOLS", "build/dev/netlab")) / "clock_shim.so"
NS = 1_000_000_000


class Clocks:
    """`wrapper` goes before the server's command."""

    def __init__(self, directory):
        self._path = pathlib.Path(directory) / "clocks"
        self._offsets = [0, 0]  # seconds, of the system clock and of the time since boot
        self._path.write_bytes(bytes(16))
        self.wrapper = ("env", f"LD_PRELOAD={SHIM.resolve()}", f"CLOCK_SHIM={self._path}")

    def set(self, seconds):
        """Somebody sets the system clock, this far ahead."""
        self._add(seconds, 0)

    def suspend(self, seconds):
        """The machine was suspended."""
        self._add(seconds, seconds)

    def system_offset(self):
        """How far the server's system clock is ahead of this machine's."""
        return self._offsets[0]

    def _add(self, system, boot):
        self._offsets = [self._offsets[0] + system, self._offsets[1] + boot]
        with open(self._path, "r+b") as file:  # in place: the server has mapped it
            file.write(struct.pack("qq", *(int(seconds * NS) for seconds in self._offsets)))
