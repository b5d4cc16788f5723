package paseo

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // macOS and slim images have no zone files where Go looks
	"unicode"

	"github.com/fleet-tools/fleet/internal/guard"
)

// Cron is a cron expression as Paseo reads it. Its rules are its own: day of
// month and day of week must both match, where cron takes either; the step of
// a single number is ignored; Sunday is 0 and never 7; names, wrapping ranges
// and @daily are rejected. Source: schedule/cron.ts of Paseo 0.1.65 to 0.8.
//
// No kept library fits. robfig/cron and gronx take either day, netresearch/
// go-cron takes both but fires a skipped hour late, and all of them read 5/10
// as 5-59/10 and take names, so that every expression would have to be parsed
// here first all the same.
type Cron struct {
	minute, hour, dom, month, dow uint64 // bit n is set when n matches
	zone                          *time.Location
}

// cronFields are the five fields and their bounds.
var cronFields = [5]struct {
	name     string
	min, max int
}{{"minute", 0, 59}, {"hour", 0, 23}, {"day of month", 1, 31}, {"month", 1, 12}, {"day of week", 0, 6}}

// ParseCron reads an expression that is to be matched against the clock of
// zone. The error names the field.
func ParseCron(expr string, zone *time.Location) (Cron, error) {
	fields := strings.Fields(expr)
	if len(fields) != len(cronFields) {
		return Cron{}, fmt.Errorf("%d fields, not 5", len(fields))
	}
	var sets [5]uint64
	for i, f := range cronFields {
		for part := range strings.SplitSeq(fields[i], ",") {
			set, err := cronPart(part, f.min, f.max)
			if err != nil {
				return Cron{}, fmt.Errorf("%s: %w", f.name, err)
			}
			sets[i] |= set
		}
	}
	return Cron{sets[0], sets[1], sets[2], sets[3], sets[4], zone}, nil
}

// CronText is an expression as it may be shown. A character that none has is a
// question mark: no field vanishes with it, and none becomes another. One with a
// credential is as the guard has it: a question mark within that would hide it.
func CronText(expr string) string {
	if says := guard.Text(expr, cronWidth); strings.Contains(says, "[withheld: ") {
		expr = says
	}
	return guard.Text(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r < '!' || r > '~':
			return '?'
		}
		return r
	}, expr), cronWidth)
}

// cronWidth is much: an expression that names every minute is long.
const cronWidth = 4096

// cronPart reads *, */n, a, a-b or a-b/n. The step of a/n has nothing to step
// over.
func cronPart(part string, low, high int) (uint64, error) {
	base, stepText, stepped := strings.Cut(part, "/")
	step := 1
	if stepped {
		if step = leadingInt(stepText); step <= 0 || strings.Contains(stepText, "/") {
			return 0, errors.New("not a step")
		}
	}
	from, to := low, high
	if base != "*" {
		a, b, isRange := strings.Cut(base, "-")
		from = leadingInt(a)
		to = from
		if isRange && allDigits(a) && allDigits(b) {
			to = leadingInt(b)
		}
	}
	if from < low || to > high || from > to {
		return 0, fmt.Errorf("not within %d to %d", low, high)
	}
	var set uint64
	for n := from; n <= to; n += step {
		set |= 1 << n
	}
	return set, nil
}

// leadingInt is JavaScript's parseInt for what Paseo lets through: "5abc" is
// 5. It is -1 when s does not begin with a number of up to five digits.
func leadingInt(s string) int {
	end := strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(s)
	}
	n, err := strconv.Atoi(s[:end])
	if err != nil || end > 5 {
		return -1
	}
	return n
}

func allDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// cronHorizon is how far Paseo looks ahead.
const cronHorizon = 366 * 24 * time.Hour

// Next returns the first matching minute after t, in UTC; ok is false when
// there is none within 366 days, at which Paseo gives up. A local time that a
// change of the clocks skips does not come that day, one that it repeats comes
// twice.
func (c Cron) Next(t time.Time) (next time.Time, ok bool) {
	t = t.UTC().Truncate(time.Minute).Add(time.Minute)
	for end := t.Add(cronHorizon); t.Before(end); {
		l := t.In(c.zone)
		switch {
		case !has(c.month, int(l.Month())), !has(c.dom, l.Day()), !has(c.dow, int(l.Weekday())), !has(c.hour, l.Hour()):
			// Offsets are whole quarters of an hour: no hour begins in between.
			t = t.Truncate(15 * time.Minute).Add(15 * time.Minute)
		case !has(c.minute, l.Minute()):
			t = t.Add(time.Minute)
		default:
			return t, true
		}
	}
	return time.Time{}, false
}

func has(set uint64, n int) bool { return set>>n&1 == 1 }

// members are the numbers of a set, in order.
func members(set uint64) []int {
	var ns []int
	for n := range 64 {
		if has(set, n) {
			ns = append(ns, n)
		}
	}
	return ns
}

// full tells whether field i of cronFields matches everything.
func full(set uint64, i int) bool {
	all, _ := cronPart("*", cronFields[i].min, cronFields[i].max)
	return set == all
}
