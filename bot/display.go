package bot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"heddle/bot/work"

	"heddle/bot/phrases"

	"heddle/bot/outbox"
	"heddle/graph"
	"heddle/internal/wait"
	"heddle/store"
)

// errAnswersGone says that what a message shows is not known any more, or that there
// is nothing else that it could show.
var errAnswersGone = errors.New("the answers are no longer known")

// display is an answer as it stands on Discord: the messages that show one of its
// alternatives. Nothing of it is held in memory: each press reads it from the store.
type display struct {
	scope   store.Scope
	channel graph.ChannelID
	parts   []graph.MessageID // in order, at least one
	reply   graph.MessageID   // the message that it replies to where that is not the question itself
	all     []store.Response  // alternatives, oldest first
	shown   int               // of all
	newest  store.Response    // of the answers to the question, of whatever generation
	offers  bool              // to answer the question as it was edited
	files   []file            // that were put on parts
}

// file is a file on a display with whose it is: an index of the display's
// alternatives, -1 for those of an answer that cannot be shown.
type file struct {
	store.Artifact

	of int
}

// readDisplay reads the answer that a message is a part of.
func (b *Bot) readDisplay(ctx context.Context, scope store.Scope, channel graph.ChannelID, part graph.MessageID) (*display, error) {
	recalled, err := b.responses.Recall(ctx, scope, []graph.MessageID{part})
	if err != nil {
		return nil, fmt.Errorf("read what a message shows: %w", err)
	}
	shows, ok := recalled[part]
	if !ok || shows.Channel != channel {
		return nil, errAnswersGone
	}
	responses, err := b.responses.ByTrigger(ctx, scope, shows.Trigger)
	if err != nil {
		return nil, fmt.Errorf("read what a message could show: %w", err)
	}
	i := indexOf(responses, shows.ID)
	if i < 0 {
		return nil, errAnswersGone
	}
	d := &display{scope: scope, channel: channel, all: alternatives(responses, responses[i].Generation)}
	if d.parts, err = b.partsNow(ctx, &responses[i], part); err != nil {
		return nil, err
	}
	d.reply = replyOf(responses, d.parts[0])
	original := responses[i].Original()
	d.shown = slices.IndexFunc(d.all, func(r store.Response) bool { return r.Original() == original })
	if d.shown < 0 {
		return nil, errAnswersGone
	}
	for _, r := range responses {
		for _, a := range r.Artifacts {
			if slices.Contains(d.parts, a.Message) {
				d.files = append(d.files, file{a, indexOf(d.all, r.ID)})
			}
		}
	}
	d.newest = standing(responses)
	return d, b.readOffer(ctx, d)
}

// readOffer reads whether the answer offers another one. One that is not of the newest
// generation offers none any more.
func (b *Bot) readOffer(ctx context.Context, d *display) error {
	question, newest := d.newest.Trigger, d.newest.Generation
	offers, err := b.offers.Offers(ctx, d.scope, []graph.MessageID{question})
	if err != nil {
		return fmt.Errorf("read what an answer offers: %w", err)
	}
	offer, ok := offers[question]
	d.offers = ok && offer.Generation == newest && d.all[d.shown].Generation == newest && slices.Contains(d.parts, offer.Answer)
	return nil
}

// last is the message below which the buttons stand.
func (d *display) last() graph.MessageID { return d.parts[len(d.parts)-1] }

// row are the buttons below the answer where it shows one of its alternatives.
func (d *display) row(at int) []discordgo.Button {
	row := buttons(d.all, at)
	if d.offers {
		row = append(row, outbox.Button(buttonEdit+d.all[at].ID.String(), phrases.LabelEdit))
	}
	return row
}

// relabel has the answer's buttons be those that it should have, and leaves its text.
func (b *Bot) relabel(ctx context.Context, d *display) error {
	return b.outbox.SetButtons(ctx, d.channel, d.last(), d.row(d.shown)) //nolint:wrapcheck // mapped in errors.go
}

// replyOf is what the answer that begins with a message replies to, whatever it shows
// by now: what the response replied to that was sent there.
func replyOf(responses []store.Response, head graph.MessageID) graph.MessageID {
	sent := slices.IndexFunc(responses, func(r store.Response) bool {
		return slices.ContainsFunc(r.Replies, func(reply store.Reply) bool { return reply.ID == head })
	})
	if sent < 0 {
		return 0
	}
	return responses[sent].Reply
}

// partsNow are the messages in which a response stands that a message shows.
func (b *Bot) partsNow(ctx context.Context, response *store.Response, part graph.MessageID) ([]graph.MessageID, error) {
	parts, err := b.standing.Parts(ctx, response.Scope, part)
	if err != nil {
		return nil, fmt.Errorf("read where an answer stands: %w", err)
	}
	if len(parts) == 0 {
		parts = partsOf(response)
	}
	return parts, nil
}

// held are the files that stay where they are, whatever is shown.
func (d *display) held() map[graph.MessageID][]graph.AttachmentID {
	held := make(map[graph.MessageID][]graph.AttachmentID)
	for _, f := range d.files {
		held[f.Message] = append(held[f.Message], f.Attachment)
	}
	return held
}

