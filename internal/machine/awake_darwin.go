package machine

import "golang.org/x/sys/unix"

// awakeClock is man 3 clock_gettime.
const awakeClock = unix.CLOCK_UPTIME_RAW
