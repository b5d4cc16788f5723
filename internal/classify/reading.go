package classify

import (
	"fmt"
	"slices"

	"github.com/fleet-tools/fleet/internal/record"
)

// Truth is the answer to a question that a source may have failed to answer.
type Truth int

// No is the zero Truth. Unread is neither: the source that would tell was not
// read, so either answer may be the right one.
const (
	No Truth = iota
	Unread
	Yes
)

// String returns yes, no, or cannot tell.
func (t Truth) String() string {
	switch t {
	case Yes:
		return "yes"
	case Unread:
		return "cannot tell"
	}
	return "no"
}

// Reading is an answer and what it rests on: for Yes what shows it, for No why
// not, for Unread which surface was not read and why.
type Reading struct {
	Truth
	Says []record.Evidence
}

func reading(t Truth, source, format string, args ...any) Reading {
	if len(args) > 0 {
		format = fmt.Sprintf(format, args...)
	}
	return said(t, source, format)
}

// said is a reading whose words need no formatting.
func said(t Truth, source, says string) Reading {
	return Reading{t, []record.Evidence{{Source: source, Says: says}}}
}

func yes(source, format string, args ...any) Reading { return reading(Yes, source, format, args...) }
func no(source, format string, args ...any) Reading  { return reading(No, source, format, args...) }
func unread(source, format string, args ...any) Reading {
	return reading(Unread, source, format, args...)
}

// when is Yes or No as ok says, with the same words.
func when(ok bool, source, says string) Reading {
	if ok {
		return said(Yes, source, says)
	}
	return said(No, source, says)
}

// yesIf is r as an answer to whether it is t.
func yesIf(r Reading, t Truth) Reading {
	switch r.Truth {
	case Unread:
		return r
	case t:
		return Reading{Yes, r.Says}
	}
	return Reading{No, r.Says}
}

// silent is r without evidence when it is Yes: a condition that goes without
// saying.
func silent(r Reading) Reading {
	if r.Truth == Yes {
		r.Says = nil
	}
	return r
}

// not turns Yes and No round. What was the reason for a No shows nothing, so
// it is left out.
func not(r Reading) Reading {
	switch r.Truth {
	case Yes:
		return Reading{No, r.Says}
	case No:
		return Reading{Truth: Yes}
	}
	return r
}

// and is No if any of rs is, whatever was not read; else Unread if any is.
// Because of that, reading less never turns an answer into the other one.
func and(rs ...Reading) Reading {
	for _, t := range []Truth{No, Unread} {
		if i := slices.IndexFunc(rs, func(r Reading) bool { return r.Truth == t }); i >= 0 {
			return rs[i]
		}
	}
	return Reading{Yes, says(rs)}
}

// or is Yes if any of rs is, whatever was not read; else Unread if any is.
func or(rs ...Reading) Reading {
	var few [8]Reading
	if found := append(few[:0], rs...); slices.ContainsFunc(rs, isYes) {
		return Reading{Yes, says(slices.DeleteFunc(found, isNotYes))}
	}
	if i := slices.IndexFunc(rs, func(r Reading) bool { return r.Truth == Unread }); i >= 0 {
		return rs[i]
	}
	return Reading{No, says(rs)}
}

func isYes(r Reading) bool    { return r.Truth == Yes }
func isNotYes(r Reading) bool { return r.Truth != Yes }

// says is the evidence of rs, each piece once.
func says(rs []Reading) []record.Evidence {
	n, last := 0, -1
	for i := range rs {
		if len(rs[i].Says) > 0 {
			n += len(rs[i].Says)
			last = i
		}
	}
	if n == 0 {
		return nil
	}
	if n == len(rs[last].Says) {
		return slices.Clip(rs[last].Says) // an append must not write into it
	}
	all := make([]record.Evidence, 0, n)
	for i := range rs {
		for _, e := range rs[i].Says {
			if !slices.Contains(all, e) {
				all = append(all, e)
			}
		}
	}
	return all
}

// Word is a word that a source may have failed to tell.
type Word struct {
	Is     string
	What   string  // what the word is: status, state
	Source string  // where it was read
	Unread Reading // Unread when it was not

	says []record.Evidence // of word, made once: a session's words are asked for often
	word string
}

// among answers whether w is one of words.
func (w *Word) among(words ...string) Reading {
	if w.Unread.Truth == Unread {
		return w.Unread
	}
	if w.says == nil || w.word != w.Is || w.says[0].Source != w.Source {
		w.says, w.word = []record.Evidence{{Source: w.Source, Says: w.String()}}, w.Is
	}
	if slices.Contains(words, w.Is) {
		return Reading{Yes, w.says}
	}
	return Reading{No, w.says}
}

// String returns what the word is and the word, "no status" for none.
func (w *Word) String() string {
	if w.Is == "" {
		return "no " + w.What
	}
	return w.What + " " + w.Is
}
