package main

import (
	"encoding/json"
	"regexp"
	"strconv"
	"time"
)

// ticksPerSecond is the unit of a process's start time, fixed by Linux for user space.
const ticksPerSecond = 100

var (
	isoTime      = regexp.MustCompile(`^"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"$`)
	milliseconds = regexp.MustCompile(`^1[6-9]\d{11}$`) // 2020 to 2033
	seconds      = regexp.MustCompile(`^1[6-9]\d{8}$`)
	ticks        = regexp.MustCompile(`^"\d+"$`)
)

// earlier moves every clock reading of a document back by d: ISO times, Unix times in milliseconds
// or, where a quota resets, in seconds, and the start of a process in ticks since boot.
func earlier(d time.Duration) editor {
	return func(path []string, value json.RawMessage) json.RawMessage {
		key := ""
		if len(path) > 0 {
			key = path[len(path)-1]
		}
		switch {
		case isoTime.Match(value):
			t, err := time.Parse(`"`+stamp+`"`, string(value))
			if err != nil {
				return nil
			}
			return json.RawMessage(t.Add(-d).Format(`"` + stamp + `"`))
		case milliseconds.Match(value):
			return minus(value, d.Milliseconds())
		case key == "resetsAt" && seconds.Match(value):
			return minus(value, int64(d.Seconds()))
		case (key == "procStart" || key == "start") && ticks.Match(value):
			return json.RawMessage(`"` + string(minus(value[1:len(value)-1], int64(d.Seconds())*ticksPerSecond)) + `"`)
		}
		return nil
	}
}

func minus(number json.RawMessage, n int64) json.RawMessage {
	v, err := strconv.ParseInt(string(number), 10, 64)
	if err != nil {
		return nil
	}
	return strconv.AppendInt(nil, v-n, 10)
}
