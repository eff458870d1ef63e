"""nginx with its RTMP module: rtmp_far_end.py PORT [CLIP]; ffmpeg publishes the clip as /live/far."""

import pathlib
import subprocess
import sys
import tempfile

CONFIG = """
load_module /usr/local/bin/ngx_rtmp_module.so;
daemon off;
master_process off;
pid {folder}/pid;
error_log stderr;
events {{}}
rtmp {{ access_log off; server {{ listen 127.0.0.1:{port}; application live {{ live on; }} }} }}
"""


def main(port, *clip):
    with tempfile.TemporaryDirectory() as folder:
        config = pathlib.Path(folder) / "config"
        config.write_text(CONFIG.format(folder=folder, port=port))
        nginx = subprocess.Popen(["nginx", "-e", "stderr", "-p", folder, "-c", config])
        publish = ["ffmpeg", "-v", "error", "-re", "-stream_loop", "-1", "-i", *clip, "-c", "copy", "-f", "flv",
                   f"rtmp://127.0.0.1:{port}/live/far"]
        while clip and nginx.poll() is None:
            subprocess.run(publish, stdin=subprocess.DEVNULL, check=False)  # at first until nginx listens
        nginx.wait()


main(*sys.argv[1:])
