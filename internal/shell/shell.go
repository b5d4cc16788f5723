// Package shell writes words as a POSIX shell reads them. It is pure.
package shell

import "strings"

// Quote is a word in single quotes, whatever it holds.
func Quote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// Word is a word as a person would type it: as it stands when a shell takes it so, else
// in single quotes.
func Word(word string) string {
	if Plain(word) {
		return word
	}
	return Quote(word)
}

// Plain tells a word that a shell takes as it stands and that no program takes for a flag.
func Plain(word string) bool {
	return word != "" && word[0] != '-' && strings.Trim(word, plain) == ""
}

const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+,-"
