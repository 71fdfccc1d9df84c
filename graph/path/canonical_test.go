package path_test

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/errtest"
	"heddle/internal/expensive"
)

// TestGoldenVectors holds every hash to testdata/vectors.txt: a stored answer must
// be found again by another machine and by the next release.
func TestGoldenVectors(t *testing.T) {
	want := readVectors(t)
	for name, got := range vectors() {
		if want[name] != got.String() {
			t.Errorf("%s = %s, want the golden %s", name, got, want[name])
		}
		delete(want, name)
	}
	for name := range want {
		t.Errorf("the golden vector %q belongs to nothing, want it gone", name)
	}
}

func readVectors(t *testing.T) map[string]string {
	t.Helper()
	file := errtest.Must(os.Open("testdata/vectors.txt"))(t)
	defer file.Close()
	vectors := map[string]string{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if hash, name, ok := strings.Cut(lines.Text(), " "); ok && hash != "#" {
			vectors[name] = hash
		}
	}
	return vectors
}

func user(speaker, text string) path.Turn {
	return path.Turn{Role: path.RoleUser, Speaker: speaker, Parts: []path.Part{path.Text(text)}}
}

func assistant(text string) path.Turn {
	return path.Turn{Role: path.RoleAssistant, Parts: []path.Part{path.Text(text)}}
}

func system(text string) path.Turn {
	return path.Turn{Role: path.RoleSystem, Parts: []path.Part{path.Text(text)}}
}

func vectors() map[string]path.Hash {
	cold := 0.0
	known := path.Content{Hash: path.Hash{1, 2, 3}, Attachment: 5, Size: 9}
	unknown := path.Content{Attachment: graph.AttachmentID(1 << 60)}
	capital := path.Path{Turns: []path.Turn{
		system("You are helpful"), user("ann", "Capital of France?"), assistant("Paris"), user("ann", "Germany?"),
	}}
	all := path.Turn{Role: path.RoleAssistant, Parts: []path.Part{
		path.Text("see"),
		path.Image{Content: known, Type: "image/png"},
		path.File{Content: unknown, Name: "a.txt", Type: "text/plain", Text: "hello"},
		path.ToolCall{ID: "x", Name: "search", Arguments: `{"b": 2, "a": [1, "é"]}`},
		path.ToolCall{ID: "y", Name: "search", Arguments: `{"b": `},
		path.ToolResult{ID: "x", Name: "search", Parts: []path.Part{path.Text("nothing")}},
	}}
	tools := []path.Tool{{Name: "search", Description: "Find.", Schema: `{"type":"object"}`}}
	return map[string]path.Hash{
		"empty turn":            path.Turn{}.Hash(),
		"user turn":             user("ann", "Capital of France?").Hash(),
		"unicode":               user("Ünï 🧵", "naïve e\u0301 \u200d 漢字\n").Hash(),
		"invalid UTF-8":         user("a\xff", "\xc3(").Hash(),
		"long turn":             user("ann", strings.Repeat("long ", 20000)).Hash(),
		"each kind of part":     all.Hash(),
		"root":                  path.Root(nil, path.Options{}),
		"root with options":     path.Root(tools, path.Options{Temperature: &cold, MaxTokens: 500, Stop: []string{"a", "b"}}),
		"path of four turns":    capital.Hash(),
		"path of its first two": path.Path{Turns: capital.Turns[:2]}.Hash(),
		"response":              path.ResponseHash("Berlin", "stop"),
		"request":               path.RequestHash([]byte(`{"model":"m"}`)),
	}
}

func TestOnlyWhatTheModelSeesIsHashed(t *testing.T) {
	warm, warmer, cold := 0.7, 1.2, 0.0
	image := func(c path.Content) path.Hash {
		return path.Turn{Role: path.RoleUser, Parts: []path.Part{path.Image{Content: c, Type: "image/png"}}}.Hash()
	}
	call := func(id, arguments string) path.Hash {
		return path.Turn{Role: path.RoleAssistant, Parts: []path.Part{path.ToolCall{ID: id, Name: "f", Arguments: arguments}}}.Hash()
	}
	file := func(f path.File) path.Hash { return path.Turn{Role: path.RoleUser, Parts: []path.Part{f}}.Hash() }
	bytes := path.Hash{9}
	for name, pair := range map[string][2]path.Hash{
		"an image's attachment id once its bytes are known": {image(path.Content{Hash: bytes, Attachment: 1}), image(path.Content{Hash: bytes, Attachment: 2})},
		"a tool call's id and the order of its arguments":   {call("1", `{"a":1,"b":2}`), call("2", ` {"b":2, "a":1}`)},
		"a temperature that is not 0":                       {path.Root(nil, path.Options{Temperature: &warm}), path.Root(nil, path.Options{Temperature: &warmer})},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s changes the hash, want the same", name)
		}
	}
	for name, pair := range map[string][2]path.Hash{
		"the last digit of a snowflake": {call("1", `{"id":1234567890123456665}`), call("1", `{"id":1234567890123456666}`)},
		"who speaks":                    {user("a", "hi").Hash(), user("b", "hi").Hash()},
		"where a text is cut in two":    {user("ab", "c").Hash(), user("a", "bc").Hash()},
		"a role":                        {user("", "hi").Hash(), assistant("hi").Hash()},
		"that a file is a spoiler":      {file(path.File{}), file(path.File{Spoiler: true})},
		"what is left out of a file":    {file(path.File{Text: "a", Gap: "b", End: "c"}), file(path.File{Text: "a", Gap: "bc"})},
		"the end of a file":             {file(path.File{Text: "a", Gap: "b", End: "c"}), file(path.File{Text: "a", Gap: "b", End: "d"})},
		"the id of a converted picture": {path.PictureHash(1), path.PictureHash(2)},
		"an image's bytes":              {image(path.Content{Hash: bytes}), image(path.Content{Hash: path.Hash{8}})},
		"arguments that are not JSON":   {call("1", `{"a":2`), call("1", `{"a":2}`)},
		"a temperature of 0":            {path.Root(nil, path.Options{}), path.Root(nil, path.Options{Temperature: &cold})},
		"the answer before a follow-up": {
			path.Path{Turns: []path.Turn{user("a", "a joke?"), assistant("A"), user("a", "explain")}}.Hash(),
			path.Path{Turns: []path.Turn{user("a", "a joke?"), assistant("B"), user("a", "explain")}}.Hash(),
		},
	} {
		if pair[0] == pair[1] {
			t.Errorf("%s does not change the hash, want another", name)
		}
	}
}

