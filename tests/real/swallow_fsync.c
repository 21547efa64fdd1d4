/* Preloaded: flushes succeed and nothing is flushed, as with eatmydata. */
int fsync(int fd) { return fd < 0; }
int fdatasync(int fd) { return fd < 0; }
