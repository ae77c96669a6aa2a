greenrun new counter/workflows/words.py:count --out my-counter --title "My counter"

greenrun debug my-counter --params '{"text": "one two three"}'
