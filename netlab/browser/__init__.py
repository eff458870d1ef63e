"""Chromium with the page, hls.js or dash.js: which pictures it shows, when, and how old they are.

    chromium              a visit, from Python
    visit.mjs, steps.mjs  the visit in Node.js, and its steps
    picture.mjs, recording.mjs, pictures    record every picture shown, and evaluate the recording
    segment_players.mjs   stock players for HLS and DASH
    falling_link          the experiment 5 → 1 → 5 Mbit/s, for the browser tests and bench/players
"""
