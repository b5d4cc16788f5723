package record

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/kr/pretty"
)

// Laws: the lines of a stream are the stream, up to the first that is no
// record, whatever pieces it comes in; each has its number; and of a set their
// order matters nothing, nor that one of them comes twice.
func FuzzAll(f *testing.F) {
	session := line("session", at, "h", "o", "s", `{"session_id":"s"}`)
	closing := line("surface", at, "h", "o", "o", `{"ok":true,"records":1}`)
	f.Add(session + "\n" + closing)
	f.Add(closing + strings.Replace(session, "14:50", "14:51", 1) + session + line("session", at, "h", "o", "s@w", `{"cwd":"/w"}`) + line("surface", at, "h", "o", "o@w", `{"ok":true,"records":0}`))
	f.Add(session + line("session", at, "h", "o", "s", `{"session_id":"s","cwd":"/w"}`) + closing)
	f.Add("\n \t\r\n" + line("tick", at, "", "fleet-config", "lamp", `{"tick":7}`) + "{\n" + session)
	f.Fuzz(func(t *testing.T, stream string) {
		var copied bytes.Buffer
		var lines []Line
		for l, err := range All(strings.NewReader(stream)) {
			if err != nil {
				break
			}
			copied.Write(l.Raw)
			if lines = append(lines, l); l.N != len(lines) || bytes.IndexByte(l.Raw, '\n') != len(l.Raw)-1 || l.Blank != (len(bytes.TrimSpace(l.Raw)) == 0) {
				t.Fatalf("line %d is %+v", len(lines), l)
			}
		}
		if !strings.HasPrefix(stream+"\n", copied.String()) {
			t.Fatalf("%q is copied as %q", stream, copied.String())
		}
		n := 0
		for l, err := range All(iotest.OneByteReader(strings.NewReader(stream))) {
			if err != nil {
				break
			}
			if n++; n > len(lines) || !bytes.Equal(l.Raw, lines[n-1].Raw) {
				t.Fatalf("in pieces, line %d is %q", n, l.Raw)
			}
		}
		if n != len(lines) {
			t.Fatalf("%d lines, in pieces %d", len(lines), n)
		}
		orderless(t, lines)
	})
}

func orderless(t *testing.T, lines []Line) {
	t.Helper()
	turned := slices.Clone(lines)
	slices.Reverse(turned)
	a, b := new(Set), new(Set)
	for _, l := range lines {
		a.Add(l)
	}
	for _, l := range append(slices.Clone(lines), turned...) {
		b.Add(l)
	}
	if x, y := a.All(), b.All(); len(x) != len(y) || len(x) > 0 && !reflect.DeepEqual(x, y) {
		t.Fatalf("the other way round: %v", pretty.Diff(x, y))
	}
	if x, y := a.Now(time.Time{}), b.Now(time.Time{}); !x.Equal(y.Time) {
		t.Fatalf("the present is %v and %v", x, y)
	}
	for _, host := range append(a.Hosts(), "") {
		if !slices.Equal(slices.Sorted(slices.Values(a.By(host))), slices.Sorted(slices.Values(b.By(host)))) {
			t.Fatalf("%q: programs %q and %q", host, a.By(host), b.By(host))
		}
		for _, name := range a.By(host) {
			if x, y := a.Closed(host, name), b.Closed(host, name); (x == nil) != (y == nil) {
				t.Fatalf("%s: %v and %v", name, x, y)
			}
		}
	}
}
