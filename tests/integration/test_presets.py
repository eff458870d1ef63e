"""encoder.preset = "auto": the server chooses the preset while viewers watch."""

PATIENCE = 120  # seconds
CONFIG = """
[encoder]
preset = "auto"
"""
PRESETS = {"superfast", "veryfast", "faster", "fast"}


def preset(metrics):
    return {labels["preset"] for name, labels, _ in metrics.samples if name == "symcast_encoder_preset"}


def test_the_preset_changes_while_a_viewer_watches(serve, view):
    """Idle CPUs get a slower one. On a machine that has none to spare it may be a faster one."""
    daemon = serve("--source", "live=test:?size=192x108&fps=25", config=CONFIG)
    viewer = view(daemon.url())
    viewer.receive(1)
    metrics = daemon.wait_for(lambda m: preset(m) != {"veryfast"}, PATIENCE, "another preset")
    assert preset(metrics) < PRESETS
    viewer.receive_more(50)
    summary = viewer.finish()
    assert summary["continuity_errors"] == summary["pes_errors"] == 0
