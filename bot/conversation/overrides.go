package conversation

import (
	"context"
	"log/slog"
	"slices"

	lru "github.com/hashicorp/golang-lru/v2"

	"heddle/bot/limits"
	"heddle/graph"
	"heddle/store"
)

// OverrideSettings are the operator's settings, which apply without overrides, and what
// admins may choose.
type OverrideSettings struct {
	MinLinear, MaxTotal int
	TimeThreshold       string // a Go duration, or "auto"
	Model               string

	Context, Persona bool     // admins may change which messages are chosen, and the persona
	Models           []string // that they may choose; Model is always among them
	MostTotal        int      // that they may set MaxTotal to
	// Price is what tokens of these models cost, in Currency; nil: it is not known.
	Price    limits.Price
	Currency string
}

// mostRemembered is of how many channels, and of how many guilds, is remembered what was
// read last.
const mostRemembered = 4096

// Overrides returns and changes what admins chose for channels and guilds, as far as the
// operator allows it, and knows where heddle is paused. Its methods may be called from any
// goroutine.
type Overrides struct {
	store    *store.Overrides
	settings OverrideSettings
	chosen   *lru.Cache[place, store.Override] // what was read last
	paused   *lru.Cache[graph.GuildID, bool]   // likewise
	log      *slog.Logger
}

type place struct {
	guild           graph.GuildID
	channel, parent graph.ChannelID
}

// NewOverrides returns Overrides within settings, which are kept in a store.
func NewOverrides(kept *store.Store, settings OverrideSettings, log *slog.Logger) *Overrides {
	if !slices.Contains(settings.Models, settings.Model) {
		settings.Models = append([]string{settings.Model}, settings.Models...)
	}
	chosen, _ := lru.New[place, store.Override](mostRemembered) // the size is positive
	paused, _ := lru.New[graph.GuildID, bool](mostRemembered)
	return &Overrides{
		store: kept.Overrides, settings: settings, log: log,
		chosen: chosen, paused: paused,
	}
}

// In returns the override that applies in a channel: what was chosen for it or else, if
// it is a thread, for its parent, or else for the guild. If that cannot be read, In
// returns what was read last.
func (o *Overrides) In(ctx context.Context, guild graph.GuildID, channel, parent graph.ChannelID) store.Override {
	at := place{guild, channel, parent}
	channels := []graph.ChannelID{channel}
	if parent != 0 {
		channels = append(channels, parent)
	}
	if guild != 0 {
		channels = append(channels, 0)
	}
	all, err := o.store.Of(ctx, guild, channels...)
	if err != nil {
		o.log.DebugContext(ctx, "what admins chose could not be read, what was known before holds", "channel", channel, "error", err)
		chosen, _ := o.chosen.Get(at)
		return chosen
	}
	var chosen store.Override
	for _, one := range all {
		chosen = store.Overlaid(chosen, one)
	}
	chosen = o.settings.allowed(chosen)
	o.chosen.Add(at, chosen)
	return chosen
}

// Paused reports whether heddle is paused in a guild, or everywhere. If that cannot be
// read, Paused returns what was read last.
func (o *Overrides) Paused(ctx context.Context, guild graph.GuildID) bool {
	everywhere, here, err := o.store.Paused(ctx, guild)
	if err != nil {
		o.log.DebugContext(ctx, "whether heddle is paused could not be read, what was known before holds", "guild", guild, "error", err)
		paused, _ := o.paused.Get(guild)
		return paused
	}
	o.paused.Add(guild, everywhere || here)
	return everywhere || here
}

// Settings returns what applies without overrides, and what admins may choose.
func (o *Overrides) Settings() *OverrideSettings { return &o.settings }

// Change changes what is chosen for a channel, or for the whole guild if it is zero.
func (o *Overrides) Change(ctx context.Context, guild graph.GuildID, channel graph.ChannelID, change func(*store.Override)) error {
	all, err := o.store.Of(ctx, guild, channel)
	if err != nil {
		return err //nolint:wrapcheck // it says what failed
	}
	change(&all[0])
	return o.store.Set(ctx, store.Overridden{Guild: guild, Channel: channel, Override: all[0]}) //nolint:wrapcheck // likewise
}

// allowed returns an override without the parts that the operator does not allow.
func (s *OverrideSettings) allowed(chosen store.Override) store.Override {
	if !s.Context {
		chosen.MinLinear, chosen.MaxTotal, chosen.TimeThreshold = nil, nil, ""
	}
	if most := s.MostTotal; chosen.MaxTotal != nil && *chosen.MaxTotal > most {
		chosen.MaxTotal = &most
	}
	if !s.Persona {
		chosen.Persona = ""
	}
	if !slices.Contains(s.Models, chosen.Model) {
		chosen.Model = ""
	}
	return chosen
}
