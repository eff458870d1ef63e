"""The part of systemd that keeps a service's sockets while it is restarted (sd_notify(3): FDSTORE;
sd_listen_fds(3))."""

import os
import pathlib
import socket
import subprocess
import threading

# The passed descriptors are numbered from 3 on, and LISTEN_PID is the process that takes them.
TAKE = 'n=3; for fd in $FDS; do eval "exec $n<&$fd"; n=$((n + 1)); done; unset FDS; ' \
       'LISTEN_PID=$$ exec "$@"'
FIRST_FREE = 20  # above those that are passed


class ServiceManager:
    """`run` starts the service in the place of subprocess.Popen; `state` is its last STATUS=."""

    def __init__(self, directory):
        self._path = pathlib.Path(directory) / "notify"
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(self._path))
        self._kept = {}  # {name: descriptor}
        self._lock = threading.Lock()
        threading.Thread(target=self._receive, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        with self._lock:
            for descriptor in self._kept.values():
                os.close(descriptor)

    def run(self, command, **options):
        with self._lock:
            kept = dict(self._kept)
            environment = {**os.environ, "NOTIFY_SOCKET": str(self._path)}
            if kept:
                environment |= {"LISTEN_FDS": str(len(kept)), "LISTEN_FDNAMES": ":".join(kept),
                                "FDS": " ".join(map(str, kept.values()))}
                command = ["bash", "-c", TAKE, "service", *command]
            return subprocess.Popen(command, env=environment, pass_fds=list(kept.values()), **options)

    def kept(self):
        """Names of the sockets that are kept."""
        with self._lock:
            return sorted(self._kept)

    def _receive(self):
        while True:
            try:
                message, received, _, _ = socket.recv_fds(self._socket, 4096, 16)
            except OSError:
                return
            if not message:
                return
            fields = dict(line.split("=", 1) for line in message.decode().splitlines())
            self._take(fields, received)

    def _take(self, fields, received):
        """A barrier is a descriptor that is closed when all messages before it have been read."""
        with self._lock:
            if "FDSTOREREMOVE" in fields:
                os.close(self._kept.pop(fields["FDNAME"]))
            elif "FDSTORE" in fields:
                descriptor, = received
                moved = self._move(descriptor)
                self._kept[fields["FDNAME"]] = moved
                received = []
            for descriptor in received:
                os.close(descriptor)

    @staticmethod
    def _move(descriptor):
        """Bash can only duplicate descriptors of one or two digits."""
        for number in range(FIRST_FREE, 99):
            try:
                os.fstat(number)
            except OSError:
                os.dup2(descriptor, number)
                os.close(descriptor)
                return number
        raise OSError("no descriptor is free")
