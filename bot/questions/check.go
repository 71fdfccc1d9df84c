package questions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/url"
	"slices"
	"sync"
	"time"

	"heddle/bot/gateway"
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
	// checkPatience bounds how long a question that was missed waits for the check of its guild,
	// which may take minutes in a guild with many answers.
	checkPatience = 5 * time.Second
)

// Finding is something that heddle missed. One field is set.
type Finding struct {
	Deleted discord.Delete
	Edited  *discord.Message // as it reads now; an answer was made from it before
	Lost    graph.ChannelID  // it was deleted
	Left    graph.GuildID    // heddle is no longer in it
}

// mostSources bounds how many messages of a guild a check looks up. Older ones are left out.
const mostSources = 50_000

// Checker compares what answers were made from with Discord. After every gap in the events one
// process looks up what the guilds depend on whose events were missed, the newest first and up
// to a hundred messages with each request, and tells what it finds as if the event had come.
// Each process looks up the answers that only it knows.
//
// mu guards the fields below it; it is never held over I/O.
type Checker struct {
	deps    Deps
	replies *reply.Replies
	more    wait.Signal // a gap waits to be checked

	mu      sync.Mutex
	gaps    []gap                       // that no pass has seen
	open    map[graph.GuildID]time.Time // guilds that are not checked yet, with the end of their latest gap
	stepped chan struct{}               // closed after the next change of the two
}

// gap says that events of a shard, or of one guild alone, may have been missed until its end.
type gap struct {
	shard gateway.Shard
	alone bool
	guild graph.GuildID // zero for direct messages
	end   time.Time
}

// in reports whether a guild is among those of the gap.
func (g *gap) in(guild graph.GuildID) bool {
	if g.alone {
		return guild == g.guild
	}
	return g.shard.Has(guild)
}

// NewChecker returns a Checker, which checks nothing before Run is called.
func NewChecker(deps Deps, out *reply.Replies) *Checker {
	return &Checker{deps: deps, replies: out, more: wait.NewSignal(), open: make(map[graph.GuildID]time.Time), stepped: make(chan struct{})}
}

// Gap records that events of a shard may have been missed until now.
func (c *Checker) Gap(shard gateway.Shard) { c.add(gap{shard: shard}) }

// GapIn records that events of a guild may have been missed until now, or without a guild those
// of direct messages.
func (c *Checker) GapIn(guild graph.GuildID) { c.add(gap{alone: true, guild: guild}) }

func (c *Checker) add(g gap) {
	g.end = c.deps.REST.Now()
	c.mu.Lock()
	c.gaps = append(c.gaps, g)
	c.mu.Unlock()
	c.more.Set()
}

// Await waits until a guild is checked after all gaps, for a few seconds at most.
func (c *Checker) Await(ctx context.Context, guild graph.GuildID) {
	ctx, cancel := context.WithTimeout(ctx, checkPatience)
	defer cancel()
	for ctx.Err() == nil {
		c.mu.Lock()
		_, open := c.open[guild]
		open = open || slices.ContainsFunc(c.gaps, func(g gap) bool { return g.in(guild) })
		stepped := c.stepped
		c.mu.Unlock()
		if !open {
			return
		}
		select {
		case <-stepped:
		case <-ctx.Done():
		}
	}
}

// Findings checks after every gap until ctx ends, and tells what it finds. The next step of a check
// begins once its last finding is handled.
func (c *Checker) Findings(ctx context.Context) iter.Seq[Finding] {
	return func(yield func(Finding) bool) {
		for {
			select {
			case <-ctx.Done():
				return
			case <-c.more:
			}
			for pause := retryCheck; !c.once(ctx, yield); pause = min(pause*3/2, longestRetry) {
				if wait.For(ctx, pause) != nil {
					return
				}
			}
		}
	}
}

// pass is one look at all guilds that remain to be checked.
type pass struct {
	*Checker

	yield                                func(Finding) bool
	guilds, reads, deleted, edited, left int
}

