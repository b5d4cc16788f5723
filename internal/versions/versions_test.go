package versions

import "testing"

func TestOlder(t *testing.T) {
	for _, tt := range []struct {
		version, than string
		want          bool
	}{
		{"1.2.3", "1.2.4", true}, {"1.2.3", "1.2.3", false}, {"1.2.10", "1.2.9", false}, {"v1.2.3", "1.2.4", true}, {" 1.2.3\n", "v1.2.3", false},
		{"1.2", "1.2.0", true}, {"dev", "0.0.1", true}, {"", "0.0.1", true}, {"1.2.3", "dev", false}, {"1.2.3-rc.1", "1.2.3", true}, {"1.2.3+b1", "1.2.3", false},
	} {
		if got := Older(tt.version, tt.than); got != tt.want {
			t.Errorf("Older(%q, %q) = %v", tt.version, tt.than, got)
		}
	}
}

// What a person writes for a version is one, with a v or without it, and nothing else.
func TestParse(t *testing.T) {
	for s, want := range map[string]string{"1.2.3": "1.2.3", "v1.2.3": "1.2.3", "1.2.3-rc.1": "1.2.3-rc.1", "v1.2.3+b": "1.2.3+b", "1.2": "", "": "", "latest": "", "01.2.3": "", "1.2.3.4": "",
		" 1.2.3": "", "1.2.3\n": "", " v1.2.3": "", "v 1.2.3": "", "vv1.2.3": "", "1.2.3;x": "", "1.2.3\x00": "", "\u200b1.2.3": "", "=1.2.3": "", "V1.2.3": ""} {
		if got, err := Parse(s); got != want || (err == nil) != (want != "") {
			t.Errorf("Parse(%q): %q, %v", s, got, err)
		}
	}
}

// A version is the same however it is written.
func TestSame(t *testing.T) {
	for _, tt := range []struct {
		is, want string
		same     bool
	}{{"0.2.47", "0.2.47", true}, {"v0.2.47", "0.2.47", true}, {" 0.2.47", "v0.2.47", true}, {"0.2.46", "0.2.47", false}, {"", "0.2.47", false}, {"0.2.48", "0.2.47", false}} {
		if got := Same(tt.is, tt.want); got != tt.same {
			t.Errorf("%q, %q: %t", tt.is, tt.want, got)
		}
	}
}

func TestMadeGood(t *testing.T) {
	for _, tt := range []struct {
		reason, runs string
		want         bool
	}{
		{"deaf", "1.2.3", true}, {"deaf", "v1.2.3", true}, {"deaf", "1.2.4", true}, {"deaf", "1.2.2", false}, {"deaf", "", false}, {"", "1.2.3", true},
		{Wrong, "1.2.3", true}, {Wrong, "1.2.4", false}, {Wrong, "1.2.2", false}, {Wrong, "", false}, {"deaf", "dev", false},
	} {
		if got := MadeGood("1.2.3", tt.reason, tt.runs); got != tt.want {
			t.Errorf("%s, runs %q: %v", tt.reason, tt.runs, got)
		}
	}
}
