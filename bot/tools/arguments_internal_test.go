package tools

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/errtest"
	"heddle/internal/expensive"
)

// BenchmarkExpensiveArguments reads arguments that a model made up, and looks for them.
func BenchmarkExpensiveArguments(b *testing.B) {
	expensive.Text(b, func(text string) {
		sendable(path.ToolCall{Name: text, Arguments: text})
		words := text[:min(len(text), 4*maxQuery)]
		arguments := errtest.Must(json.Marshal(map[string]string{"words": words, "person": words}))(b)
		_, _ = readQuery([]byte(text))
		if q, err := readQuery(arguments); err == nil {
			q.fits(&graph.Message{Name: words, Text: text})
		}
	})
}

// FuzzArgumentsAreReadOrRefused demands that a call can be sent back whatever the model
// wrote, and that what is wrong with a search is told in a sentence.
func FuzzArgumentsAreReadOrRefused(f *testing.F) {
	for _, arguments := range []string{`{"words":"a \"b c\""}`, `{"after":"2026-01-31","before":"yesterday"}`, `{"words":7}`, `{"words":"a"}{`, `[]`, ``, "{\"words\":\"\xff\"}"} {
		f.Add("search", arguments)
	}
	f.Fuzz(func(t *testing.T, name, arguments string) {
		sent := sendable(path.ToolCall{Name: name, Arguments: arguments})
		if sent.Name == "" || len(sent.Name) > 64 || !isObject(sent.Arguments) || len(sent.Arguments) > maxArguments {
			t.Fatalf("%q of %q is sent back, want an object of at most %d bytes and a name of 1 to 64", sent.Arguments, sent.Name, maxArguments)
		}
		q, err := readQuery([]byte(arguments))
		if text, refused := errors.AsType[RefusalError](err); err != nil && (!refused || text == "" || !utf8.ValidString(string(text))) {
			t.Fatalf("%q fails with %v, want an error that the model can read", arguments, err)
		}
		for _, phrase := range q.phrases {
			if strings.TrimSpace(phrase) == "" {
				t.Fatalf("%q looks for %q, want no empty phrase", arguments, q.phrases)
			}
		}
	})
}

func TestFileNamesAreSafe(t *testing.T) {
	for given, want := range map[string]string{
		"notes.md": "notes.md", "../../etc/passwd": "passwd.txt", `C:\windows\cmd.exe`: "cmd.exe", ".bashrc": "bashrc.txt",
		"": "file.txt", "...": "file.txt", "a b\n.txt": "a_b_.txt", "x\u202egnp.exe": "xgnp.exe", "naïve – 計画.csv": "naïve_–_計画.csv",
		"con?.txt": "con_.txt", strings.Repeat("ü", 300) + ".md": strings.Repeat("ü", 77) + ".md", "a.\xff": "a.txt",
	} {
		if got := fileName(given); got != want {
			t.Errorf("%q becomes %q, want %q", given, got, want)
		}
	}
}
