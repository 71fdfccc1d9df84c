package chatlog

import (
	"math"
	"strconv"
	"testing"
	"time"

	"heddle/graph"
)

// answering returns a log of n messages, one a minute. Every message from the third on
// answers the one before the last.
func answering(n int) *Log {
	log := &Log{Name: "log"}
	for i := range n {
		g := Gold{Annotated: true, Conversation: 1 + i%2}
		if i >= 2 {
			g.Parents = []int{i - 2}
		}
		log.Gold = append(log.Gold, g)
		log.IDs = append(log.IDs, strconv.Itoa(i))
		log.Messages = append(log.Messages, graph.Message{ID: MessageID(i), Channel: Channel, Author: graph.UserID(1 + i%2), Time: time.Unix(int64(60*i), 0)})
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
		if to := Index(few[i].References[0].Message); to != i-2 {
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

func TestTimesAreStretched(t *testing.T) {
	log := answering(4)
	log.Messages[2].Time = log.Messages[2].Time.AddDate(9, 0, 0)
	log.Messages[3].Time = log.Messages[2].Time.Add(1500 * time.Millisecond)
	shown := View{TimeScale: 60}.Show(log)
	if d := shown[1].Time.Sub(shown[0].Time); d != time.Hour {
		t.Errorf("a minute became %v, want %v", d, time.Hour)
	}
	if d := shown[3].Time.Sub(shown[2].Time); (d - 90*time.Second).Abs() > time.Millisecond {
		t.Errorf("a second and a half became %v after nine years, want %v", d, 90*time.Second)
	}
}
