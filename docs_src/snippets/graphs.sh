greenrun debug reviews
