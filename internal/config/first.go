package config

import "strings"

// ListsPath is where scopes.yaml is below a home directory.
const ListsPath = scopesPath

// First returns a configuration to begin with: the example, with the scope of
// this id that ticks and only reports. Its list of repositories, which the owner
// is to edit, is left out when scopes.yaml lists some for it.
func First(id string, listed bool) []byte {
	repos := `"repos": ["~/src/` + id + `"],`
	text := strings.NewReplacer(
		`"example": {`, `"`+id+`": {`,
		`"dispatch_enabled": 0`, `"dispatch_enabled": 1`,
		`"repos": ["~/src/example"],`, repos,
	).Replace(string(Example))
	if listed {
		text = strings.Replace(text, "      "+repos+"\n", "", 1)
	}
	return []byte(text)
}

// Lists tells whether scopes.yaml, of which b is the text, names repositories
// of a scope.
func Lists(name string, b []byte, id, home string) bool {
	f := &File{home: home}
	f.AddLists(name, b)
	return len(f.lists[id]) > 0
}
