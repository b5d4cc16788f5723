package machine

import "golang.org/x/sys/unix"

// awakeClock is man 2 clock_gettime.
const awakeClock = unix.CLOCK_MONOTONIC
