"""gst_player.py URI SECONDS PACED [REPORT]: plays with GStreamer until SECONDS of video and audio have
been played; in real time if PACED is 1, as they arrive if it is 0. Then prints {"video": [...],
"audio": [...]}, the time stamps of the frames and audio played, in nanoseconds. GStreamer's own
messages go to standard error, as GST_DEBUG selects them. The file REPORT gets a line for each
frame, frame=NUMBER."""

import json
import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst  # noqa: E402


def add_sink(pipeline, pad, paced, on_buffer):
    """Adds a branch that plays one decoded track and drops nothing, with `paced` by the clock."""
    kind = pad.get_name().split("_")[0]  # video_0; its formats may not be known yet
    queue, sink = Gst.ElementFactory.make("queue"), Gst.ElementFactory.make("fakesink")
    sink.set_property("sync", paced)
    sink.set_property("signal-handoffs", True)
    sink.connect("handoff", lambda _sink, buffer, _pad: on_buffer(kind, buffer.pts))
    for element in (queue, sink):
        pipeline.add(element)
        element.sync_state_with_parent()
    queue.link(sink)
    pad.link(queue.get_static_pad("sink"))


def hold_no_frames(_pipeline, _bin, element):
    """GStreamer 1.22 passes a gap in the video on ahead of the frames that its decoder holds, one for each
    of its threads. If they are the first ones, and the gap is longer than 100 ms, as on a busy machine, the
    sink takes it for centuries and waits."""
    if element.find_property("max-threads"):
        element.set_property("max-threads", 1)


def main(uri, seconds, paced, report=None):
    Gst.init(None)
    played = {"video": [], "audio": []}
    loop = GLib.MainLoop()
    pipeline = Gst.Pipeline()
    failures = []

    def on_buffer(kind, pts):
        played[kind].append(pts)
        if kind == "video" and report:
            report.write(f"frame={len(played[kind])}\n")
        if all(times and times[-1] - times[0] >= seconds * Gst.SECOND for times in played.values()):
            Gst.debug_set_active(False)  # messages about the end are not about the stream
            loop.quit()

    def on_message(_, message):
        if message.type in (Gst.MessageType.ERROR, Gst.MessageType.EOS):
            failures.append(message.get_structure().to_string() if message.get_structure()
                            else "the stream has ended")
            loop.quit()

    source = Gst.ElementFactory.make("uridecodebin3")
    source.set_property("uri", uri)
    source.connect("pad-added", lambda _, pad: add_sink(pipeline, pad, paced, on_buffer))
    pipeline.add(source)
    pipeline.connect("deep-element-added", hold_no_frames)
    bus = pipeline.get_bus()
    bus.add_signal_watch()
    bus.connect("message", on_message)
    pipeline.set_state(Gst.State.PLAYING)
    loop.run()
    pipeline.set_state(Gst.State.NULL)
    print(json.dumps(played))
    sys.exit(failures[0] if failures else 0)


if __name__ == "__main__":
    reports = [open(path, "w", buffering=1) for path in sys.argv[4:]]
    main(sys.argv[1], float(sys.argv[2]), sys.argv[3] == "1", *reports)
