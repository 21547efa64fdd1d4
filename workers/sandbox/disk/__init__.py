"""A volatile disk: unflushed data are lost when its power is cut.

A process serves a single file through FUSE. A loop device makes the file a block device, with a real file system and
journal on it. Writes stay in the process's memory until a flush. A flush takes K + N/R and then writes them to the
image, which remains after a cut.

    image.py     the image under the cache, or a recorded state
    cache.py     which blocks are in memory and which in the image; the cut       (pure)
    device.py    the cache with a clock: flushes that take their time, statistics
    fuse.py      the kernel's side: /dev/fuse, nothing but the standard library
    control.py   the commands of the control socket
    __main__.py  the process: python -m workers.sandbox.disk IMAGE MOUNTPOINT CONTROL_SOCKET [replay]

    system.py    mounts and loop devices: make, find and remove them
    tools.py     programs: mkfs.ext4, e2fsck, cp
    served.py    the process, its block device and its mounted file system
    volatile.py  VolatileDisk: all of this as one object
    recording/   what a disk was given, and the contents that a power loss could have left
    replay.py    ReplayDisk: becomes any of these contents
    prepared.py  disks that already hold a datadir
    ability.py   can this host do it?
"""
