package gate

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"golang.org/x/sync/singleflight"
	"golang.org/x/text/unicode/norm"

	"heddle/bot/guilds"
	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/wait"
	"heddle/store"
)

// refreshEvery is how often a process checks whether people opted out or in through
// another process.
const refreshEvery = time.Second

// People knows who opted out, and opts people out and in. Its methods may be called
// from any goroutine.
type People struct {
	store     *store.Store
	drop      func(graph.UserID)
	log       *slog.Logger
	known     atomic.Pointer[known]
	refreshes singleflight.Group
}

// known is the list as it was last read. It is immutable.
type known struct {
	version string
	out     map[graph.UserID]bool
}

// NewPeople returns People that are known once Refresh has succeeded. It calls drop for
// everybody who opts out or in, through this process or another, after OptedOut returns
// the new state. Drop removes from memory what they wrote and what names them.
func NewPeople(stored *store.Store, drop func(graph.UserID), log *slog.Logger) *People {
	return &People{store: stored, drop: drop, log: log}
}

// OptedOut reports whether a person has opted out, as of the last Refresh.
func (p *People) OptedOut(person graph.UserID) bool {
	known := p.known.Load()
	return known != nil && known.out[person]
}

// Known reports whether the list has been read.
func (p *People) Known() bool { return p.known.Load() != nil }

// Refresh reads the list if it has changed. After an error, the list that was read
// before remains in force.
func (p *People) Refresh(ctx context.Context) error {
	_, err, _ := p.refreshes.Do("", func() (any, error) { return nil, p.refresh(ctx) })
	if err != nil {
		return fmt.Errorf("find out who opted out: %w", err)
	}
	return nil
}

// refresh reads the list, and drops from memory who has opted out or in since.
func (p *People) refresh(ctx context.Context) error {
	before := p.known.Load()
	if before != nil {
		version, err := p.store.OptOuts.Version(ctx)
		if err != nil || version == before.version {
			return err
		}
	}
	all, err := p.store.OptOuts.All(ctx)
	if err != nil {
		return err
	}
	now := &known{all.Version, make(map[graph.UserID]bool, len(all.People))}
	for _, person := range all.People {
		now.out[person] = true
	}
	p.known.Store(now)
	for _, person := range changed(before, now) {
		p.drop(person)
	}
	return nil
}

// changed returns, in order, who is in exactly one of two lists. before may be nil.
func changed(before, now *known) []graph.UserID {
	people := slices.Collect(maps.Keys(now.out))
	if before != nil {
		people = slices.AppendSeq(people, maps.Keys(before.out))
		people = slices.DeleteFunc(people, func(person graph.UserID) bool { return now.out[person] == before.out[person] })
	}
	slices.Sort(people)
	return people
}

// Follow keeps the list up to date until ctx ends.
func (p *People) Follow(ctx context.Context) {
	for {
		if err := p.Refresh(ctx); err != nil {
			p.log.DebugContext(ctx, "who opted out could not be read, this is tried again", "error", err)
		}
		if wait.For(ctx, refreshEvery) != nil {
			return
		}
	}
}

// OptOut keeps everything that a person writes from being used from now on.
func (p *People) OptOut(ctx context.Context, person graph.UserID) error {
	return p.change(ctx, p.store.OptOuts.Add, person)
}

// OptIn ends OptOut and Forget.
func (p *People) OptIn(ctx context.Context, person graph.UserID) error {
	return p.change(ctx, p.store.OptOuts.Remove, person)
}

// Forget opts a person out and erases what was made from their words before. The store
// resumes it if it is interrupted.
func (p *People) Forget(ctx context.Context, person graph.UserID) error {
	if err := p.OptOut(ctx, person); err != nil {
		return err
	}
	if err := p.store.Deletions.Erase(ctx, store.Erasure{Person: person}); err != nil {
		return fmt.Errorf("erase what was made from a person's words: %w", err)
	}
	return nil
}

func (p *People) change(ctx context.Context, change func(context.Context, graph.UserID) error, person graph.UserID) error {
	if err := change(ctx, person); err != nil {
		return err
	}
	_ = p.Refresh(ctx) // may share a read that began before the change
	return p.Refresh(ctx)
}

// wishes are the words that state what a person asks of heddle about their own messages, if
// a message holds nothing else but the mention. They are those of all languages, as people may
// use any of them anywhere. A wish goes by the phrase that confirms it.
type wishes struct {
	words map[string]phrases.ID
	// please are the words that may precede or follow a wish.
	please []string
}

func newWishes() wishes {
	w := wishes{words: make(map[string]phrases.ID), please: phrases.Words("please_words")}
	for id, wished := range map[phrases.ID]phrases.ID{
		"opt_in_words": "opted_in", "opt_out_words": "opted_out", "forget_me_words": "forgotten",
	} {
		for _, words := range phrases.Words(id) {
			w.words[words] = wished
		}
	}
	return w
}

// longestWish is the length in bytes of the longest message that is examined.
const longestWish = 100

// in returns the wish that a message states, or "". The message must hold nothing else but
// heddle's mention, or that of its role.
func (w wishes) in(m *discord.Message, self guilds.Self) phrases.ID {
	content := m.Content
	for _, mention := range []string{"<@" + self.User.String() + ">", "<@!" + self.User.String() + ">", "<@&" + self.Role.String() + ">"} {
		content = strings.ReplaceAll(content, mention, " ")
	}
	if len(content) > longestWish {
		return ""
	}
	words := strings.FieldsFunc(strings.ToLower(norm.NFKC.String(content)), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	said := strings.Join(words, " ")
	for _, please := range w.please {
		said = strings.TrimSuffix(strings.TrimPrefix(said, please+" "), " "+please)
	}
	return w.words[said]
}

// fulfil carries out a wish and returns the phrase that confirms it.
func (p *People) fulfil(ctx context.Context, wished phrases.ID, person graph.UserID) (phrases.ID, error) {
	fulfil, known := map[phrases.ID]func(context.Context, graph.UserID) error{
		"opted_in": p.OptIn, "opted_out": p.OptOut, "forgotten": p.Forget,
	}[wished]
	if !known {
		return "not_read", nil
	}
	return wished, fulfil(ctx, person)
}
