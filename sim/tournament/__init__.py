"""Tournament formats: who meets whom, and who stands where, for many repeats of a tournament at once."""