func TestCanonicalJSON(t *testing.T) {
	for in, want := range map[string]string{
		`{"b":[1.0,2e3,-0],"a":{"z":null,"y":true}}`: `{"a":{"y":true,"z":null},"b":[1.0,2e3,-0]}`,
		` "\u00e9\/\ud83e\uddf5\n\"\\" `:             `"é/🧵\n\"\\"`, //nolint:gocritic // white space is what is tested
		`12345678901234567890123456789`:              `12345678901234567890123456789`,
		`[]`:                                         `[]`,
		`{}`:                                         `{}`,
		`"\\ud800"`:                                  `"\\ud800"`,
	} {
		got, err := path.CanonicalJSON([]byte(in))
		if err != nil || string(got) != want {
			t.Errorf("CanonicalJSON(%s) = %s, %v, want %s", in, got, err, want)
		}
	}
	for _, in := range []string{``, `{`, `1 2`, `nul`} {
		if got, err := path.CanonicalJSON([]byte(in)); err == nil {
			t.Errorf("CanonicalJSON(%.20q) = %s, want an error", in, got)
		}
	}
}

func FuzzCanonicalJSONIsStable(f *testing.F) {
	f.Add([]byte(`{"b":[1,2],"a":"\u00e9"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		once, err := path.CanonicalJSON(data)
		if err != nil {
			return
		}
		twice, err := path.CanonicalJSON(once)
		if err != nil || string(once) != string(twice) {
			t.Errorf("canonical form %q of %q becomes %q, %v, want it unchanged and no error", once, data, twice, err)
		}
	})
}

func FuzzStoredTurnKeepsItsHash(f *testing.F) {
	f.Add("ann", "hello", "a.txt", `{"a":1}`)
	f.Fuzz(func(t *testing.T, speaker, text, name, arguments string) {
		turn := path.Turn{Role: path.RoleUser, Speaker: speaker, Parts: []path.Part{
			path.Text(text),
			path.File{Name: name, Text: text},
			path.File{Name: name, Text: text, Gap: speaker, End: arguments, Spoiler: true},
			path.Note(text),
			path.ToolCall{ID: name, Name: speaker, Arguments: arguments},
			path.ToolResult{Name: name, Parts: []path.Part{path.Text(arguments)}},
		}}
		var loaded path.Turn
		err := json.Unmarshal(errtest.Must(json.Marshal(turn))(t), &loaded)
		if err != nil || loaded.Hash() != turn.Hash() {
			t.Errorf("a turn of %q, %q, %q, %q came back as %+v, %v, want Hash() %v and no error", speaker, text, name, arguments, loaded, err, turn.Hash())
		}
	})
}

// BenchmarkExpensiveCanonical hashes turns and arguments, valid and not.
func BenchmarkExpensiveCanonical(b *testing.B) {
	expensive.Text(b, func(text string) {
		_, _ = path.CanonicalJSON([]byte(text))
		path.Turn{Role: path.RoleAssistant, Parts: []path.Part{path.Text(text), path.ToolCall{Name: text, Arguments: text}}}.Hash()
	})
}

// BenchmarkExpensiveNames names people who choose names that are hard to tell apart.
func BenchmarkExpensiveNames(b *testing.B) {
	naming := path.NewNaming(strings.ToLower)
	expensive.Text(b, func(text string) {
		names := naming.Names()
		for at := 0; at+64 <= len(text); at += 64 { // a name of 64 bytes each, from another author
			names.Of(&graph.Message{Author: graph.UserID(at + 1), Name: text[at : at+64]})
		}
	})
}
