"""The paper's findings (Alvarez-Horine 2012) in KB/s, taken from its text, as its plots have no
numbers."""

PRIVATE_KILOBYTES, PRIVATE_DEVIATION = (270, 350), (550, 770)  # section 7.1, all five
LOSSY_KILOBYTES, LOSSY_DEVIATION = (560, 730), (350, 370)
CALM_KILOBYTES, CALM_DEVIATION = 120, 60  # section 7.3, USWest, USEast and Japan, about
CONGESTED_KILOBYTES = (63, 83)
VEGAS_PLAYED_LESS = 0.20  # section 7.4: share of the video, than cubic, in EUWest; "over"
# Table 2: EUWest, best first.
RANKING = {
    "share played": ("htcp", "cubic", "highspeed", "bic", "vegas"),
    "throughput": ("cubic", "htcp", "highspeed", "bic", "vegas"),
    "amount": ("cubic", "htcp", "highspeed", "bic", "vegas"),
    "smoothness": ("vegas", "highspeed", "bic", "cubic", "htcp"),
}
# The figures here that correspond to these: (figure, whether more is better).
MEASURED_AS = {
    "share played": ("played", True),
    "throughput": ("kilobytes_per_second", True),
    "amount": ("megabytes", True),
    "smoothness": ("window_variation", False),
}
