package store

import (
	"math"
	"time"

	"heddle/graph"
	"heddle/graph/path"
)

// Context explains which messages a response was made from. It contains no text. Where
// the explanation is shown, the messages that still exist are read again.
type Context struct {
	// Because holds the reasons for the first len(Because) entries of Response.Sources.
	Because []Because `json:"because"`
	// Left lists the messages of the conversation that the path left out.
	Left []LeftOut `json:"left,omitempty"`
	// Stops lists the places where reading ended.
	Stops []Stop `json:"stops,omitempty"`
}

// Because is the deciding reason why a message is in the context. The zero Because is
// for a message that needs no reason, such as the question.
type Because struct {
	// Belongs is the probability that the message belongs to the conversation.
	Belongs float64          `json:"b,omitempty"`
	Kind    graph.ReasonKind `json:"k,omitempty"`
	// Reference is the kind of the reference and Link its probability, if the reason is
	// a reference.
	Reference graph.ReferenceKind `json:"r,omitempty"`
	Link      float64             `json:"p,omitempty"`
	// From is the message that the reason is about, as its place in Response.Sources
	// counted from 1; 0 for none of them.
	From int `json:"f,omitempty"`
	// Gap is the time between the message and From, in seconds.
	Gap int64 `json:"g,omitempty"`
	// By is the model that chose the message, if the reason is that it read.
	By string `json:"m,omitempty"`
}

// BecauseOf returns the deciding reason for a message, with numbers rounded as people
// see them. from is the message that the reason is about, or 0 if there is none. The
// caller sets because.From.
func BecauseOf(n *graph.Node) (because Because, from graph.MessageID) {
	because.Belongs = hundredths(n.Probability)
	reasons := n.Because()
	if len(reasons) == 0 {
		return because, 0
	}
	r := &reasons[0]
	because.Kind, because.Reference, because.Gap, because.By = r.Kind, r.Reference, Seconds(r.Gap), r.By
	if r.Kind == graph.ReasonReference || r.Kind == graph.ReasonAnswer {
		because.Link = hundredths(r.Probability)
	}
	return because, r.From
}

// Belonged returns the probability with which a source belonged to the conversation of a
// response: 1 for the question, and 0 where that was not recorded.
func (r *Response) Belonged(source int) float64 {
	switch {
	case r.Sources[source].Message == r.Trigger:
		return 1
	case r.Context == nil || source >= len(r.Context.Because):
		return 0
	}
	return r.Context.Because[source].Belongs
}

func hundredths(p float64) float64 { return math.Round(p*100) / 100 }

// Seconds returns a duration as Context holds it.
func Seconds(d time.Duration) int64 { return int64(d.Round(time.Second) / time.Second) }

// LeftOut is a message that a path left out.
type LeftOut struct {
	Message graph.MessageID `json:"m"`
	Channel graph.ChannelID `json:"c"`
	Why     path.LeftReason `json:"w"`
}

// Stop is where and why reading ended.
type Stop struct {
	At        int              `json:"a"` // as Because.From; 0 for the question
	Direction graph.Direction  `json:"d,omitempty"`
	Why       graph.SealReason `json:"w,omitempty"`
	Gap       int64            `json:"g,omitempty"` // seconds
}
