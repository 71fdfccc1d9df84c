package commands

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strconv"

	"heddle/bot/outbox"
	"heddle/bot/phrases"
	"heddle/store"
)

// mostKept bounds the answers that are remembered because they came too late.
const mostKept = 256

// asked stands for a question that somebody asked by command, to recognise it when they ask
// again. It is a digest, so that no text is held.
type asked [sha256.Size]byte

// asked returns what stands for the question as somebody asks it after a conversation, or
// after none if after is 0.
func (q *question) asked(use *Use, after store.SummaryID) asked {
	said := fmt.Appendf(nil, "%s %s %d %q", use.User.ID, use.Channel, after, q.text)
	for i := range q.files {
		said = fmt.Appendf(said, " %q %d", q.files[i].Name, q.files[i].Size)
	}
	return sha256.Sum256(said)
}

// kept returns the answer to a question that came too late when it was asked before. The
// store holds it as a private conversation, so it is gone once any of its sources is
// deleted, and nobody else can have it.
func (a *ask) kept(ctx context.Context, use *Use, q asked) (id store.SummaryID, text string, found bool) {
	id, found = a.late.Get(q)
	if !found {
		return 0, "", false
	}
	a.late.Remove(q)
	text, err := a.asides.Kept(ctx, use.question(), id)
	return id, text, err == nil
}

// keeping returns what keeps an answer that comes too late. stored returns the private
// conversation that it ends.
func (a *ask) keeping(q asked, stored func(context.Context) store.SummaryID) func(context.Context) bool {
	return func(ctx context.Context) bool {
		id := stored(ctx)
		if id != 0 {
			a.late.Add(q, id)
		}
		return id != 0
	}
}

// below returns the button with which the asker continues from a private answer.
func below(use *Use, id store.SummaryID) outbox.Rows {
	name := askPrefix + strconv.FormatUint(uint64(id), base)
	return outbox.Rows{{outbox.Button(name, use.Language.Text(phrases.LabelAskOn, nil))}}
}
