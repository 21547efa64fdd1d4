"""A volatile disk: unflushed data are lost when its power is cut.

A process serves a single file through FUSE. A loop device makes the file a block device, with a real file system and
journal on it. Writes stay in the process's memory until a flush. A flush takes K + N/R and then writes them to the
image, which remains after a cut.
"""
