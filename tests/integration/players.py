"""Stock players as processes, which of their messages are about the stream, and what they have to
have played. A player that the machine did not let run in time says so, and drops or delays frames:
such messages are about the machine, and ignored."""

import contextlib
import dataclasses
import importlib.util
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import time

import pytest

SECONDS = 60 if os.environ.get("SYMCAST_TEST_LONG") else 4  # that players play
# The longest time until a player has played SECONDS; usually about SECONDS + 3.
PATIENCE = 60 + SECONDS
# On a busy machine the server's encoders go first: players can wait, late frames are missing.
PLAYER = ["nice", "-n", "10"]
AUDIO_RATE = 48000 / 1024  # AAC frames per second

# Messages of VLC's modules that process the stream, not of those for desktops. VLC also reports some
# things that are no errors: the first AAC frame only primes the decoder, MPEG-TS signals a change of
# group as a discontinuity, and fragmented MP4 begins with empty tables.
VLC_COMPLAINT = re.compile(
    r"\] (\S+ (access|stream|demux|packetizer|decoder)|main (input|.* output)) "
    r"(error|warning): (?!decoded zero sample|discontinuity indicator|no chunk defined"
    r"|STTS table of 0 entries|that media doesn't look interleaved)")
# VLC was not run in time, or not supplied in time because the server was not run.
VLC_LATE = re.compile(
    r"is called too late|is too late to be displayed|might be displayed late|playback (way )?too late"
    r"|buffer too late|late frames|seconds of late video|buffer deadlock prevented")
# If it was supplied too late, VLC forgets its clock and buffers again (ES_OUT_SET_PCR in src/input/es_out.c
# of VLC 3). Its decoders then hold frames that have no time.
VLC_REBUFFERS = "is called too late"
VLC_WITHOUT_CLOCK = re.compile(r"Timestamp conversion failed for \d+: no reference clock"
                               r"|Could not convert timestamp \d+ for FFmpeg")
MPV_LATE = re.compile(
    r"(\[\w+\] )?(Audio device underrun detected\.|Audio/Video desynchronisation detected! .*"
    r"|hardware, temporary CPU spikes, .*|position will not match to the video .*"
    r"|Consider trying `--profile=fast` .*)?")
# libavformat's HLS demuxer loads the initialization section again after each playlist reload, even
# an unchanged one, and then warns about the duplicate.
FFMPEG_OWN_DOING = re.compile(
    r"(\[mov,mp4,m4a,3gp,3g2,mj2 @ 0x[0-9a-f]+\]|\[ffmpeg/demuxer\] mov,mp4,m4a,3gp,3g2,mj2:) "
    r"Found duplicated MOOV Atom\. Skipped it")
# GStreamer warns about printing the context of its own HTTP client.
GST_OWN_DOING = "of type 'GstSoupSession'"


@dataclasses.dataclass
class Stream:
    """A stream as the server made it: frames per second, and the frames that it counted as missing
    because the machine or a player was too busy. A player may miss them, but no others."""

    rate: int
    missing: int
    missing_audio: int
    interruptions: int  # the source was late by 0.8 s, or a group was closed for lack of CPU time

    @contextlib.contextmanager
    def judging(self):
        """A failed check says nothing about a stream that the machine was too busy to make."""
        try:
            yield
        except AssertionError as failure:
            if not self.interruptions:
                raise
            pytest.skip(f"the machine was too busy to make the stream: {failure}")

    def count(self):
        """The number of frames in SECONDS, at least."""
        return SECONDS * self.rate - 1 - self.missing

    def audio_count(self, seconds=SECONDS):
        """The number of audio frames in `seconds`, at least."""
        return seconds * AUDIO_RATE - 2 - self.missing_audio

    def check_frames(self, times, unit):
        """Fails if a frame is repeated, shifted or missing. `unit`: ticks per second of `times`."""
        check_steps(times, unit / self.rate, unit / 1000, self.missing)

    def check_audio(self, times, unit):
        check_steps(times, unit / AUDIO_RATE, unit / 1000, self.missing_audio)


