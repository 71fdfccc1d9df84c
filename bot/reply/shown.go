package reply

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"heddle/bot/phrases"
	"heddle/bot/reply/split"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/store"
)

// NewAlternative is the index of an alternative that is not on the display yet.
const NewAlternative = -1

// Display is an answer as it stands on Discord: the messages that show one of its
// alternatives. It is not kept in memory. Each press reads it from the store.
type Display struct {
	Channel graph.ChannelID
	Parts   []graph.MessageID // in order, at least one
	All     []store.Response  // alternatives, oldest first
	Shown   int               // index of All
	Newest  store.Response    // of the answers to the question, of whatever generation

	replies *Replies
	scope   store.Scope
	said    phrases.Language // of what stands below the answer
	reply   graph.MessageID  // the message that it replies to if that is not the question itself
	files   []file           // on any of Parts
}

// file is a file on a display.
type file struct {
	store.Artifact

	of int // index of the alternative that it belongs to; -1 if that cannot be shown
}

// Current returns the alternative that is shown.
func (d *Display) Current() *store.Response { return &d.All[d.Shown] }

// RepliesTo returns the message that the answer replies to: its question, or the message that
// asked for another answer.
func (d *Display) RepliesTo() graph.MessageID { return cmp.Or(d.reply, d.All[0].Trigger) }

// Beside returns the message that asked for another answer, if the answer replies to it; else 0.
func (d *Display) Beside() graph.MessageID { return d.reply }

// Display reads the answer that a message is a part of. What stands below it is in a language.
// Display fails with ErrAnswersGone if the answer is not known.
func (r *Replies) Display(ctx context.Context, at store.Place, said phrases.Language) (*Display, error) {
	shows, ok, err := r.stored.ByReply(ctx, at.Scope, at.Message)
	if err != nil {
		return nil, fmt.Errorf("read what a message shows: %w", err)
	}
	if !ok || shows.Channel != at.Channel {
		return nil, ErrAnswersGone
	}
	responses, err := r.stored.ByTrigger(ctx, at.Scope, shows.Trigger)
	if err != nil {
		return nil, fmt.Errorf("read what a message could show: %w", err)
	}
	i := slices.IndexFunc(responses, func(other store.Response) bool { return other.ID == shows.ID })
	if i < 0 {
		return nil, ErrAnswersGone
	}
	shows = responses[i]
	d := &Display{replies: r, scope: at.Scope, Channel: at.Channel, said: said, All: store.Alternatives(responses, shows.Generation), Newest: NewestAnswer(responses)}
	if d.Parts, err = r.Parts(ctx, &shows, at.Message); err != nil {
		return nil, err
	}
	d.Shown = slices.IndexFunc(d.All, func(other store.Response) bool { return other.Original() == shows.Original() })
	if d.Shown < 0 {
		return nil, ErrAnswersGone
	}
	for i := range responses { // the first in these messages tells what they reply to, whatever they show by now
		if slices.Contains(responses[i].Parts(), d.Parts[0]) {
			d.reply = responses[i].Reply
			break
		}
	}
	for _, other := range responses {
		for _, made := range other.Artifacts {
			if slices.Contains(d.Parts, made.Message) {
				d.files = append(d.files, file{made, slices.IndexFunc(d.All, func(one store.Response) bool { return one.ID == other.ID })})
			}
		}
	}
	return d, nil
}

// Parts returns all messages of the answer that part is one of. part shows the response.
func (r *Replies) Parts(ctx context.Context, response *store.Response, part graph.MessageID) ([]graph.MessageID, error) {
	parts, err := r.stored.Parts(ctx, response.Scope, part)
	if err != nil {
		return nil, fmt.Errorf("read where an answer stands: %w", err)
	}
	if len(parts) == 0 {
		parts = response.Parts()
	}
	return parts, nil
}

