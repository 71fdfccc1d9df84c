package dispatch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"sync"
	"time"

	"heddle/bot/reply"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/wait"
	"heddle/store"
)

const (
	// A check makes its first requests at once, and the others at 30 a minute, to leave
	// Discord's rate limits to answers.
	readAtOnce   = 10
	checkedApart = 2 * time.Second
	// A check that failed is tried again after a pause that grows, as every check starts over.
	retryCheck, longestRetry = 2 * time.Second, time.Minute
)

// Missed receives what a check found out that heddle missed. Its methods return at once, and
// may be called from any goroutine.
type Missed interface {
	// Deleted receives messages that were deleted.
	Deleted(deleted discord.Delete)
	// Edited receives a message that was edited since an answer was made from it, as it
	// reads now.
	Edited(m discord.Message)
	// LostChannel receives a channel that was deleted.
	LostChannel(channel graph.ChannelID)
	// Left receives a guild that heddle is no longer in.
	Left(guild graph.GuildID)
}

// Checker compares what answers were made from with Discord. After every gap in the events
// one process looks up all of it, the newest first and up to a hundred messages with each
// request, and reports what it finds as if the event had come. Each process looks up the answers
// that only it knows.
type Checker struct {
	deps    Deps
	replies *reply.Replies
	missed  Missed
	more    wait.Signal // a gap waits to be checked

	mu  sync.Mutex
	gap time.Time // the end of the latest gap
}

// NewChecker returns a Checker, which checks nothing before Run is called.
func NewChecker(deps Deps, out *reply.Replies, missed Missed) *Checker {
	return &Checker{deps: deps, replies: out, missed: missed, more: wait.NewSignal()}
}

// Gap records that events may have been missed until now.
func (c *Checker) Gap() {
	c.mu.Lock()
	c.gap = c.deps.REST.Now()
	c.mu.Unlock()
	c.more.Set()
}

// Run checks after every gap until ctx ends.
func (c *Checker) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.more:
		}
		c.mu.Lock()
		gap := c.gap
		c.mu.Unlock()
		for pause := retryCheck; !c.once(ctx, gap); pause = min(pause*3/2, longestRetry) {
			if wait.For(ctx, pause) != nil {
				return
			}
		}
	}
}

// once checks after a gap. It reports false if it has to be called again.
func (c *Checker) once(ctx context.Context, gap time.Time) bool {
	lease, err := c.deps.Store.Claims.Claim(ctx, store.CheckClaim().At(gap), c.deps.Leases.TTL())
	done := errors.Is(err, store.ErrDone)
	switch {
	case err == nil:
		defer c.deps.Leases.Keep(ctx, c.deps.Log, lease)()
	case errors.Is(err, store.ErrHeld):
		return false
	case !done:
		c.deps.Log.DebugContext(ctx, "the sources of stored answers cannot be checked against Discord yet, trying again", "error", err)
		return false
	}
	began := c.deps.REST.Now().Add(-discord.ClockError) // a gap may have ended by another clock
	check := check{Checker: c}
	err = check.found.addUnsaved(ctx, c.deps.Store.Archive) // these come first, as an answer that is saved meanwhile is found below
	if err == nil && !done {
		err = check.found.addStored(ctx, c.deps.Store.Archive)
	}
	if err == nil {
		err = check.do(ctx)
	}
	if err != nil {
		if ctx.Err() == nil && !errors.Is(err, store.ErrUnavailable) { // the store logs its outages
			c.deps.Log.WarnContext(ctx, "not all sources of stored answers could be checked against Discord, trying again", "error", err)
		}
		return false
	}
	if done {
		return true
	}
	c.deps.Log.InfoContext(ctx, "the sources of stored answers were checked against Discord",
		"reads", check.reads, "deleted", check.deleted, "edited", check.edited, "left", check.left)
	c.deps.Writes.Flush(ctx) // what Missed has written
	lease.Version = began.UnixMicro()
	if err := c.deps.Store.Claims.Done(ctx, lease, "checked"); err != nil {
		c.deps.Log.DebugContext(ctx, "the end of a check of sources could not be stored, another process may repeat the check", "error", err)
	}
	return true
}

// check is one pass over what is stored.
type check struct {
	*Checker

	found sources

	reads, deleted, edited, left int
	unread                       error // of a channel that may be read later
}

// do looks up on Discord what was found.
func (c *check) do(ctx context.Context) error {
	c.found.settle()
	waiting := byChannel(c.found.sources)
	for len(waiting) > 0 {
		channel := newest(waiting)
		rest, err := c.page(ctx, channel, waiting[channel])
		if err != nil {
			return err
		}
		if waiting[channel] = rest; len(rest) == 0 {
			delete(waiting, channel)
		}
	}
	for _, guild := range c.found.guilds {
		if err := c.guild(ctx, guild); err != nil {
			return err
		}
	}
	return c.unread
}