def check_steps(times, step, tolerance, missing):
    steps = [after - before for before, after in zip(times, times[1:])]
    assert min(steps) > 0, "a frame is repeated"
    gaps = [round(taken / step) - 1 for taken in steps]
    shifted = [taken for taken, gap in zip(steps, gaps)
               if abs(taken - (gap + 1) * step) > tolerance]
    assert not shifted, f"frames are shifted: {shifted}"
    assert sum(gaps) <= missing, f"{sum(gaps)} frames are missing, but the server left out {missing}"


def made_by(daemon, rate):
    """The Stream that a server has made since it began. It has to keep its groups, because those
    that close are no longer counted."""
    metrics = daemon.metrics()

    def count(*names):
        return int(sum(metrics.sum(f"symcast_{name}_total") for name in names))

    return Stream(rate,
                  missing=count("group_frames_late", "group_frames_skipped",
                                "group_frames_decimated", "source_frames_dropped",
                                "viewer_frames_dropped"),
                  missing_audio=count("group_audio_frames_dropped", "viewer_audio_frames_dropped"),
                  interruptions=count("source_timeline_jumps", "source_stalls", "source_frames_repeated",
                                      "groups_shed"))


def run(command, **options):
    """Exit code, standard output and error of a command that ends by itself."""
    done = subprocess.run([*PLAYER, *command], text=True, capture_output=True, timeout=PATIENCE,
                          check=False, stdin=subprocess.DEVNULL, **options)
    return done.returncode, done.stdout, done.stderr


def needs(program):
    return pytest.mark.skipif(not shutil.which(program), reason=f"{program} is not installed")


def check_quiet(code, complaints):
    assert not complaints, "\n".join(complaints)
    assert code == 0, f"ended with {code}"


class FfProbe:
    """Demultiplexes."""

    installed = bool(shutil.which("ffprobe"))

    def play(self, url, _directory, rate):
        self._packets = SECONDS * (rate + round(AUDIO_RATE))
        self._done = run(["ffprobe", "-v", "repeat+warning",
                          "-read_intervals", f"%+#{self._packets}",
                          "-show_entries", "stream=codec_name:packet=codec_type", "-of", "csv=p=0",
                          url])
        return self

    def check(self, stream):
        code, out, err = self._done
        check_quiet(code, ffmpeg_complaints(err))
        words = [word for line in out.split() for word in line.split(",") if word]
        assert {"aac", "h264"} <= set(words) <= {"aac", "h264", "audio", "video"}
        video, audio = words.count("video"), words.count("audio")
        # One track may begin before the other one.
        assert video >= stream.count() / 2 and audio >= stream.audio_count() / 2, (video, audio)
        assert video + audio >= self._packets, (video, audio)


class FfMpeg:
    """Decodes, as fast as the stream arrives."""

    installed = bool(shutil.which("ffmpeg"))

    def play(self, url, _directory, _rate):
        self._done = run(["ffmpeg", "-v", "repeat+warning", "-xerror", "-i", url,
                          "-t", str(SECONDS), "-map", "0:v", "-map", "0:a",
                          "-fps_mode", "passthrough", "-enc_time_base", "1/1000",
                          "-f", "framecrc", "-"])
        return self

    def times(self, track):
        """Milliseconds of all frames of a track: 0 is video, 1 audio."""
        _, out, _ = self._done
        return [int(line.split(",")[2]) for line in out.splitlines()
                if line.startswith(f"{track},")]

    def check(self, stream):
        code, _, err = self._done
        check_quiet(code, ffmpeg_complaints(err))
        video, audio = self.times(0), self.times(1)
        # Not the number of frames: with DASH one track may begin a segment later, because ffmpeg
        # chooses each track's first segment by the clock.
        assert video[-1] >= 1000 * stream.count() / stream.rate - 1000 / stream.rate, video[-1]
        stream.check_frames(video, 1000)
        # ffmpeg ends with the video, and leaves out a second of audio, also for a single MP4 file.
        assert audio[-1] >= 1000 * stream.audio_count(SECONDS - 1) / AUDIO_RATE, audio[-1]
        stream.check_audio(audio, 1000)


