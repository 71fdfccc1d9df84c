package conversation

import (
	"slices"
	"strings"

	"heddle/bot/limits"
	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/llm"
	"heddle/store"
)

// Prepared is a question with everything that its answer is made from.
type Prepared struct {
	// Person is the author of the question, or who asked for another answer to it.
	Person  graph.UserID
	Account *limits.Account // that the answer is charged to
	Model   string          // chosen by admins; "" for the first
	Graph   *graph.Graph
	Built   path.Built
	Hash    path.Hash // of the path
	// Hidden is set if the asker may not read what was said before. The question is
	// then answered without it.
	Hidden bool
	// Alone is set if it is not known who opted out. The question is then answered from
	// itself only.
	Alone bool
	// Calls is set if the question has no words and replies to nothing.
	Calls bool
	// Unsent is the number of the newest messages, which are always sent otherwise, that did
	// not fit into TOKEN_BUDGET.
	Unsent int
	// NotRead are the files and links of the question that the model is not shown.
	NotRead []phrases.Unread
	// Past is what else was said, for the person who asks.
	Past *Past
	// Sources are all messages that the request is made from: those on the path with
	// their positions, then the background, the recalled messages, the messages with the
	// files in the tail, and what the answers among them and the summary on the path were
	// made from. They never change.
	Sources []store.SourceRef

	q        Question
	offered  Offered
	by       chosen
	from     continuation
	self     graph.UserID // heddle's own account
	ids      []uint64     // of the asker; see idsOf
	outside  []string     // the tools of servers whose calls and results are on the path
	spare    int          // tokens of the budget that the path leaves
	away     []string     // the servers whose tools cannot be called now
	summary  *summary     // of the messages that were left out; nil if none
	cacheKey string       // see llm.Request
	votes    []string     // lines of the tail: the votes in open polls
	read     contents
	tail     path.Tail
}

// Unread returns a question whose conversation could not be read. It is made from
// nothing.
func Unread(q Question) *Prepared {
	p := &Prepared{Graph: &graph.Graph{}, q: q, Person: q.Asker}
	p.Hash = p.Built.Path.Hash()
	return p
}

// Facts returns the hash of those facts beside the path that must be equal for an answer
// to be given again.
func (p *Prepared) Facts() path.Hash { return p.tail.Facts(p.Built.Path.Options) }

// Continues reports whether the path continues that of an earlier answer, and whether it
// begins with all of it.
func (p *Prepared) Continues() (continues, extends bool) {
	continues = p.from.before.ID != store.ResponseID{}
	return continues, continues && slices.Contains(p.Built.Path.Hashes(), p.from.before.PathHash)
}

// Request returns what the model is sent.
func (p *Prepared) Request() llm.Request {
	return llm.Request{Model: p.Model, Path: p.Built.Path, Tail: p.tail.Text(llm.Render), CacheKey: p.cacheKey, Image: p.read.address}
}

// Told returns the lines that the model is told beside the conversation, without what they
// quote.
func (p *Prepared) Told() []string {
	told := p.tail
	told.Background, told.Recalled, told.Excerpts = nil, nil, nil
	return strings.Split(told.Text(llm.Render), "\n")
}

// IsDenied reports whether Discord denies heddle what was said before.
func (p *Prepared) IsDenied() bool {
	return slices.ContainsFunc(p.Graph.Seals, func(s graph.Seal) bool { return s.Why == graph.SealUnreadable })
}

// IsSummarised reports whether a summary of messages that were left out is on the path.
func (p *Prepared) IsSummarised() bool { return p.summary != nil }

// Input returns the record of what the question is answered from: the input, apart from
// what only the request to the model shows, and the lineage.
func (p *Prepared) Input() (store.Input, store.Lineage) {
	from := slices.Clone(p.Sources)
	input := store.Input{
		PathHash: p.Hash, FactsHash: p.Facts(), Path: p.Built.Path.Turns, Tools: p.Built.Path.Tools, Options: p.Built.Path.Options,
		Sources: from, Outside: p.outside, Context: p.context(from),
	}
	lineage := store.Lineage{
		Continues: p.from.before.ID, CacheKey: p.cacheKey, Files: p.Built.Files,
		Cut: p.Built.Cut, Checkpoint: p.Built.Checkpoint, Dropped: p.Built.Dropped,
	}
	if p.summary != nil {
		lineage.Summary = p.summary.id
	}
	return input, lineage
}

// Pictures returns the contents of the pictures that can be shown.
func (p *Prepared) Pictures() []path.Hash { return p.read.pictures() }

// madeFrom returns the Sources.
func (p *Prepared) madeFrom() []store.SourceRef {
	var onPath, beside []store.SourceRef
	for i := range p.Built.Messages {
		source := sourceOf(&p.Built.Messages[i])
		source.Position = p.Built.Positions[i]
		onPath = append(onPath, source)
	}
	others := append(graph.Messages(p.Graph.Background), graph.Messages(p.Graph.Recalled)...)
	for i := range others {
		beside = append(beside, sourceOf(&others[i]))
	}
	all := slices.Concat(others, p.Built.Messages)
	for i := range all {
		beside = append(beside, forwarded(&all[i])...)
	}
	for _, part := range p.Graph.Trigger.Parts {
		beside = append(beside, store.SourceRef{Message: part, Channel: p.Graph.Trigger.Channel, Author: p.Graph.Trigger.Author, Edited: p.Graph.Trigger.Edited})
	}
	for _, file := range p.Built.Files {
		beside = append(beside, store.SourceRef{Message: file.Message, Channel: p.Graph.Trigger.Channel, Author: p.self})
	}
	beside = append(beside, p.Past.Inherited(all...)...)
	return Inherit(onPath, append(beside, p.summary.asSources()...))
}

// context returns the reasons why an answer is made from its sources. The sources that
// came from the graph are the first ones.
func (p *Prepared) context(sources []store.SourceRef) *store.Context {
	places := make(map[graph.MessageID]int, len(sources))
	for i, source := range slices.Backward(sources) { // the first of each message stays
		places[source.Message] = i + 1
	}
	c := &store.Context{Because: make([]store.Because, len(p.Built.Messages)+len(p.Graph.Background)+len(p.Graph.Recalled))}
	for _, nodes := range [][]graph.Node{p.Graph.Conversation, p.Graph.Background, p.Graph.Recalled} {
		for i := range nodes {
			if at := places[nodes[i].Message.ID]; at > 0 && at <= len(c.Because) {
				because, from := store.BecauseOf(&nodes[i])
				because.From = places[from]
				c.Because[at-1] = because
			}
		}
	}
	for i := range p.Built.Left {
		left := &p.Built.Left[i]
		c.Left = append(c.Left, store.LeftOut{Message: left.Message.ID, Channel: left.Message.Channel, Why: left.Why})
	}
	for i := range p.Graph.Seals {
		s := &p.Graph.Seals[i]
		at := places[s.At]
		if at == 0 {
			continue // of a message that the path left out
		}
		c.Stops = append(c.Stops, store.Stop{At: at, Direction: s.Direction, Why: s.Why, Gap: store.Seconds(s.Gap)})
	}
	return c
}
