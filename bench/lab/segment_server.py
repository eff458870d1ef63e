"""An HTTP server of segments of any size, as a program: GET /BYTES gets so many. As in paper 002,
where a segment is a byte range, coded on the fly at any rate.

    python3 segment_server.py PORT CONGESTION_CONTROL     until it is ended
"""

import asyncio
import socket
import sys

CHUNK = bytes(1 << 16)


async def serve(reader, writer):
    try:
        while request := await reader.readuntil(b"\r\n\r\n"):
            size = int(request.split()[1].lstrip(b"/"))
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n"
                         b"Content-Length: %d\r\n\r\n" % size)
            for begin in range(0, size, len(CHUNK)):
                writer.write(CHUNK[:size - begin])
                await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass  # the client has gone
    finally:
        writer.close()


async def main(port, congestion_control):
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, congestion_control.encode())
    listener.bind(("", port))
    server = await asyncio.start_server(serve, sock=listener, backlog=64)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), sys.argv[2]))
