package answer

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"heddle/bot/attachments"
	"heddle/bot/limits"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/llm"
	"heddle/store"
)

// Prepared is a job with everything that its answer is made from.
type Prepared struct {
	Job

	account  *limits.Account
	model    string // chosen by admins; "" for the first
	trigger  graph.Message
	graph    *graph.Graph
	hidden   bool // see basis
	alone    bool // see basis
	calls    bool // see basis
	built    path.Built
	before   store.ResponseID // the answer whose path this one continues; zero if none
	summary  *summary         // of the messages that were left out; nil if none
	extends  bool             // the path begins with all of the path that it continues
	cacheKey string           // see llm.Request
	read     attachments.Contents
	shown    []graph.AttachmentID // the files that were selected
	tail     path.Tail
	recalled []graph.Message            // that the tail quotes
	names    *path.Names                // of everybody who is quoted; read-only
	hash     path.Hash                  // of the path
	gone     func(context.Context) bool // see outbox.To; nil before anything is sent
	started  time.Time
}

// Message returns the question as it was read.
func (p *Prepared) Message() *graph.Message { return &p.trigger }

// Hash returns the hash of the path.
func (p *Prepared) Hash() path.Hash { return p.hash }

// Request returns what the model is sent.
func (p *Prepared) Request() llm.Request {
	return llm.Request{Model: p.model, Path: p.built.Path, Tail: p.tail.Text(llm.Render), CacheKey: p.cacheKey, Image: p.read.Address}
}

// without removes from the path what the model's provider rejected during the request.
func (p *Prepared) without(dropped []string) {
	for _, feature := range dropped {
		if feature == llm.FeatureTools {
			p.built.Path.Tools = nil
			p.built.Hash = p.built.Path.Hash()
			p.hash = p.built.Hash
		}
	}
}

func (p *Prepared) log(ctx context.Context, log *slog.Logger, answer llm.Answer, err error) {
	log = log.With(
		"path", p.hash, "messages", len(p.built.Messages), "background", len(p.graph.Background), "took", time.Since(p.started),
		"prompt_tokens", answer.Usage.Prompt, "completion_tokens", answer.Usage.Completion, "cached_tokens", answer.Usage.Cached,
		"extends", p.extends,
	)
	if errors.Is(err, errStopped) {
		log.InfoContext(ctx, "the model was stopped, as Discord refuses its answer", "finish", answer.FinishReason)
		return
	}
	if err != nil {
		log.ErrorContext(ctx, "the model did not answer", "error", err)
		return
	}
	log.InfoContext(ctx, "answered", "finish", answer.FinishReason)
}
