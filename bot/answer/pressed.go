package answer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"heddle/bot/conversation"
	"heddle/bot/phrases"
	"heddle/bot/reply"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/markdown"
	"heddle/internal/wait"
	"heddle/store"
)

// Press is a press of a button below an answer.
type Press struct {
	ID       discord.InteractionID
	At       store.Place           // of the pressed message
	By       conversation.Question // without a message: where, and by whom
	Response store.ResponseID      // that the button names
	// Moderates reports that the presser may delete what others asked for.
	Moderates bool
}

// Again answers the question once more that a press of ↻ is about, in place of what its message
// shows. The replaced answer stays an alternative unless the question was edited since. Again tries
// again while Discord does not accept the answer, of which a part may stand. An edit of the
// question, which ends the answer, is answered instead. Again returns what to tell the presser.
func (a *Answerer) Again(ctx context.Context, press Press) (phrases.Phrase, error) {
	for {
		d, err := a.Display(ctx, press.At)
		if err != nil {
			return phrases.Phrase{}, err
		}
		q := Question{Question: press.By, Cause: Pressed, Press: &press, Beside: d.Beside()}
		q.ID, q.Parts = d.Current().Trigger, d.Current().Asked
		out, err := a.Answer(ctx, q)
		switch {
		case errors.Is(err, ErrChanged):
			return phrases.Phrase{}, nil
		case !errors.Is(err, ErrUnsent) || wait.For(ctx, store.Retry) != nil:
			return out.Tell, err
		}
		q.log(a.deps.Log).InfoContext(ctx, "a press is tried again", "error", err)
	}
}

// hold claims the answer that a message is a part of, and reads it. The caller must call release.
func (a *Answerer) hold(ctx context.Context, at store.Place) (held *claim, d *reply.Display, err error) {
	if d, err = a.Display(ctx, at); err != nil {
		return nil, nil, err
	}
	q := Question{Cause: Pressed, Beside: d.RepliesTo()}
	if held, err = a.claim(ctx, &q); err != nil {
		return nil, nil, fmt.Errorf("claim an answer: %w", err)
	}
	if d, err = a.Display(held.ctx, at); err != nil { //nolint:contextcheck // somebody may have changed it in the meantime
		_, failure := held.release(ctx)
		return nil, nil, errors.Join(err, failure)
	}
	return held, d, nil
}

// Complete completes an answer below which somebody pressed although it is not known where it stands:
// its process was killed after it had stored the answer, or is about to record it (finding 4.1).
// Complete waits until the lease of that process has ended, and fails with store.ErrHeld if somebody
// else has the claim by then. It fails with reply.ErrAnswersGone if no such answer is stored.
func (a *Answerer) Complete(ctx context.Context, press Press) error {
	if _, recorded, err := a.deps.Store.Responses.ByReply(ctx, press.At.Scope, press.At.Message); recorded || err != nil {
		return cmp.Or(err, reply.ErrAnswersGone)
	}
	m, err := discord.ReadMessage(ctx, a.deps.REST, press.At.Channel, press.At.Message)
	if err != nil {
		return fmt.Errorf("read which answer a press is about: %w", err)
	}
	question, named := reply.QuestionOf(&m)
	if !named && m.Reference != nil {
		question = m.Reference.Message
	}
	all, err := a.deps.Store.Responses.ByTrigger(ctx, press.At.Scope, question)
	if err != nil {
		return fmt.Errorf("read what was stored of an answer: %w", err)
	}
	kept := reply.Named(&m, all)
	switch {
	case kept == nil || kept.Reply != 0: // "again" is completed by the process that goes on with it
		return reply.ErrAnswersGone
	case len(kept.Replies) > 0: // by now
		return nil
	}
	q := Question{Question: press.By, Cause: Missed, Version: kept.Question().Edited}
	q.ID, q.Parts, q.Asker = kept.Trigger, kept.Asked, 0
	patient, cancel := context.WithTimeout(ctx, a.deps.Leases.TTL())
	defer cancel()
	for {
		_, err := a.Answer(ctx, q)
		if !errors.Is(err, store.ErrHeld) || wait.For(patient, completePause) != nil {
			return err
		}
	}
}

// completePause is the pause between attempts to complete an answer that somebody else has claimed.
const completePause = 200 * time.Millisecond

// Step shows the alternative that a press leads to. If it is gone, Step fails with ErrAnswersGone
// and corrects the buttons.
func (a *Answerer) Step(ctx context.Context, press Press) error {
	held, d, err := a.hold(ctx, press.At)
	if err != nil {
		return err
	}
	defer func() { _, _ = held.release(ctx) }() // it expires by itself
	to := indexOf(d.All, press.Response)
	if to < 0 || len(d.All) < 2 {
		return errors.Join(reply.ErrAnswersGone, d.Relabel(held.ctx)) //nolint:contextcheck // the claim's context is one of ctx
	}
	if err := a.show(held.ctx, d, to, reply.Interaction(press.ID)); err != nil { //nolint:contextcheck // the claim's context is one of ctx
		return err
	}
	a.deps.Log.InfoContext(ctx, "another alternative is shown", "trigger", d.All[to].Trigger, "shown", to+1, "of", len(d.All))
	return nil
}

