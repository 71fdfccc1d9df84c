// Package catchup tells people what was said while they were away. It reads a stretch of
// a channel, has package graph part it into its talks, and has the model describe those
// that nobody has had described yet:
//
//	read.go      what is read, within bounds, of what whoever asks may read
//	describe.go  the model's part: a bounded number of requests, each with talks of one
//	             scope, whose answers are checked
//	list.go      what people read and press
//	commands.go, find.go  what is done with talks
//
// Buttons name what they lead to, and nothing is kept for them: a press reads and parts
// again, with the rights of whoever presses. So they work after a restart, and from every
// process.
package catchup

import (
	"context"
	"log/slog"

	"heddle/bot/conversation"
	"heddle/bot/gate"
	"heddle/bot/guilds"
	"heddle/bot/reply"
	"heddle/graph"
	"heddle/llm"
	"heddle/store"
)

// Deps is what New works with. All fields must be set.
type Deps struct {
	Preparer  *conversation.Preparer
	Guilds    *guilds.Cache
	Gate      *gate.Gate
	Responses *store.Responses
	Model     *llm.Client
	Replies   *reply.Replies
	Writes    *store.Erasing
	Log       *slog.Logger
}

// Settings are the operator's choice.
type Settings struct {
	Affinity graph.Affinity // nil: replies and pauses alone separate talks
	Budget   int            // tokens of a request to the model
	Contact  string         // whom people can ask about trouble that lasts; empty for nobody
	// Paused reports whether an operator has paused heddle in a guild, or everywhere.
	Paused func(ctx context.Context, guild graph.GuildID) bool
}

// Catchup answers commands, and presses of buttons, about talks. Its methods may be
// called from any goroutine.
type Catchup struct {
	deps     Deps
	settings Settings
	rule     *conversation.Rights
}

// New returns a Catchup.
func New(deps Deps, settings Settings) *Catchup {
	return &Catchup{deps, settings, &conversation.Rights{People: deps.Gate.People(), Guilds: deps.Guilds, Log: deps.Log}}
}
