package conversation

import (
	"context"
	"time"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/llm"
)

// Settings are the operator's choice of what answers are made from.
type Settings struct {
	Expand    graph.Options
	Overrides Overrides // nil: admins choose nothing
	// Paused reports whether an operator has paused heddle in a guild, or everywhere; nil:
	// never.
	Paused    func(ctx context.Context, guild graph.GuildID) bool
	Ahead     Judge    // of Expand's affinity; nil: nothing is judged ahead
	Embedder  Embedder // nil: older messages come back by rare words alone
	System    string   // the system prompt, without heddle's frame
	Options   path.Options
	Vision    llm.Vision          // whether the model can be shown pictures; if unknown, it is tested
	Budget    int                 // tokens a path may take; 0: no bound
	Count     llm.CountFunc       // tokens of a turn; nil: no budget
	AtMost    func(path.Turn) int // a faster function that returns at least Count; may be nil
	Estimated bool                // Count is an estimate, corrected by the provider's counts
	Summaries bool                // messages that leave a path are summarised
	// Retention decides which old messages stay on a path; the zero value keeps all.
	Retention path.Retention
	// Recall is the percentage of Budget for older messages that are quoted because
	// they share rare words with a question; 0: none are quoted.
	Recall int
	// ArtifactWindow is how long after an answer without a record a file counts as made
	// by it.
	ArtifactWindow time.Duration
}

// Model streams answers; llm.Client is one.
type Model interface {
	// Stream asks the model and calls each with every piece of its answer, in order.
	// The error is an *llm.Error; the answer then holds what has arrived.
	Stream(ctx context.Context, request llm.Request, each func(llm.Delta)) (llm.Answer, error)
	// Model returns the model's name.
	Model() string
	// Rejected returns the features that the provider is known to reject.
	Rejected() []string
	// TestVision reports whether the model sees pictures. After an error that is
	// unknown.
	TestVision(ctx context.Context) (bool, error)
}

// Typing shows that heddle is writing; outbox.Outbox does.
type Typing interface {
	Typing(ctx context.Context, channel graph.ChannelID) (stop func())
}
