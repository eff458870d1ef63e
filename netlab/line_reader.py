"""Reads an endless response of the server's API, line by line."""

import http.client
import socket
import threading

from netlab.network import open_socket


class LineReader:
    """Calls take(line), with bytes, on a thread of its own for each line of the response to GET `path`. The
    request is made in the server's network namespace."""

    def __init__(self, daemon, path, take):
        ip = "127.0.0.1" if daemon.netns else daemon.ip
        self._take = take
        self._connection = http.client.HTTPConnection(ip, daemon.port)
        self._connection.sock = open_socket(daemon.netns)
        self._connection.sock.connect((ip, daemon.port))
        self._connection.request("GET", path)
        self._response = self._connection.getresponse()
        if self._response.status != 200:
            self._connection.close()
            raise RuntimeError(f"{path}: {self._response.status}")
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        try:
            for line in self._response:
                if line.endswith(b"\n"):  # not cut off by end()
                    self._take(line)
        except (OSError, http.client.HTTPException):
            pass  # end() has shut it down, or the server has ended

    def end(self):
        """After it, take() is not called any more."""
        self._connection.sock.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._connection.close()