// Get makes a request to Discord. It waits first if the pace of the check requires it.
func (c *check) Get(ctx context.Context, path string, query url.Values) (json.RawMessage, error) {
	if c.reads >= readAtOnce {
		if err := wait.For(ctx, checkedApart); err != nil {
			return nil, err
		}
	}
	c.reads++
	return c.deps.REST.Get(ctx, path, query)
}

// guild asks Discord about a guild that the gateway did not name, and reports it as left if
// heddle is no longer in it. Asking is needed, because the guild may belong to another
// shard.
func (c *check) guild(ctx context.Context, guild graph.GuildID) error {
	if c.deps.Guilds.IsIn(guild) {
		return nil
	}
	_, err := c.Get(ctx, "/guilds/"+guild.String(), nil)
	switch {
	case discord.HasCode(err, discord.CodeUnknownGuild, discord.CodeMissingAccess):
		c.left++
		c.missed.Left(guild)
	case err != nil:
		c.deps.Log.DebugContext(ctx, "a guild could not be looked up, what is stored for it is kept", "guild", guild, "error", err)
	}
	return ctx.Err()
}

// page looks up the newest sources of a channel and returns those that remain to be
// looked up.
func (c *check) page(ctx context.Context, channel graph.ChannelID, sources []source) ([]source, error) {
	page, err := discord.ReadPage(ctx, c, channel, "before", sources[0].message+1)
	switch {
	case discord.HasCode(err, discord.CodeUnknownChannel):
		c.missed.LostChannel(channel)
		return nil, nil
	case err != nil:
		return c.leave(ctx, channel, err)
	}
	if len(page.Messages) == 0 || len(page.Messages) < page.Count {
		return c.oneByOne(ctx, channel, sources, page)
	}
	standing := make(map[graph.MessageID]*discord.Message, len(page.Messages))
	oldest := page.Messages[0].ID
	for i := range page.Messages {
		m := &page.Messages[i]
		standing[m.ID] = m
		oldest = min(oldest, m.ID)
	}
	var gone []graph.MessageID
	reached := 0
	for ; reached < len(sources) && sources[reached].message >= oldest; reached++ {
		if m := standing[sources[reached].message]; m != nil {
			c.compare(sources[reached], m)
		} else {
			gone = append(gone, sources[reached].message)
		}
	}
	return sources[reached:], c.delete(ctx, channel, gone)
}

// oneByOne looks up the newest source of a channel by itself. It is used after a page
// that was empty or could not be read to its end. An empty page alone proves nothing,
// because heddle may lack the permission to read the history. If the page is empty and
// the source is gone, everything older is gone, too.
func (c *check) oneByOne(ctx context.Context, channel graph.ChannelID, sources []source, page discord.Page) ([]source, error) {
	m, err := discord.ReadMessage(ctx, c, channel, sources[0].message)
	switch {
	case discord.HasCode(err, discord.CodeUnknownMessage):
		looked := 1
		if page.Count == 0 {
			looked = len(sources)
		}
		var gone []graph.MessageID
		for _, s := range sources[:looked] {
			gone = append(gone, s.message)
		}
		return sources[looked:], c.delete(ctx, channel, gone)
	case err == nil:
		c.compare(sources[0], &m)
	case !errors.Is(err, discord.ErrMalformed):
		return c.leave(ctx, channel, err)
	}
	return sources[1:], nil
}

// leave skips a channel that cannot be read, because nothing can be learnt about it. If it
// may be read later, the check fails in the end.
func (c *check) leave(ctx context.Context, channel graph.ChannelID, err error) ([]source, error) {
	if refusal, refused := errors.AsType[*discord.Error](err); !refused || refusal.Passing() {
		c.unread = err
	}
	c.deps.Log.DebugContext(ctx, "a channel could not be read, what is stored for it is kept", "channel", channel, "error", err)
	return nil, ctx.Err()
}

// compare reports a message that was edited since an answer was made from it.
func (c *check) compare(s source, m *discord.Message) {
	if !s.own && s.edited.Before(m.Edited) {
		c.edited++
		c.missed.Edited(*m)
	}
}

// delete deletes the answers to deleted questions on Discord, and then reports the deletions,
// with which the store forgets where the answers stand. If it is interrupted, the next check
// finds the questions again.
func (c *check) delete(ctx context.Context, channel graph.ChannelID, gone []graph.MessageID) error {
	for _, question := range gone {
		err := c.replies.RemoveAll(ctx, channel, c.found.answers[question])
		refusal, refused := errors.AsType[*discord.Error](err)
		switch {
		case refused && !refusal.Passing(): // the other deletions must not wait for it
			c.deps.Log.WarnContext(ctx, "the answer to a deleted question could not be deleted and stands", "channel", channel, "question", question, "error", err)
		case err != nil:
			return fmt.Errorf("take back the answer to a deleted question: %w", err)
		}
	}
	if len(gone) > 0 {
		c.deleted += len(gone)
		c.missed.Deleted(discord.Delete{Channel: channel, Messages: gone})
	}
	return nil
}

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
