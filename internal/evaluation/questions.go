package evaluation

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"heddle/graph"
	"heddle/internal/terminal"
)

const (
	// longestQuestion is the longest line of a file of questions, in bytes.
	longestQuestion = 1 << 20
	// longestDelay is the longest time after which a question is asked, in seconds.
	longestDelay = 1e9
)

// Question is a question to a bot, with what it needs. A file has one in each line.
type Question struct {
	Channel string   `json:"channel"`  // the name of its log; not needed if there is one log
	After   string   `json:"after"`    // the id of the message right before it
	Delay   float64  `json:"delay"`    // the seconds between the two
	Author  string   `json:"author"`   // who asks; empty for somebody who is new
	Text    string   `json:"text"`     // the question itself
	ReplyTo string   `json:"reply_to"` // the id of the message that it replies to, if any
	Kind    string   `json:"kind"`     // any word, by which questions are counted apart
	Needed  []string `json:"needed"`   // ids of the messages that one must have read to answer it
	Talk    []string `json:"talk"`     // ids of the messages of its conversation, if that is measured

	place string // file and line
}

// ReadQuestions reads a file of questions, one JSON object in each line.
func ReadQuestions(file string) ([]Question, error) {
	f, err := os.Open(file) //nolint:gosec // the file is the caller's choice
	if err != nil {
		return nil, terminal.Errorf("the questions cannot be opened: %w; name a file with one JSON object in each line", err)
	}
	defer f.Close() //nolint:errcheck // nothing was written
	var all []Question
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, longestQuestion)
	number := 1
	for ; lines.Scan(); number++ {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		q := Question{place: fmt.Sprintf("%s, line %d", file, number)}
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			return nil, terminal.Errorf("%s is no question: %w; each line is one JSON object with after, author, text and needed, and ids are in quotes", q.place, err)
		}
		all = append(all, q)
	}
	if err := lines.Err(); err != nil {
		return nil, terminal.Errorf("%s, line %d cannot be read: %w; each line is one question", file, number, err)
	}
	if len(all) == 0 {
		return nil, terminal.Errorf("%s holds no question; write one in each line, as a JSON object", file)
	}
	return all, nil
}

// Posed is a question as strategies see it, with the indices of what it needs.
type Posed struct {
	Kind         string
	Sight        Sight
	Needed, Talk []int
}

// Pose puts a question to the log that it asks of.
func (q *Question) Pose(logs []*Log) (Posed, error) {
	log := logNamed(logs, q.Channel)
	if log == nil {
		return Posed{}, terminal.Errorf("%s asks in %q, and there is no log of that name; name its file, or correct \"channel\"", q.place, q.Channel)
	}
	after := slices.Index(log.IDs, q.After)
	if after < 0 {
		return Posed{}, terminal.Errorf("%s is asked after message %q, and %s has no message %[2]s; correct \"after\"", q.place, q.After, log.Path)
	}
	before := log.Messages[:after+1]
	asker := log.Authors[q.Author]
	switch {
	case q.Text == "":
		return Posed{}, terminal.Errorf("%s asks nothing; write the question as \"text\"", q.place)
	case q.Author != "" && asker == 0:
		return Posed{}, terminal.Errorf("%s is asked by %q, who wrote nothing there; correct \"author\", or leave it out for somebody who is new", q.place, q.Author)
	case !(q.Delay >= 0 && q.Delay <= longestDelay):
		return Posed{}, terminal.Errorf("%s is asked %v seconds after the message before it; correct \"delay\"", q.place, q.Delay)
	case q.Needed == nil:
		return Posed{}, terminal.Errorf("%s does not say what it needs; list the ids as \"needed\", or [] if it needs nothing", q.place)
	}
	a := Posed{Kind: q.Kind, Sight: Sight{Before: before, Trigger: graph.Message{
		ID: MessageID(after + 1), Channel: LogChannel, Author: asker, Name: q.Author,
		Time: before[after].Time.Add(time.Duration(q.Delay * float64(time.Second))), Text: q.Text,
	}}}
	return a, q.mark(&a, log.IDs[:after+1])
}

// mark adds to a question the messages that it names, which have to be among those with
// the given ids.
func (q *Question) mark(a *Posed, ids []string) (err error) {
	if a.Needed, err = q.named("needed", q.Needed, ids); err != nil {
		return err
	}
	if a.Talk, err = q.named("talk", q.Talk, ids); err != nil || q.ReplyTo == "" {
		return err
	}
	to, err := q.named("reply_to", []string{q.ReplyTo}, ids)
	if err != nil {
		return err
	}
	a.Sight.Trigger.References = []graph.Reference{{
		Kind: graph.ReferenceReply, Channel: LogChannel, Message: MessageID(to[0]), State: graph.ReferenceResolved,
	}}
	return nil
}

// named returns the indices of the messages that a field of the question names.
func (q *Question) named(field string, named, ids []string) (found []int, err error) {
	for _, id := range named {
		i := slices.Index(ids, id)
		if i < 0 {
			return nil, terminal.Errorf("%s names message %q, and there is no message %[2]s before it; correct %q", q.place, id, field)
		}
		found = append(found, i)
	}
	return found, nil
}

// logNamed returns the log with a name, which is the end of its path, or the only log if
// the name is empty.
func logNamed(logs []*Log, name string) *Log {
	if name == "" && len(logs) == 1 {
		return logs[0]
	}
	for _, log := range logs {
		path := strings.TrimSuffix(filepath.ToSlash(log.Path), ".gz")
		path = partOf.ReplaceAllString(strings.TrimSuffix(strings.TrimSuffix(path, ".jsonl"), ".json"), "")
		if name != "" && strings.HasSuffix("/"+path, "/"+name) {
			return log
		}
	}
	return nil
}
