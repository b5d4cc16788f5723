package report

import (
	"cmp"
	"path"
	"regexp"
	"strings"
	"sync"
)

// names writes sessions and places the short way. What is short depends on the
// whole report: an id is cut only as far as it stays unique, a home directory
// is ~ only when all paths of its machine share it.
type names struct {
	ids   map[key]string
	homes map[string]string // host → home directory; "" when there are several
	many  bool              // several machines
}

var home = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(/home/[^/]+|/Users/[^/]+)(/|$)`) })

func newNames(r Report) names {
	n := names{ids: make(map[key]string, len(r.verdicts)), homes: map[string]string{}}
	hosts := map[string]bool{}
	uses := make(map[key]int, len(r.verdicts))
	for k := range r.verdicts {
		uses[key{k.host, shortID(k.subject)}]++
	}
	for k, row := range r.verdicts {
		n.ids[k] = shortID(k.subject)
		if uses[key{k.host, n.ids[k]}] > 1 { // a machine stands beside its sessions
			n.ids[k] = k.subject
		}
		hosts[k.host] = true
		if m := home().FindStringSubmatch(row.Session.Cwd); m != nil {
			if old, ok := n.homes[k.host]; ok && old != m[1] {
				m[1] = ""
			}
			n.homes[k.host] = m[1]
		}
	}
	n.many = len(hosts) > 1
	return n
}

// shortID is the first eight digits of a session id, with the label of its
// account; what is no session id stays whole.
func shortID(subject string) string {
	const form = "00000000-0000-0000-0000-000000000000"
	if len(subject) < len(form) {
		return subject
	}
	for i, f := range form {
		c := subject[i]
		if hex := c >= '0' && c <= '9' || c >= 'a' && c <= 'f'; f == '0' && !hex || f == '-' && c != '-' {
			return subject
		}
	}
	label := subject[len(form):]
	if label != "" && (label[0] != '@' || len(label) == 1 || strings.Contains(label, "\n")) {
		return subject
	}
	return subject[:8] + label
}

// id is how a session is named beside its name.
func (n names) id(row *Row) string {
	s, ok := n.ids[key{row.Host, row.Subject}]
	if !ok {
		s = shortID(row.Subject)
	}
	if plainID(s) && len(s) <= idWidth {
		return code(s)
	}
	return inert(clip(s, idWidth))
}

const idWidth = 36

// where is the place of a session: the machine when there are several, the
// repository when the path does not name it, the path, the branch.
func (n names) where(row *Row, columns int) string {
	s, dir := row.Session, n.dir(row)
	var before, after string
	if n.many {
		before = clip(row.Host, 20) + ": "
	}
	if repo := repoName(s.Repo); !strings.Contains(dir+"/", "/"+repo+"/") {
		before += strings.TrimLeft(clip(repo, 24)+" ", " ")
	}
	if branch := clip(s.Branch, 28); branch != "" {
		after = " (" + branch + ")"
	}
	room := max(columns-width(before)-width(after), 16)
	return inert(before + cmp.Or(clipPath(dir, room), "no directory") + after)
}

// dir is the working directory of a session, the home directory as ~.
func (n names) dir(row *Row) string {
	dir := row.Session.Cwd
	if h := n.homes[row.Host]; h != "" && strings.HasPrefix(dir+"/", h+"/") {
		return "~/" + strings.TrimPrefix(dir[len(h):], "/")
	}
	return dir
}

// repoName is the directory that a repository is known by, from its git
// directory.
func repoName(commonDir string) string {
	if commonDir == "" {
		return ""
	}
	d := strings.TrimSuffix(path.Clean(commonDir), "/.git")
	return strings.TrimSuffix(path.Base(d), ".git")
}

// attach is the command that leads to a session, "" when none is known. It is
// never shown in part, and only made of what a shell reads as it stands.
func attach(row *Row) string {
	there := attachThere(row)
	if there == "" || row.via == "" {
		return there
	}
	if len(row.via) > 200 || clean(row.via) != row.via || strings.ContainsAny(row.via, "`$&;|<>\"\\") {
		return ""
	}
	return "ssh -t " + row.via + " " + quote(there)
}

// attachThere is attach on the machine of the session itself.
func attachThere(row *Row) string {
	s := row.Session
	switch {
	case s.Tmux != "" && len(s.Tmux) <= 80 && clean(s.Tmux) == s.Tmux && !strings.Contains(s.Tmux, "`"):
		return "tmux attach -t " + quote(s.Tmux)
	case s.JobID != "" && len(s.JobID) <= idWidth && plainID(s.JobID):
		return "claude attach " + s.JobID
	}
	return ""
}

// quote writes a word for a shell.
func quote(s string) string {
	if plainID(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
