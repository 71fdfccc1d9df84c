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

// Notice returns the notice below a recorded answer that is shown again.
func Notice(l phrases.Language, r *store.Response) string {
	if r.Original() != r.ID {
		return l.NoticeReused(time.Since(r.Created))
	}
	return r.Notice
}

// notice returns the notice below an answer. err is the error with which the answer
// failed, or nil.
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
	if overBudget(p.Built) && err == nil {
		left = leftOut(p)
	}
	if err == nil {
		noHistory = a.noHistory(p)
	}
	return phrases.Lines(failure, truncated, unseen, left, noHistory)
}

// noHistory returns the notice that the asker or heddle cannot read what was said
// before, or may not use it for now. It returns "" if they can, or if people were told
// before. The caller must show the notice.
func (a *Answers) noHistory(p *Prepared) string {
	if p.Place.Foreign {
		return p.language().Text(phrases.NoticeForeign, nil)
	}
	if p.Hidden && !p.Place.NoHistory {
		return p.language().Text(phrases.NoticeHidden, nil)
	}
	if p.Alone {
		return p.language().Text(phrases.NoticeAlone, nil)
	}
	if missing := p.missing(); a.notified.ofDenial(p.Channel, missing) {
		return p.language().NoticeNoHistory(missing)
	}
	return ""
}

// missing returns the permissions that heddle lacks to read what was said before.
func (p *Prepared) missing() discord.Permissions {
	if p.Place.NoHistory || p.IsDenied() {
		return p.Place.LacksToRead()
	}
	return 0
}

// leftOut returns the notice about messages that were left out. It mentions a summary
// of them once.
func leftOut(p *Prepared) string {
	switch {
	case !p.IsSummarised():
		return p.language().Text(phrases.NoticeLeftOut, nil)
	case len(p.Built.Stretch()) > 0:
		return p.language().Text(phrases.NoticeSummary, nil)
	default:
		return ""
	}
}

// overBudget reports whether a path lacks messages that a larger token budget would
// have kept. Messages that were left out as old and uncertain do not count.
func overBudget(built path.Built) bool {
	return slices.ContainsFunc(built.Left, func(l path.Left) bool { return l.Why == path.LeftOverBudget })
}
