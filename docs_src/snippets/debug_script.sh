greenrun debug counter --interact '[
  {"change": "Your text", "value": "to be or not to be"},
  {"click": "Count"},
  {"expect": {"widget": "result", "check": "matches", "value": "^6 words"}}
]'
