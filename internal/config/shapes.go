package config

import (
	"regexp"
	"slices"
	"sync"

	"github.com/fleet-tools/fleet/internal/record"
)

// The rules of lists and objects of our own shapes.
var (
	capsRule = rule{"an object of whole numbers", func(r *reader, key string, n *Node, into any) bool {
		c := into.(*record.Caps)
		r.object(key, n, "an object of whole numbers", []field{
			r.take("fleet_sessions", atLeast(0), &c.FleetSessions),
			r.take("active_sessions", atLeast(0), &c.ActiveSessions),
			r.take("active_window_min", between(0, decadeMin), &c.ActiveWindowMin),
			r.take("research_spawns_per_day", atLeast(0), &c.ResearchPerDay),
		})
		return true
	}}
	adoptedRule = rule{`a list of adoptions, or "*"`, func(r *reader, key string, n *Node, into any) bool {
		list := []record.Adopted{}
		if n.is("string") && n.text == "*" {
			*into.(*[]record.Adopted) = append(list, record.Adopted{SessionID: "*"})
			return true
		}
		ok := r.list(key, n, func(at string, item *Node) {
			var a record.Adopted
			r.object(at, item, "an object", []field{
				r.maybe("session_id", aText, &a.SessionID), r.maybe("paseo_agent_id", aText, &a.PaseoAgentID),
				r.maybe("adopted", aText, &a.Adopted), r.maybe("note", aText, &a.Note),
			})
			if item.is("object") && !item.fields["session_id"].is("string") && !item.fields["paseo_agent_id"].is("string") {
				r.fail(item, at, "want session_id or paseo_agent_id")
			}
			list = append(list, a)
		})
		*into.(*[]record.Adopted) = list
		return ok
	}}
	channelRule = rule{"an object", func(r *reader, key string, n *Node, into any) bool {
		c := Channel{Kind: "dialog"}
		r.object(key, n, "an object", []field{r.needed("kind", oneOf("dialog", "command", "none"), &c.Kind), r.take("argv", argv, &c.Argv)})
		if (c.Kind == "command") != (n.fields["argv"] != nil) {
			r.fail(n, key+".argv", "want a command with the kind command, and with no other")
		}
		*into.(*Channel) = c
		return true
	}}
	runLogsRule = rule{"a list of logs", func(r *reader, key string, n *Node, into any) bool {
		list := []RunLog{}
		ok := r.list(key, n, func(at string, item *Node) {
			l := RunLog{StaleAfterH: 48}
			r.object(at, item, "an object", []field{r.needed("source", aText, &l.Source),
				r.needed("path", aPath, &l.Path), r.take("stale_after_h", between(1, decadeH), &l.StaleAfterH)})
			if slices.ContainsFunc(list, func(o RunLog) bool { return l.Source != "" && o.Source == l.Source }) {
				r.fail(item.fields["source"], at+".source", wantSource)
			}
			list = append(list, l)
		})
		*into.(*[]RunLog) = list
		return ok
	}}
	askWhenRule = rule{"a list of questions", func(r *reader, key string, n *Node, into any) bool {
		list := []record.AskWhen{}
		ok := r.list(key, n, func(at string, item *Node) {
			var a record.AskWhen
			r.object(at, item, "an object", []field{r.needed("key", askKey, &a.Key), r.needed("when", anExpression, &a.When), r.needed("question", aText, &a.Question)})
			if slices.ContainsFunc(list, func(b record.AskWhen) bool { return a.Key != "" && a.Key == b.Key }) {
				r.fail(item, at+".key", "want a key that no other question has")
			}
			list = append(list, a)
		})
		*into.(*[]record.AskWhen) = list
		return ok
	}}
	askKey = rule{"a key of a-z, 0-9, . _ - and :", func(_ *reader, _ string, n *Node, into any) bool {
		*into.(*string) = n.text
		return n.is("string") && askKeyShape().MatchString(n.text)
	}}
	anExpression = rule{wantExpression, func(r *reader, key string, n *Node, into any) bool {
		if !n.is("string") {
			return false
		}
		*into.(*string) = n.text
		r.exprs = append(r.exprs, expression{n.text, len(r.problems), Problem{r.path, n.line, key, "want " + wantExpression}})
		return true
	}}
)

const wantExpression = "a jq expression"

// expression is a text that should be a jq expression.
type expression struct {
	text    string
	at      int // of the problem, when it is none, among those of the file
	problem Problem
}

// CheckExpressions adds to Problems, where each belongs, the expressions of
// ask_when that compile has an error for.
func (f *File) CheckExpressions(compile func(expr string) error) {
	for _, e := range slices.Backward(f.exprs) { // so that no place moves before it is used
		if compile(e.text) != nil {
			f.Problems = slices.Insert(f.Problems, e.at, e.problem)
		}
	}
	f.exprs = nil
}

var askKeyShape = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9][a-z0-9._:-]{0,99}$`) })
