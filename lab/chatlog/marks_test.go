package chatlog_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"heddle/internal/errtest"
	"heddle/lab/chatlog"
	"heddle/lab/chatlog/chatlogtest"
)

// plainLog is a log of five messages that nobody annotated.
const plainLog = `{"id":"1","t":0,"author":"a","text":"one"}
{"id":"2","t":9,"author":"b","text":"two"}
{"id":"3","t":10,"author":"c","text":"three"}
{"id":"4","t":11,"author":"a","text":"four"}
{"id":"5","t":12,"author":"b","text":"five"}`

func TestMarksAnnotateALog(t *testing.T) {
	folder := chatlogtest.Place(t, map[string]string{
		"a.jsonl": plainLog,
		"a.marks": "# who answers what\n\n1 -\n2 1\n3 -\n4 5\n5 3\n77 1\n",
	})
	logs := errtest.Must(chatlog.Read(context.Background(), []string{folder}))(t)
	if len(logs) != 1 {
		t.Fatalf("%d logs, want 1: marks are no log", len(logs))
	}
	gold := logs[0].Gold
	for i, want := range []struct {
		annotated bool
		parents   []int
	}{{true, nil}, {true, []int{0}}, {true, nil}, {false, nil}, {true, []int{2}}} {
		if gold[i].Annotated != want.annotated || !slices.Equal(gold[i].Parents, want.parents) {
			t.Errorf("message %d is annotated: %v, and answers %v; want %v and %v", i+1, gold[i].Annotated, gold[i].Parents, want.annotated, want.parents)
		}
	}
	if gold[0].Conversation != gold[1].Conversation || gold[2].Conversation != gold[4].Conversation || gold[0].Conversation == gold[2].Conversation {
		t.Errorf("conversations %d %d, %d %d; want two of two messages each", gold[0].Conversation, gold[1].Conversation, gold[2].Conversation, gold[4].Conversation)
	}
}

func TestMarksThatCannotBeUsedAreExplained(t *testing.T) {
	for name, c := range map[string]struct{ marks, want string }{
		"of other messages": {"70 -\n71 70\n", "name the logs"},
		"half a line":       {"1 -\n2\n", "line 2"},
		"a line too full":   {"1 2 3\n", "or a hyphen"},
	} {
		folder := chatlogtest.Place(t, map[string]string{"a.jsonl": plainLog, "a.marks": c.marks})
		_, err := chatlog.Read(context.Background(), []string{folder})
		if !chatlogtest.IsInputError(err) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want an InputError with %q", name, err, c.want)
		}
	}
}
