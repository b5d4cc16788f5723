package macf

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

const noonSecond = "1795953600"

func TestParseLock(t *testing.T) {
	fit := `{"schema_version": 1, "agent": "DEVOPS_AGENT", "target_version": "0.2.46", "started_at": 1795953000, "heartbeat_at": ` + noonSecond + `}`
	for _, tt := range []struct{ name, old, new, err string }{
		{"fits", "", "", ""},
		{"a clock that is ahead a little", noonSecond, "1795953720", ""},
		{"of the future", noonSecond, "1795953721", "its heartbeat is of the future"},
		{"another schema", `"schema_version": 1`, `"schema_version": 2`, "its schema_version is not 1"},
		{"no schema", `"schema_version": 1, `, ``, "its schema_version is not 1"},
		{"another agent", `DEVOPS_AGENT`, `code-agent`, "it is the lock of another agent"},
		{"no agent", `"agent": "DEVOPS_AGENT", `, ``, "agent is missing"},
		{"no heartbeat", `, "heartbeat_at": ` + noonSecond, ``, "heartbeat_at is missing"},
		{"a null heartbeat", noonSecond, `null`, "heartbeat_at is missing"},
		{"milliseconds", noonSecond, noonSecond + "000", "heartbeat_at is not a whole number of 1000000000 to 10000000000"},
		{"a text", noonSecond, `"` + noonSecond + `"`, "heartbeat_at is not a whole number of 1000000000 to 10000000000"},
		{"torn", fit, fit[:40], "not JSON at byte 40"},
	} {
		m, err := ParseLock([]byte(strings.Replace(fit, tt.old, tt.new, 1)), "devops-agent", noon)
		if says(err) != tt.err || (m == nil) != (tt.err != "") {
			t.Errorf("%s: %+v, %v, want %q", tt.name, m, err, tt.err)
		}
		if m != nil && m.Target != "0.2.46" {
			t.Errorf("%s: target %q", tt.name, m.Target)
		}
	}
}

func TestParseExit(t *testing.T) {
	for in, want := range map[string]int{"0": 0, "143\n": 143, " 255 ": 255,
		"": -1, "256": -1, "-1": -1, "00": -1, "+1": -1, "1.0": -1, "1 2": -1, "0x1": -1, "NaN": -1, "99999999999999999999": -1, "१": -1} {
		e, err := ParseExit([]byte(in))
		if (err != nil) != (want < 0) || err == nil && (e.Code != want || e.At != nil) {
			t.Errorf("%q: %+v, %v", in, e, err)
		}
	}
}

func TestPackageVersion(t *testing.T) {
	for in, want := range map[string]string{`{"name": "x", "version": "0.2.46"}`: "0.2.46", `{"version": 7}`: "", `{}`: "", `x`: "",
		string(EncodePackage("1.0.0-rc.1")): "1.0.0-rc.1"} {
		if got := PackageVersion([]byte(in)); got != want {
			t.Errorf("%s: %q", in, got)
		}
	}
}

// Law: a lock that is taken holds nobody for longer than fifteen minutes and the
// difference that two clocks may have, and is written as it is read.
func FuzzParseLock(f *testing.F) {
	f.Add([]byte(`{"schema_version": 1, "agent": "a", "heartbeat_at": ` + noonSecond + `}`))
	f.Add([]byte(`{"schema_version": 1, "agent": "A", "target_version": "\u001b[1m", "started_at": 1e9, "heartbeat_at": 1795953721}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := ParseLock(b, "a", noon)
		if err != nil {
			return
		}
		if m.HeartbeatAt.After(noon.Add(skew)) {
			t.Errorf("holds from %v", m.HeartbeatAt)
		}
		once := EncodeLock(*m, "a")
		again, err := ParseLock(once, "a", noon)
		if err != nil || *again != *m {
			t.Errorf("%+v, written %s, read %+v, %v", m, once, again, err)
		}
		if twice := EncodeLock(*again, "a"); !bytes.Equal(once, twice) {
			t.Errorf("%s, then %s", once, twice)
		}
	})
}
