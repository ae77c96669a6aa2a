"""Pictures, films and sounds: what a media reference holds, where its content is kept, and work on it."""
