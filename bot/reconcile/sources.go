package reconcile

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"heddle/graph"
	"heddle/store"
)

// mostSources bounds how many messages one check looks up. Older ones are left out.
const mostSources = 200_000

// source is a message that stored responses were made from, or that shows a response.
type source struct {
	channel graph.ChannelID
	message graph.MessageID
	edited  time.Time // edit time of the oldest version that was used
	own     bool      // a message of heddle's, which edits it itself
}

// stored is what a check has to look up, with the messages that answer each question.
type stored struct {
	sources []source // the newest message first, each once
	guilds  []graph.GuildID
	answers map[graph.MessageID][]graph.MessageID
}

// read reads what responses were made from.
func (r *Reconciler) read(ctx context.Context) (stored, error) {
	scopes, err := r.deps.Archive.Scopes(ctx)
	if err != nil {
		return stored{}, fmt.Errorf("list scopes: %w", err)
	}
	unsaved, err := r.deps.Archive.Unsaved(ctx) // these come first, because an answer that is saved meanwhile is found below
	if err != nil {
		return stored{}, fmt.Errorf("list what is not stored: %w", err)
	}
	var found stored
	found.addUnsaved(unsaved)
	for _, scope := range scopes {
		if guild := scope.Guild(); guild != 0 {
			found.guilds = append(found.guilds, guild)
		}
		if err := r.readIn(ctx, scope, &found); err != nil {
			return stored{}, fmt.Errorf("read the responses of %s: %w", scope, err)
		}
	}
	found.settle()
	slices.Sort(found.guilds)
	found.guilds = slices.Compact(found.guilds)
	return found, nil
}

// readIn adds what the responses of a scope were made from, and the messages that show
// them.
func (r *Reconciler) readIn(ctx context.Context, scope store.Scope, found *stored) error {
	const some = 64
	var waiting []store.Response
	add := func() error {
		shown, err := r.deps.Archive.Shown(ctx, scope, waiting)
		if err != nil {
			return fmt.Errorf("find where answers stand: %w", err)
		}
		for i := range waiting {
			found.add(&waiting[i], shown[i])
		}
		waiting = waiting[:0]
		return nil
	}
	for response, err := range r.deps.Archive.All(ctx, scope) {
		if err != nil {
			return fmt.Errorf("list the responses: %w", err)
		}
		if response.Gone() {
			continue
		}
		if waiting = append(waiting, response); len(waiting) < some {
			continue
		}
		if err := add(); err != nil {
			return err
		}
	}
	return add()
}

// addUnsaved adds answers that are not stored.
func (s *stored) addUnsaved(answers []store.Response) {
	for i := range answers {
		s.add(&answers[i], nil)
	}
	s.settle()
}

// add adds a response, which messages show.
func (s *stored) add(r *store.Response, shown []graph.MessageID) {
	if s.answers == nil {
		s.answers = make(map[graph.MessageID][]graph.MessageID)
	}
	for _, message := range shown {
		s.sources = append(s.sources, source{channel: r.Channel, message: message, own: true})
	}
	for _, reply := range r.Replies {
		if at := s.answers[r.Trigger]; !slices.Contains(at, reply.ID) {
			s.answers[r.Trigger] = append(at, reply.ID)
		}
	}
	for _, ref := range r.Sources {
		if ref.Message == 0 || ref.Channel == 0 {
			continue
		}
		own := ref.Author == r.Self && r.Self != 0
		s.sources = append(s.sources, source{ref.Channel, ref.Message, ref.Edited, own})
	}
	if len(s.sources) > 2*mostSources {
		s.settle()
	}
}

// settle sorts the sources, the newest first, and removes duplicates.
func (s *stored) settle() {
	slices.SortFunc(s.sources, func(a, b source) int {
		return cmp.Or(cmp.Compare(b.message, a.message), cmp.Compare(a.channel, b.channel), a.edited.Compare(b.edited))
	})
	s.sources = slices.CompactFunc(s.sources, func(a, b source) bool { return a.message == b.message && a.channel == b.channel })
	if len(s.sources) <= mostSources {
		return
	}
	s.sources = s.sources[:mostSources]
	oldest := s.sources[mostSources-1].message
	maps.DeleteFunc(s.answers, func(question graph.MessageID, _ []graph.MessageID) bool { return question < oldest })
}

// byChannel groups sources by channel. The order within a channel is kept.
func byChannel(sources []source) map[graph.ChannelID][]source {
	slices.SortStableFunc(sources, func(a, b source) int { return cmp.Compare(a.channel, b.channel) })
	parted := make(map[graph.ChannelID][]source)
	for len(sources) > 0 {
		channel := sources[0].channel
		end, _ := slices.BinarySearchFunc(sources, channel+1, func(s source, c graph.ChannelID) int { return cmp.Compare(s.channel, c) })
		parted[channel], sources = sources[:end], sources[end:]
	}
	return parted
}

// newest returns the channel whose first source is the newest.
func newest(waiting map[graph.ChannelID][]source) graph.ChannelID {
	var channel graph.ChannelID
	var latest graph.MessageID
	for id, sources := range waiting {
		if message := sources[0].message; message > latest {
			channel, latest = id, message
		}
	}
	return channel
}
