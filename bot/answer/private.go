package answer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"heddle/bot/conversation"
	"heddle/fetch"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/discord"
	"heddle/store"
)

// ErrConversationGone means that a private conversation cannot be continued: it is no
// longer stored, it belongs to somebody else, or the asker may no longer read what it was
// made from.
var ErrConversationGone = errors.New("the private conversation is gone")

// mostExchanges is how many questions with their answers a private conversation holds, the
// newest.
const mostExchanges = 12

// private is a conversation that only one person sees. It is stored like a summary, whose
// sources are the messages that its answers were made from. It is therefore encrypted, and
// erased when any of the messages is deleted or any of their authors is forgotten.
type private struct {
	Asker     graph.UserID `json:"asker"`
	Exchanges []exchange   `json:"exchanges"`
}

// exchange is a question by command and its answer.
type exchange struct {
	ID       graph.MessageID      `json:"id"` // of the interaction
	Name     string               `json:"name"`
	Question string               `json:"question"`
	Files    []discord.Attachment `json:"files,omitempty"` // their addresses work for a day
	Answer   string               `json:"answer"`
	// Sources are the messages that the answer was made from.
	Sources []store.SourceRef `json:"sources"`
	Outside []string          `json:"outside,omitempty"` // see store.Input
}

// private returns the private conversation with an id, or an empty one if the id is
// 0. It fails with ErrConversationGone if the asker of the question may not continue it. An
// answer for which a server's tool was used that is no longer lent to them is left out: unlike
// an answer in a channel, it was theirs alone.
func (a *Asides) private(ctx context.Context, q conversation.Question, id store.SummaryID) (private, error) {
	if id == 0 {
		return private{Asker: q.Asker}, nil
	}
	before, err := a.asked(ctx, q, id)
	if err == nil && !a.rule.MayUse(ctx, q.AskedBy(q.Asker), before.sources()) {
		return private{}, ErrConversationGone
	}
	before.Exchanges = slices.DeleteFunc(before.Exchanges, func(one exchange) bool { return !a.deps.Preparer.Lends(ctx, q, a.deps.Loop.Offered(), one.Outside) })
	return before, err
}

// asked returns the private conversation with an id. It fails with ErrConversationGone if
// none is stored that the asker of the question had in its channel.
func (a *Asides) asked(ctx context.Context, q conversation.Question, id store.SummaryID) (private, error) {
	a.deps.Writes.Await(ctx, q.Place.Scope) // what was deleted before must not be found
	kept, found, err := a.deps.Store.Responses.Summary(ctx, q.Place.Scope, id)
	if err != nil {
		return private{}, fmt.Errorf("recall a private conversation: %w", err)
	}
	var one private
	//nolint:musttag // a file is stored by the names of its fields
	if !found || json.Unmarshal([]byte(kept.Text), &one) != nil || one.Asker != q.Asker || kept.Channel != q.Channel {
		return private{}, ErrConversationGone
	}
	return one, nil
}

// Erase erases a private conversation as it was when an answer to the asker of the question
// ended it, and all that continues it. What is earlier stays, as its messages do. Of
// somebody else's conversation nothing is erased.
func (a *Asides) Erase(ctx context.Context, q conversation.Question, id store.SummaryID) error {
	switch _, err := a.asked(ctx, q, id); {
	case errors.Is(err, ErrConversationGone):
		return nil
	case err != nil:
		return err
	}
	if err := a.deps.Store.Deletions.Erase(ctx, store.Erasure{Summary: id, Scope: q.Place.Scope}); err != nil {
		return fmt.Errorf("erase a private conversation: %w", err)
	}
	return nil
}

// with returns the conversation with one more exchange.
func (c private) with(one exchange) private {
	c.Exchanges = append(slices.Clip(c.Exchanges), one)
	c.Exchanges = c.Exchanges[max(0, len(c.Exchanges)-mostExchanges):]
	return c
}

