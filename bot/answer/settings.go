package answer

import (
	"context"
	"time"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/llm"
)

// Settings are what an operator chooses of how answers are made.
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
	Vision    llm.Vision          // whether the model can be shown pictures; unknown: it is tested
	Budget    int                 // tokens a path may take; 0: no bound
	Count     llm.CountFunc       // tokens of a turn; nil: no budget
	AtMost    func(path.Turn) int // no less than Count, and quicker; may be nil
	Estimated bool                // Count is an estimate, to be corrected by what the provider counts
	Summaries bool                // messages that leave a path are summarised
	// Retention decides which old messages stay on a path; the zero value keeps all.
	Retention path.Retention
	// Recall is the percentage of Budget that older messages may take which come back
	// because a question shares rare words with them; 0: none come back.
	Recall int
	// ArtifactWindow is how long after an answer that is not on record a file still
	// counts as made by it.
	ArtifactWindow time.Duration
	ReuseFor       time.Duration // how long an answer may be given again; 0: never
	Confidence     Confidence    // how the confidence of answers is compared
	Assess         bool          // the model is asked for its confidence if the provider gives none
	// Calibrated returns for a model's confidence the share of such answers that are
	// good, and false if that is not known; nil: it is never known.
	Calibrated func(model string, confidence float64) (float64, bool)
}

// Confidence is how the confidence of an answer is compared with the thresholds of
// Retention.
type Confidence uint8

// The kinds of Confidence.
const (
	// ConfidenceCalibrated takes the share of equally confident answers that people
	// found good, and the rank if that is not known.
	ConfidenceCalibrated Confidence = iota
	ConfidenceRank                  // the share of the model's last answers that were less confident
	ConfidenceRaw                   // what the model said
)

// Model streams answers; llm.Client is one.
type Model interface {
	// Stream asks the model and calls each with each piece of its answer, in order. An
	// error is an *llm.Error; the answer then holds what had come by then.
	Stream(ctx context.Context, request llm.Request, each func(llm.Delta)) (llm.Answer, error)
	// Model returns the model's name.
	Model() string
	// Rejected returns the features that the provider is known to reject.
	Rejected() []string
	// TestVision reports whether the model sees the pictures it is shown. After an error
	// nothing is known.
	TestVision(ctx context.Context) (bool, error)
}

// typing shows that heddle is writing; outbox.Outbox does.
type typing interface {
	Typing(ctx context.Context, channel graph.ChannelID) (stop func())
}
