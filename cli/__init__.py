"""The command `fourfold`: words and pictures over what `workers` and `results` do."""
