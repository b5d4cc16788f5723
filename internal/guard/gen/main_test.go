package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	const rules = `
title = "a configuration"

[[rules]]
id = "generic-api-key"
regex = '''left out'''
keywords = ["key"]

[[rules]]
id = "by-path"
path = '''\.p12$'''

[[rules]]
id = "one"
description = "Found one."
regex = '''\b(one_[a-z]{3})(?:[\x60'"\s;]|\\[nr]|$)'''
entropy = 3.5
secretGroup = 1
keywords = ["ONE_"]
`
	got, err := table([]byte(rules), []byte("Licence text.\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := "{name: \"one\", pattern: `(?:\\b|_)(one_[a-z]{3})(?:[^A-Za-z0-9]|$)`, group: 1, entropy: 3.5, keywords: []string{\"one_\"}}"
	for _, part := range []string{want, "Licence text.", "DO NOT EDIT", version} {
		if !strings.Contains(string(got), part) {
			t.Errorf("%q is missing in\n%s", part, got)
		}
	}
	if strings.Contains(string(got), "Found one") || strings.Contains(string(got), "left out") || strings.Contains(string(got), "by-path") {
		t.Errorf("too much in\n%s", got)
	}
	if _, err := table([]byte("[[rules]]\nid = \"x\"\nregex = \"x\"\n"), nil); err == nil {
		t.Error("a rule without a keyword is taken")
	}
	if _, err := table([]byte("[[rules"), nil); err == nil {
		t.Error("broken TOML is taken")
	}
}

// What is in the repository is what the generator writes.
func TestUpToDate(t *testing.T) {
	t.Setenv("GOPROXY", "off")
	want, err := generate()
	if err != nil {
		t.Skipf("%s %s is not in the module cache: go mod download %[1]s@%[2]s", module, version)
	}
	got, err := os.ReadFile("../" + output)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what go generate writes", output)
	}
}
