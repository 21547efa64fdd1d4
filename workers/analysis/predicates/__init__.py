"""What a claim says of a result, and whether it held.

A predicate measures one effect (`measure(measured) -> Effect`); bounds say where the effect must lie. *Held* when the
whole 95 % interval lies within the bounds, *not held* when the whole interval lies outside, else *not decidable*: also
when something was not measured, with the reason. Nothing is evaluated as code: a predicate is a table of a few keys.

    ratio    throughput of one point over that of another
    value    a figure at one point: commits or rows a second, fsyncs per commit, commits per group
    steps    the smallest growth from one number of threads to the next
    crashes  the share of crashes after which a check failed, or more than so much work was gone
    flush    what the device's flushes take, by the fitted time = N/R + K
"""
