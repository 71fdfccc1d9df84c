package answer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"heddle/bot/conversation"
	"heddle/bot/phrases"
	"heddle/bot/reply"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/telemetry"
	"heddle/store"
)

// to returns where an answer is written. Files of other versions of the question are not named.
func (a *attempt) to() reply.To {
	n := &a.next
	to := reply.To{Channel: a.q.Channel, Trigger: a.q.repliesTo()}
	if a.q.Beside == 0 {
		to.ReplyTo = a.q.Last()
	}
	switch {
	case n.action == actGiveMore && n.generation == n.replaces.Generation:
		to = a.seen.display.To(reply.NewAlternative, reply.Interaction(a.q.Press.ID))
	case len(n.over) > 0:
		to.Over, to.Scope = n.over, a.q.Place.Scope
	}
	to.Generation, to.Begun, to.Taken = a.generation, n.begun, a.q.Stored
	to.CutText = a.language().Text("notice_cut", nil)
	to.Hosts = reply.HostsNamed(a.Built.Path.Turns)
	if !a.deps.Replies.NoButtons {
		to.Growing = reply.Rows{{reply.Button(reply.StopName(a.Person, to.Trigger), a.language().Text("label_stop", nil))}}
	}
	return to
}

// buttons returns the buttons below an answer that is about to be sent, over messages that showed
// another or over none.
func (a *prepared) buttons(ctx context.Context, made *store.Response, over []graph.MessageID) reply.Rows {
	var before []store.Response
	if made.Generation > 0 || len(over) > 0 || made.Reply != 0 { // others may stand beside it
		var err error
		if before, err = a.deps.Store.Responses.ByTrigger(ctx, made.Scope, made.Trigger); err != nil {
			a.log.Log(ctx, store.LogLevel(err), "earlier answers could not be looked up, the answer gets no buttons to them", "error", err)
		}
	}
	all := store.Alternatives(before, made.Generation, *made)
	if at := indexOf(all, made.ID); at >= 0 {
		return a.deps.Replies.Below(a.language(), all, at)
	}
	return nil
}

// indexOf returns the index of a response; -1 if it is not among them.
func indexOf(all []store.Response, id store.ResponseID) int {
	return slices.IndexFunc(all, func(r store.Response) bool { return r.ID == id })
}

// clear deletes all but the first message of an earlier attempt, which is overwritten: if this
// attempt broke off, the others would look like the end of its answer.
func (a *attempt) clear(ctx context.Context) error {
	if len(a.next.begun) > 0 {
		telemetry.Count(ctx, telemetry.HalfEnded)
		a.log.InfoContext(ctx, "what stands of an answer is not the answer to its question as it reads now, it is answered again", "parts", len(a.next.begun))
	}
	if len(a.next.over) > 0 || len(a.next.begun) < 2 {
		return nil
	}
	if err := a.deps.Replies.RemoveAll(ctx, a.q.Channel, a.next.begun[1:]); err != nil {
		return fmt.Errorf("%w: %w", ErrUnsent, err)
	}
	a.next.begun = a.next.begun[:1]
	return nil
}

// asksAgain turns a question that replies to an answer of heddle's and says "again" or 🔁, and
// nothing else, into the question of that answer, which is answered once more. A reply to an answer
// that is no longer known, or whose question is in no message, is a question like any other.
func (a *attempt) asksAgain(ctx context.Context) {
	if a.q.Cause == Pressed {
		return
	}
	asks, err := a.deps.Preparer.Read(ctx, a.q.Question)
	below, ok := conversation.AsksAgain(&asks)
	if err != nil || !ok { // preparing meets the same error
		return
	}
	response, known, err := a.deps.Store.Responses.ByReply(ctx, a.q.Place.Scope, below)
	if err != nil {
		a.log.DebugContext(ctx, "the answer to give again could not be looked up, the question is a new one", "error", err)
	}
	if !known || response.Channel != a.q.Channel || response.IsAside() {
		return
	}
	a.q.Beside, a.q.ID, a.q.Parts, a.q.Asker, a.fresh = a.q.ID, response.Trigger, response.Asked, asks.Author, true
	a.growing.isFor(a.q.ID)
	responses, err := a.deps.Store.Responses.ByTrigger(ctx, a.q.Place.Scope, a.q.ID)
	if err != nil {
		a.log.DebugContext(ctx, "the answers to a question could not be looked up, the next counts as its first", "error", err)
	}
	if i := indexOf(responses, response.ID); i >= 0 {
		newest := reply.NewestAnswer(responses)
		a.generation = a.nextGeneration(ctx, a.q, &responses[i], &newest)
	}
}

// Display reads the answer that a message is a part of.
func (a *Answerer) Display(ctx context.Context, at store.Place) (*reply.Display, error) {
	return a.deps.Replies.Display(ctx, at, phrases.In(a.deps.Guilds.Place(at.Channel, 0).Locale))
}

// show makes an answer show one of its alternatives.
func (a *Answerer) show(ctx context.Context, d *reply.Display, at int, cause reply.Cause) error {
	a.deps.Recent.Shows(d.Parts, d.All[at].ID)
	parts, shows, err := d.Show(ctx, at, cause)
	a.deps.Recent.Shows(parts, shows)
	return err
}

