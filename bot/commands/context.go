package commands

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"heddle/bot/conversation"
	"heddle/bot/phrases"
	"heddle/store"
)

// The options of /heddle context.
const (
	optionNewest = "newest"
	optionMost   = "most"
	optionPause  = "pause"
)

// The bounds of what admins may choose, whatever the operator allows.
const (
	mostLinear    = 100
	shortestPause = time.Second
	longestPause  = 30 * 24 * time.Hour
	longPersona   = 1000 // characters
)

func contextOptions(mostTotal int) []Option {
	return choosing(
		Option{Name: optionNewest, Type: discordgo.ApplicationCommandOptionInteger, Least: new(0.0), Most: mostLinear},
		Option{Name: optionMost, Type: discordgo.ApplicationCommandOptionInteger, Least: new(1.0), Most: float64(mostTotal)},
		Option{Name: optionPause, Type: discordgo.ApplicationCommandOptionString, Longest: 20},
	)
}

// context answers /heddle context with the thresholds that apply in a channel, and applies
// other ones if they are given.
func (a *admins) context(ctx context.Context, use *Use) (Reply, error) {
	where, _ := use.Option(optionWhere)
	now := effective(a.deps.Overrides.Settings(), a.chosen(ctx, use))
	wanted := now
	newest, other := use.Option(optionNewest)
	most, more := use.Option(optionMost)
	pause, longer := use.Option(optionPause)
	if other {
		wanted.newest = whole(newest)
	}
	if more {
		wanted.most = whole(most)
	}
	if longer {
		wanted.pause = strings.ToLower(strings.TrimSpace(pause))
	}
	switch {
	case use.Is(optionReset, "true"):
		return a.resetContext(ctx, use, where)
	case !other && !more && !longer:
		return a.shownContext(use, now), nil
	}
	if err := a.checkContext(use, where, wanted); err != nil {
		return Reply{}, err
	}
	return applied(use, wanted), a.choose(ctx, use, where, wanted.set)
}

// whole returns a whole number, or one that is out of all bounds.
func whole(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return -1
	}
	return n
}

// shownContext returns the thresholds that apply, and how to change them.
func (a *admins) shownContext(use *Use, now thresholds) Reply {
	how := phrases.ID("context_how")
	if !a.deps.Overrides.Settings().Context || !use.ManagesChannel() {
		how = "context_fixed"
	}
	return Reply{Text: phrases.Lines(use.Language.Text("context_now", nil), described(use, now), use.Language.Text(how, nil))}
}

// described returns thresholds in words.
func described(use *Use, t thresholds) string {
	pause := t.pause
	if pause == "auto" {
		pause = use.Language.Text("context_auto", nil)
	} else if d, err := time.ParseDuration(pause); err == nil {
		pause = use.Language.Exactly(d)
	}
	return use.Language.Text("context_thresholds", phrases.Values{"Newest": t.newest, "Most": t.most, "Pause": pause})
}

// checkContext fails with a phrases.RefusedError if thresholds may not be set.
func (a *admins) checkContext(use *Use, where string, wanted thresholds) error {
	settings := a.deps.Overrides.Settings()
	if !settings.Context {
		return phrases.Refused("overrides_off", nil)
	}
	if _, err := target(use, where); err != nil {
		return err
	}
	if fault := wanted.fault(settings); fault != "" {
		return phrases.Refused(fault, phrases.Values{"Most": settings.MostTotal, "Newest": min(wanted.most, mostLinear)})
	}
	return nil
}

// resetContext removes the thresholds that were chosen for a place. That is possible even
// if the operator no longer allows thresholds to be chosen.
func (a *admins) resetContext(ctx context.Context, use *Use, where string) (Reply, error) {
	err := a.choose(ctx, use, where, func(o *store.Override) { o.MinLinear, o.MaxTotal, o.TimeThreshold = nil, nil, "" })
	if err != nil {
		return Reply{}, err
	}
	return applied(use, effective(a.deps.Overrides.Settings(), a.chosen(ctx, use))), nil
}

func applied(use *Use, t thresholds) Reply {
	return Reply{Text: phrases.Lines(use.Language.Text("context_applied", nil), described(use, t))}
}

// set makes the thresholds those of an override.
func (t thresholds) set(o *store.Override) {
	o.MinLinear, o.MaxTotal, o.TimeThreshold = &t.newest, &t.most, t.pause
}

// effective returns the thresholds that apply under an override.
func effective(s *conversation.OverrideSettings, chosen store.Override) thresholds {
	operators := store.Override{MinLinear: &s.MinLinear, MaxTotal: &s.MaxTotal, TimeThreshold: s.TimeThreshold}
	chosen = store.Overlaid(chosen, operators)
	return thresholds{*chosen.MinLinear, *chosen.MaxTotal, chosen.TimeThreshold}
}

// thresholds decide which messages are chosen.
type thresholds struct {
	newest, most int
	pause        string // a Go duration, or "auto"
}

// fault returns the phrase that says why thresholds are out of bounds, or "" if they are
// not.
func (t thresholds) fault(s *conversation.OverrideSettings) phrases.ID {
	switch gap, err := time.ParseDuration(t.pause); {
	case t.most < 1 || t.most > s.MostTotal:
		return "override_most"
	case t.newest < 0 || t.newest > min(t.most, mostLinear):
		return "override_newest"
	case t.pause != "auto" && (err != nil || gap < shortestPause || gap > longestPause):
		return "override_pause"
	}
	return ""
}
