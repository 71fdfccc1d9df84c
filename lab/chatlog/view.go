package chatlog

import (
	"hash/fnv"
	"math"
	"strings"
	"time"

	"heddle/graph"
)

// View configures how a log is shown to strategies.
type View struct {
	// ReplyShare is the share, from 0 to 1, of the messages with a marked parent that
	// are shown as replies to the nearest one. The choice of messages is deterministic.
	ReplyShare float64
	TimeScale  float64 // times are stretched by this factor; 0 means 1
	// Unaddressed shows messages as if nobody had been addressed in them.
	Unaddressed bool
}

// Show returns the messages of a log as the view shows them.
func (v View) Show(log *Log) []graph.Message {
	messages := make([]graph.Message, len(log.Messages))
	copy(messages, log.Messages)
	for i := range messages {
		if v.TimeScale != 0 && v.TimeScale != 1 {
			messages[i].Time = stretch(log.Messages[0].Time, messages[i].Time, v.TimeScale)
		}
		if v.Unaddressed {
			messages[i].References = KeepReply(messages[i].References)
			messages[i].Text = nameless(messages[i].Text)
		}
		parents := log.Gold[i].Parents
		if len(parents) > 0 && !hasReply(&messages[i]) && share(log.Name, log.IDs[i]) < v.ReplyShare {
			messages[i].References = WithReply(messages[i].References, parents[len(parents)-1])
		}
	}
	return messages
}

// nameless returns a text without the names at its beginning.
func nameless(text string) string {
	for strings.HasPrefix(text, "@") {
		at := strings.IndexByte(text, ' ')
		if at < 0 {
			return text
		}
		text = strings.TrimLeft(text[at:], " ")
	}
	return text
}

// stretch scales the distance of t from the beginning of the log. It does not use
// time.Duration, which a stretched log of several years would overflow.
func stretch(begin, t time.Time, scale float64) time.Time {
	seconds := float64(t.Unix()-begin.Unix()) + float64(t.Nanosecond()-begin.Nanosecond())/1e9
	whole, fraction := math.Modf(seconds * scale)
	return time.Unix(begin.Unix()+int64(whole), int64(begin.Nanosecond())+int64(fraction*1e9))
}

// share returns a number in [0, 1) for a message, deterministic and uniformly
// distributed.
func share(log, id string) float64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(log + "\x00" + id)) // a hash's Write never fails
	x := h.Sum64()
	// FNV distributes the last bytes badly, so one round of mixing follows.
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	return float64(x) / math.MaxUint64
}
