package alternatives

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"heddle/bot/answer"
	"heddle/bot/conversation"
	"heddle/bot/phrases"
	"heddle/bot/reply"
	"heddle/graph"
	"heddle/internal/wait"
	"heddle/store"
)

// lockPause is the pause before another attempt to get something that another goroutine
// or process has locked or is about to store.
const lockPause = 50 * time.Millisecond

// newAlternative is the index of an alternative that is not on the display yet.
const newAlternative = -1

// display is an answer as it stands on Discord: the messages that show one of its
// alternatives. It is not kept in memory. Each press reads it from the store.
type display struct {
	scope   store.Scope
	channel graph.ChannelID
	said    phrases.Language  // of what stands below the answer
	parts   []graph.MessageID // in order, at least one
	reply   graph.MessageID   // the message that it replies to if that is not the question itself
	all     []store.Response  // alternatives, oldest first
	shown   int               // index of all
	newest  store.Response    // of the answers to the question, of whatever generation
	files   []file            // on any of parts
}

// file is a file on a display.
type file struct {
	store.Artifact

	of int // index of the alternative that it belongs to; -1 if that cannot be shown
}

// current returns the alternative that is shown.
func (d *display) current() *store.Response { return &d.all[d.shown] }

// filesOfOthers returns a notice of which alternatives the files on the display belong
// to, leaving out those of the alternative shown; "" if there are none.
func (d *display) filesOfOthers(shown int) string {
	names := make(map[int][]string)
	for _, f := range d.files {
		if f.of != shown || shown < 0 {
			names[f.of] = append(names[f.of], f.Name)
		}
	}
	var lines []string
	for _, of := range slices.Sorted(maps.Keys(names)) {
		lines = append(lines, d.said.NoticeFiles(of, names[of]))
	}
	return strings.Join(lines, "\n")
}

// to returns where an answer goes that takes the display's place and shows an
// alternative. Files stay where they are, whatever is shown.
func (d *display) to(shown int, cause reply.Cause) reply.To {
	held := make(map[graph.MessageID][]graph.AttachmentID)
	for _, f := range d.files {
		held[f.Message] = append(held[f.Message], f.Attachment)
	}
	return reply.To{
		Scope: d.scope, Channel: d.channel, Trigger: cmp.Or(d.reply, d.all[0].Trigger), Over: slices.Clone(d.parts),
		Held: held, HeldText: d.filesOfOthers(shown), Cause: cause,
	}
}

// Displays reads and changes what messages show. Its methods may be called from any goroutine.
type Displays struct {
	deps     Deps
	settings Settings
	stops    stops
}

// language returns the language of what stands below answers in a channel.
func (ds *Displays) language(channel graph.ChannelID) phrases.Language {
	return phrases.In(ds.deps.Guilds.Place(channel, 0).Locale)
}

// read reads the answer that a message is a part of. It fails with reply.ErrAnswersGone if
// that is not known.
func (ds *Displays) read(ctx context.Context, scope store.Scope, channel graph.ChannelID, part graph.MessageID) (*display, error) {
	shows, ok, err := ds.deps.Store.Responses.ByReply(ctx, scope, part)
	if err != nil {
		return nil, fmt.Errorf("read what a message shows: %w", err)
	}
	if !ok || shows.Channel != channel {
		return nil, reply.ErrAnswersGone
	}
	responses, err := ds.deps.Store.Responses.ByTrigger(ctx, scope, shows.Trigger)
	if err != nil {
		return nil, fmt.Errorf("read what a message could show: %w", err)
	}
	i := indexOf(responses, shows.ID)
	if i < 0 {
		return nil, reply.ErrAnswersGone
	}
	d := &display{scope: scope, channel: channel, said: ds.language(channel), all: store.Alternatives(responses, responses[i].Generation)}
	if d.parts, err = ds.parts(ctx, &responses[i], part); err != nil {
		return nil, err
	}
	d.reply = replyOf(responses, d.parts[0])
	original := responses[i].Original()
	d.shown = slices.IndexFunc(d.all, func(r store.Response) bool { return r.Original() == original })
	if d.shown < 0 {
		return nil, reply.ErrAnswersGone
	}
	for _, r := range responses {
		for _, made := range r.Artifacts {
			if slices.Contains(d.parts, made.Message) {
				d.files = append(d.files, file{made, indexOf(d.all, r.ID)})
			}
		}
	}
	d.newest = newestAnswer(responses)
	return d, nil
}

// replyOf returns the message that the answer beginning with head replies to, or 0 for
// the question. It is what the first response in these messages replied to, whatever they
// show by now.
func replyOf(responses []store.Response, head graph.MessageID) graph.MessageID {
	for i := range responses {
		if slices.Contains(responses[i].Parts(), head) {
			return responses[i].Reply
		}
	}
	return 0
}

// parts returns all messages of the answer that part is one of. part shows the response.
func (ds *Displays) parts(ctx context.Context, response *store.Response, part graph.MessageID) ([]graph.MessageID, error) {
	parts, err := ds.deps.Store.Responses.Parts(ctx, response.Scope, part)
	if err != nil {
		return nil, fmt.Errorf("read where an answer stands: %w", err)
	}
	if len(parts) == 0 {
		parts = response.Parts()
	}
	return parts, nil
}

