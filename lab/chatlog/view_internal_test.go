package chatlog

import (
	"math"
	"strconv"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/evaluation"
)

// answering returns a log of n messages, one a minute. Every message from the third on
// answers the one before the last.
func answering(n int) *Log {
	log := &Log{Log: evaluation.Log{Name: "log"}}
	for i := range n {
		g := Gold{Annotated: true, Conversation: 1 + i%2}
		if i >= 2 {
			g.Parents = []int{i - 2}
		}
		log.Gold = append(log.Gold, g)
		log.IDs = append(log.IDs, strconv.Itoa(i))
		log.Messages = append(log.Messages, graph.Message{ID: evaluation.MessageID(i), Channel: evaluation.LogChannel, Author: graph.UserID(1 + i%2), Time: time.Unix(int64(60*i), 0)})
	}
	return log
}

func TestRepliesAreShownOnAFixedShare(t *testing.T) {
	log := answering(4000)
	few, many := View{ReplyShare: 0.3}.Show(log), View{ReplyShare: 0.6}.Show(log)
	shown := 0
	for i := range few {
		if !hasReply(&few[i]) {
			continue
		}
		shown++
		if !hasReply(&many[i]) {
			t.Fatalf("message %d shows its reply at 0.3 and not at 0.6, want it at both", i)
		}
		if to := evaluation.Index(few[i].References[0].Message); to != i-2 {
			t.Fatalf("message %d replies to %d, want %d", i, to, i-2)
		}
		if m := WithoutReply(few[i]); hasReply(&m) || !hasReply(&few[i]) {
			t.Fatal("mask changed the message itself and not a copy")
		}
	}
	if got := float64(shown) / 4000; math.Abs(got-0.3) > 0.03 {
		t.Errorf("a share of %.3f is shown, want 0.3", got)
	}
	for i := range log.Messages {
		if len(log.Messages[i].References) > 0 {
			t.Fatal("the log itself was changed")
		}
	}
}
