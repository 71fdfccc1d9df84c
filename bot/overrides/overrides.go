// Package overrides lets the admins of a guild change how heddle answers there: which
// messages it chooses, which model it asks and which persona it has. A choice applies to
// a channel or to the whole guild, and only as far as the operator allows it.
package overrides

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/internal/lru"
	"heddle/store"
)

// Store stores what admins choose; store.Overrides does.
type Store interface {
	// Of returns what is chosen for channels of a guild, in their order. Channel 0 stands
	// for the whole guild.
	Of(ctx context.Context, guild graph.GuildID, channels ...graph.ChannelID) ([]store.Override, error)
	// Set stores what is chosen for a place. The zero Override removes it.
	Set(ctx context.Context, chosen store.Overridden) error
}

// Settings are the operator's settings, which apply without overrides, and what admins
// may choose.
type Settings struct {
	MinLinear, MaxTotal int
	TimeThreshold       string // a Go duration, or "auto"
	Model               string

	Context, Persona bool     // admins may change which messages are chosen, and the persona
	Models           []string // that they may choose; Model is always among them
	MostTotal        int      // that they may set MaxTotal to
}

// The bounds of what admins may choose, whatever the operator allows.
const (
	mostLinear    = 100
	shortestPause = time.Second
	longestPause  = 30 * 24 * time.Hour
	longPersona   = 1000 // characters
)

// freshFor is how long a value that was read is used before it is read again. A change by
// another process takes effect here after this time at the latest.
const freshFor = time.Second

// mostHeld is how many channels are held in memory.
const mostHeld = 4096

// Overrides returns and changes the overrides of channels. Its methods may be called from
// any goroutine.
type Overrides struct {
	store    Store
	settings Settings
	chosen   *lru.Fresh[place, store.Override]
	log      *slog.Logger
}

type place struct {
	guild           graph.GuildID
	channel, parent graph.ChannelID
}

// New returns Overrides within settings.
func New(kept Store, settings Settings, log *slog.Logger) *Overrides {
	if !slices.Contains(settings.Models, settings.Model) {
		settings.Models = append([]string{settings.Model}, settings.Models...)
	}
	return &Overrides{store: kept, settings: settings, chosen: lru.NewFresh[place, store.Override](mostHeld, freshFor), log: log}
}

// In returns the override that applies in a channel: what was chosen for it or else, if
// it is a thread, for its parent, or else for the guild. If that cannot be read, In
// returns what was read last.
func (o *Overrides) In(ctx context.Context, guild graph.GuildID, channel, parent graph.ChannelID) store.Override {
	at := place{guild, channel, parent}
	chosen, err := o.chosen.Get(at, func() (store.Override, error) { return o.read(ctx, at) })
	if err != nil {
		o.log.DebugContext(ctx, "what admins chose could not be read, what was known before holds", "channel", channel, "error", err)
	}
	return chosen
}

// read reads the override that applies in a place, without anything that the operator no
// longer allows.
func (o *Overrides) read(ctx context.Context, at place) (store.Override, error) {
	channels := []graph.ChannelID{at.channel}
	if at.parent != 0 {
		channels = append(channels, at.parent)
	}
	if at.guild != 0 {
		channels = append(channels, 0)
	}
	all, err := o.store.Of(ctx, at.guild, channels...)
	if err != nil {
		return store.Override{}, err
	}
	var chosen store.Override
	for _, one := range all {
		chosen = store.Overlaid(chosen, one)
	}
	return o.settings.allowed(chosen), nil
}

// change changes what is chosen for a place. The change takes effect at once in this
// process.
func (o *Overrides) change(ctx context.Context, guild graph.GuildID, channel graph.ChannelID, change func(*store.Override)) error {
	all, err := o.store.Of(ctx, guild, channel)
	if err != nil {
		return err
	}
	change(&all[0])
	if err := o.store.Set(ctx, store.Overridden{Guild: guild, Channel: channel, Override: all[0]}); err != nil {
		return err
	}
	o.chosen.Forget()
	return nil
}

// allowed returns an override without the parts that the operator does not allow.
func (s *Settings) allowed(chosen store.Override) store.Override {
	if !s.Context {
		chosen.MinLinear, chosen.MaxTotal, chosen.TimeThreshold = nil, nil, ""
	}
	if most := s.MostTotal; chosen.MaxTotal != nil && *chosen.MaxTotal > most {
		chosen.MaxTotal = &most
	}
	if !s.Persona {
		chosen.Persona = ""
	}
	if chosen.Model != "" && !slices.Contains(s.Models, chosen.Model) {
		chosen.Model = ""
	}
	return chosen
}

// effective returns the thresholds that apply under an override.
func (s *Settings) effective(chosen store.Override) thresholds {
	t := thresholds{s.MinLinear, s.MaxTotal, s.TimeThreshold}
	if chosen.MinLinear != nil {
		t.newest = *chosen.MinLinear
	}
	if chosen.MaxTotal != nil {
		t.most = *chosen.MaxTotal
	}
	if chosen.TimeThreshold != "" {
		t.pause = chosen.TimeThreshold
	}
	return t
}

// thresholds decide which messages are chosen.
type thresholds struct {
	newest, most int
	pause        string // a Go duration, or "auto"
}

// fault returns the phrase that says why thresholds are out of bounds, or "" if they are
// not.
func (t thresholds) fault(s *Settings) phrases.ID {
	switch gap, err := time.ParseDuration(t.pause); {
	case t.most < 1 || t.most > s.MostTotal:
		return phrases.OverrideMost
	case t.newest < 0 || t.newest > min(t.most, mostLinear):
		return phrases.OverrideNewest
	case t.pause != "auto" && (err != nil || gap < shortestPause || gap > longestPause):
		return phrases.OverridePause
	}
	return ""
}
