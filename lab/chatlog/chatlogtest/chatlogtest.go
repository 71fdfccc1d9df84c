// Package chatlogtest writes logs for tests, and runs the commands that read them.
package chatlogtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heddle/internal/terminal"
	"heddle/lab/chatlog"
)

// TwoTalks returns a log of two conversations whose messages alternate, with a join
// notice between and some lines before that are not annotated.
func TwoTalks(turns int) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line(`{"id":"before","t":0,"author":"dan","text":"good morning"}`)
	line(`{"id":"joined","t":5,"author":"","text":"ann joined","kind":"system"}`)
	for i := range turns {
		talk, people, words := "printer", []string{"ann", "bob"}, "tray roller jam paper"
		if i%2 == 1 {
			talk, people, words = "climbing", []string{"cyd", "dan"}, "rope hall wall eight"
		}
		author, other := people[i/2%2], people[(i/2+1)%2]
		links := `[]`
		if i > 1 {
			links = fmt.Sprintf(`["m%d"]`, i-2)
		}
		line(`{"id":"m%d","t":%d,"author":"%s","text":"%s: the %s again","gold":true,"links":%s,"conv":"%s"}`,
			i, 60+30*i, author, other, words, links, talk)
	}
	return b.String()
}

// Pressed returns a log of two talks in which some messages are shown as replies: to
// the messages that they answer or, if random is not nil, to random ones.
func Pressed(turns int, random *rand.Rand) string {
	var b strings.Builder
	for i := range turns {
		people, words := []string{"ann", "bob"}, "the tray and the roller jam on paper"
		if i%2 == 1 {
			people, words = []string{"cyd", "dan"}, "that rope at the hall by the wall"
		}
		reply := "null"
		if i > 1 && i%3 == 0 {
			to := i - 2
			if random != nil {
				to = random.IntN(i)
			}
			reply = fmt.Sprintf(`"m%d"`, to)
		}
		fmt.Fprintf(&b, `{"id":"m%d","t":%d,"author":"%s","text":"%s","reply_to":%s}`+"\n", i, 60+30*i, people[i/2%2], words, reply)
	}
	return b.String()
}

// Run runs a command that reads logs, without a terminal, and returns what it wrote.
func Run(t *testing.T, command chatlog.Command, args ...string) (string, error) {
	t.Helper()
	var out, progress bytes.Buffer
	err := command(context.Background(), args, chatlog.Streams{Out: &out, Err: &progress})
	if progress.Len() > 0 {
		t.Errorf("without a terminal, the progress is %q, want none", progress.String())
	}
	return out.String(), err
}

// IsInputError reports whether err is one that the user can correct.
func IsInputError(err error) bool {
	_, ok := errors.AsType[*terminal.InputError](err)
	return ok
}

// Place writes files into a new folder and returns the folder.
func Place(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "club", "dev")
	if err := os.MkdirAll(folder, 0o750); err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}