def ffmpeg_complaints(text):
    return [line for line in text.splitlines() if not FFMPEG_OWN_DOING.fullmatch(line)]


class Mpv:
    """Plays in real time. mpv 0.35 may never end after an underrun of the audio, if it ends by itself and
    so waits for the rest of the audio (issue 13242 of mpv)."""

    installed = bool(shutil.which("mpv"))

    def play(self, url, directory, _rate):
        ours, theirs = socket.socketpair()
        with ours, theirs, open(directory / "mpv.log", "w+") as log, open(log.name) as written:
            process = subprocess.Popen(
                [*PLAYER, "mpv", "--no-config", "--vo=null", "--ao=null", "--gapless-audio=no", "--msg-level=all=warn",
                 "--no-input-terminal", f"--input-ipc-client=fd://{theirs.fileno()}", url],
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, pass_fds=[theirs.fileno()])
            theirs.close()
            try:
                self._position = self._watch(ours)
                # mpv also complains about being ended.
                self._complaints = [line for line in map(str.strip, written) if is_complaint_of_mpv(line)]
                tell_mpv(ours, "quit")
                self._code = process.wait(PATIENCE)
            finally:
                process.kill()
                process.wait()
        return self

    @staticmethod
    def _watch(connection):
        """Waits until mpv has played SECONDS. Returns its last position, in seconds."""
        connection.settimeout(PATIENCE)
        position = 0
        tell_mpv(connection, "observe_property", 1, "time-pos")
        for line in connection.makefile():
            event = json.loads(line)
            if event.get("name") == "time-pos":
                position = event.get("data") or position
            if position >= SECONDS:
                break
        return position

    def check(self, _):
        check_quiet(self._code, self._complaints)
        assert self._position >= SECONDS


def tell_mpv(connection, *command):
    with contextlib.suppress(BrokenPipeError):  # it has ended, and said why
        connection.sendall(json.dumps({"command": command}).encode() + b"\n")


def is_complaint_of_mpv(line):
    return line and not MPV_LATE.fullmatch(line) and not FFMPEG_OWN_DOING.fullmatch(line)


class GStreamer:
    """gst_player.py reports the time of each frame. It plays HLS and DASH in real time, and other
    streams as they arrive: it has no buffer for delays."""

    installed = bool(importlib.util.find_spec("gi"))

    def play(self, url, _directory, _rate):
        player = pathlib.Path(__file__).with_name("gst_player.py")
        paced = url.endswith((".m3u8", ".mpd"))
        # In DASH it sometimes decodes the rest of a segment with the size of the one before.
        self._may_misdecode = url.endswith(".mpd")
        self._done = run([sys.executable, str(player), url, str(SECONDS), str(int(paced))],
                         env={**os.environ, "GST_DEBUG": "2", "GST_DEBUG_NO_COLOR": "1"})
        return self

    def played(self):
        """{"video": [...], "audio": [...]}: the times of what was played, in nanoseconds."""
        return json.loads(self._done[1])

    def check(self, stream):
        code, out, err = self._done
        # tsdemux reports half a second without frames, and restarts its time.
        gap = bool(stream.missing) and "GAP detected" in err
        check_quiet(code, [line for line in err.splitlines() if GST_OWN_DOING not in line
                           and not (self._may_misdecode and " libav :0:: " in line)
                           and not (gap and "GAP detected" in line)])
        if gap:
            return
        played = self.played()
        stream.check_frames(played["video"], 10**9)
        stream.check_audio(played["audio"][1:], 10**9)  # the first may be cut where the video begins