// lock locks the answer that begins with a message until release is called, so that presses
// by two people, even in two processes, are handled one after the other. It fails with
// store.ErrHeld if somebody holds the lock for longer than a lease lasts, which only a
// process that is alive can do.
func (ds *Displays) lock(ctx context.Context, log *slog.Logger, head graph.MessageID) (release func(), err error) {
	patient, cancel := context.WithTimeout(ctx, ds.deps.Leases.TTL())
	defer cancel()
	for {
		lease, err := ds.deps.Store.Claims.Claim(patient, store.DisplayClaim(head), ds.deps.Leases.TTL())
		if err == nil {
			return ds.deps.Leases.Keep(ctx, log, lease), nil
		}
		if patient.Err() != nil && ctx.Err() == nil {
			err = store.ErrHeld // time ran out in the last attempt
		}
		if !errors.Is(err, store.ErrHeld) || wait.For(patient, lockPause) != nil {
			return nil, fmt.Errorf("lock an answer: %w", err)
		}
	}
}

// readLocked locks the answer that a message is a part of and reads it. It reads it once more
// after that: somebody may have changed it in the meantime.
func (ds *Displays) readLocked(ctx context.Context, log *slog.Logger, at store.Place) (d *display, release func(), err error) {
	if d, err = ds.read(ctx, at.Scope, at.Channel, at.Message); err != nil {
		return nil, nil, err
	}
	if release, err = ds.lock(ctx, log, d.parts[0]); err != nil {
		return nil, nil, err
	}
	if d, err = ds.read(ctx, at.Scope, at.Channel, at.Message); err != nil {
		release()
		return nil, nil, err
	}
	return d, release, nil
}

// show makes an answer show one of its alternatives. The store records this first, so that
// an alternative erased in the meantime does not come back. If Discord refuses, the answer is
// recorded as showing what it showed before, in the messages left after the attempt.
func (ds *Displays) show(ctx context.Context, log *slog.Logger, d *display, at int, cause reply.Cause) error {
	r := &d.all[at]
	err := ds.deps.Store.Responses.Show(ctx, d.scope, d.parts, r.ID)
	if errors.Is(err, store.ErrForgotten) {
		return reply.ErrAnswersGone
	}
	if err != nil {
		return fmt.Errorf("show an alternative: %w", err)
	}
	ds.deps.Recent.Shows(d.parts, r.ID)
	to := d.to(at, cause)
	to.Hosts = answer.HostsNamed(r.Path)
	final := reply.Final{Text: r.Text, Notice: answer.Notice(d.said, r), Buttons: ds.below(d.said, d.all, at)}
	sent, failure := ds.deps.Replies.Put(ctx, to, final)
	shows, parts := r.ID, reply.IDs(sent)
	switch {
	case errors.Is(failure, reply.ErrSurplus):
		shows = d.current().ID
	case failure != nil:
		shows, parts = d.current().ID, union(d.parts, parts)
	case slices.Equal(parts, d.parts):
		return nil
	}
	ds.deps.Recent.Shows(parts, shows)
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), store.Timeout)
	defer cancel()
	if err := ds.deps.Store.Responses.Show(ending, d.scope, parts, shows); err != nil {
		log.Log(ctx, store.LogLevel(err), "what an answer shows could not be recorded, its buttons may step oddly", "error", err)
	}
	return failure
}

// union returns the messages in some or more, oldest first, each once.
func union(some, more []graph.MessageID) []graph.MessageID {
	all := slices.Concat(some, more)
	slices.Sort(all)
	return slices.Compact(all)
}

// relabel sets the buttons that an answer should have and leaves its text.
func (ds *Displays) relabel(ctx context.Context, d *display) error {
	return ds.deps.Replies.SetButtons(ctx, d.channel, d.parts[len(d.parts)-1], ds.below(d.said, d.all, d.shown))
}

// relabelOthers sets the buttons of all messages that show another answer to a question than
// the newest, which was just written: their numbers count one alternative too few. It goes on
// for a moment after ctx has ended.
func (ds *Displays) relabelOthers(ctx context.Context, log *slog.Logger, q conversation.Question) {
	ctx, cancel := answer.Ending(ctx, ds.deps.Flush)
	defer cancel()
	responses, err := ds.deps.Store.Responses.ByTrigger(ctx, q.Place.Scope, q.ID)
	if err != nil {
		log.Log(ctx, store.LogLevel(err), "the answers to a question could not be looked up, the numbers below some are wrong", "error", err)
		return
	}
	for _, head := range otherHeads(responses) {
		ds.Recount(ctx, store.Place{Scope: q.Place.Scope, Channel: q.Channel, Message: head})
	}
}

// otherHeads returns the first message of each answer of the newest answer's generation, except
// the newest.
func otherHeads(responses []store.Response) []graph.MessageID {
	responses = slices.DeleteFunc(slices.Clone(responses), func(r store.Response) bool { return len(r.Replies) == 0 || r.Text == "" })
	if len(responses) == 0 {
		return nil
	}
	newest := slices.MaxFunc(responses, func(a, b store.Response) int { return store.Given(&a).Compare(store.Given(&b)) })
	var heads []graph.MessageID
	for i := range responses {
		head := responses[i].Replies[0].ID
		if responses[i].Generation == newest.Generation && head != newest.Replies[0].ID && !slices.Contains(heads, head) {
			heads = append(heads, head)
		}
	}
	return heads
}

// Recount corrects the numbers below an answer that got another alternative or lost one. It
// removes all buttons from a message whose question or answer was deleted.
func (ds *Displays) Recount(ctx context.Context, at store.Place) {
	log := ds.deps.Log.With("channel", at.Channel, "message", at.Message)
	d, release, err := ds.readLocked(ctx, log, at)
	if err == nil {
		defer release()
		err = ds.relabel(ctx, d)
	}
	if errors.Is(err, reply.ErrAnswersGone) {
		err = ds.deps.Replies.SetButtons(ctx, at.Channel, at.Message, nil)
	}
	if err != nil && !errors.Is(err, reply.ErrDeleted) {
		log.Log(ctx, store.LogLevel(err), "alternatives could not be counted anew, the numbers are wrong until somebody presses a button", "error", err)
	}
}
