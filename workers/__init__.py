"""What measures (see docs/contributing/architecture.md)."""

import os

# Before anything imports numpy: its further threads wait in a busy loop, 0.09 s of each process, and the matrices here
# are small.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
