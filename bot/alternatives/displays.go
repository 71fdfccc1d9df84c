package alternatives

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"heddle/bot/answer"
	"heddle/bot/outbox"
	"heddle/bot/phrases"
	"heddle/bot/work"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/store"
)

// ErrAnswersGone means that what a message shows is no longer known, or that there is
// nothing else that it could show.
var ErrAnswersGone = errors.New("the answers are no longer known")

// responses returns recorded answers; store.Responses does. Its methods may be called
// from any goroutine; an outage is an error that wraps store.ErrUnavailable.
type responses interface {
	// Recall returns what is known of the responses that Discord messages show, in one
	// round trip.
	Recall(ctx context.Context, scope store.Scope, replies []graph.MessageID) (map[graph.MessageID]store.Recalled, error)
	// ByTrigger returns all responses to a trigger; none is no error.
	ByTrigger(ctx context.Context, scope store.Scope, trigger graph.MessageID) ([]store.Response, error)
	// Turns returns the turns of a response's path.
	Turns(ctx context.Context, response store.Response) ([]path.Turn, error)
}

// standing stores which response stands in which messages; store.Displays does.
type standing interface {
	// Show makes messages, the parts of an answer, show a response from now on. It fails
	// with store.ErrForgotten if that was erased or has expired.
	Show(ctx context.Context, scope store.Scope, parts []graph.MessageID, id store.ResponseID) error
	// Parts returns the messages of the answer that a message is a part of, as they were
	// passed to Show last. It returns none if Show was never called for the message.
	Parts(ctx context.Context, scope store.Scope, part graph.MessageID) ([]graph.MessageID, error)
	// Leave records that an answer has only some of its messages left. The deletion of
	// the others then erases nothing.
	Leave(ctx context.Context, scope store.Scope, parts, left []graph.MessageID) error
}

// offerStore stores which answers offer to answer their edited questions; store.Displays
// does.
type offerStore interface {
	Offer(ctx context.Context, scope store.Scope, question graph.MessageID, offer store.Offer) error
	// Unoffer removes an offer; none is no error.
	Unoffer(ctx context.Context, scope store.Scope, question graph.MessageID) error
	Offers(ctx context.Context, scope store.Scope, questions []graph.MessageID) (map[graph.MessageID]store.Offer, error)
}

// displays reads and changes what messages show.
type displays struct {
	responses responses
	standing  standing
	offers    offerStore
	outbox    *outbox.Outbox
	keys      keyboard
	locks     *locks
	stops     *stops
	locales   Locales
	observer  answer.Observer
}

// read reads the answer that a message is a part of. It fails with ErrAnswersGone if
// that is not known.
func (ds *displays) read(ctx context.Context, scope store.Scope, channel graph.ChannelID, part graph.MessageID) (*display, error) {
	recalled, err := ds.responses.Recall(ctx, scope, []graph.MessageID{part})
	if err != nil {
		return nil, fmt.Errorf("read what a message shows: %w", err)
	}
	shows, ok := recalled[part]
	if !ok || shows.Channel != channel {
		return nil, ErrAnswersGone
	}
	responses, err := ds.responses.ByTrigger(ctx, scope, shows.Trigger)
	if err != nil {
		return nil, fmt.Errorf("read what a message could show: %w", err)
	}
	i := indexOf(responses, shows.ID)
	if i < 0 {
		return nil, ErrAnswersGone
	}
	d := &display{scope: scope, channel: channel, said: ds.language(channel), all: store.Alternatives(responses, responses[i].Generation)}
	if d.parts, err = ds.parts(ctx, &responses[i], part); err != nil {
		return nil, err
	}
	d.reply = replyOf(responses, d.parts[0])
	original := responses[i].Original()
	d.shown = slices.IndexFunc(d.all, func(r store.Response) bool { return r.Original() == original })
	if d.shown < 0 {
		return nil, ErrAnswersGone
	}
	for _, r := range responses {
		for _, a := range r.Artifacts {
			if slices.Contains(d.parts, a.Message) {
				d.files = append(d.files, file{a, indexOf(d.all, r.ID)})
			}
		}
	}
	d.newest = newestAnswer(responses)
	return d, ds.readOffer(ctx, d)
}

// language returns the language of what stands below answers in a channel.
func (ds *displays) language(channel graph.ChannelID) phrases.Language {
	return phrases.In(ds.locales.Locale(channel))
}

// readOffer reads whether the answer offers another one. An answer that is not of the
// newest generation offers none.
func (ds *displays) readOffer(ctx context.Context, d *display) error {
	question, newest := d.newest.Trigger, d.newest.Generation
	offers, err := ds.offers.Offers(ctx, d.scope, []graph.MessageID{question})
	if err != nil {
		return fmt.Errorf("read what an answer offers: %w", err)
	}
	offer, ok := offers[question]
	d.offers = ok && offer.Generation == newest && d.current().Generation == newest && slices.Contains(d.parts, offer.Answer)
	return nil
}

// replyOf returns the message that the answer beginning with head replies to, or 0 for
// the question. It is what the first response in these messages replied to, whatever they
// show by now.
func replyOf(responses []store.Response, head graph.MessageID) graph.MessageID {
	sent := slices.IndexFunc(responses, func(r store.Response) bool {
		return slices.ContainsFunc(r.Replies, func(reply store.Reply) bool { return reply.ID == head })
	})
	if sent < 0 {
		return 0
	}
	return responses[sent].Reply
}

