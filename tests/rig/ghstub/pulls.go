package ghstub

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// A Pull is an open pull request.
type Pull struct {
	Number    int
	Title     string
	Head      string
	Base      string
	Draft     bool
	Cross     bool   // its head is in a fork
	Author    string // "" for a deleted account
	Bot       bool   // GraphQL then answers a login alone
	Labels    []string
	Updated   time.Time
	State     string // mergeStateStatus
	Mergeable string
	Checks    []Check // nil: the head commit has no rollup
}

// A Check is a check run when Name is set, else a commit status.
type Check struct {
	Name, Workflow, Status, Conclusion string
	Context, State                     string
	Started                            time.Time
}

// graphql answers the query of gh pr list, page by page, in the shape of the
// schema, which gh flattens.
func (s *Stub) graphql(w http.ResponseWriter, r *http.Request, body []byte) {
	var req struct {
		Query     string `json:"query"`
		Variables struct {
			Owner     string `json:"owner"`
			Repo      string `json:"repo"`
			Limit     int    `json:"limit"`
			EndCursor string `json:"endCursor"`
		} `json:"variables"`
	}
	if err := json.Unmarshal(body, &req); err != nil {
		problem(w, http.StatusBadRequest, "Problems parsing JSON")
		return
	}
	if strings.Contains(req.Query, "mutation") {
		s.refuse(w, "a GraphQL mutation")
		return
	}
	name := req.Variables.Owner + "/" + req.Variables.Repo
	repo := s.find(name)
	if repo == nil {
		answer(w, map[string]any{"data": map[string]any{"repository": nil}, "errors": []any{map[string]any{"type": "NOT_FOUND", "path": []string{"repository"},
			"message": fmt.Sprintf("Could not resolve to a Repository with the name '%s'.", name)}}})
		return
	}
	if repo.fault(w, r, GraphQL, strings.Contains(req.Query, "statusCheckRollup")) {
		return
	}
	from, _ := strconv.Atoi(strings.TrimPrefix(req.Variables.EndCursor, "cursor:")) // "" is the first page
	from = min(from, len(repo.Pulls))
	to := min(from+req.Variables.Limit, len(repo.Pulls))
	nodes := []any{}
	for _, p := range repo.Pulls[from:to] {
		nodes = append(nodes, p.node(repo.Name))
	}
	answer(w, map[string]any{"data": map[string]any{"repository": map[string]any{"pullRequests": map[string]any{
		"totalCount": len(repo.Pulls), "nodes": nodes,
		"pageInfo": map[string]any{"hasNextPage": to < len(repo.Pulls), "endCursor": fmt.Sprintf("cursor:%d", to)},
	}}}})
}

// node is a pull request as GraphQL answers it.
func (p Pull) node(repo string) map[string]any {
	author := map[string]any{"login": p.Author}
	if !p.Bot && p.Author != "" {
		author["id"], author["name"] = "U_"+p.Author, p.Author
	}
	labels := []any{}
	for _, l := range p.Labels {
		labels = append(labels, map[string]any{"id": "LA_" + l, "name": l, "color": "ededed"})
	}
	var rollup any
	if p.Checks != nil {
		contexts := []any{}
		for _, c := range p.Checks {
			contexts = append(contexts, c.node())
		}
		rollup = map[string]any{"contexts": map[string]any{"nodes": contexts, "pageInfo": map[string]any{"hasNextPage": false, "endCursor": ""}}}
	}
	return map[string]any{
		"id": fmt.Sprintf("PR_%d", p.Number), "number": p.Number, "title": p.Title, "headRefName": p.Head, "baseRefName": p.Base,
		"isDraft": p.Draft, "isCrossRepository": p.Cross, "author": author, "url": fmt.Sprintf("https://github.com/%s/pull/%d", repo, p.Number),
		"updatedAt": p.Updated, "mergeStateStatus": p.State, "mergeable": p.Mergeable, "state": "OPEN",
		"labels":            map[string]any{"nodes": labels, "totalCount": len(labels)},
		"statusCheckRollup": map[string]any{"nodes": []any{map[string]any{"commit": map[string]any{"statusCheckRollup": rollup}}}},
	}
}

// node is a check as GraphQL answers it: null where there is nothing yet.
func (c Check) node() map[string]any {
	var started, conclusion any
	if !c.Started.IsZero() {
		started = c.Started
	}
	if c.Conclusion != "" {
		conclusion = c.Conclusion
	}
	if c.Name == "" {
		return map[string]any{"__typename": "StatusContext", "context": c.Context, "state": c.State, "targetUrl": "", "createdAt": started}
	}
	return map[string]any{"__typename": "CheckRun", "name": c.Name, "status": c.Status, "conclusion": conclusion, "startedAt": started,
		"completedAt": nil, "detailsUrl": "", "checkSuite": map[string]any{"workflowRun": map[string]any{"workflow": map[string]any{"name": c.Workflow}}}}
}
