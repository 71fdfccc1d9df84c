package bot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"heddle/bot/work"

	"heddle/bot/phrases"

	"heddle/bot/guilds"
	"heddle/bot/outbox"
	"heddle/fetch"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/llm"
	"heddle/store"
)

// mention is a message that asks heddle.
type mention struct {
	guild   graph.GuildID // zero in a direct message
	channel graph.ChannelID
	id      graph.MessageID
	place   guilds.Place

	// reply is the message that is replied to where that is not the question itself.
	reply graph.MessageID
	// asker is who asks where that is not the author of the question: what tools may
	// read is what they may.
	asker graph.UserID
	// held says that another process was seen to answer.
	held bool
	// beside is a message of the answer beside which another one is asked for.
	beside graph.MessageID
	// fresh says that no stored answer is wanted.
	fresh bool
	// generation counts the answers to the question as it was edited, from 0.
	generation int
	// over are the messages of the answer that the next one takes the place of.
	over []graph.MessageID
	// anew is set where the question is answered once more in place.
	anew *remake
	// whisper says something to who pressed a button for the answer; nil: nobody did.
	whisper func(context.Context, string)
}

// answers is the message that the answer replies to.
func (m mention) answers() graph.MessageID { return cmp.Or(m.reply, m.id) }

// prepared is a mention with all that its answer is made from.
type prepared struct {
	mention

	trigger  graph.Message
	graph    *graph.Graph
	built    path.Built
	before   store.ResponseID // the answer whose path this one continues; zero for none
	summary  *summary         // of what was left out; nil for none
	extends  bool             // the path begins with the one that it continues
	cacheKey string           // see llm.Request
	read     readFiles
	shown    []graph.AttachmentID // the files that were to be read
	tail     path.Tail
	hash     path.Hash // of the path
	reads    int       // REST reads that it took
	blind    bool      // people are to be told that the history may not be read
	started  time.Time
}

var errTriggerUnread = errors.New("the mention could not be read")

// prepare reads the conversation and shapes it: graph, path, tail, hashes.
func (b *Bot) prepare(ctx context.Context, m mention) (prepared, error) {
	started := b.now()
	b.meter.load(ctx)
	b.writes.Flush(ctx) // what was deleted before is not answered from
	reading := b.reading(m)
	recalled := make(map[graph.MessageID]store.Recalled)
	source := b.recalling(ctx, m.place.Scope, reading.Source(ctx), recalled)
	trigger, err := m.read(source)
	if err != nil {
		return prepared{}, err
	}
	trigger.References = append(slices.Clip(trigger.References), m.starter()...)
	options := b.settings.Expand
	options.Parent = m.place.Parent
	g, err := graph.Expand(source, trigger, options)
	if err != nil {
		return prepared{}, fmt.Errorf("read the conversation before %s: %w", m.id, err)
	}
	from, err := b.continued(source, g, recalled)
	if err != nil {
		return prepared{}, fmt.Errorf("read the conversation before %s: %w", m.id, err)
	}
	bind(g, recalled)
	sees := b.sees(ctx, m, g)
	wanted := wantedFiles(g, sees, from)
	read := b.readFiles(ctx, wanted)
	shape := b.shape(recalled, from.Lineage)
	shape.SeesImages = sees
	built := b.build(g, shape, read)
	b.keepVersions(built.Messages)
	summary := b.summarise(ctx, &trigger, m, &built, from)
	return prepared{
		mention:  m,
		trigger:  trigger,
		graph:    g,
		built:    built,
		read:     read,
		shown:    attachmentIDs(wanted),
		before:   from.before.ID,
		extends:  extends(&built, &from.before),
		cacheKey: cacheKey(m.place.Scope, &built, &from.before),
		summary:  summary,
		tail:     b.tail(g, built),
		hash:     built.Hash,
		reads:    reading.Reads(),
		blind:    b.blind.tell(m.channel, g),
		started:  started,
	}, nil
}

// keepVersions lets the messages that an answer is made from stay as they are until
// somebody edits them.
func (b *Bot) keepVersions(messages []graph.Message) {
	byChannel := make(map[graph.ChannelID][]graph.MessageID)
	for i := range messages {
		m := &messages[i]
		byChannel[m.Channel] = append(byChannel[m.Channel], m.ID)
	}
	for channel, ids := range byChannel {
		b.history.Bind(channel, ids)
	}
}

// reading begins to read for a mention.
func (b *Bot) reading(m mention) *fetch.Mention {
	return b.history.Mention(fetch.Place{
		Channel: m.channel, Trigger: m.id, NoHistory: m.place.NoHistory,
		Readable: func(channel graph.ChannelID) bool { return channel == m.place.Parent },
	})
}

// starter is a reference to the message that the mention's thread started from:
// the thread may be too long for its first message, which points there, to be read.
func (m mention) starter() []graph.Reference {
	if m.place.Starter == 0 {
		return nil
	}
	return []graph.Reference{{
		Kind: graph.ReferenceStarter, Channel: m.place.Starter, Message: graph.MessageID(m.channel),
	}}
}

// read gives the newest version of the message that asks.
func (m mention) read(source graph.Source) (graph.Message, error) {
	reading, err := source.Read(graph.Batch{Lookups: []graph.Lookup{{Channel: m.channel, Message: m.id}}})
	if err != nil {
		return graph.Message{}, fmt.Errorf("read the mention %s: %w", m.id, err)
	}
	switch found := reading.Found[0]; found.State {
	case graph.ReferenceResolved:
		return found.Message, nil
	case graph.ReferenceDeleted:
		return graph.Message{}, work.ErrQuestionGone
	case graph.ReferenceNotLoaded, graph.ReferenceUnreadable:
	}
	return graph.Message{}, fmt.Errorf("read the mention %s: %w", m.id, errTriggerUnread)
}

// tail is what the model is told beside the conversation.
func (b *Bot) tail(g *graph.Graph, built path.Built) path.Tail {
	tail := path.Tail{Now: b.now(), Messages: built.Messages}
	for _, file := range built.Files {
		tail.Files = append(tail.Files, file.Name)
	}
	if built.Dropped > 0 {
		tail.Notices = append(tail.Notices, phrases.ModelLeftOut(built.Dropped))
	}
	if unreadable(g) {
		tail.Notices = append(tail.Notices, phrases.ModelNoHistory)
	}
	if asksNothing(g.Trigger) {
		tail.Notices = append(tail.Notices, phrases.ModelCatchUp)
	}
	tail.Background = b.background(g.Background)
	return tail
}

// request is what the model is sent.
func (p *prepared) request() llm.Request {
	return llm.Request{Path: p.built.Path, Tail: p.tail.Text(llm.Render), CacheKey: p.cacheKey, Image: p.read.address}
}

func (p *prepared) to() outbox.To {
	if p.anew != nil {
		to := p.anew.to(-1, p.anew.cause)
		to.Generation = p.generation
		return to
	}
	return outbox.To{Channel: p.channel, Trigger: p.answers(), Generation: p.generation, Over: p.over}
}

// asksNothing says whether a message only calls heddle: "@heddle" and no more.
func asksNothing(trigger graph.Message) bool {
	return len(trigger.Attachments) == 0 && len(trigger.References) == 0 && isCall(trigger.Text)
}

// isCall says whether a text is one mention and nothing else.
func isCall(text string) bool {
	text = strings.TrimSpace(text)
	return text == "" || strings.HasPrefix(text, "@") && !strings.ContainsAny(text, " \n\t")
}
