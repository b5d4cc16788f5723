package github

import (
	"encoding/json"
	"errors"
	"strconv"
)

// Repository is what gh api repos/<slug> says.
type Repository struct {
	ID            int64  // survives a rename
	FullName      string // owner/name as GitHub has it now
	DefaultBranch string // raw
	Archived      bool
	Admin         bool // the login may see classic branch protection
	LoggedIn      bool // the call bore a login: gh sends none when a keyring stays shut
}

// repositoryBody is a repository as GitHub answers it.
type repositoryBody struct {
	ID          int64  `json:"id"`
	FullName    string `json:"full_name"`
	Branch      string `json:"default_branch"`
	Archived    bool   `json:"archived"`
	Permissions *struct {
		Admin bool `json:"admin"`
	} `json:"permissions"`
}

// ParseRepository reads the answer to repos/<slug>. An answer without a
// number, a name or a default branch is an error.
func ParseRepository(a Answer) (Repository, error) {
	var body repositoryBody
	if err := json.Unmarshal(a.Body, &body); err != nil {
		return Repository{}, errors.New("the answer to repos/… is not the JSON of a repository")
	}
	switch {
	case body.ID <= 0:
		return Repository{}, errors.New("the answer to repos/… has no id")
	case !ValidSlug(body.FullName):
		return Repository{}, errors.New("the answer to repos/… has no full_name")
	case body.Branch == "":
		return Repository{}, errors.New("the answer to repos/… has no default_branch")
	}
	r := Repository{ID: body.ID, FullName: body.FullName, DefaultBranch: body.Branch, Archived: body.Archived}
	// A call without a login is answered without permissions and has 60 calls an hour.
	limit, err := strconv.Atoi(a.Header["x-ratelimit-limit"])
	r.LoggedIn = body.Permissions != nil || err == nil && limit > 60
	r.Admin = body.Permissions != nil && body.Permissions.Admin
	return r, nil
}
