package bot

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"slices"

	"heddle/bot/work"

	"heddle/bot/outbox"
	"heddle/llm"
	"heddle/store"
)

// maxFlights is how many askings of others a mention waits for. When nothing came
// of that many it asks by itself, so that a hundred who want the same of a failing
// model do not wait for each other one by one.
const maxFlights = 2

// respond answers from what was answered before, or is being answered, where the
// path is equal, and asks the model elsewhere.
func (b *Bot) respond(ctx context.Context, log *slog.Logger, p *prepared) (string, error) {
	b.observer.Begins(p.answers(), p.graph)
	b.counts.requests.Add(1)
	if p.fresh || b.settings.ReuseFor <= 0 {
		b.counts.count(wayBypass)
		return b.ask(ctx, log, p, func(*store.Response) {})
	}
	want := b.want(p)
	for range maxFlights {
		under, leads := b.flights.join(want)
		if leads {
			return b.lead(ctx, log, p, under)
		}
		select {
		case <-under.done:
		case <-ctx.Done():
			b.counts.count(wayMiss)
			return b.fail(ctx, log, p.mention, context.Cause(ctx))
		}
		if under.response != nil {
			b.counts.count(wayCoalesced)
			return b.repeat(ctx, log, p, under.response)
		}
	}
	b.counts.count(wayMiss)
	return b.ask(ctx, log, p, func(*store.Response) {})
}

// lead answers for all who want the same meanwhile: those of this process wait for
// the flight to land, those of others for the store's lead to be released.
func (b *Bot) lead(ctx context.Context, log *slog.Logger, p *prepared, under *flight) (string, error) {
	want := b.want(p)
	defer b.flights.land(want, under, nil)
	sought, err := b.responses.Seek(ctx, want, b.settings.Lease)
	switch {
	case err != nil && ctx.Err() != nil:
		b.counts.count(wayMiss)
		return b.fail(ctx, log, p.mention, context.Cause(ctx))
	case err != nil: // told by the store
		log.DebugContext(ctx, "stored answers could not be looked up", "error", err)
		b.counts.count(wayBypass)
	case sought.Found && sought.Waited:
		b.counts.count(wayCoalesced)
	case sought.Found:
		b.counts.count(wayHit)
	case sought.Damaged > 0:
		b.counts.count(wayReject)
	default:
		b.counts.count(wayMiss)
	}
	if sought.Found {
		b.flights.land(want, under, &sought.Response)
		return b.repeat(ctx, log, p, &sought.Response)
	}
	if err == nil {
		defer b.leases.Keep(ctx, log, sought.Lead)()
	}
	return b.ask(ctx, log, p, func(r *store.Response) { b.flights.land(want, under, r) })
}

// want says which stored answer would do.
func (b *Bot) want(p *prepared) store.Want {
	return store.Want{
		Scope: p.place.Scope, PathHash: p.hash, FactsHash: p.tail.Facts(p.built.Path.Options), Model: b.model.Model(), MaxAge: b.settings.ReuseFor,
	}
}

// reusable says whether an answer may be given to others who want the same.
func reusable(r *store.Response) bool {
	return r.FinishReason == llm.FinishStop && r.Text != "" && !r.TimeBound
}

// share lets a flight land where its answer may be given to others.
func share(r store.Response, land func(*store.Response)) {
	if reusable(&r) {
		land(&r)
	}
}

// repeat gives a stored answer again. From here on it is given, even where its
// question is deleted meanwhile: broken off, nobody would know whether Discord has
// made the message.
func (b *Bot) repeat(ctx context.Context, log *slog.Logger, p *prepared, stored *store.Response) (string, error) {
	again := *stored
	again.ID, again.Reuses, again.Reused = p.reuseID(stored), stored.Original(), b.now()
	again.Usage = store.Usage{} // nothing was charged
	again.Channel, again.Trigger, again.Reply, again.Generation = p.channel, p.id, p.reply, p.generation
	below := stored.Notice
	if stored.Trigger != p.id { // else it is that answer itself: redelivered, or of a question edited back
		below = noticeOf(&again, b.now())
	}
	ending, cancel := work.Ending(ctx, b.settings.Flush)
	defer cancel()
	b.observe(p, &again)
	sent, err := b.outbox.Put(ending, p.to(), stored.Text, outbox.Final{Notice: below, Buttons: b.buttons(ending, log, p, &again)})
	log.InfoContext(ctx, "answered again", "path", p.hash, "messages", len(p.built.Messages), "took", b.now().Sub(p.started))
	b.own(p.mention, sent)

	again.Replies = replies(sent)
	again.Path, again.Tools, again.Sources = p.built.Path.Turns, p.built.Path.Tools, p.sources(b.guilds.Self().ID)
	p.bequeath(&again)
	b.save(ending, log, p.mention, &again)
	if err != nil {
		return b.unsent(ctx, log, err)
	}
	return outcomeReused, nil
}

// reuseID names the reuse of a stored answer for a mention: the same when it is
// recorded once more after a crash.
func (p *prepared) reuseID(stored *store.Response) store.ResponseID {
	original := stored.Original()
	sum := sha256.Sum256(fmt.Appendf(slices.Clone(original[:]), " %d %d %d", p.id, p.answers(), p.generation))
	return store.ResponseID(sum[:len(original)])
}