// once checks the guilds that remain, and reports whether none is left. If one fails, the others
// are checked all the same.
func (c *Checker) once(ctx context.Context, yield func(Finding) bool) bool {
	p := &pass{Checker: c, yield: yield}
	p.mu.Lock()
	gaps := p.gaps
	p.mu.Unlock()
	unsaved, scopes, err := p.stored(ctx)
	var used []store.UsedChannel
	if err == nil {
		used, err = p.deps.Store.Backlog.Used(ctx)
	}
	if err != nil {
		p.deps.Log.DebugContext(ctx, "the sources of stored answers cannot be checked against Discord yet, trying again", "error", err)
		return false
	}
	due := p.opens(gaps, scopes)
	var order []graph.GuildID
	for _, at := range used { // the latest come first
		order = append(order, at.Guild)
	}
	tried := make(map[graph.GuildID]bool)
	left := len(due)
	for _, guild := range append(order, slices.Sorted(maps.Keys(due))...) {
		gap, open := due[guild]
		if !open || tried[guild] {
			continue
		}
		if tried[guild] = true; p.check(ctx, guild, gap, unsaved[guild], scopes[guild]) {
			p.closes(guild)
			left--
		}
		if ctx.Err() != nil {
			return false
		}
	}
	if p.guilds > 0 || len(tried) == 0 { // and not only what other processes have checked
		p.deps.Log.InfoContext(ctx, "the sources of stored answers were checked against Discord",
			"guilds", p.guilds, "reads", p.reads, "deleted", p.deleted, "edited", p.edited, "left", p.left)
	}
	return left == 0
}

// opens turns gaps into guilds to be checked, of those in which something is stored, and returns all
// such guilds.
func (p *pass) opens(gaps []gap, scopes map[graph.GuildID][]store.Scope) map[graph.GuildID]time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	for guild := range scopes {
		for _, gap := range gaps {
			if gap.in(guild) && gap.end.After(p.open[guild]) {
				p.open[guild] = gap.end
			}
		}
	}
	p.gaps = p.gaps[len(gaps):] // the others came meanwhile
	p.stepLocked()
	return maps.Clone(p.open)
}

// closes notes that a guild is checked.
func (p *pass) closes(guild graph.GuildID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, guild)
	p.stepLocked()
}

// stepLocked wakes the questions that wait.
func (c *Checker) stepLocked() {
	close(c.stepped)
	c.stepped = make(chan struct{})
}

// stored returns by guild the answers that only this process knows, and the scopes in which
// something is stored or one of them stands. The answers come first, as one that is saved
// meanwhile is found in its scope.
func (c *Checker) stored(ctx context.Context) (unsaved map[graph.GuildID][]store.Response, scopes map[graph.GuildID][]store.Scope, err error) {
	unsaved, scopes = make(map[graph.GuildID][]store.Response), make(map[graph.GuildID][]store.Scope)
	answers, err := c.deps.Store.Archive.Unsaved(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("list what is not stored: %w", err)
	}
	for _, answer := range answers {
		guild := answer.Scope.Guild()
		unsaved[guild] = append(unsaved[guild], answer)
		scopes[guild] = nil
	}
	all, err := c.deps.Store.Archive.Scopes(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("list scopes: %w", err)
	}
	for _, scope := range all {
		scopes[scope.Guild()] = append(scopes[scope.Guild()], scope)
	}
	return unsaved, scopes, nil
}

// check checks a guild after a gap, or the direct messages without a guild. It reports false if
// that has to be repeated.
func (p *pass) check(ctx context.Context, guild graph.GuildID, gap time.Time, unsaved []store.Response, scopes []store.Scope) bool {
	lease, err := p.deps.Store.Claims.Claim(ctx, store.CheckClaim(guild).At(gap), p.deps.Leases.TTL())
	done := errors.Is(err, store.ErrDone) // by another process, which does not know this one's answers
	switch {
	case err == nil:
		defer p.deps.Leases.Keep(ctx, p.deps.Log, lease)()
	case done:
		scopes = nil
	case errors.Is(err, store.ErrHeld):
		return false
	default:
		p.deps.Log.DebugContext(ctx, "the sources of a guild's answers cannot be checked against Discord yet, trying again", "guild", guild, "error", err)
		return false
	}
	began := p.deps.REST.Now().Add(-discord.ClockError) // a gap may have ended by another clock
	check := check{pass: p}
	if check.found, err = p.deps.Store.Archive.Sources(ctx, mostSources, unsaved, scopes...); err == nil {
		err = check.do(ctx)
	}
	if err == nil && guild != 0 && !done {
		err = p.asks(ctx, guild)
	}
	if err != nil {
		if ctx.Err() == nil && !errors.Is(err, store.ErrUnavailable) { // the store logs its outages
			p.deps.Log.WarnContext(ctx, "not all sources of a guild's answers could be checked against Discord, trying again", "guild", guild, "error", err)
		}
		return false
	}
	if done {
		return true
	}
	p.guilds++
	for _, scope := range append(scopes, store.GuildScope(guild)) {
		p.deps.Writes.Await(ctx, scope) // what the findings have added
	}
	lease.Version = began.UnixMicro()
	if err := p.deps.Store.Claims.Done(ctx, lease, "checked"); err != nil {
		p.deps.Log.DebugContext(ctx, "the end of a check of sources could not be stored, another process may repeat the check", "error", err)
	}
	return true
}

