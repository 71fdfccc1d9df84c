package dispatch

import (
	"cmp"
	"context"
	"fmt"
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
	own     bool      // a message whose edits change nothing: heddle's own, or one that was forwarded
}

// sources is what a check has to look up.
type sources struct {
	sources []source // the newest message first, each once
	guilds  []graph.GuildID
	answers map[graph.MessageID][]graph.MessageID // by question
}

// addUnsaved adds what the answers were made from that only this process knows.
func (s *sources) addUnsaved(ctx context.Context, archive *store.Archive) error {
	unsaved, err := archive.Unsaved(ctx)
	if err != nil {
		return fmt.Errorf("list what is not stored: %w", err)
	}
	for i := range unsaved {
		s.add(&unsaved[i], nil)
	}
	return nil
}

// addStored adds what the responses of all scopes were made from.
func (s *sources) addStored(ctx context.Context, archive *store.Archive) error {
	scopes, err := archive.Scopes(ctx)
	if err != nil {
		return fmt.Errorf("list scopes: %w", err)
	}
	for _, scope := range scopes {
		if guild := scope.Guild(); guild != 0 && !slices.Contains(s.guilds, guild) {
			s.guilds = append(s.guilds, guild)
		}
		if err := s.addScope(ctx, archive, scope); err != nil {
			return fmt.Errorf("read the responses of %s: %w", scope, err)
		}
	}
	return nil
}

// addScope adds what the responses of a scope were made from, and the messages that show
// them.
func (s *sources) addScope(ctx context.Context, archive *store.Archive, scope store.Scope) error {
	const some = 64
	var waiting []store.Response
	add := func() error {
		shown, err := archive.Shown(ctx, scope, waiting)
		if err != nil {
			return fmt.Errorf("find where answers stand: %w", err)
		}
		for i := range waiting {
			s.add(&waiting[i], shown[i])
		}
		waiting = waiting[:0]
		return nil
	}
	for response, err := range archive.All(ctx, scope) {
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

// add adds a response, which messages show.
func (s *sources) add(r *store.Response, shown []graph.MessageID) {
	for _, message := range shown {
		s.sources = append(s.sources, source{channel: r.Channel, message: message, own: true})
	}
	if s.answers == nil {
		s.answers = make(map[graph.MessageID][]graph.MessageID)
	}
	for _, reply := range r.Replies {
		s.answers[r.Trigger] = append(s.answers[r.Trigger], reply.ID)
	}
	for _, ref := range r.Sources {
		if ref.Forwarded {
			ref.Edited = time.Unix(1<<40, 0) // what was read of the message itself comes first
		}
		if ref.Message != 0 && ref.Channel != 0 {
			s.sources = append(s.sources, source{ref.Channel, ref.Message, ref.Edited, ref.Forwarded || ref.Author == r.Self && r.Self != 0})
		}
	}
	if len(s.sources) > 2*mostSources {
		s.settle()
	}
}

// settle sorts the sources, the newest first, and removes duplicates.
func (s *sources) settle() {
	slices.SortFunc(s.sources, func(a, b source) int {
		return cmp.Or(cmp.Compare(b.message, a.message), cmp.Compare(a.channel, b.channel), a.edited.Compare(b.edited))
	})
	s.sources = slices.CompactFunc(s.sources, func(a, b source) bool { return a.message == b.message && a.channel == b.channel })
	s.sources = s.sources[:min(len(s.sources), mostSources)]
}

// byChannel groups sources by channel. The order within a channel is kept.
func byChannel(all []source) map[graph.ChannelID][]source {
	parted := make(map[graph.ChannelID][]source)
	for _, s := range all {
		parted[s.channel] = append(parted[s.channel], s)
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