// showAgain makes what stands equal to what is recorded, as another process may have written to the
// same messages: it writes again what differs, and deletes what does not belong to the answer.
func (a *attempt) showAgain(ctx context.Context) (Ended, error) {
	said := a.seen.stands.Said
	d, err := a.Display(ctx, a.q.at(said[0].ID))
	switch {
	case errors.Is(err, reply.ErrAnswersGone), errors.Is(err, store.ErrUnavailable):
		a.next = next{action: actGiveOver, begun: a.seen.stands.Parts}
		a.out.Doubt = true
		return a.give(ctx)
	case err != nil:
		return "", err
	}
	found := next{action: actLeave, ended: Found}
	recorded := d.Current().Replies
	if !slices.Equal(d.Parts, d.Current().Parts()) || // somebody has changed since what the messages show
		slices.EqualFunc(said, recorded, func(m discord.Message, r store.Reply) bool { return m.ID == r.ID && reply.Shows(&m, r.Text) }) {
		return found.settle(ctx, a.log)
	}
	stray := slices.DeleteFunc(slices.Clone(a.seen.stands.Parts), func(id graph.MessageID) bool { return slices.Contains(d.Parts, id) })
	if err = a.deps.Replies.RemoveAll(ctx, a.q.Channel, stray); err == nil {
		err = a.show(ctx, d, d.Shown, reply.Withdrawal(d.Parts[0]))
	}
	switch {
	case isLost(ctx), errors.Is(err, discord.ErrFenced):
		return "", ErrLost
	case err != nil:
		return "", unsentOf(err)
	}
	a.log.InfoContext(ctx, "an answer to which another process had written was put right")
	return found.settle(ctx, a.log)
}

// complete shows an answer that is stored and was not sent as far as the store knows: over what
// stands of it, or in a new reply. What must not be used any more is answered again instead.
func (a *attempt) complete(ctx context.Context) (Ended, error) {
	r := *a.next.replaces
	asker := a.q.AskedBy(r.Question().Author)
	asker.Own = []store.SourceRef{r.Question()}
	if !a.rule.MayUse(ctx, asker, r.Sources) {
		a.next = next{action: actGiveOver, begun: a.seen.stands.Parts, generation: r.Generation}
		return a.give(ctx)
	}
	a.Prepared = conversation.Unread(a.q.Question)
	ending, cancel := a.ending(ctx)
	defer cancel()
	var err error
	if r.Replies = nil; a.seen.unkept == a.next.replaces {
		err = a.save(ending, &r, a.deps.Store.Responses.Save)
	} else {
		r.Path, err = a.deps.Store.Responses.Turns(ctx, r)
	}
	if err != nil {
		return "", err
	}
	m := &made{response: r, ended: Answered}
	var sent []reply.Sent
	if s := &a.seen.stands; s.State == Whole && reply.Named(&s.Said[len(s.Said)-1], []store.Response{r}) != nil {
		a.log.InfoContext(ctx, "the answer stands already, it is recorded")
		sent = reply.SentAs(s.Said)
	} else {
		a.log.InfoContext(ctx, "an answer that was stored and not sent is completed", "parts", len(a.next.begun))
		to := a.to()
		to.Growing, to.Hosts = nil, reply.HostsNamed(r.Path)
		sent, err = a.deps.Replies.Put(ending, to, reply.Final{Text: r.Text, Notice: reply.Notice(a.language(), &r), Buttons: a.buttons(ending, &r, nil)})
	}
	if isGone(ctx, err) {
		return a.remove(ctx, union(reply.IDs(sent), a.next.begun), Dropped)
	}
	a.out.Unkept = false
	a.unkept.Remove(a.q.repliesTo())
	if sent, err = a.sent(ending, m, sent, err); err != nil {
		return a.unsent(ctx, err)
	}
	return a.unlessGone(ctx, sent, Answered)
}

// standUnused lets an answer stand of which a source was taken back again and again. It is never
// used, and has no buttons.
func (a *attempt) standUnused(ctx context.Context, m *made) (Ended, error) {
	ending, cancel := a.ending(ctx)
	defer cancel()
	to := a.to()
	to.Growing = nil
	sent, err := a.deps.Replies.Put(ending, to, reply.Final{Text: m.response.Text, Notice: m.notice})
	a.own(sent)
	if err != nil {
		return a.unsent(ctx, err)
	}
	m.response.Replies = replies(sent)
	if err := a.deps.Store.Responses.Bury(ending, m.response); err != nil {
		a.log.Log(ctx, store.LogLevel(err), "it could not be recorded that an answer is not to be used", "error", err)
	}
	a.deps.Recent.Shows(reply.IDs(sent), m.response.ID)
	return a.unlessGone(ctx, sent, Answered)
}

// relabelOthers sets the buttons of all messages that show another answer to a question than
// the newest, which was just written: their numbers count one alternative too few. It goes on
// for a moment after ctx has ended.
func (a *prepared) relabelOthers(ctx context.Context) {
	ctx, cancel := a.ending(ctx)
	defer cancel()
	responses, err := a.deps.Store.Responses.ByTrigger(ctx, a.q.Place.Scope, a.q.ID)
	if err != nil {
		a.log.Log(ctx, store.LogLevel(err), "the answers to a question could not be looked up, the numbers below some are wrong", "error", err)
		return
	}
	for _, head := range reply.OtherHeads(responses) {
		a.Relabel(ctx, a.q.at(head))
	}
}
