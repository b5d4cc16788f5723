//go:build real

package real

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fleet-tools/fleet/tests/rig/claudebox"
	"github.com/fleet-tools/fleet/tests/rig/scripts"
)

// hostsRig is a home from which a tick reaches real sshd on loopback. Each sshd
// stands for a machine: it has a key, a port and a home of its own, in which the
// program lies where bin/install.sh puts it.
type hostsRig struct {
	tickRig
	count ghCount
	dir   string
	hosts []string // of the configuration
	ssh   string   // ssh's configuration
	known string   // its known keys
}

func newHostsRig(t *testing.T) *hostsRig {
	t.Helper()
	for _, program := range []string{"/usr/sbin/sshd", "ssh-keygen", "ssh"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Fatal("there is no sshd: tests/real/run.sh installs it: ", err)
		}
	}
	r := &hostsRig{dir: t.TempDir(), count: ghCount{t: t}}
	r.t, r.box = t, new(claudebox.Box)
	r.box.Home = filepath.Join(r.dir, "home")
	build := exec.Command("go", "build", "-o", bin, "./tests/jq")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"good", "other"} {
		r.key(filepath.Join(r.dir, name))
	}
	r.put("home/.local/bin/claude", "#!/bin/sh\ncase $1 in --version) echo '2.1.280 (Claude Code)' ;; *) echo '[]' ;; esac\n", 0o700)
	r.put("home/.claude/.keep", "", 0o600)
	r.put("home/src/lamp/.git/HEAD", "ref: refs/heads/main\n", 0o600)
	r.put("home/src/lamp/.git/objects/.keep", "", 0o600)
	r.put("home/src/lamp/.git/refs/.keep", "", 0o600)
	if err := scripts.Copy(root, bin); err != nil {
		t.Fatal(err)
	}
	r.env = []string{"HOME=" + r.box.Home, "PATH=" + r.box.Path(".local/bin") + ":" + bin + ":/usr/bin:/bin", "FLEET_SCOPE=lamp"}
	return r
}

func (r *hostsRig) put(name, text string, mode os.FileMode) {
	r.t.Helper()
	name = filepath.Join(r.dir, name)
	err := os.MkdirAll(filepath.Dir(name), 0o700)
	if err == nil {
		err = os.WriteFile(name, []byte(text), mode)
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *hostsRig) key(name string) {
	r.t.Helper()
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", name).CombinedOutput(); err != nil {
		r.t.Fatalf("%v\n%s", err, out)
	}
}

