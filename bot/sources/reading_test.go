package sources_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"heddle/bot/sources"
	"heddle/fetch"
	"heddle/graph"
	"heddle/internal/errtest"
	"heddle/store"
)

// self is heddle.
const self graph.UserID = 9

// recorded is what the store knows of heddle's messages, or why it does not tell.
type recorded struct {
	known map[graph.MessageID]store.Response

	err   error
	asked [][]graph.MessageID
}

func (r *recorded) Recollect(_ context.Context, _ store.Scope, replies []graph.MessageID) (map[graph.MessageID]store.Response, error) {
	r.asked = append(r.asked, slices.Clone(replies))
	return r.known, r.err
}

// past is pages of messages, the newest first.
type past [][]graph.Message

func (p past) Older(_ context.Context, _ fetch.Back, each func([]graph.Message) bool) (fetch.Reached, error) {
	for n, page := range p {
		if !each(slices.Clone(page)) {
			return fetch.Reached{Reads: n + 1}, nil
		}
	}
	return fetch.Reached{Reads: len(p), All: true}, nil
}

// said returns one message of each kind, and what the store knows of heddle's. Person 1
// has opted out, and channel 6 is of another scope.
func said() ([]graph.Message, *recorded) {
	own := func(id graph.MessageID, text string, answers graph.MessageID, references ...graph.Reference) graph.Message {
		return graph.Message{ID: id, Channel: 2, Author: self, Origin: graph.OriginSelf, Text: text, Answers: answers, References: references}
	}
	reply := func(state graph.ReferenceState) graph.Reference {
		return graph.Reference{Kind: graph.ReferenceReply, Message: 21, State: state}
	}
	file := own(17, "a file", 21)
	file.Attachments = []graph.Attachment{{ID: 1}}
	whole := own(15, "whole", 21)
	whole.Parts = []graph.MessageID{151, 152}
	known := func(text string, channel graph.ChannelID, author graph.UserID) store.Response {
		return store.Response{Input: store.Input{Sources: []store.SourceRef{{Message: 21, Channel: channel, Author: author}, {Message: 22, Channel: channel, Author: author}}}, Output: store.Output{Text: text}}
	}
	said := []graph.Message{
		{ID: 10, Channel: 2, Author: 2, Text: "of a person"},
		{ID: 11, Channel: 2, Author: 1, Text: "out"},
		own(12, "unrecorded", 0, graph.Reference{Kind: graph.ReferenceLink, State: graph.ReferenceDeleted}, reply(graph.ReferenceResolved)),
		own(13, "of a question that is gone", 21, reply(graph.ReferenceDeleted)),
		own(14, "by its place", 21),
		whole,
		own(16, "of what another channel said", 21),
		file,
		own(18, "of nothing", 21),
		own(19, "erased", 21),
		own(20, "a list of talks", 0),
		own(23, "of whom opted out", 21),
	}
	return said, &recorded{known: map[graph.MessageID]store.Response{
		15: known("whole and as given", 3, 2), 16: known("secret", 6, 2), 17: known("", 3, 3), 18: known("", 3, 3), 23: known("secret", 3, 1),
		19: {Standing: store.Standing{Erased: time.Unix(1, 0)}},
	}}
}

// readingOf begins a reading by person 4 in the scope home.
func readingOf(p past, known *recorded) *sources.Reading {
	w := world{out: 1 << 1}
	return sources.NewReader(p, known, &sources.Rule{People: w, Channels: w, Log: slog.New(slog.DiscardHandler)}).For(sources.Asker{Person: 4, Scope: home})
}

func texts(messages []graph.Message) string {
	var all []string
	for i := range messages {
		all = append(all, fmt.Sprintf("%d %s", messages[i].ID, messages[i].Text))
	}
	return strings.Join(all, ", ")
}

const (
	usable   = "10 of a person, 12 unrecorded, 14 by its place, 15 whole and as given, 17 "
	ofPeople = "10 of a person"
)

