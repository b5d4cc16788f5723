package process

import (
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kr/pretty"
)

func TestParsePS(t *testing.T) {
	got := parsePS("  900   1 Tue Sep  8 03:12:45 2026     claude fix the login\n  1     0 Tue Sep  8 03:12:40 2026 /sbin/launchd\nrubbish\n" +
		"  x   1 Tue Sep  8 03:12:45 2026 claude\n  7   x Tue Sep  8 03:12:45 2026 claude\n  7   1 Tue Sep  8 03:12:45 2026 \n")
	want := []Process{
		{PID: 900, Exe: "claude", Argv: []string{"claude", "fix", "the", "login"}, stat: Stat{PPID: 1, Start: "Tue Sep 8 03:12:45 2026"}},
		{PID: 1, Exe: "/sbin/launchd", Argv: []string{"/sbin/launchd"}, stat: Stat{Start: "Tue Sep 8 03:12:40 2026"}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Error(pretty.Diff(got, want))
	}
}

func TestParseStat(t *testing.T) {
	for text, want := range map[string]Stat{
		"7 (a) b) (c) S 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23\n": {PPID: 4, Start: "22"},
		"7 (a) Z 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22\n":           {PPID: 4, Start: "22", Ended: true},
		"7 (a) X 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22\n":           {PPID: 4, Start: "22", Ended: true},
		"7 (a) S x 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22\n":           {},
		"7 (a) S 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21\n":              {},
		"": {},
	} {
		got, err := parseStat([]byte(text))
		if got != want || (err == nil) != (want != Stat{}) {
			t.Errorf("%q: %+v %v", text, got, err)
		}
	}
}

func TestParseLsof(t *testing.T) {
	for out, want := range map[string]string{"p77\nfcwd\nn/Users/ana/src/till room\n": "/Users/ana/src/till room", "p77\nfcwd\n": "", "": ""} {
		if got, err := parseLsof(out); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q %v", out, got, err)
		}
	}
}

func TestBootTime(t *testing.T) {
	for out, want := range map[string]time.Time{
		"{ sec = 1795960000, usec = 0 } Sun Nov 29 14:26:40 2026\n": time.Unix(1795960000, 0).UTC(),
		"{ sec = 1795960000 }": {}, "{ sec = soon, usec = 0 }": {}, "": {},
	} {
		if got := bootTime(out); !got.Equal(want) {
			t.Errorf("%q: %v, want %v", out, got, want)
		}
	}
}

// Laws: each process is of a line of its own, in order; lines are read one by one;
// what it is comes word by word from its line, and nothing is left out behind it.
func FuzzParsePS(f *testing.F) {
	f.Add("  93 1 Tue Sep  8 03:12:45 2026 /home/x/.local/bin/claude --resume FAKE prompt\n   7 1 Tue Sep  8 03:12:45 2026 sh -c x\n")
	f.Add("93 1 Tue Sep 8 03:12:45 2026 claude daemon run\n\n-1 0 a b c d e claude")
	f.Fuzz(func(t *testing.T, out string) {
		ps := parsePS(out)
		var one []Process
		for line := range strings.Lines(out) {
			of := parsePS(line)
			one = append(one, of...)
			for _, p := range of {
				words := append([]string{strconv.Itoa(p.PID), strconv.Itoa(p.stat.PPID)}, append(strings.Fields(p.stat.Start), p.Argv...)...)
				fields := strings.Fields(line)
				if len(words) != len(fields) || strings.Join(words[2:], " ") != strings.Join(fields[2:], " ") || p.Exe != p.Argv[0] || p.Hidden {
					t.Fatalf("%+v of %q", p, line)
				}
			}
		}
		if len(ps) != len(one) || len(ps) > 0 && !reflect.DeepEqual(ps, one) {
			t.Fatal(pretty.Diff(ps, one))
		}
	})
}

// Law: what is read of a stat line does not depend on the name in it.
func FuzzParseStat(f *testing.F) {
	const rest = " 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23"
	f.Add("a) (b", "S"+rest)
	f.Add("", "Z 1")
	f.Fuzz(func(t *testing.T, name, rest string) {
		if strings.Contains(rest, ")") {
			return
		}
		got, err := parseStat([]byte("7 (" + name + ") " + rest))
		want, werr := parseStat([]byte("8 (x) " + rest))
		if got != want || (err == nil) != (werr == nil) || err != nil && got != (Stat{}) {
			t.Fatalf("%q: %+v %v, want %+v %v", name, got, err, want, werr)
		}
	})
}
