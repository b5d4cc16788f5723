package attach

import "github.com/fleet-tools/fleet/internal/record"

// overSSH is the surface that tells of a machine that was asked through ssh.
const overSSH = "ssh"

// Via returns the words behind ssh -t that lead to a machine of a stream: those of the
// configuration, else those by which it was asked. "" of the machine that runs the tick,
// and of one that nobody knows how to reach: there is a far one among these only when a
// stream was put together by hand.
func Via(set *record.Set, host string) string {
	if _, tick, ok := set.Tick(); ok && tick.SSH[host] != "" {
		return tick.SSH[host]
	}
	r, _ := set.Get(record.Identity{Host: host, Kind: record.KindSurface, Subject: overSSH})
	if p, ok := record.Payload[record.Surface](r); ok {
		return p.Via
	}
	return ""
}
