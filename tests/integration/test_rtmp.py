"""Servers of RTMP that send no media. test_sources.py has one that does."""

import contextlib
import socket
import threading

from netlab.daemon import wait_until
from tests.integration import far_ends
from tests.integration.lost_sources import PATIENCE, check_reason, losing

HANDSHAKE = 1536  # bytes of each of its blocks
CHUNK_STREAMS = range(2, 64)  # those with a header of one byte


def test_it_is_known_that_nobody_publishes(serve):
    """Neither the header of FLV, which rtmp2src makes itself, nor nginx's first message is data."""
    end = far_ends.rtmp()
    end.start()
    try:
        daemon = serve("--source", f"live={end.uri}", config='[source]\nbackoff_max = "1s"\n', sources_play=False)
        wait_until(lambda: "source_trouble stream=live trouble=no_data" in daemon.log(), PATIENCE, "the line")
        wait_until(lambda: 'reason="no picture for 10 s: no data has come' in daemon.log(), PATIENCE, "the end")
        assert "no_video" not in daemon.log()
    finally:
        end.kill()


def announce(listener):
    """After a correct handshake, messages of 16 MB begin on all chunk streams."""
    while True:
        try:
            client = listener.accept()[0]
        except OSError:
            return  # it is closed
        with client:
            hello = client.makefile("rb").read(1 + HANDSHAKE)
            begin = [bytes([stream, 0, 0, 0, 255, 255, 255, 9, 0, 0, 0, 0]) + bytes(128) for stream in CHUNK_STREAMS]
            client.sendall(b"\3" + bytes(HANDSHAKE) + hello[1:] + b"".join(begin))
            with contextlib.suppress(ConnectionResetError):
                client.makefile("rb").read()  # until it leaves


def test_announced_messages_take_no_more_memory_than_a_source_may(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=announce, args=(listener,), daemon=True).start()
        sources = {"live": (f"rtmp://127.0.0.1:{listener.getsockname()[1]}/live/far",
                            "its process needs more memory than source.memory allows (512 MB)")}
        with losing(sources, tmp_path) as daemon:
            check_reason(daemon.log(), sources, "live")
        listener.shutdown(socket.SHUT_RDWR)