class Vlc:
    """Plays in real time; the remote control interface reports the number of frames."""

    installed = bool(shutil.which("cvlc"))
    FIGURE = re.compile(r"\| (video decoded|frames (?:displayed|lost)|buffers (?:played|lost)) +: "
                        r"+(\d+)")

    def __init__(self, *, shows_all=False):
        """With `shows_all`, frames count when they are displayed. Otherwise it is enough to decode
        them: at a change of size, VLC loses most of the frames that are decoded but not yet shown
        together with the window of the old size, in MPEG-TS as well."""
        self._shows_all = shows_all

    def play(self, url, directory, rate):
        """Plays until enough frames and audio have been played. VLC may write to `directory`."""
        self._frames = SECONDS * rate
        command, environment = vlc_command(directory, "-I", "rc", "--rc-fake-tty", url)
        self._file = directory / "vlc.log"
        with open(self._file, "w") as log:
            process = subprocess.Popen([*PLAYER, *command], stdin=subprocess.PIPE, stdout=log,
                                       stderr=subprocess.STDOUT, env=environment, text=True)
        try:
            self._wait(process)
            self._log = self._read_log()  # VLC also complains about being ended
            process.communicate("quit\n", timeout=PATIENCE)
        finally:
            process.kill()
            process.wait()
        self._code = process.returncode
        return self

    def _wait(self, process):
        """Requests figures until they are high enough; VLC writes them to the log, a moment later."""
        deadline = time.monotonic() + PATIENCE
        while not self._has_played() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.5)
            with contextlib.suppress(BrokenPipeError):
                process.stdin.write("stats\n")
                process.stdin.flush()

    def _read_log(self):
        return self._file.read_text(errors="replace")

    def _figures(self, log):
        """The figures of VLC's last answer."""
        return {name: int(value) for name, value in self.FIGURE.findall(log)}

    def _has_played(self):
        figures = self._figures(self._read_log())
        # VLC counts each frame as it enters the decoder and as it leaves.
        frames = figures.get("frames displayed" if self._shows_all else "video decoded", 0)
        return (frames >= self._frames * (1 if self._shows_all else 2)
                and figures.get("buffers played", 0) >= (SECONDS - 1) * AUDIO_RATE)

    def check(self, _):
        figures = self._figures(self._log)
        check_quiet(self._code, vlc_complaints(self._log))
        assert self._has_played(), figures
        late = [line for line in self._log.splitlines() if VLC_LATE.search(line)]
        assert figures["frames lost"] + figures["buffers lost"] <= len(late), figures


def vlc_command(home, *options):
    """VLC's command line; `home` is a directory that VLC may write to."""
    home.chmod(0o777)
    # VLC shows late frames as well.
    command = ["cvlc", "-vv", "--vout=vdummy", "--aout=adummy", "--no-color", "--no-drop-late-frames",
               "--no-skip-frames", *options]
    if os.geteuid() == 0:  # VLC refuses to run as root
        command = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", *command]
    return command, {**os.environ, "HOME": str(home)}


def vlc_complaints(log):
    return [line for line in log.splitlines()
            if VLC_COMPLAINT.search(line) and not VLC_LATE.search(line)
            and not (VLC_REBUFFERS in log and VLC_WITHOUT_CLOCK.search(line))]


PLAYERS = {"ffprobe": FfProbe, "ffmpeg": FfMpeg, "mpv": Mpv, "gstreamer": GStreamer, "vlc": Vlc}


def check(played, case):
    """Fails if the player of a case, (kind of stream, container, player), complained or missed frames.
    `played` has the stream of each kind, and a future of what each installed player played."""
    if case not in played.players:
        pytest.skip(f"{case[2]} is not installed")
    stream = played.streams[case[0]]
    with stream.judging():
        played.players[case].result().check(stream)
