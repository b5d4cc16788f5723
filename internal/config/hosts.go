package config

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// hostObserver is the program that looks at another machine.
const hostObserver = "fleet-observe-claude"

// maxHosts bounds how many machines a tick looks at side by side.
const maxHosts = 64

// The names keep to what is one word for a shell, one part of a path and one
// part of an ask key. A destination is what ssh itself takes, user and port
// included: none of its characters means anything to a shell, and the first is
// no dash, which would make it an option.
var (
	hostName    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`) })
	destination = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_\[][A-Za-z0-9._@:%/\[\]+-]{0,254}$`) })
	pathThere   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^/[^\x00\n\r]*$`) })
	remoteWord  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_./~][A-Za-z0-9_./~-]*$`) })
)

var (
	hostsRule = rule{"a list of hosts", func(r *reader, key string, n *Node, into any) bool {
		list := []Host{}
		ok := r.list(key, n, func(at string, item *Node) {
			h, sound := r.host(at, item)
			switch {
			case !sound:
			case h.Name == "ledger" || slices.Contains(Products, h.Name):
				at, named := at+".name", item
				if item.is("object") {
					named = item.fields["name"]
				}
				r.fail(named, at, "want another name: "+h.Name+" is a product's, which the keys of questions have where they have a machine")
			case slices.ContainsFunc(list, func(o Host) bool { return o.Name == h.Name }):
				r.fail(item, at+".name", "want a name that no other host has")
			case len(list) == maxHosts:
				r.fail(item, at, "want 64 hosts at most")
			default:
				list = append(list, h)
			}
		})
		*into.(*[]Host) = list
		return ok
	}}
	aHostName    = matching("a name of letters, digits, . _ and -, 64 characters at most, the first no sign", hostName)
	aDestination = matching("a destination of ssh, such as box, ana@box or ssh://ana@box:2222", destination)
	aCommand     = rule{"a program, or a list of texts that begins with one", func(r *reader, key string, n *Node, into any) bool {
		if n.is("string") {
			if !remoteWord().MatchString(n.text) {
				return false
			}
			*into.(*[]string) = []string{n.text}
			return true
		}
		var words []string
		if !argv.read(r, key, n, &words) || !remoteWord().MatchString(words[0]) ||
			slices.ContainsFunc(words, func(w string) bool { return strings.ContainsAny(w, "\n\r") }) {
			return false
		}
		*into.(*[]string) = words
		return true
	}}
	aPathThere = matching("a path on that machine, which begins with /", pathThere)
	aTimeout   = rule{"a whole number from 1 to 3600", func(r *reader, key string, n *Node, into any) bool {
		var s int
		if !atLeast(1).read(r, key, n, &s) || s > 3600 {
			return false
		}
		*into.(*int) = s
		return true
	}}
)

// matching is a text of a shape.
func matching(want string, shape func() *regexp.Regexp) rule {
	return rule{want, func(_ *reader, _ string, n *Node, into any) bool {
		if !n.is("string") || !shape().MatchString(n.text) {
			return false
		}
		*into.(*string) = n.text
		return true
	}}
}

// host reads one host: a destination, or an object. sound is false when
// something is wrong, which it has then said.
func (r *reader) host(at string, item *Node) (h Host, sound bool) {
	before := len(r.problems)
	if item.is("string") {
		if h, sound = HostOf(item.text); !sound {
			r.fail(item, at, "want "+aDestination.want+", that names the machine; else an object with name and ssh")
		}
		return h, sound
	}
	h = Host{Command: []string{hostObserver}, TimeoutS: 60}
	r.object(at, item, "a destination of ssh, or an object", []field{r.needed("name", aHostName, &h.Name), r.take("ssh", aDestination, &h.SSH),
		r.take("ssh_config", orNull(aPath), &h.SSHConfig), r.take("command", aCommand, &h.Command), r.take("timeout_s", aTimeout, &h.TimeoutS),
		r.take("repos", listOf(aPathThere, "paths on that machine"), &h.Repos)})
	if h.SSH == "" {
		h.SSH = h.Name
	}
	return h, len(r.problems) == before
}

// HostOf is the host that a destination of ssh alone tells of, with the usual
// program and time; ok is false when it is no destination, or has no name in it.
func HostOf(ssh string) (h Host, ok bool) {
	name := strings.TrimPrefix(ssh, "ssh://")
	name = name[strings.LastIndexByte(name, '@')+1:]
	if i := strings.IndexAny(name, ":/"); i >= 0 && strings.HasPrefix(ssh, "ssh://") {
		name = name[:i]
	}
	return Host{Name: name, SSH: ssh, Command: []string{hostObserver}, TimeoutS: 60}, destination().MatchString(ssh) && hostName().MatchString(name)
}

// Host returns the host of a name.
func (s *Scope) Host(name string) (Host, bool) {
	i := slices.IndexFunc(s.Hosts, func(h Host) bool { return h.Name == name })
	if i < 0 {
		return Host{}, false
	}
	return s.Hosts[i], true
}

// commonDirs are the git common dirs of the host's repositories, nil when it
// names none. What is there cannot be looked at from here.
func (h Host) commonDirs() []string {
	var dirs []string
	for _, p := range h.Repos {
		if p = path.Clean(p); path.Ext(p) != ".git" {
			p = path.Join(p, ".git")
		}
		dirs = append(dirs, p)
	}
	return dirs
}
