package conversation

import (
	"slices"

	"heddle/bot/attachments"
	"heddle/bot/limits"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/llm"
	"heddle/store"
)

// Prepared is a question with everything that its answer is made from.
type Prepared struct {
	Account *limits.Account // that the answer is charged to
	Model   string          // chosen by admins; "" for the first
	Graph   *graph.Graph
	Built   path.Built
	Names   *path.Names // of everybody who is quoted; read-only
	// Hidden is set if the asker may not read what was said before. The question is
	// then answered without it.
	Hidden bool
	// Alone is set if it is not known who opted out. The question is then answered from
	// itself only.
	Alone bool
	// Calls is set if the question has no words and replies to nothing.
	Calls bool
	// Continues is the answer whose path this one continues, or zero if it continues
	// none. Extends is set if the path begins with all of that answer's path.
	Continues store.ResponseID
	Extends   bool

	trigger  graph.Message
	person   graph.UserID // see Person
	self     graph.UserID // heddle's own account
	summary  *summary     // of the messages that were left out; nil if none
	cacheKey string       // see llm.Request
	read     attachments.Contents
	shown    []graph.AttachmentID // the files that were selected
	tail     path.Tail
	recalled []graph.Message // that the tail quotes
}

// Unread returns a question whose conversation could not be read. It is made from
// nothing.
func Unread(q Question) *Prepared {
	p := &Prepared{Graph: &graph.Graph{}, person: q.Asker}
	p.Built.Rehash()
	return p
}

// Message returns the question as it was read.
func (p *Prepared) Message() *graph.Message { return &p.trigger }

// Person returns the author of the question, or the person who asked for another answer
// to it.
func (p *Prepared) Person() graph.UserID { return p.person }

// Hash returns the hash of the path.
func (p *Prepared) Hash() path.Hash { return p.Built.Hash }

// Facts returns the hash of those facts beside the path that must be equal for an answer
// to be given again.
func (p *Prepared) Facts() path.Hash { return p.tail.Facts(p.Built.Path.Options) }

// Request returns what the model is sent.
func (p *Prepared) Request() llm.Request {
	return llm.Request{Model: p.Model, Path: p.Built.Path, Tail: p.tail.Text(llm.Render), CacheKey: p.cacheKey, Image: p.read.Address}
}

// Drop removes from the path what the model's provider rejected during the request.
func (p *Prepared) Drop(rejected []string) {
	if slices.Contains(rejected, llm.FeatureTools) {
		p.Built.Path.Tools = nil
		p.Built.Rehash()
	}
}

// IsDenied reports whether Discord denies heddle what was said before.
func (p *Prepared) IsDenied() bool { return isDenied(p.Graph) }

// IsSummarised reports whether a summary of messages that were left out is on the path.
func (p *Prepared) IsSummarised() bool { return p.summary != nil }

// isDenied reports whether a graph ends where Discord denies heddle the history.
func isDenied(g *graph.Graph) bool {
	return slices.ContainsFunc(g.Seals, func(s graph.Seal) bool { return s.Why == graph.SealUnreadable })
}

// Record returns the record of what the question is answered from: the input, apart from
// what only the request to the model shows, and the lineage.
func (p *Prepared) Record() (store.Input, store.Lineage) {
	from := p.Sources()
	input := store.Input{
		PathHash: p.Hash(), FactsHash: p.Facts(), Path: p.Built.Path.Turns, Tools: p.Built.Path.Tools, Options: p.Built.Path.Options,
		Sources: from, Context: p.context(from),
	}
	lineage := store.Lineage{
		Continues: p.Continues, CacheKey: p.cacheKey, Shown: p.shown, Files: made(p.Built.Files),
		Cut: p.Built.Cut, Checkpoint: p.Built.Checkpoint, Dropped: p.Built.Dropped,
	}
	if p.summary != nil {
		lineage.Summary = p.summary.id
	}
	return input, lineage
}

// Pictures returns the contents of the pictures that can be shown.
func (p *Prepared) Pictures() []path.Hash { return p.read.Pictures() }

// Sources returns every message that the request is made from: those on the path with
// their positions, then the background, the recalled messages, the messages with the
// files in the tail, and the sources of the summary on the path.
func (p *Prepared) Sources() []store.SourceRef {
	all := make([]store.SourceRef, 0, len(p.Built.Messages)+len(p.Graph.Background))
	named := make(map[graph.MessageID]bool)
	add := func(message *graph.Message, position int) {
		if named[message.ID] {
			return
		}
		named[message.ID] = true
		all = append(all, store.SourceRef{
			Message: message.ID, Channel: message.Channel, Author: message.Author, Edited: message.Edited, Position: position,
		})
	}
	for i := range p.Built.Messages {
		add(&p.Built.Messages[i], p.Built.Positions[i])
	}
	for i := range p.Graph.Background {
		add(p.Graph.Background[i].Message, 0)
	}
	for i := range p.recalled {
		add(&p.recalled[i], 0)
	}
	for _, file := range p.Built.Files {
		add(&graph.Message{ID: file.Message, Channel: p.trigger.Channel, Author: p.self}, 0)
	}
	return append(all, p.summary.asSources()...)
}
