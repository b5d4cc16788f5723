package main

import (
	"encoding/json"
	"regexp"
	"strings"
)

const elided = `"<elided>"`

// vendorText elides Claude Code's own prompt texts, tools and listings from a line of a
// transcript: everything inside an attachment but its type and its numbers, and the instructions
// to the model in a tool's result.
func vendorText(path []string, value json.RawMessage) json.RawMessage {
	name := strings.Join(path, ".")
	switch {
	case name == "rendered":
		return json.RawMessage(elided)
	case len(path) == 2 && path[0] == "attachment" && path[1] != "type" && strings.ContainsRune(`"[{`, rune(value[0])):
		return json.RawMessage(elided)
	case instructions.Match(value):
		return instructions.ReplaceAll(value, []byte("$1 <elided>\""))
	}
	return nil
}

var instructions = regexp.MustCompile(`^("(?:Async agent launched successfully\.|Command running in background with ID: \w+\.)) .*"$`)

// machine elides what belongs to the machine: sockets, the machine's id and its namespaces.
func machine(path []string, _ json.RawMessage) json.RawMessage {
	if len(path) == 1 && (path[0] == "messagingSocketPath" || path[0] == "pidDomain") {
		return json.RawMessage(elided)
	}
	return nil
}