// TestOnlyWhatMayBeUsedIsRead reads messages of each kind in every way, with the store, while
// it is away and while a transaction fails. Without records nothing of heddle's is read.
func TestOnlyWhatMayBeUsedIsRead(t *testing.T) {
	for name, test := range map[string]struct {
		err  error
		want string
	}{"with the store": {nil, usable}, "while the store is away": {store.ErrUnavailable, ofPeople}, "while it fails": {errors.New("torn"), ofPeople}} {
		all, known := said()
		if known.err = test.err; test.err != nil {
			known.known = nil
		}
		r := readingOf(past{all[:7], all[7:]}, known)
		used, err := r.Usable(t.Context(), slices.Clone(all))
		if got := texts(used); err != nil || got != test.want {
			t.Errorf("%s may be used %q, %v, want %q", name, got, err, test.want)
		}
		var older []graph.Message
		reached, err := r.Older(t.Context(), fetch.Back{}, func(m *graph.Message) bool { older = append(older, *m); return true })
		if got := texts(older); err != nil || got != test.want || !reached.All {
			t.Errorf("%s is read %q, %+v, %v, want %q to the end", name, got, reached, err, test.want)
		}
		read, err := readingOf(nil, &recorded{known: known.known, err: test.err}).Source(t.Context(), graph.Source(func(graph.Batch) (graph.Reading, error) {
			return graph.Reading{Stretches: []graph.Stretch{{Messages: slices.Clone(all[:7])}, {Messages: slices.Clone(all[7:])}}}, nil
		}))(graph.Batch{})
		if got := texts(slices.Concat(read.Stretches[0].Messages, read.Stretches[1].Messages)); err != nil || got != test.want {
			t.Errorf("%s a source returns %q, %v, want %q", name, got, err, test.want)
		}
		if r.LacksRecords() != (test.err != nil) {
			t.Errorf("%s records are lacking: %t", name, r.LacksRecords())
		}
		if len(known.asked) != 1 || len(known.asked[0]) != len(all)-2 {
			t.Errorf("%s the store is asked for %v, want all of heddle's messages once", name, known.asked)
		}
	}
}

// TestReadingEndsWhereItIsToldTo stops in the first page, and where its context ends.
func TestReadingEndsWhereItIsToldTo(t *testing.T) {
	all, known := said()
	var older []graph.Message
	reached, err := readingOf(past{all[:7], all[7:]}, known).Older(t.Context(), fetch.Back{}, func(m *graph.Message) bool { older = append(older, *m); return len(older) < 2 })
	if err != nil || reached.Reads != 1 || len(older) != 2 {
		t.Errorf("%d messages are read in %d pages, %v, want 2 in one", len(older), reached.Reads, err)
	}
	torn := errors.New("torn")
	known.err = torn
	read := 0
	ended, end := context.WithCancel(t.Context())
	end()
	reached, err = readingOf(past{all[:7], all[7:]}, known).Older(ended, fetch.Back{}, func(*graph.Message) bool { read++; return true })
	if !errors.Is(err, torn) || read != 0 || reached.Reads != 1 {
		t.Errorf("after an error of the store %d messages are read in %d pages, %v, want none after one, and %v", read, reached.Reads, err, torn)
	}
	source := graph.Source(func(graph.Batch) (graph.Reading, error) {
		return graph.Reading{Stretches: []graph.Stretch{{Messages: all}}}, nil
	})
	if _, err := readingOf(nil, known).Source(ended, source)(graph.Batch{}); !errors.Is(err, torn) {
		t.Errorf("a source returns %v after an error of the store, want %v", err, torn)
	}
	failing := graph.Source(func(graph.Batch) (graph.Reading, error) { return graph.Reading{}, torn })
	if _, err := readingOf(nil, known).Source(t.Context(), failing)(graph.Batch{}); !errors.Is(err, torn) {
		t.Errorf("a source returns %v after an error of Discord, want %v", err, torn)
	}
}

