"""An open app in real time: gestures, runs, pacing, patches."""
