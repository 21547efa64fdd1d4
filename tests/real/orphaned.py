"""Not a test: leaves a loop device whose file is gone, as a worker did that ended with its mounts. Arguments: the file;
the pid and start that the device names.
"""

import subprocess
import sys
from pathlib import Path

from workers.sandbox.disk import loops, own_mounts

file, pid, started = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
own_mounts.enter()
subprocess.run(["mount", "--bind", file, file], check=True)
loops.AUTOCLEAR = 0
loops.start_time = lambda _: started
loops.os.getpid = lambda: pid
print(loops.attach(file).path, flush=True)
