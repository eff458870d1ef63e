"""Clips with a white flash and a beep at each second, and how far apart the two are in what a viewer got.
Positive offsets: the beep is late."""

import re
import statistics
import subprocess

RATE = 25  # pictures per second
# A busy server does not leave out all pictures of such a flash.
FLASH = f"color=black:s=160x90:r={RATE},drawbox=color=white:t=fill:enable='lt(mod(t,1),0.4)'"
BEEP = "aevalsrc='if(lt(mod(t,1),0.1),0.8,0.002)*sin(2*PI*1000*t)':s=48000:c=stereo"
LEVEL = re.compile(r"pts_time:(\S+)\s+lavfi\.\S+=(\S+)")
WHITE = 110  # half of the luma of a white picture
LOUD = -20  # dB; a beep has -5, what surrounds it -57


def clip(path, *codecs, seconds=10, flash=FLASH, beep=BEEP):
    """Writes a clip. `codecs`: ffmpeg's options for its output."""
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", flash, "-f", "lavfi", "-i", beep,
                    "-t", str(seconds), "-pix_fmt", "yuv420p", *codecs, str(path)], check=True,
                   cwd=path.parent)
    return path


def levels(path, option, filters):
    """(seconds, level) of each picture or millisecond of audio, by a filter that measures."""
    text = subprocess.run(["ffmpeg", "-v", "quiet", "-copyts", "-i", str(path), "-map", f"0:{option[1]}:0",
                           option, filters, "-f", "null", "-"], stdout=subprocess.PIPE, check=False).stdout
    return [(float(time), float(level)) for time, level in LEVEL.findall(text.decode())]


def pictures(path):
    return levels(path, "-vf", "signalstats,metadata=print:key=lavfi.signalstats.YAVG:file=-")


def audio(path):
    return levels(path, "-af", "asetnsamples=n=48,astats=metadata=1:reset=1:measure_perchannel=none:"
                  "measure_overall=RMS_level,ametadata=print:key=lavfi.astats.Overall.RMS_level:file=-")


def onsets(measured, threshold):
    """The times at which the level rises above the threshold, after half a second below it. The first
    measured value is no rise."""
    result, last = [], measured[0][0] if measured else 0
    for time, level in measured:
        if level > threshold:
            if time - last > 0.5:
                result.append(time)
            last = time
    return result


def flashes(measured):
    return onsets(measured, WHITE)


def sharp_flashes(measured):
    """The flashes before which no picture is missing. A busy server leaves pictures out, and a flash may have
    begun with one of those."""
    times = [time for time, _ in measured]
    follows = {time for before, time in zip(times, times[1:]) if time - before < 1.5 / RATE}
    return [time for time in flashes(measured) if time in follows]


def pairs(begins, beeps):
    """(flash, beep) of each flash that has a beep next to it."""
    nearest = [(flash, min(beeps, key=lambda beep: abs(beep - flash))) for flash in begins if beeps]
    return [(flash, beep) for flash, beep in nearest if abs(beep - flash) < 0.45]


def offsets(path, flashes=flashes):
    """How late each beep is after the flash next to it, in milliseconds."""
    return [1000 * (beep - flash) for flash, beep in pairs(flashes(pictures(path)), onsets(audio(path), LOUD))]


def begin_ranges(measured):
    """{when a flash is first seen: when it may have begun at the earliest}. If pictures are missing before it, it
    may have begun with one of those."""
    before = {time: earlier for (earlier, _), (time, _) in zip(measured, measured[1:])}
    return {time: min(time, before[time] + 1 / RATE) for time in flashes(measured)}


def offset_ranges(path):
    """The least and the most that each of these offsets may have been."""
    begins = begin_ranges(pictures(path))
    return [(1000 * (beep - flash), 1000 * (beep - begins[flash]))
            for flash, beep in pairs(begins, onsets(audio(path), LOUD))]


def offset(path):
    found = offsets(path)
    assert found, f"no flash with a beep in {path}"
    return statistics.median(found)


def heard(path, skip=0):
    """The times of the milliseconds with a beep, without the first `skip` seconds."""
    measured = audio(path)
    return [time for time, level in measured if level > LOUD and time >= measured[0][0] + skip]


def silence(path, most, skip=0):
    """Milliseconds without audio, between the first and the last of a clip that has it all the time, without the
    first `skip` seconds. Each pause counts for at most `most` milliseconds."""
    times = heard(path, skip)
    if not times:
        return float("inf")
    return sum(min(most, 1000 * (after - before) - 1) for before, after in zip(times, times[1:]))