// port is a free port of loopback.
func (r *hostsRig) port() int {
	r.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		r.t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// sshd is a real sshd of a name.
type sshd struct {
	name string
	port int
	cmd  *exec.Cmd
}

// serve starts the sshd of a machine, which has the captured fleet behind pipe,
// and further programs in its home.
func (r *hostsRig) serve(name, pipe string) *sshd {
	r.t.Helper()
	s := &sshd{name: name, port: r.port()}
	home := filepath.Join(r.dir, name)
	r.put(name+"/.local/share/fleet-reconcile/current/bin/fleet-observe-claude",
		fmt.Sprintf("#!/bin/sh\nPATH=%s:$PATH\nfleet-observe-claude --fixtures %s/fixtures/cc-2.1.280 \"$@\" %s\n", bin, root, pipe), 0o700)
	for program, text := range map[string]string{
		"hang": "exec sleep 30", "flood": "exec yes '{\"v\":1,\"kind\":\"session\"}'", "bare": "exec fleet-observe-none",
		"motd": "echo 'Welcome to the machine.'; echo; exec fleet-observe-claude \"$@\"",
		"late": "fleet-observe-claude \"$@\" | PATH=" + bin + ":$PATH jq -c '" + threeHoursAhead + "'",
		"liar": "fleet-observe-claude \"$@\"; echo '{\"v\":1,\"kind\":\"entry\",\"at\":\"2026-11-29T12:00:00.000Z\",\"host\":\"devbox\",\"by\":\"fleet-asks\",\"subject\":\"1-3\",\"data\":{}}'",
	} {
		r.put(name+"/bin/"+program, "#!/bin/sh\n"+text+"\n", 0o700)
	}
	r.key(home + "/key")
	r.put(name+"/banner", "All use of this machine is recorded.\n", 0o600)
	r.put(name+"/sshd_config", fmt.Sprintf(`ListenAddress 127.0.0.1
Port %d
HostKey %s/key
PidFile none
AuthorizedKeysFile %s/good.pub
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
Banner %s/banner
SetEnv HOME=%s
`, s.port, home, r.dir, home, home), 0o600)
	r.knows(name, filepath.Join(home, "key.pub"))
	r.start(s)
	return s
}

// threeHoursAhead is a jq program that moves every time of a record.
const threeHoursAhead = `walk(if type == "string" and test("^2026-[0-9-]+T[0-9:.]+Z$") then .[19:] as $ms | ((.[0:19] + "Z" | fromdate) + 10800 | todate | .[0:19]) + $ms else . end)`

// start starts an sshd, and waits until it listens.
func (r *hostsRig) start(s *sshd) {
	r.t.Helper()
	s.cmd = exec.Command("/usr/sbin/sshd", "-D", "-e", "-f", filepath.Join(r.dir, s.name, "sshd_config"))
	s.cmd.Env = []string{"PATH=/usr/bin:/bin"}
	var log bytes.Buffer
	s.cmd.Stderr = &log
	if err := s.cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { r.stop(s) })
	for range 200 {
		if c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", s.port)); err == nil {
			c.Close()
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	r.t.Fatalf("sshd does not listen: %s", log.String())
}

func (r *hostsRig) stop(s *sshd) {
	if s.cmd != nil {
		s.cmd.Process.Kill()
		s.cmd.Wait()
		s.cmd = nil
	}
}

// knows notes the key of a name.
func (r *hostsRig) knows(name, file string) {
	r.t.Helper()
	key, err := os.ReadFile(file)
	if err != nil {
		r.t.Fatal(err)
	}
	r.known += name + " " + string(key)
}

// host makes a host of the configuration: an alias of ssh for a port, with what
// else ssh is to do for it, and the program there.
func (r *hostsRig) host(name string, port int, alias, identity, program string, seconds int) {
	r.ssh += fmt.Sprintf("Host %s\n\tHostName 127.0.0.1\n\tPort %d\n\tHostKeyAlias %s\n\tIdentityFile %s\n", name, port, alias, filepath.Join(r.dir, identity))
	h := map[string]any{"name": name, "ssh_config": filepath.Join(r.dir, "ssh_config"), "timeout_s": seconds,
		"repos": []string{"/home/dev/src/storefront", "/home/dev/src/billing", "/home/dev/src/infra", "/home/dev/src/etl"}}
	if program != "" {
		h["command"] = program
	}
	b, _ := json.Marshal(h)
	r.hosts = append(r.hosts, string(b))
}

// configure writes the configurations of ssh and fleet.
func (r *hostsRig) configure() {
	r.put("known_hosts", r.known, 0o600)
	r.put("ssh_config", fmt.Sprintf("%sHost *\n\tUserKnownHostsFile %s\n\tGlobalKnownHostsFile /dev/null\n\tIdentitiesOnly yes\n\tIdentityAgent none\n",
		r.ssh, filepath.Join(r.dir, "known_hosts")), 0o600)
	r.put("home/.config/ctx/fleet.json", fmt.Sprintf(`{"v": 1, "scopes": {"lamp": {"dispatch_enabled": 1, "tick_timeout_min": 5, "adopted": "*",
		"owner_channel": {"kind": "none"}, "surfaces": ["claude"], "repos": [%q], "hosts": [%s]}}}`, r.box.Path("src/lamp"), strings.Join(r.hosts, ",\n")), 0o600)
}