// spoken returns the conversation as messages in the channel of the last question, which
// is given.
func (c private) spoken(last graph.Message, self discord.User) *conversation.Spoken {
	said := &conversation.Spoken{Message: last, Addresses: make(map[graph.AttachmentID]fetch.Address)}
	for i := range c.Exchanges {
		one := &c.Exchanges[i]
		asked := discord.Message{
			ID: one.ID, Channel: last.Channel, Time: one.ID.Time(), Author: discord.User{ID: c.Asker, Name: one.Name}, Content: one.Question, Attachments: one.Files,
		}
		for i := range one.Files {
			said.Addresses[one.Files[i].ID] = fetch.AddressOf(&one.Files[i])
		}
		if one.ID == last.ID {
			continue
		}
		said.Earlier = append(said.Earlier, fetch.Render(asked, self.ID), graph.Message{
			ID: one.ID + 1, Channel: last.Channel, Time: asked.Time, Author: self.ID, Name: self.DisplayName(), Origin: graph.OriginSelf,
			Answers: one.ID, Text: one.Answer,
		})
	}
	return said
}

// sources returns the messages that the answers were made from, each once.
func (c private) sources() []store.SourceRef {
	var all []store.SourceRef
	for i := range c.Exchanges {
		all = conversation.Inherit(all, c.Exchanges[i].Sources)
	}
	return all
}

// record returns the stored form of a conversation whose last answer was just made, and which
// continues another; 0 for none.
func (c private) record(p *prepared, made store.Response, after store.SummaryID) *store.Response {
	last := &c.Exchanges[len(c.Exchanges)-1]
	last.Sources = slices.DeleteFunc(slices.Clone(p.Sources), func(ref store.SourceRef) bool {
		return slices.ContainsFunc(c.Exchanges, func(one exchange) bool { return ref.Message == one.ID || ref.Message == one.ID+1 })
	})
	text, err := json.Marshal(c) //nolint:musttag // a file is stored by the names of its fields
	if err != nil {
		return nil // never: it holds texts and numbers alone
	}
	made.Summarises, made.Lineage, made.Tokens = len(c.Exchanges), store.Lineage{Summary: after}, nil
	// The questions are in no message, so the asker is named as a source of their own.
	made.Input = store.Input{Model: made.Model, Path: c.turns(), Sources: append(c.sources(), store.SourceRef{Channel: p.q.Channel, Author: c.Asker})}
	made.PathHash = path.Path{Turns: made.Path}.Hash()
	made.Text, made.ResponseHash, made.Confidence = string(text), path.ResponseHash(string(text), made.FinishReason), nil
	return &made
}

// turns returns the conversation as the turns of a path that no other conversation has.
func (c private) turns() []path.Turn {
	last := c.Exchanges[len(c.Exchanges)-1]
	turns := []path.Turn{{Role: path.RoleSystem, Parts: []path.Part{path.Text("/heddle ask " + last.ID.String())}}}
	for i := range c.Exchanges {
		one := &c.Exchanges[i]
		turns = append(turns,
			path.Turn{Role: path.RoleUser, Speaker: one.Name, Parts: []path.Part{path.Text(one.Question)}},
			path.Turn{Role: path.RoleAssistant, Parts: []path.Part{path.Text(one.Answer)}})
	}
	return turns
}

// Keep stores the conversation that an answer belongs to, so that its asker can continue
// it. It returns the conversation's id, or 0 if it cannot be continued. Keep logs its
// errors.
func (a *Asides) Keep(ctx context.Context, spoken *AsideAnswer) store.SummaryID {
	record := spoken.kept
	if record == nil || a.rule.AnyOut(record.Sources) {
		return 0
	}
	switch err := a.deps.Store.Responses.Save(ctx, *record); {
	case err == nil:
		return record.SummaryID()
	case !errors.Is(err, store.ErrForgotten):
		a.deps.Log.Log(ctx, store.LogLevel(err), "a private answer could not be stored, its asker cannot go on from it", "channel", record.Channel, "error", err)
	}
	return 0
}
