"""Claims as predicates on a result.

A predicate measures one effect (`measure(measured) -> Effect`), and bounds limit it. A claim is *held* when the whole
95 % interval lies within the bounds, *not held* when the whole interval lies outside. Else it is *not decidable*, also
when something was not measured. A predicate is a table of a few keys; nothing is evaluated as code.

    ratio        throughput of one point over that of another
    value        a figure at one point: commits or rows per second, fsyncs per commit, commits per group
    steps        the smallest growth from one number of threads to the next
    crashes      the share of crashes after which a check failed, or more than some work was lost
    outages      the write outage of one variant over that of another, after the same fault
    flush        a figure of the device's flushes, from the fitted time = N/R + K
    round_trips  the distance of rates from the model of workers.analysis.round_trip
"""