// parts returns all messages of the answer that part is one of. part shows the response.
func (ds *displays) parts(ctx context.Context, response *store.Response, part graph.MessageID) ([]graph.MessageID, error) {
	parts, err := ds.standing.Parts(ctx, response.Scope, part)
	if err != nil {
		return nil, fmt.Errorf("read where an answer stands: %w", err)
	}
	if len(parts) == 0 {
		parts = partsOf(response)
	}
	return parts, nil
}

// partsOf returns the messages that a response was sent as.
func partsOf(response *store.Response) []graph.MessageID {
	parts := make([]graph.MessageID, len(response.Replies))
	for i, reply := range response.Replies {
		parts[i] = reply.ID
	}
	return parts
}

// lock locks an answer and reads it once more by one of its parts: somebody may have
// changed it in the meantime.
func (ds *displays) lock(ctx context.Context, log *slog.Logger, d *display, part graph.MessageID) (locked *display, release func(), err error) {
	release, err = ds.locks.lock(ctx, log, d.channel, d.parts[0])
	if err != nil {
		return nil, nil, err
	}
	locked, err = ds.read(ctx, d.scope, d.channel, part)
	if err != nil {
		release()
		return nil, nil, err
	}
	return locked, release, nil
}

// rows returns the buttons below an answer when it shows one of its alternatives.
func (ds *displays) rows(d *display, at int) outbox.Rows {
	if d.offers {
		return ds.keys.offering(d.said, d.all, at)
	}
	return ds.keys.below(d.said, d.all, at)
}

// relabel sets the buttons that an answer should have and leaves its text.
func (ds *displays) relabel(ctx context.Context, d *display) error {
	return ds.outbox.SetButtons(ctx, d.channel, d.last(), ds.rows(d, d.shown))
}

// show makes an answer show one of its alternatives. It tells the store first, as what
// was erased in the meantime must not come back. If Discord refuses, the answer counts as
// showing what it showed before, in the messages that are left after the attempt.
func (ds *displays) show(ctx context.Context, log *slog.Logger, d *display, at int, cause outbox.Cause) error {
	r := &d.all[at]
	err := ds.standing.Show(ctx, d.scope, d.parts, r.ID)
	if errors.Is(err, store.ErrForgotten) {
		return ErrAnswersGone
	}
	if err != nil {
		return fmt.Errorf("show an alternative: %w", err)
	}
	ds.observer.Shows(d.parts, r.ID)
	notice := phrases.Lines(answer.Notice(d.said, r), d.filesOfOthers(at, d.reached(r)))
	to := d.to(at, cause)
	to.Hosts = answer.HostsNamed(r.Path)
	stay := d.parts
	to.Leaving = func(ctx context.Context, parts, left []graph.MessageID) error {
		stay = parts
		return ds.standing.Leave(ctx, d.scope, parts, left)
	}
	sent, err := ds.outbox.Put(ctx, to, r.Text, outbox.Final{Notice: notice, Buttons: ds.rows(d, at)})
	parts := make([]graph.MessageID, len(sent))
	for i, s := range sent {
		parts[i] = s.ID
	}
	if err != nil {
		ds.showedBefore(ctx, log, d, stay, parts)
		return err
	}
	if !slices.Equal(parts, d.parts) {
		ds.observer.Shows(parts, r.ID)
		if err := ds.standing.Show(ctx, d.scope, parts, r.ID); err != nil {
			return fmt.Errorf("record where an alternative stands: %w", err)
		}
	}
	return nil
}

// showedBefore records that an answer shows what it showed before. Its messages are those
// in stay, which remain of it, and those in parts, which were added.
func (ds *displays) showedBefore(ctx context.Context, log *slog.Logger, d *display, stay, parts []graph.MessageID) {
	for _, part := range stay {
		if !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	ds.observer.Shows(parts, d.current().ID)
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), work.StoreTimeout)
	defer cancel()
	if err := ds.standing.Show(ending, d.scope, parts, d.current().ID); err != nil {
		log.Log(ctx, work.LogLevel(err), "what an answer shows could not be recorded, its buttons may step oddly", "error", err)
	}
}

// leaving returns what notes that an answer in a scope became shorter.
func (ds *displays) leaving(scope store.Scope) func(ctx context.Context, stay, leave []graph.MessageID) error {
	return func(ctx context.Context, stay, leave []graph.MessageID) error {
		return ds.standing.Leave(ctx, scope, stay, leave)
	}
}

// belowLatest returns the buttons below an answer that is about to be recorded and may
// have earlier ones: it was asked for once more, or its question was edited.
func (ds *displays) belowLatest(ctx context.Context, log *slog.Logger, made *store.Response) outbox.Rows {
	before, err := ds.responses.ByTrigger(ctx, made.Scope, made.Trigger)
	if err != nil {
		log.Log(ctx, work.LogLevel(err), "earlier answers could not be looked up, the answer gets no buttons to them", "error", err)
	}
	return ds.belowNew(made, before)
}

// belowNew returns the buttons below an answer that is about to be recorded after
// others.
func (ds *displays) belowNew(made *store.Response, before []store.Response) outbox.Rows {
	all := store.Alternatives(append(before, *made), made.Generation)
	at := indexOf(all, made.ID)
	if at < 0 {
		return nil
	}
	return ds.keys.below(ds.language(made.Channel), all, at)
}
