"""A disk that forgets: what was not flushed is lost when its power is cut.

One process is the disk. It serves a single file through FUSE; a loop device on that file makes it a block device, so
that a real file system with a real journal lies on it. Writes stay in the process's memory until a flush; a flush
takes K + N/R and then lets them through to the image, which is what remains after a cut.

    cache.py     which blocks are in memory and which in the image; the cut       (pure)
    device.py    the cache with a clock: flushes that take their time, statistics
    fuse.py      the kernel's side: /dev/fuse, nothing but the standard library
    control.py   the commands of the control socket
    __main__.py  the process: python -m workers.sandbox.disk IMAGE MOUNTPOINT CONTROL_SOCKET

    system.py    mounts and loop devices: make them, find those below a folder, take them away
    volatile.py  VolatileDisk: all of this as one object
    prepared.py  disks that already hold a datadir
    ability.py   can this host do it?
"""