// Relabel corrects the numbers below an answer that got another alternative or lost one. It
// removes all buttons from a message whose question or answer was deleted.
func (a *Answerer) Relabel(ctx context.Context, at store.Place) {
	held, d, err := a.hold(ctx, at)
	if err == nil {
		defer func() { _, _ = held.release(ctx) }()
		err = d.Relabel(held.ctx) //nolint:contextcheck // the claim's context is one of ctx
	}
	if errors.Is(err, reply.ErrAnswersGone) {
		err = a.deps.Replies.SetButtons(ctx, at.Channel, at.Message, nil)
	}
	if err != nil && !errors.Is(err, reply.ErrDeleted) {
		a.deps.Log.Log(ctx, store.LogLevel(err), "alternatives could not be counted anew, the numbers are wrong until somebody presses a button", "channel", at.Channel, "message", at.Message, "error", err)
	}
}

// ErrNotYours means that somebody may not delete an answer.
var ErrNotYours = errors.New("the answer is somebody else's")

// MayDelete reports whether the presser may delete an answer: the asker may, and so may those who
// moderate.
func (a *Answerer) MayDelete(press Press, d *reply.Display) bool {
	question, heard := a.deps.History.Message(d.Channel, d.RepliesTo())
	person := press.By.Asker
	return press.Moderates || d.Current().Question().Author == person || heard && question.Author == person
}

// Delete deletes an answer, whatever it shows. It fails with ErrNotYours if the presser may not. The
// store marks the question first: without it nothing is deleted, as the answer could come back once
// this process ends (finding 4.13).
func (a *Answerer) Delete(ctx context.Context, press Press) error {
	stale, err := a.withdraw(ctx, press)
	for _, at := range stale {
		a.Relabel(ctx, at)
	}
	return err
}

// withdraw deletes an answer, and returns the messages whose buttons led to it.
func (a *Answerer) withdraw(ctx context.Context, press Press) (stale []store.Place, err error) {
	held, d, err := a.hold(ctx, press.At)
	if err != nil {
		return nil, err
	}
	defer func() { _, _ = held.release(ctx) }()
	if !a.MayDelete(press, d) {
		return nil, ErrNotYours
	}
	if stale, err = a.deps.Store.Deletions.Withdraw(held.ctx, held.lease, press.At.Scope, d.Channel, d.Parts); err != nil { //nolint:contextcheck // the claim's context is one of ctx
		return nil, fmt.Errorf("withdraw an answer: %w", err)
	}
	if err := a.deps.Replies.RemoveAll(held.ctx, d.Channel, d.Parts); err != nil { //nolint:contextcheck // the claim's context is one of ctx
		return stale, fmt.Errorf("delete an answer: %w", err)
	}
	a.deps.Log.InfoContext(ctx, "an answer was deleted by its asker, or by a moderator", "trigger", d.Current().Trigger)
	return stale, nil
}

// Thread starts a thread from the first message of an answer, and returns it. What is asked there
// continues the conversation, as the thread starts with the answer.
func (a *Answerer) Thread(ctx context.Context, press Press) (graph.ChannelID, error) {
	d, err := a.Display(ctx, press.At)
	if err != nil {
		return 0, err
	}
	question, _ := a.deps.History.Message(d.Channel, d.Current().Trigger)
	thread := graph.ChannelID(d.Parts[0]) // a thread has the id of its first message
	err = a.deps.Replies.StartThread(ctx, d.Channel, d.Parts[0], titleOf(d, question.Text))
	if err != nil && !errors.Is(err, reply.ErrThreadExists) {
		return 0, fmt.Errorf("move an answer to a thread: %w", err)
	}
	if err := a.deps.Replies.JoinThread(ctx, thread, press.By.Asker); err != nil {
		a.deps.Log.DebugContext(ctx, "the person who started a thread could not be added, they read a link to it", "error", err)
	}
	a.deps.Log.InfoContext(ctx, "a conversation moved to a thread", "trigger", d.Current().Trigger, "thread", thread)
	return thread, nil
}

// titleSize is the number of characters of a thread's title; Discord takes 100.
const titleSize = 80

// titleOf returns the title of a thread about an answer. It is the beginning of the
// question, or of the answer if the question is not in memory.
func titleOf(d *reply.Display, question string) string {
	words := slices.DeleteFunc(strings.Fields(markdown.Unmarked(question)), func(word string) bool {
		return strings.HasPrefix(word, "@") || strings.HasPrefix(word, "<@")
	})
	return cmp.Or(graph.OneLine(strings.Join(words, " "), titleSize), graph.OneLine(markdown.Unmarked(d.Current().Text), titleSize), "…")
}
