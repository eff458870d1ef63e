"""Streams with short segments, to see more of them in less time. The fixture `quick` serves them."""

import json

SEGMENT = 0.5  # seconds
PART = 0.2
PARTS = 3  # per segment: two full ones, and the rest
KEPT = 12  # segments of the window; a playlist lists half of them
QUICK_SEGMENTS = f"""
[encoder]
preset = "ultrafast"
keyframe_interval = "{1000 * SEGMENT:g}ms"
[segments]
part = "{1000 * PART:g}ms"
window = "{KEPT * SEGMENT:g}s"
"""
CLOCK = 0.02  # seconds: dates are cut to milliseconds, and the wall clock is adjusted now and then

LIVE = "test:?size=320x180&fps=30"
TINY = "test:?size=192x108&fps=10"
SILENT = {"audio.enabled": False}  # encoding audio takes most of the CPU time of a stream


def configuration(streams):
    """The configuration of a server of `streams`: name -> source, settings."""
    return QUICK_SEGMENTS + "".join(stream(name, *others) for name, others in streams.items())


def stream(name, source, settings):
    """The configuration of a stream. One encoder suffices, and never closes another one."""
    lines = [f'name = "{name}"', f'source = "{source}"', "groups.max = 1"]
    lines += [f"{key} = {json.dumps(value)}" for key, value in settings.items()]
    return "\n".join(["[[stream]]", *lines, ""])
