/* fsynctrace: counts and times the flush calls of a program, by file. The program preloads this library.
 *
 *   FSYNCTRACE_TABLE=FILE LD_PRELOAD=fsynctrace.so mariadbd ...
 *
 * FILE must exist with the table's size and zeros after its header. fsync_table.py makes it, and reads it while
 * the program runs. Every field is written with atomics and only grows. The reader may set `max` back to zero.
 *
 * A file is identified by its path, because RocksDB reuses inodes. The kernel needs 3 us for a path, and 0.4 us
 * for inode and birth time. So the path is read once per descriptor, inode and birth time. The birth time has a
 * resolution of milliseconds, so close() also removes the descriptor from the cache. A file that libc (fclose) or
 * dup2 closes is still identified by its inode.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { HEADER = 64, SLOTS = 1024, PATH_SIZE = 256, BUCKETS = 32, DESCRIPTORS = 65536 };
enum { FSYNC, FDATASYNC, SYNC_FILE_RANGE, MSYNC, CALLS };

struct figures { _Atomic uint64_t calls, errors, total_ns, max_ns, histogram[BUCKETS]; };
struct slot {
    _Atomic uint64_t key;   /* hash of the path, 0: free */
    _Atomic uint64_t named; /* 1 once `path` is complete */
    struct figures of[CALLS];
    char path[PATH_SIZE];
};
struct seen { _Atomic uint64_t identity, slot; };

static struct slot *table;            /* NULL: nothing is counted */
static struct seen cache[DESCRIPTORS];
static int (*real_fsync)(int), (*real_fdatasync)(int), (*real_close)(int), (*real_msync)(void *, size_t, int);
static int (*real_sync_file_range)(int, off64_t, off64_t, unsigned);

__attribute__((constructor)) static void open_table(void) {
    real_fsync = dlsym(RTLD_NEXT, "fsync");
    real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
    real_msync = dlsym(RTLD_NEXT, "msync");
    real_sync_file_range = dlsym(RTLD_NEXT, "sync_file_range");
    const char *file = getenv("FSYNCTRACE_TABLE");
    int fd = file ? open(file, O_RDWR | O_CLOEXEC) : -1;
    if (fd < 0) return;
    size_t size = HEADER + SLOTS * sizeof(struct slot);
    if (lseek(fd, 0, SEEK_END) == (off_t)size) { /* not fstat: before glibc 2.33 libc.so has no such symbol */
        char *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (map != MAP_FAILED) table = (struct slot *)(map + HEADER);
    }
    close(fd);
}

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + t.tv_nsec;
}

static uint64_t mix(uint64_t hash, const void *bytes, size_t n) { /* FNV-1a */
    for (const unsigned char *b = bytes; n--; b++) hash = (hash ^ *b) * 1099511628211u;
    return hash;
}

/* The slot of a path. When the table is full, the last slot: so the sum over all slots stays exact. */
static unsigned slot_of(const char *path) {
    uint64_t key = mix(14695981039346656037u, path, strlen(path)) | 1;
    unsigned at = key >> 54;
    for (int tried = 0; tried < SLOTS - 1; tried++, at = (at + 1) % (SLOTS - 1)) {
        uint64_t found = 0;
        at %= SLOTS - 1;
        if (atomic_compare_exchange_strong(&table[at].key, &found, key)) {
            strncpy(table[at].path, path, PATH_SIZE - 1);
            atomic_store(&table[at].named, 1);
            return at;
        }
        if (found == key) return at;
    }
    atomic_store(&table[SLOTS - 1].key, 1);
    return SLOTS - 1;
}

static unsigned slot_of_descriptor(int fd) {
    struct statx is;
    uint64_t identity = 0, empty = 14695981039346656037u;
    if (fd < DESCRIPTORS && statx(fd, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &is) == 0 &&
        (is.stx_mask & STATX_BTIME)) {
        uint64_t who[4] = {((uint64_t)is.stx_dev_major << 32) | is.stx_dev_minor, is.stx_ino,
                           (uint64_t)is.stx_btime.tv_sec, is.stx_btime.tv_nsec};
        identity = mix(empty, who, sizeof who) | 1;
        uint64_t slot = atomic_load(&cache[fd].slot);
        if (atomic_load(&cache[fd].identity) == identity && atomic_load(&cache[fd].slot) == slot) return slot;
    }
    char link[32], path[PATH_SIZE] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length < 0 ? 0 : length] = 0;
    unsigned slot = slot_of(path);
    if (identity) {
        atomic_store(&cache[fd].identity, 0);
        atomic_store(&cache[fd].slot, slot);
        atomic_store(&cache[fd].identity, identity);
    }
    return slot;
}

static int count(unsigned call, int fd, uint64_t began, int result) {
    if (!table) return result;
    uint64_t took = now_ns() - began, us = (took + 999) / 1000;
    int error = errno;
    struct figures *f = &table[fd < 0 ? slot_of("[memory map]") : slot_of_descriptor(fd)].of[call];
    int bucket = us <= 1 ? 0 : 64 - __builtin_clzll(us - 1); /* calls in (2^(bucket-1), 2^bucket] us */
    atomic_fetch_add(&f->calls, 1);
    if (result != 0) atomic_fetch_add(&f->errors, 1);
    atomic_fetch_add(&f->total_ns, took);
    atomic_fetch_add(&f->histogram[bucket < BUCKETS ? bucket : BUCKETS - 1], 1);
    uint64_t max = atomic_load(&f->max_ns);
    while (took > max && !atomic_compare_exchange_weak(&f->max_ns, &max, took)) {}
    errno = error;
    return result;
}

int close(int fd) {
    if (!real_close) real_close = dlsym(RTLD_NEXT, "close"); /* constructors of other libraries may run before ours */
    if (fd >= 0 && fd < DESCRIPTORS) atomic_store(&cache[fd].identity, 0);
    return real_close(fd);
}
int fsync(int fd) {
    uint64_t began = now_ns();
    return count(FSYNC, fd, began, real_fsync(fd));
}
int fdatasync(int fd) {
    uint64_t began = now_ns();
    return count(FDATASYNC, fd, began, real_fdatasync(fd));
}
int sync_file_range(int fd, off64_t from, off64_t bytes, unsigned flags) {
    uint64_t began = now_ns();
    return count(SYNC_FILE_RANGE, fd, began, real_sync_file_range(fd, from, bytes, flags));
}
int msync(void *at, size_t bytes, int flags) {
    uint64_t began = now_ns();
    return count(MSYNC, -1, began, real_msync(at, bytes, flags));
}