// filesOfOthers says of the files on messages whose they are, where they are not of
// the alternative that is shown; "" where there are none.
func (d *display) filesOfOthers(shown int, on func(graph.MessageID) bool) string {
	var owners []int
	names := make(map[int][]string)
	for _, f := range d.files {
		if f.of == shown && shown >= 0 || !on(f.Message) {
			continue
		}
		if names[f.of] == nil {
			owners = append(owners, f.of)
		}
		names[f.of] = append(names[f.of], f.Name)
	}
	slices.Sort(owners)
	lines := make([]string, len(owners))
	for i, of := range owners {
		lines[i] = phrases.NoticeFiles(of, names[of])
	}
	return strings.Join(lines, "\n")
}

// reached says which messages a text takes up.
func (d *display) reached(text string) func(graph.MessageID) bool {
	n := len(outbox.Split(text, outbox.Limit))
	return func(part graph.MessageID) bool { return slices.Contains(d.parts[:min(n, len(d.parts))], part) }
}

// to is where what takes the answer's place goes, which shows the alternative.
func (d *display) to(shown int, cause outbox.Cause) outbox.To {
	all := func(graph.MessageID) bool { return true }
	return outbox.To{
		Channel: d.channel, Trigger: cmp.Or(d.reply, d.all[0].Trigger), Over: slices.Clone(d.parts),
		Held: d.held(), HeldText: d.filesOfOthers(shown, all), Cause: cause,
	}
}

// show has an answer show one of its alternatives. The store is told first: what was
// erased in the meantime must not come back. Where Discord refuses, what was shown
// before counts on, and the messages that came of it are remembered.
func (b *Bot) show(ctx context.Context, log *slog.Logger, d *display, at int, cause outbox.Cause) error {
	r := &d.all[at]
	err := b.standing.Show(ctx, d.scope, d.parts, r.ID)
	if errors.Is(err, store.ErrForgotten) {
		return errAnswersGone
	}
	if err != nil {
		return fmt.Errorf("show an alternative: %w", err)
	}
	b.observer.Shows(d.parts, r.ID)
	notice := phrases.Lines(noticeOf(r, b.now()), d.filesOfOthers(at, d.reached(r.Text)))
	sent, err := b.outbox.Put(ctx, d.to(at, cause), r.Text, outbox.Final{Notice: notice, Buttons: d.row(at)})
	parts := ids(sent)
	if err != nil {
		for _, part := range d.parts {
			if !slices.Contains(parts, part) {
				parts = append(parts, part)
			}
		}
		b.observer.Shows(parts, d.all[d.shown].ID)
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), work.StoreTimeout)
		defer cancel()
		if back := b.standing.Show(ending, d.scope, parts, d.all[d.shown].ID); back != nil {
			log.Log(ctx, level(back), "what an answer shows could not be kept", "error", back)
		}
		return err //nolint:wrapcheck // mapped in errors.go
	}
	if !slices.Equal(parts, d.parts) {
		b.observer.Shows(parts, r.ID)
		if err := b.standing.Show(ctx, d.scope, parts, r.ID); err != nil {
			return fmt.Errorf("keep where an alternative stands: %w", err)
		}
	}
	return nil
}

func ids(sent []outbox.Sent) []graph.MessageID {
	parts := make([]graph.MessageID, len(sent))
	for i, s := range sent {
		parts[i] = s.ID
	}
	return parts
}

// noticeOf is what stands below an answer that is shown again.
func noticeOf(r *store.Response, now time.Time) string {
	if r.Original() != r.ID {
		return phrases.NoticeReused(now.Sub(r.Created))
	}
	return r.Notice
}

// Who changes what an answer shows holds it, so that of two who press at once, in
// whatever processes, one comes after the other. It is asked for again after holdPause.
const holdPause = 50 * time.Millisecond

// hold takes hold of the answer that begins with a message, and gives what lets go
// of it. It fails with store.ErrHeld where somebody else does not let go for longer
// than one who died would hold it.
func (b *Bot) hold(ctx context.Context, log *slog.Logger, channel graph.ChannelID, head graph.MessageID) (release func(), err error) {
	patient, cancel := context.WithTimeout(ctx, b.settings.Lease)
	defer cancel()
	for {
		lease, err := b.claims.Claim(patient, store.DisplayClaim(head), b.settings.Lease)
		if err == nil {
			end, free := b.holding.begin(channel), b.leases.Keep(ctx, log, lease)
			return func() { free(); end() }, nil
		}
		if !errors.Is(err, store.ErrHeld) || wait.For(patient, holdPause) != nil {
			return nil, fmt.Errorf("take hold of an answer: %w", err)
		}
	}
}

// holdDisplay takes hold of an answer and reads it once more by one of its parts:
// somebody may have changed it in the meantime.
func (b *Bot) holdDisplay(ctx context.Context, log *slog.Logger, d *display, part graph.MessageID) (held *display, release func(), err error) {
	release, err = b.hold(ctx, log, d.channel, d.parts[0])
	if err != nil {
		return nil, nil, err
	}
	held, err = b.readDisplay(ctx, d.scope, d.channel, part)
	if err != nil {
		release()
		return nil, nil, err
	}
	return held, release, nil
}
