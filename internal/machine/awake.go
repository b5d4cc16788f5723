package machine

import "golang.org/x/sys/unix"

// awake reads a clock that began at boot and stands still while the machine
// sleeps, in seconds; nil when it cannot be read.
func awake(clock int32) *float64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(clock, &ts); err != nil {
		return nil
	}
	s := float64(ts.Nano()/1e6) / 1e3
	return &s
}
