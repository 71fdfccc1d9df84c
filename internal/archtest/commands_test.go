package archtest_test

import (
	"path"
	"regexp"
	"strings"
	"testing"
)

// TestCommandsNamedInDocumentsExist checks every command of the command line and of
// Discord that a document quotes. CONTRIBUTING.md adds two in its examples.
func TestCommandsNamedInDocumentsExist(t *testing.T) {
	known := map[string]bool{"heddle serve": true, "heddle scopes": true, "/heddle contact": true}
	row := regexp.MustCompile(`(?m)^\t+\{"([a-z-]+)", "`)
	for _, match := range row.FindAllStringSubmatch(read(t, "internal/cli/commands.go"), -1) {
		known["heddle "+match[1]] = true
	}
	named := regexp.MustCompile(`Name: +"(heddle [a-z-]+)", `)
	for _, s := range program(t) {
		for _, match := range named.FindAllStringSubmatch(read(t, s.name), -1) {
			known["/"+match[1]] = true
		}
	}
	quoted := regexp.MustCompile("`(/?heddle [a-z][a-z-]+)")
	for _, document := range documents(t) {
		for _, match := range quoted.FindAllStringSubmatch(prose(read(t, document)), -1) {
			if !known[match[1]] {
				t.Errorf("%s names the command %q, want one that heddle has", document, match[1])
			}
		}
	}
}

// TestEveryDocumentIsFound checks that links lead from README.md to each document.
func TestEveryDocumentIsFound(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:\s]+\.md)(?:#[^)]*)?\)`)
	found, next := map[string]bool{"README.md": true}, []string{"README.md"}
	for len(next) > 0 {
		document := next[0]
		next = next[1:]
		for _, match := range link.FindAllStringSubmatch(prose(read(t, document)), -1) {
			target := path.Join(path.Dir(document), match[1])
			if !found[target] && exists(target) {
				found[target], next = true, append(next, target)
			}
		}
	}
	for _, document := range documents(t) {
		if !found[document] && (strings.HasPrefix(document, "docs/") || !strings.Contains(document, "/")) {
			t.Errorf("no links lead from README.md to %s, want some so that readers find it", document)
		}
	}
}
