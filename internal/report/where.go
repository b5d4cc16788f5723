package report

import (
	"cmp"
	"path"
	"strings"

	"github.com/fleet-tools/fleet/internal/attach"
)

// names writes sessions and places the short way. What is short depends on the
// whole report: an id is cut only as far as it stays unique, a home directory
// is ~ only when all paths of its machine share it.
type names struct {
	homes map[string]string // host → home directory; "" when there are several
	many  bool              // several machines
}

// homeOf is the home directory that a path is in, "" when it is in none.
func homeOf(path string) string {
	if path == "/root" || strings.HasPrefix(path, "/root/") {
		return "/root"
	}
	for _, homes := range []string{"/home/", "/Users/"} {
		if rest, ok := strings.CutPrefix(path, homes); ok {
			if user, _, _ := strings.Cut(rest, "/"); user != "" {
				return homes + user
			}
		}
	}
	return ""
}

func newNames(r Report) names {
	n := names{homes: map[string]string{}, many: len(r.hosts) > 1}
	for _, rows := range r.hosts {
		host := rows[0].Host
		shortenIDs(rows)
		for i := range rows {
			row := &rows[i]
			if h := homeOf(row.Session.Cwd); h != "" {
				if old, ok := n.homes[host]; ok && old != h {
					h = ""
				}
				n.homes[host] = h
			}
		}
	}
	return n
}

// shortenIDs gives the rows of a machine, which are in order, their short ids.
// Those that may be the same stand beside each other: they begin alike.
func shortenIDs(rows []Row) {
	for from := 0; from < len(rows); {
		to := from + 1
		for to < len(rows) && alike(rows[from].Subject, rows[to].Subject) {
			to++
		}
		uses := map[string]int{}
		for i := from; i < to && to > from+1; i++ {
			uses[shortID(rows[i].Subject)]++
		}
		for i := from; i < to; i++ {
			row := &rows[i]
			if row.short = shortID(row.Subject); uses[row.short] > 1 {
				row.short = row.Subject
			}
		}
		from = to
	}
}

// alike tells subjects whose short ids begin with the same.
func alike(a, b string) bool { return len(a) >= 8 && len(b) >= 8 && a[:8] == b[:8] }

// shortID is the first eight digits of a session id, with the label of its
// account; what is no session id stays whole.
func shortID(subject string) string {
	if !attach.BeginsWithID(subject) {
		return subject
	}
	label := subject[idWidth:]
	if label != "" && (label[0] != '@' || len(label) == 1 || strings.Contains(label, "\n")) {
		return subject
	}
	return subject[:8] + label
}

// id is how a session is named beside its name.
func (n names) id(row *Row) string {
	s := cmp.Or(row.short, shortID(row.Subject))
	if plainID(s) && len(s) <= idWidth {
		return code(s)
	}
	return inert(clip(s, idWidth))
}

const idWidth = attach.IDWidth

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
func (n names) dir(row *Row) string { return n.tilde(row.Host, row.Session.Cwd) }

// tilde is a path of a machine with the home directory as ~.
func (n names) tilde(host, dir string) string {
	if h := n.homes[host]; h != "" && strings.HasPrefix(dir+"/", h+"/") {
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

// attach is the command that leads to a session, "" when none is known.
func (row *Row) attach() string {
	return attach.Command(row.Session, sectionOf(row.Class) != unknown, row.via)
}
