package faults

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// A dialog that hangs, is deaf, floods or dies: the failed tick ends all the same,
// and the owner's command is told.
func TestAlert_dialog(t *testing.T) {
	for name, do := range misdeeds {
		if !slices.Contains([]string{"hangs", "hangs deaf with a deaf child", "writes a gigabyte", "dies by a signal"}, name) {
			continue
		}
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			b := failing(t)
			b.write("tick/sleep", "#!/bin/sh\ncase $1 in 90) set -- 2 ;; esac\nexec /bin/sleep \"$@\"\n") // in the place of a minute and a half
			os.Chmod(b.path("tick/sleep"), 0o755)
			pids := b.path("pids")
			var lines []string
			for _, l := range do {
				if !strings.HasPrefix(l, "child") { // what a dialog leaves is not ours
					lines = append(lines, strings.ReplaceAll(l, "PIDS", pids))
				}
			}
			b.stub("osascript", lines...)
			b.wayTick().failed(t, "the tick failed; ")
			if b.alerts() != 1 {
				t.Errorf("%d alerts, want 1", b.alerts())
			}
			gone(t, pids, strings.Count(strings.Join(lines, " "), pids))
		})
	}
}

// A ledger whose last sweep and last note are of later holds no sweep back: what a
// clock that was wrong noted is distrusted.
func TestClock_sweep(t *testing.T) {
	for name, ahead := range map[string]time.Duration{"an hour": time.Hour, "a year": 365 * 24 * time.Hour} {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			b := withSweep(t)
			ts := time.Now().UTC().Add(ahead).Format("2006-01-02T15:04:05.000Z")
			b.write("state/ledger.jsonl", strings.ReplaceAll(`{"agents":[{"agent":"code","decision":"OK","reason":"well"}],"by":"act","dry_run":false,"id":"act-1","kind":"sweep","scope":"lamp","seen_at":"TS","tick":null,"ts":"TS","v":1}
{"by":"act","dry_run":false,"exit":0,"id":"act-2","kind":"sweep_exit","scope":"lamp","tick":null,"ts":"TS","v":1}
`, "TS", ts))
			b.swept()
			if begun, open := b.acts(); begun != 1 || open != 0 {
				t.Errorf("%d acts begun, %d open", begun, open)
			}
		})
	}
}

// Property lists that are damaged, or are no files, of a recorded Mac.
func TestFiles_plists(t *testing.T) {
	for kind, lay := range kinds {
		t.Run(strings.ReplaceAll(kind, " ", "-"), func(t *testing.T) {
			t.Parallel()
			b := newBox(t)
			b.write("mac/root/Users/ana/.config/ctx/fleet.json", `{"v": 1, "scopes": {"lamp": {"repos": ["/r"], "launchd_prefix": "com.x."}}}`)
			b.write("mac/meta.json", `{"home": "/Users/ana", "host": "desk", "os": "darwin", "zone": "", "at": "2026-11-29T15:10:00Z", "processes": []}`)
			dir := "mac/root/Users/ana/Library/LaunchAgents/"
			b.write(dir+"good.plist", `<?xml version="1.0"?><plist version="1.0"><dict><key>Label</key><string>com.x.good</string><key>ProgramArguments</key><array><string>/bin/true</string></array></dict></plist>`)
			for name, text := range map[string]string{"cut": `<?xml version="1.0"?><plist version="1.0"><dict><key>Label</key><stri`, "bin": "bplist00\xd1\x01\x02\xff\xff", "nul": strings.Repeat("\x00", 400),
				"deep": "<plist>" + strings.Repeat("<array>", 100000), "list": `<plist version="1.0"><array/></plist>`} {
				b.write(dir+name+".plist", text)
			}
			if err := lay(b, b.path(dir+"odd.plist")); err != nil {
				t.Fatal(err)
			}
			r := b.run(nil, "fleet-observe-schedule", "--scope", "lamp", "--fixtures", b.path("mac"))
			s := surfaces(t, r.stdout)["schedule/launchd"]
			want := 6
			if kind == "directory" || kind == "link to nothing" {
				want = 5 // no property list, and one that was removed
			}
			if r.status != 3 && r.status != 0 || r.peak > most || s.Unparsed < 5 || s.Unparsed < want && s.OK || !strings.Contains(r.stdout, "com.x.good") {
				t.Errorf("status %d, %d MiB, %+v: %.300s\n%.900s", r.status, r.peak>>20, s, r.stderr, r.stdout)
			}
		})
	}
}
