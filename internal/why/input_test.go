package why_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/errtest"
	"heddle/internal/terminal"
	"heddle/internal/why"
)

// changed writes a copy of a sample, changed as text, and returns the name of the file.
func changed(t *testing.T, name string, change func(string) string) string {
	t.Helper()
	content := errtest.Must(os.ReadFile(sample(name)))(t)
	return written(t, name, change(string(content)))
}

func written(t *testing.T, name, content string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	errtest.None(t, os.WriteFile(file, []byte(content), 0o600))
	return file
}

func other(channel string) func(string) string {
	return func(text string) string { return strings.Replace(text, `"id": "300"`, `"id": "`+channel+`"`, 1) }
}

func TestBadInputIsASentence(t *testing.T) {
	general := sample("general.json")
	folder := t.TempDir()
	for name, c := range map[string]struct {
		files    []string
		at, self string
		compare  []string
		want     []string // what the sentence names
	}{
		"cut short":         {files: []string{changed(t, "general.json", func(s string) string { return s[:len(s)/2] })}, want: []string{"general.json", "cut short after message", "export the channel again"}},
		"empty export":      {files: []string{sample("empty.json")}, want: []string{"empty.json", "holds no message", "export the channel again"}},
		"no file":           {files: []string{"nowhere.json"}, want: []string{"there is no file nowhere.json", "name an export"}},
		"a folder":          {files: []string{folder}, want: []string{folder, "is a folder", "name the .json file"}},
		"another message":   {files: []string{general}, at: "1478332357017600001", want: []string{"message 1478332357017600001 is not among", "the 17 messages", "check the id"}},
		"no id":             {files: []string{general}, at: "yesterday", want: []string{`"yesterday"`, "neither", "--at last"}},
		"half a link":       {files: []string{general}, at: "https://discord.com/channels/100/300", want: []string{"leads to no message", "copy the link"}},
		"link to elsewhere": {files: []string{general}, at: "https://discord.com/channels/100/301/" + followUp, want: []string{"channel 301", "#general (300)", "export the channel"}},
		"mixed channels":    {files: []string{general, changed(t, "general.json", other("555"))}, want: []string{"two conversations", "a thread and its channel"}},
		"a notice":          {files: []string{general}, at: notice, want: []string{"notice", "choose one"}},
		"heddle's own":      {files: []string{general}, at: ownAnswer, self: "299", want: []string{"by heddle itself", "choose the question"}},
		"odd self":          {files: []string{general}, self: "bob", want: []string{`--self "bob"`, "copy it"}},
		"odd strategy":      {files: []string{general}, compare: []string{"magic"}, want: []string{`"magic"`, "last-30", "plain"}},
		"bots alone": {files: []string{changed(t, "general.json", func(s string) string {
			return strings.NewReplacer(`"isBot": false`, `"isBot": true`, `"0000"`, `"1234"`).Replace(s)
		})}, want: []string{"was written by a person"}},
	} {
		t.Run(name, func(t *testing.T) {
			o := why.Options{Files: c.files, At: c.at, Self: c.self, Compare: c.compare, Bot: bot(plain())}
			var out bytes.Buffer
			err := why.Explain(t.Context(), o, &out)
			if _, input := errors.AsType[*terminal.InputError](err); !input || out.Len() > 0 {
				t.Fatalf("the error is %v and %q was shown, want an InputError and nothing shown", err, out.String())
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q, want %q in it", err, want)
				}
			}
		})
	}
}

func TestAnExplanationCanBeGivenUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := why.Explain(ctx, why.Options{Files: []string{sample("general.json")}, At: "last"}, &bytes.Buffer{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v, want %v", err, context.Canceled)
	}
}

// TestTheFormOfTheFilesDoesNotMatter reads the same channel newest first, gzipped, and
// in overlapping parts. The exporter has settings for these forms.
func TestTheFormOfTheFilesDoesNotMatter(t *testing.T) {
	var export struct {
		Guild    json.RawMessage   `json:"guild"`
		Channel  json.RawMessage   `json:"channel"`
		Messages []json.RawMessage `json:"messages"`
	}
	content := errtest.Must(os.ReadFile(sample("general.json")))(t)
	errtest.None(t, json.Unmarshal(content, &export))
	all := export.Messages
	with := func(name string, messages []json.RawMessage) string {
		export.Messages = messages
		text := errtest.Must(json.Marshal(export))(t)
		return written(t, name, string(text))
	}
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	if _, err := z.Write(content); err != nil || z.Close() != nil {
		t.Fatal("not zipped")
	}
	backwards := slices.Clone(all)
	slices.Reverse(backwards)
	for _, options := range []graph.Options{plain(), parting()} {
		o := why.Options{Files: []string{sample("general.json")}, At: "last", Bot: bot(options), Compare: []string{"last-5", "reply-chain"}, JSON: true}
		want := explained(t, o)
		for name, files := range map[string][]string{
			"backwards": {with("b.json", backwards)},
			"zipped":    {written(t, "z.json.gz", zipped.String())},
			"in parts":  {with("1.json", all[:9]), with("2.json", all[7:])},
			"muddled":   {with("2.json", all[7:]), with("1.json", backwards)},
		} {
			o.Files = files
			if got := explained(t, o); got != want {
				t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
			}
		}
	}
}
