"""What a run plays, and playing it: its parts, here or for a queue; verified and replayed."""
