"""gst_player.py URI SECONDS: plays in real time with GStreamer, and prints {"video": [...],
"audio": [...]}, the time stamps of the frames and audio played, in nanoseconds. GStreamer's own
messages go to standard error, as GST_DEBUG selects them."""

import json
import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst  # noqa: E402


def add_sink(pipeline, pad, played):
    """Adds a branch that plays one decoded track in time with the clock."""
    kind = pad.query_caps(None).to_string().split("/")[0]
    queue, sink = Gst.ElementFactory.make("queue"), Gst.ElementFactory.make("fakesink")
    sink.set_property("sync", True)
    sink.set_property("signal-handoffs", True)
    sink.connect("handoff", lambda _sink, buffer, _pad: played[kind].append(buffer.pts))
    for element in (queue, sink):
        pipeline.add(element)
        element.sync_state_with_parent()
    queue.link(sink)
    pad.link(queue.get_static_pad("sink"))


def main(uri, seconds):
    Gst.init(None)
    played = {"video": [], "audio": []}
    loop = GLib.MainLoop()
    pipeline = Gst.Pipeline()
    source = Gst.ElementFactory.make("uridecodebin3")
    source.set_property("uri", uri)
    source.connect("pad-added", lambda _, pad: add_sink(pipeline, pad, played))
    pipeline.add(source)
    failures = []

    def on_message(_, message):
        if message.type in (Gst.MessageType.ERROR, Gst.MessageType.EOS):
            failures.append(message.get_structure().to_string() if message.get_structure()
                            else "the stream has ended")
            loop.quit()

    bus = pipeline.get_bus()
    bus.add_signal_watch()
    bus.connect("message", on_message)
    GLib.timeout_add(round(1000 * seconds), loop.quit)
    pipeline.set_state(Gst.State.PLAYING)
    loop.run()
    pipeline.set_state(Gst.State.NULL)
    print(json.dumps(played))
    sys.exit(failures[0] if failures else 0)


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
