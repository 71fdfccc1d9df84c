package conversation_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"heddle/bot/conversation"
	"heddle/fetch"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/errtest"
	"heddle/store"
)

// self is heddle.
const self graph.UserID = 9

// saidOn returns one message of each kind, and begins a reading by person 4 on a stage whose store
// knows of heddle's. Person 1 has opted out, and channel 6 is of another scope.
func saidOn(s *stage) ([]graph.Message, *conversation.Past) {
	s.T.Helper()
	for id, denied := range map[int]string{2: "0", 3: "0", 6: "66560"} {
		s.Event("CHANNEL_CREATE", fmt.Sprintf(`{"id":"%d","guild_id":"%d","type":0,"permission_overwrites":[{"id":"%[2]d","type":0,"deny":"%s"}]}`, id, s.Guild, denied))
	}
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
	given := func(id graph.MessageID, text string, channel graph.ChannelID, author graph.UserID) {
		r := store.Response{ID: store.ResponseID{byte(id)}, Standing: store.Standing{Scope: s.Scope(), Channel: 2, Trigger: 21, Replies: []store.Reply{{ID: id}}, Created: time.Now()}}
		r.Sources = []store.SourceRef{{Message: 21, Channel: channel, Author: author}, {Message: 100 + id, Channel: channel, Author: author}}
		r.Text, r.PathHash = text, path.Path{}.Hash()
		errtest.None(s.T, s.Store.Responses.Save(s.Context(), r))
	}
	given(19, "erased", 7, 2)
	errtest.Must(s.Store.Deletions.Forget(s.Context(), s.Scope(), 7, []graph.MessageID{119}))(s.T)
	given(15, "whole and as given", 3, 2)
	given(16, "secret", 6, 2)
	given(17, "", 3, 3)
	given(18, "", 3, 3)
	given(23, "secret", 3, 1)
	errtest.None(s.T, s.People.OptOut(s.Context(), 1))
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
	return said, pastOn(s)
}

// pastOn begins a reading by person 4 on a stage.
func pastOn(s *stage) *conversation.Past {
	return s.Conversations.Past(conversation.Asker{Person: 4, Guild: s.Guild, Scope: s.Scope()})
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

// TestOnlyWhatMayBeUsedIsRead reads messages of each kind, with the store and while it is away.
// Without records nothing of heddle's is read.
func TestOnlyWhatMayBeUsedIsRead(t *testing.T) {
	for _, isAway := range []bool{false, true} {
		s := newStage(t)
		all, past := saidOn(s)
		want := usable
		if isAway {
			errtest.None(t, s.Store.Close())
			want = ofPeople
		}
		for _, read := range []string{"first", "again, of what is known"} {
			used, err := past.Usable(t.Context(), slices.Clone(all))
			if got := texts(used); err != nil || got != want {
				t.Errorf("away: %t, %s: may be used %q, %v, want %q", isAway, read, got, err, want)
			}
			if !isAway {
				errtest.None(t, s.Store.Close()) // what is known is not looked up again
			}
		}
		if past.LacksRecords() != isAway {
			t.Errorf("away: %t: records are lacking: %t", isAway, past.LacksRecords())
		}
		inStretches := graph.Source(func(graph.Batch) (graph.Reading, error) {
			return graph.Reading{Stretches: []graph.Stretch{{Messages: slices.Clone(all[:7])}, {Messages: slices.Clone(all[7:])}}}, nil
		})
		read, err := past.Source(t.Context(), inStretches)(graph.Batch{})
		if got := texts(slices.Concat(read.Stretches[0].Messages, read.Stretches[1].Messages)); err != nil || got != want {
			t.Errorf("away: %t: a source returns %q, %v, want %q", isAway, got, err, want)
		}
	}
}

// TestReadingEndsWhereItIsToldTo stops after two of three messages, of which one is by somebody
// who opted out, and where its context ends.
func TestReadingEndsWhereItIsToldTo(t *testing.T) {
	s := newStage(t)
	all, past := saidOn(s)
	for _, author := range []graph.UserID{s.Ann, s.Bob, s.Ann, s.Ann} {
		s.Say(author, "thread")
	}
	errtest.None(t, s.People.OptOut(t.Context(), s.Bob))
	newest := s.Say(s.Ann, "and?")
	var older []graph.Message
	_, err := past.Older(t.Context(), fetch.Back{Channel: s.Channel, Before: newest, Reads: 9, Pages: 9}, func(m *graph.Message) bool { older = append(older, *m); return len(older) < 3 })
	if err != nil || len(older) != 3 || slices.ContainsFunc(older, func(m graph.Message) bool { return m.Author != s.Ann }) {
		t.Errorf("%+v is read, %v, want three messages of Ann's", older, err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	source := graph.Source(func(graph.Batch) (graph.Reading, error) {
		return graph.Reading{Stretches: []graph.Stretch{{Messages: all}}}, nil
	})
	if _, err := past.Source(ended, source)(graph.Batch{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a source whose context ended returns %v, want %v", err, context.Canceled)
	}
	if used, err := past.Usable(ended, all); !errors.Is(err, context.Canceled) || used != nil {
		t.Errorf("once its context ended %+v may be used, %v, want nothing and %v", used, err, context.Canceled)
	}
	torn := errors.New("torn")
	failing := graph.Source(func(graph.Batch) (graph.Reading, error) { return graph.Reading{}, torn })
	if _, err := past.Source(t.Context(), failing)(graph.Batch{}); !errors.Is(err, torn) {
		t.Errorf("a source returns %v after an error of Discord, want %v", err, torn)
	}
}

// TestALookupOfWhatIsLeftOutLeadsToItsQuestion looks up messages of each kind. What must not
// be used is replaced by its question, if it answers one.
func TestALookupOfWhatIsLeftOutLeadsToItsQuestion(t *testing.T) {
	s := newStage(t)
	all, past := saidOn(s)
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
	read := errtest.Must(past.Source(t.Context(), source)(graph.Batch{Lookups: lookups}))(t)
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
	s := newStage(t)
	all, past := saidOn(s)
	all[0].Edited = time.Unix(1_800_000_000, 0)
	used := errtest.Must(past.Usable(t.Context(), slices.Clone(all)))(t)
	if records := past.Records(); len(records) != 3 || records[15].Text != "whole and as given" {
		t.Errorf("the records are %+v, want those of three answers", records)
	}
	inherited := []store.SourceRef{{Channel: 3, Author: 2}, {Channel: 3, Author: 3}}
	if got := past.Inherited(all...); !slices.Equal(got, inherited) {
		t.Errorf("the answers inherit %+v, want %+v", got, inherited)
	}
	want := []store.SourceRef{{Message: 10, Channel: 2, Author: 2, Edited: all[0].Edited}, {Message: 15, Channel: 2, Author: self}, {Message: 151, Channel: 2, Author: self}, {Message: 152, Channel: 2, Author: self}, inherited[0]}
	if got := past.Of(used[0], used[3]); !slices.Equal(got, want) {
		t.Errorf("two messages are made from %+v, want %+v", got, want)
	}
}
