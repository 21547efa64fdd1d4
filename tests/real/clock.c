/* Preloaded: the wall clock is ahead by as many nanoseconds as the file $SHIFTED_CLOCK says. Every other clock is true,
   and so is how long anybody sleeps. */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t none, *ahead = &none;

__attribute__((constructor)) static void look(void)
{
    const char *path = getenv("SHIFTED_CLOCK");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    void *found = file < 0 ? MAP_FAILED : mmap(0, sizeof *ahead, PROT_READ, MAP_SHARED, file, 0);
    if (found != MAP_FAILED)
        ahead = found;
    if (file >= 0)
        close(file);
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    int failed = syscall(SYS_clock_gettime, clock, now);
    if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        int64_t shown = now->tv_sec * INT64_C(1000000000) + now->tv_nsec + *ahead;
        now->tv_sec = shown / 1000000000;
        now->tv_nsec = shown % 1000000000;
    }
    return failed;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    struct timespec shown;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &shown);
    now->tv_sec = shown.tv_sec;
    now->tv_usec = shown.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *kept)
{
    struct timespec shown;
    clock_gettime(CLOCK_REALTIME, &shown);
    if (kept)
        *kept = shown.tv_sec;
    return shown.tv_sec;
}
