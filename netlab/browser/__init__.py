"""Chromium with the page, hls.js or dash.js: which pictures it shows, when, and how old they are.

    chromium                Chromium and its pages, from Python
    browser.mjs, steps.mjs  the same in Node.js, and the steps of a page
    picture.mjs, recording.mjs, pictures    record every picture shown, and evaluate the recording
    segment_players.mjs     stock players for HLS and DASH
"""
