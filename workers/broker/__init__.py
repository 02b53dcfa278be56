"""The broker: an embedded server or a shared one, whether it can be used, and what is kept on it."""
