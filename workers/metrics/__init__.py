"""Sources of figures.

A *source* reads one place (status counters, performance_schema, a trace on the host) and yields figures. No figure
mixes sources silently; a figure without a source is shown as *not available here*. Counts explain the cost of a commit.
They never decide a verdict: O_DSYNC is durable without fsyncs.
"""
