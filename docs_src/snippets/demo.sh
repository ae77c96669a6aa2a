greenrun demo
