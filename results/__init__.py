"""Tables and figures of runs: schema, Parquet store, exact sums, summaries with intervals."""
