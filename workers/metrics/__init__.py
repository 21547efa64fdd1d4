"""Where figures come from.

A *source* reads one place (status counters, performance_schema, a trace on the host) and yields figures.
Nothing is ever derived across sources without saying so; a figure that no source yields is shown as *not
available here*. Counts explain cost; they never decide a verdict (O_DSYNC is durable with zero fsyncs).
"""
