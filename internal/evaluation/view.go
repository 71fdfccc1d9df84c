package evaluation

import (
	"hash/fnv"
	"math"
	"strings"
	"time"

	"heddle/graph"
)

// View is how a log is shown to a selection.
type View struct {
	// ReplyShare of the messages with a marked parent show the nearest one as a
	// Discord reply, from 0 to 1: always the same messages.
	ReplyShare float64
	TimeScale  float64 // times are stretched by this factor; 0 means 1
	// Unaddressed shows messages as if nobody had been addressed in them.
	Unaddressed bool
}

// show returns the messages of a log as the view shows them.
func (v View) show(log *Log) []graph.Message {
	messages := make([]graph.Message, len(log.Messages))
	copy(messages, log.Messages)
	for i := range messages {
		if v.TimeScale != 0 && v.TimeScale != 1 {
			messages[i].Time = stretch(log.Messages[0].Time, messages[i].Time, v.TimeScale)
		}
		if v.Unaddressed {
			messages[i].References = keepReply(messages[i].References)
			messages[i].Text = nameless(messages[i].Text)
		}
		parents := log.Gold[i].Parents
		if len(parents) > 0 && !hasReply(&messages[i]) && share(log.Name, log.IDs[i]) < v.ReplyShare {
			messages[i].References = withReply(messages[i].References, parents[len(parents)-1])
		}
	}
	return messages
}

// nameless returns a text without the people whom it names at its beginning.
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

// stretch moves a time away from where the log begins. A log of several years,
// stretched, is longer than a time.Duration can say.
func stretch(begin, t time.Time, scale float64) time.Time {
	seconds := float64(t.Unix()-begin.Unix()) + float64(t.Nanosecond()-begin.Nanosecond())/1e9
	whole, fraction := math.Modf(seconds * scale)
	return time.Unix(begin.Unix()+int64(whole), int64(begin.Nanosecond())+int64(fraction*1e9))
}

// mask returns a message without its reply.
func mask(m graph.Message) graph.Message {
	kept := make([]graph.Reference, 0, len(m.References))
	for _, r := range m.References {
		if r.Kind != graph.ReferenceReply {
			kept = append(kept, r)
		}
	}
	m.References = kept
	return m
}

func hasReply(m *graph.Message) bool {
	for _, r := range m.References {
		if r.Kind == graph.ReferenceReply {
			return true
		}
	}
	return false
}

// share places a message in [0, 1), evenly and always alike.
func share(log, id string) float64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(log + "\x00" + id)) // a hash's Write never fails
	x := h.Sum64()
	// FNV spreads the last bytes badly; one round of mixing mends it.
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	return float64(x) / math.MaxUint64
}
