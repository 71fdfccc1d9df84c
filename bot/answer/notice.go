package answer

import (
	"slices"
	"time"

	"heddle/bot/phrases"
	"heddle/graph/path"
	"heddle/internal/discord"
	"heddle/llm"
	"heddle/store"
)

// Notice returns what stands below a recorded answer when it is shown again.
func Notice(l phrases.Language, r *store.Response) string {
	if r.Original() != r.ID {
		return l.NoticeReused(time.Since(r.Created))
	}
	return r.Notice
}

// notice returns what stands below an answer, which failed with err unless that is nil.
func (a *Answers) notice(p *Prepared, answer llm.Answer, err error) string {
	var failure, truncated, unseen, left, noHistory string
	l := p.language()
	if err != nil {
		failure = l.Say(a.explain(err))
	}
	if answer.FinishReason == llm.FinishLength {
		truncated = l.Text(phrases.NoticeTruncated, nil)
	}
	if slices.Contains(answer.Dropped, llm.FeatureImages) {
		unseen = l.Text(phrases.NoticeUnseen, nil)
	}
	if overBudget(p.built) && err == nil {
		left = leftOut(p)
	}
	if err == nil {
		noHistory = a.noHistory(p)
	}
	return phrases.Lines(failure, truncated, unseen, left, noHistory)
}

// noHistory returns the notice that the asker or heddle cannot read what was said
// before, or may not use it for now, or "" if nothing is in the way or people were told. The caller must show what it returns.
func (a *Answers) noHistory(p *Prepared) string {
	if p.Place.Foreign {
		return p.language().Text(phrases.NoticeForeign, nil)
	}
	if p.hidden && !p.Place.NoHistory {
		return p.language().Text(phrases.NoticeHidden, nil)
	}
	if p.alone {
		return p.language().Text(phrases.NoticeAlone, nil)
	}
	if missing := p.missing(); a.notified.ofDenial(p.Channel, missing) {
		return p.language().NoticeNoHistory(missing)
	}
	return ""
}

// missing returns the permissions that heddle lacks to read what was said before.
func (p *Prepared) missing() discord.Permissions {
	if p.Place.NoHistory || isDenied(p.graph) {
		return p.Place.LacksToRead()
	}
	return 0
}

// leftOut returns the notice of messages that were left out. A summary of them is
// mentioned once.
func leftOut(p *Prepared) string {
	switch {
	case p.summary == nil:
		return p.language().Text(phrases.NoticeLeftOut, nil)
	case len(p.built.Stretch()) > 0:
		return p.language().Text(phrases.NoticeSummary, nil)
	default:
		return ""
	}
}

// overBudget reports whether a path lacks messages that a larger token budget would
// have kept. Nobody needs to be told about messages that were left out because they
// are old and uncertain.
func overBudget(built path.Built) bool {
	return slices.ContainsFunc(built.Left, func(l path.Left) bool { return l.Why == path.LeftOverBudget })
}