// check looks up the sources of one guild.
type check struct {
	*pass

	found  store.Sources
	unread error // of a channel that may be read later
}

// do looks up on Discord what was found, the channel with the newest message first.
func (c *check) do(ctx context.Context) error {
	waiting := make(map[graph.ChannelID][]store.Source)
	for _, s := range c.found.Messages {
		waiting[s.Channel] = append(waiting[s.Channel], s)
	}
	for len(waiting) > 0 {
		var channel graph.ChannelID
		for id, sources := range waiting {
			if channel == 0 || sources[0].Message > waiting[channel][0].Message {
				channel = id
			}
		}
		rest, err := c.page(ctx, channel, waiting[channel])
		if err != nil {
			return err
		}
		if waiting[channel] = rest; len(rest) == 0 {
			delete(waiting, channel)
		}
	}
	return c.unread
}

// Get makes a request to Discord. It waits first if the pace of the check requires it.
func (p *pass) Get(ctx context.Context, path string, query url.Values) (json.RawMessage, error) {
	if p.reads >= readAtOnce {
		if err := wait.For(ctx, checkedApart); err != nil {
			return nil, err
		}
	}
	p.reads++
	return p.deps.REST.Get(ctx, path, query)
}

// asks asks Discord about a guild that the gateway did not name, and reports it as left if
// heddle is no longer in it. Asking is needed, because the guild may belong to another
// shard.
func (p *pass) asks(ctx context.Context, guild graph.GuildID) error {
	if p.deps.Guilds.IsIn(guild) {
		return nil
	}
	_, err := p.Get(ctx, "/guilds/"+guild.String(), nil)
	switch {
	case discord.HasCode(err, discord.CodeUnknownGuild, discord.CodeMissingAccess):
		p.left++
		p.yield(Finding{Left: guild})
	case err != nil:
		p.deps.Log.DebugContext(ctx, "a guild could not be looked up, what is stored for it is kept", "guild", guild, "error", err)
	}
	return ctx.Err()
}

// page looks up the newest sources of a channel and returns those that remain to be
// looked up.
func (c *check) page(ctx context.Context, channel graph.ChannelID, sources []store.Source) ([]store.Source, error) {
	page, err := discord.ReadPage(ctx, c, channel, "before", sources[0].Message+1)
	switch {
	case discord.HasCode(err, discord.CodeUnknownChannel):
		c.yield(Finding{Lost: channel})
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
	for ; reached < len(sources) && sources[reached].Message >= oldest; reached++ {
		if m := standing[sources[reached].Message]; m != nil {
			c.compare(sources[reached], m)
		} else {
			gone = append(gone, sources[reached].Message)
		}
	}
	return sources[reached:], c.delete(ctx, channel, gone)
}

// oneByOne looks up the newest source of a channel by itself. It is used after a page
// that was empty or could not be read to its end. An empty page alone proves nothing,
// because heddle may lack the permission to read the history. If the page is empty and
// the source is gone, everything older is gone, too.
func (c *check) oneByOne(ctx context.Context, channel graph.ChannelID, sources []store.Source, page discord.Page) ([]store.Source, error) {
	m, err := discord.ReadMessage(ctx, c, channel, sources[0].Message)
	switch {
	case discord.HasCode(err, discord.CodeUnknownMessage):
		looked := 1
		if page.Count == 0 {
			looked = len(sources)
		}
		var gone []graph.MessageID
		for _, s := range sources[:looked] {
			gone = append(gone, s.Message)
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
func (c *check) leave(ctx context.Context, channel graph.ChannelID, err error) ([]store.Source, error) {
	if refusal, refused := errors.AsType[*discord.Error](err); !refused || refusal.Passing() {
		c.unread = err
	}
	c.deps.Log.DebugContext(ctx, "a channel could not be read, what is stored for it is kept", "channel", channel, "error", err)
	return nil, ctx.Err()
}

// compare reports a message that was edited since an answer was made from it.
func (c *check) compare(s store.Source, m *discord.Message) {
	if !s.Fixed && s.Edited.Before(m.Edited) {
		c.edited++
		c.yield(Finding{Edited: m})
	}
}

// delete deletes the answers to deleted questions on Discord, and then tells of all these deletions,
// with which the store forgets where the answers stand. If it is interrupted, the next check
// finds the questions again.
func (c *check) delete(ctx context.Context, channel graph.ChannelID, gone []graph.MessageID) error {
	deleted := slices.Clone(gone)
	for _, question := range gone {
		answer := c.found.Answers[question]
		err := c.replies.RemoveAll(ctx, channel, answer)
		deleted = append(deleted, answer...)
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
		c.yield(Finding{Deleted: discord.Delete{Channel: channel, Messages: deleted}})
	}
	return nil
}