// TestALookupOfWhatIsLeftOutLeadsToItsQuestion looks up messages of each kind. What must not
// be used is replaced by its question, if it answers one.
func TestALookupOfWhatIsLeftOutLeadsToItsQuestion(t *testing.T) {
	all, known := said()
	var lookups []graph.Lookup
	for i := range all {
		lookups = append(lookups, graph.Lookup{Channel: 2, Message: all[i].ID})
	}
	lookups[0].Channel = 1 // where no question is looked up
	lookups = append(lookups, graph.Lookup{Channel: 2, Message: 99})
	var questions []graph.Lookup
	source := graph.Source(func(batch graph.Batch) (reading graph.Reading, err error) {
		for _, one := range batch.Lookups {
			found := graph.Found{State: graph.ReferenceDeleted}
			if at := slices.IndexFunc(all, func(m graph.Message) bool { return m.ID == one.Message }); at >= 0 {
				found = graph.Found{State: graph.ReferenceResolved, Message: all[at]}
			} else if one.Message == 21 {
				questions = append(questions, one)
				found = graph.Found{State: graph.ReferenceResolved, Message: graph.Message{ID: 21, Text: "the question"}}
			}
			reading.Found = append(reading.Found, found)
		}
		return reading, nil
	})
	read := errtest.Must(readingOf(nil, known).Source(t.Context(), source)(graph.Batch{Lookups: lookups}))(t)
	var got []string
	for i, found := range read.Found {
		got = append(got, fmt.Sprintf("%s: %s %s", lookups[i].Message, found.State, found.Message.Text))
	}
	resolved, withheld := graph.ReferenceResolved, graph.ReferenceWithheld
	want := []string{
		fmt.Sprintf("10: %s of a person", resolved), fmt.Sprintf("11: %s ", withheld), fmt.Sprintf("12: %s unrecorded", resolved), fmt.Sprintf("13: %s the question", resolved),
		fmt.Sprintf("14: %s by its place", resolved), fmt.Sprintf("15: %s whole and as given", resolved), fmt.Sprintf("16: %s the question", resolved),
		fmt.Sprintf("17: %s ", resolved), fmt.Sprintf("18: %s the question", resolved), fmt.Sprintf("19: %s the question", resolved),
		fmt.Sprintf("20: %s ", withheld), fmt.Sprintf("23: %s the question", resolved), fmt.Sprintf("99: %s ", graph.ReferenceDeleted),
	}
	if !slices.Equal(got, want) {
		t.Errorf("found are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, one := range questions {
		if one.Channel != 2 {
			t.Errorf("a question is looked up in channel %s, want 2", one.Channel)
		}
	}
	if len(questions) != 5 {
		t.Errorf("%d questions are looked up, want 5", len(questions))
	}
}

// TestWhatIsReadTellsItsSources reads messages of each kind, and asks what something made
// from them is made from.
func TestWhatIsReadTellsItsSources(t *testing.T) {
	all, known := said()
	all[0].Edited = time.Unix(1_800_000_000, 0)
	r := readingOf(nil, known)
	used := errtest.Must(r.Usable(t.Context(), slices.Clone(all)))(t)
	if records := r.Records(); len(records) != 3 || records[15].Text != "whole and as given" {
		t.Errorf("the records are %+v, want those of three answers", records)
	}
	inherited := []store.SourceRef{{Channel: 3, Author: 2}, {Channel: 3, Author: 3}}
	if got := r.Inherited(all...); !slices.Equal(got, inherited) {
		t.Errorf("the answers inherit %+v, want %+v", got, inherited)
	}
	want := []store.SourceRef{{Message: 10, Channel: 2, Author: 2, Edited: all[0].Edited}, {Message: 15, Channel: 2, Author: self}, {Message: 151, Channel: 2, Author: self}, {Message: 152, Channel: 2, Author: self}, inherited[0]}
	if got := r.Of(used[0], used[3]); !slices.Equal(got, want) {
		t.Errorf("two messages are made from %+v, want %+v", got, want)
	}
}
