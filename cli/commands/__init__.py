"""One module per command of `fourfold`, each with its `command`; imported when it is asked for."""