// NewestAnswer returns the response that stands below the question itself: the first of the last
// generation, as "again" asked for those after it. One that was sent comes before one that was not.
func NewestAnswer(responses []store.Response) store.Response {
	return slices.MinFunc(responses, func(a, b store.Response) int {
		return cmp.Or(cmp.Compare(b.Generation, a.Generation), cmp.Compare(min(1, len(b.Replies)), min(1, len(a.Replies))), store.Given(&a).Compare(store.Given(&b)))
	})
}

// To returns where an answer goes that takes the display's place and shows an alternative.
// Files stay where they are, whatever is shown.
func (d *Display) To(shown int, cause Cause) To {
	held := make(map[graph.MessageID][]graph.AttachmentID)
	for _, f := range d.files {
		held[f.Message] = append(held[f.Message], f.Attachment)
	}
	return To{
		Scope: d.scope, Channel: d.Channel, Trigger: d.RepliesTo(), Over: slices.Clone(d.Parts),
		Held: held, HeldText: d.filesOfOthers(shown), Cause: cause,
	}
}

// filesOfOthers returns a notice of which alternatives the files on the display belong
// to, leaving out those of the alternative shown; "" if there are none.
func (d *Display) filesOfOthers(shown int) string {
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

// Notice returns the notice below a recorded answer that is shown again.
func Notice(l phrases.Language, r *store.Response) string {
	if r.Original() != r.ID {
		return l.NoticeReused(time.Since(r.Created))
	}
	return r.Notice
}

// OtherHeads returns the first message of each answer of the newest answer's generation, except
// the newest.
func OtherHeads(responses []store.Response) []graph.MessageID {
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

// Show makes an answer show one of its alternatives. The store records this first, so that an
// alternative erased in the meantime does not come back. If Discord refuses, the answer is recorded
// as showing what it showed before, in the messages left after the attempt. Show returns those, and
// what they show.
func (d *Display) Show(ctx context.Context, at int, cause Cause) (parts []graph.MessageID, shows store.ResponseID, err error) {
	r, one, before := d.replies, &d.All[at], d.Current().ID
	err = r.stored.Show(ctx, d.scope, d.Parts, one.ID)
	switch {
	case errors.Is(err, store.ErrForgotten):
		return d.Parts, before, ErrAnswersGone
	case err != nil:
		return d.Parts, before, fmt.Errorf("show an alternative: %w", err)
	}
	to := d.To(at, cause)
	to.Hosts = HostsNamed(one.Path)
	sent, failure := r.Put(ctx, to, Final{Text: one.Text, Notice: Notice(d.said, one), Buttons: r.Below(d.said, d.All, at)})
	shows, parts = one.ID, IDs(sent)
	switch {
	case errors.Is(failure, ErrSurplus):
		shows = before
	case failure != nil:
		shows, parts = before, slices.Concat(d.Parts, parts)
		slices.Sort(parts)
		parts = slices.Compact(parts)
	case slices.Equal(parts, d.Parts):
		return parts, shows, nil
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), store.Timeout)
	defer cancel()
	if err := r.stored.Show(ending, d.scope, parts, shows); err != nil {
		r.log.Log(ctx, store.LogLevel(err), "what an answer shows could not be recorded, its buttons may step oddly", "channel", d.Channel, "error", err)
	}
	return parts, shows, failure
}

// Relabel sets the buttons that an answer should have and leaves its text.
func (d *Display) Relabel(ctx context.Context) error {
	return d.replies.SetButtons(ctx, d.Channel, d.Parts[len(d.Parts)-1], d.replies.Below(d.said, d.All, d.Shown))
}

// HostsNamed returns the hosts that people named in a conversation. Hosts in files and
// earlier answers do not count, as people did not choose them. turns must not change
// afterwards.
func HostsNamed(turns []path.Turn) split.Hosts {
	return sync.OnceValue(func() []string {
		var texts []string
		for _, turn := range turns {
			if turn.Role == path.RoleUser {
				texts = append(texts, turn.PlainText())
			}
		}
		return split.HostsIn(texts...)
	})
}
