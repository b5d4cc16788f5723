package github

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/fleet-tools/fleet/internal/gitrepo"
	"github.com/fleet-tools/fleet/internal/guard"
	"github.com/fleet-tools/fleet/internal/record"
)

// The fields that gh pr list --json is asked for. PullFieldsBare leaves out the
// checks, which make GitHub's query heavy.
const (
	PullFieldsBare = "author,baseRefName,headRefName,isCrossRepository,isDraft,labels,mergeStateStatus,mergeable,number,title,updatedAt,url"
	PullFields     = PullFieldsBare + ",statusCheckRollup"
)

// ErrCut is returned for a list that is as long as was asked for: gh doesn't
// say whether there were more.
var ErrCut = errors.New("as many open pull requests as were asked for, perhaps more")

// pull is one element of gh pr list --json.
type pull struct {
	Number int    `json:"number"`
	Title  string `json:"title"`
	Head   string `json:"headRefName"`
	Base   string `json:"baseRefName"`
	Draft  bool   `json:"isDraft"`
	Cross  *bool  `json:"isCrossRepository"`
	Author struct {
		Login string `json:"login"`
	} `json:"author"` // app/<name> for a bot, app/ for a deleted account
	Labels []struct {
		Name string `json:"name"`
	} `json:"labels"`
	URL        string          `json:"url"`
	UpdatedAt  *record.Time    `json:"updatedAt"`
	MergeState string          `json:"mergeStateStatus"`
	Mergeable  string          `json:"mergeable"`
	Rollup     json.RawMessage `json:"statusCheckRollup,omitempty"`
}

// ParsePulls reads the output of gh pr list --json, newest first. limit is what
// --limit asked for. A list of limit rows is ErrCut; a row without a number, a
// head or its repository an error, since a row left out would read as a branch
// without a pull request. drift names words that this release doesn't know.
func ParsePulls(out []byte, limit int) (prs []record.PullRequest, drift []string, err error) {
	var list []*pull
	dec := json.NewDecoder(bytes.NewReader(out))
	if err := dec.Decode(&list); err != nil || list == nil {
		return nil, nil, errors.New("gh pr list printed no JSON list of pull requests")
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, nil, errors.New("gh pr list printed more than a list")
	}
	if len(list) >= limit {
		return nil, nil, fmt.Errorf("%d: %w", len(list), ErrCut)
	}
	prs = make([]record.PullRequest, 0, len(list))
	seen := words{}
	for i, p := range list {
		if p == nil || p.Number <= 0 || p.Head == "" || p.Cross == nil {
			return nil, nil, fmt.Errorf("row %d of gh pr list has no number, headRefName or isCrossRepository", i+1)
		}
		prs = append(prs, p.record(seen))
	}
	slices.SortStableFunc(prs, func(a, b record.PullRequest) int { return b.Number - a.Number })
	return prs, seen.sorted(), nil
}

// record is the pull request as it is shown. Its branch is joined by the hash
// of the raw name, never by what is shown.
func (p *pull) record(seen words) record.PullRequest {
	pr := record.PullRequest{
		Number: p.Number, Title: guard.Text(p.Title, 120), Draft: p.Draft, Cross: *p.Cross,
		Head: guard.Text(p.Head, 120), HeadID: gitrepo.BranchID(p.Head), Base: guard.Text(p.Base, 120),
		Author: guard.Text(p.Author.Login, 60), Labels: []string{},
		MergeState: guard.Text(p.MergeState, 30), Mergeable: guard.Text(p.Mergeable, 30), Checks: rollup(p.Rollup, seen),
	}
	if p.UpdatedAt != nil {
		pr.UpdatedAt = record.TimeOf(p.UpdatedAt.Time) // gh writes no time as year 1
	}
	for _, l := range p.Labels {
		pr.Labels = append(pr.Labels, guard.Text(l.Name, 60))
		pr.Hold = pr.Hold || l.Name == "hold"
	}
	if strings.HasPrefix(p.URL, "https://github.com/") {
		pr.URL = guard.Text(p.URL, 200)
	}
	seen.check("merge state", p.MergeState, mergeStates)
	return pr
}

var mergeStates = map[string]bool{"": true, "BEHIND": true, "BLOCKED": true, "CLEAN": true, "DIRTY": true, "DRAFT": true,
	"HAS_HOOKS": true, "UNKNOWN": true, "UNSTABLE": true}
