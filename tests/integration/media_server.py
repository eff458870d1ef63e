"""An HTTP server for sources that misbehave: each path has a function that writes the response."""

import http.server
import threading
import time

TS_PACKET = 188
FIRST_MAP = 0x1000  # PID of the first PMT of ffmpeg's muxer; the others follow


class MediaServer:
    """paths: {path: send(write)}; `write` raises OSError once the client has left. types: {path:
    Content-Type}."""

    def __init__(self, paths, types):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                send = paths.get(self.path)
                self.send_response(200 if send else 404)
                if self.path in types:
                    self.send_header("Content-Type", types[self.path])
                self.end_headers()
                try:
                    if send:
                        send(self.wfile.write)
                except OSError:
                    pass

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def uri(self, path):
        return f"http://127.0.0.1:{self._server.server_port}{path}"

    def end(self):
        self._server.shutdown()
        self._server.server_close()


def packets(data):
    """The packets of a transport stream."""
    return [data[at:at + TS_PACKET] for at in range(0, len(data), TS_PACKET)]


def pid(packet):
    return (packet[1] & 0x1f) << 8 | packet[2]


def tables_across_packets(data):
    """The same, with each section of PAT and PMT in the last 20 bytes of a packet and in the next one."""
    result, counters = [], {}
    for packet in packets(data):
        if pid(packet) not in (0, FIRST_MAP):
            result.append(packet)
            continue
        section = packet[5:]
        for payload in (bytes([163]) + bytes(163) + section[:20], section[20:].ljust(184, b"\xff")):
            start = 0x40 if payload[0] == 163 else 0
            counter = counters[pid(packet)] = (counters.get(pid(packet), 0) + 1) % 16
            result.append(bytes([0x47, start | packet[1] & 0x1f, packet[2], 0x10 | counter]) + payload)
    return b"".join(result)


def in_real_time(data, seconds, begin=0.0):
    """send() for a transport stream of `seconds`, from `begin` seconds on."""
    def send(write):
        all_of_them = packets(data)
        rate = len(all_of_them) / seconds
        sent = int(begin * rate)
        start = time.monotonic() - begin
        while sent < len(all_of_them):
            due = min(int((time.monotonic() - start) * rate), len(all_of_them))
            write(b"".join(all_of_them[sent:due]))
            sent = max(sent, due)
            time.sleep(0.02)
    return send


def sliding_playlist(segment_names, header, seconds, listed=4):
    """send() for a live HLS playlist that repeats the segments, with a discontinuity at each beginning."""
    begin = time.monotonic() - listed * seconds
    count = len(segment_names)

    def send(write):
        end = int((time.monotonic() - begin) / seconds)
        first = end - listed
        lines = ["#EXTM3U", "#EXT-X-VERSION:7", f"#EXT-X-TARGETDURATION:{seconds}",
                 f"#EXT-X-MEDIA-SEQUENCE:{first}",
                 f"#EXT-X-DISCONTINUITY-SEQUENCE:{max(0, first - 1) // count}", header]
        for number in range(first, end):
            if number and number % count == 0:
                lines.append("#EXT-X-DISCONTINUITY")
            lines += [f"#EXTINF:{seconds}.0,", segment_names[number % count]]
        write(("\n".join(lines) + "\n").encode())
    return send


def sliding_manifest(count, seconds, tracks):
    """send() for a live DASH manifest whose periods each have the same `count` segments, so that time stamps
    restart with each. tracks: {number: MIME type}; their files are init-NUMBER.m4s, NUMBER-1.m4s, …"""
    length = count * seconds
    begin = time.time() - length

    def period(number):
        sets = "".join(
            f'<AdaptationSet mimeType="{mime}" segmentAlignment="true"><SegmentTemplate timescale="1" '
            f'duration="{seconds}" startNumber="1" initialization="init-$RepresentationID$.m4s" '
            f'media="$RepresentationID$-$Number$.m4s"/><Representation id="{track}" bandwidth="100000"/>'
            "</AdaptationSet>" for track, mime in tracks.items())
        return f'<Period id="{number}" start="PT{number * length}S">{sets}</Period>'

    def date(time_of_day):
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time_of_day))

    def send(write):
        now = int((time.time() - int(begin)) // length)
        periods = "".join(period(number) for number in range(max(0, now - 1), now + 1))
        write(f'''<?xml version="1.0"?>
<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" profiles="urn:mpeg:dash:profile:isoff-live:2011" type="dynamic"
 availabilityStartTime="{date(int(begin))}" publishTime="{date(time.time())}" minimumUpdatePeriod="PT1S"
 timeShiftBufferDepth="PT{length}S" suggestedPresentationDelay="PT{3 * seconds}S" minBufferTime="PT1S"
>{periods}</MPD>
'''.encode())
    return send
