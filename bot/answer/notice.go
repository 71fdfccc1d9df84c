package answer

import (
	"errors"
	"slices"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"heddle/bot/limits"
	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/discord"
	"heddle/llm"
)

// notice returns the notice below an answer, for which tools of servers were called. err is
// the error with which the answer failed, or nil.
func (a *prepared) notice(answer llm.Answer, called []string, err error) string {
	var failure, truncated, outside, unseen, unrecorded, left, noHistory string
	l := a.language()
	if err != nil {
		failure = l.Say(a.settings.sentence(err))
		if strings.TrimSpace(answer.Text) != "" { // otherwise it would read as the answer's last sentence
			failure = "-# " + strings.TrimPrefix(failure, "-# ")
		}
	}
	if answer.FinishReason == llm.FinishLength {
		truncated = l.Text("notice_truncated", nil)
	}
	if len(called) > 0 {
		outside = l.Text("notice_outside", phrases.Values{"Names": "`" + strings.Join(called, "`, `") + "`"})
	}
	if slices.Contains(answer.Dropped, llm.FeatureImages) {
		unseen = l.Text("notice_unseen", nil)
	} else if slices.Contains(answer.Dropped, llm.FeatureOneImage) {
		unseen = l.Text("notice_one_image", nil)
	}
	if a.Past.LacksRecords() {
		unrecorded = l.Text("notice_no_records", nil)
	}
	if err == nil {
		left, noHistory = a.leftOut(), a.noHistory()
	}
	return phrases.Lines(failure, truncated, outside, unseen, l.NoticeNotRead(a.NotRead), unrecorded, left, noHistory)
}

// noHistory returns the notice that the asker or heddle cannot read what was said
// before, or may not use it for now. It returns "" if they can, or if people were told
// before. The caller must show the notice.
func (a *prepared) noHistory() string {
	place := &a.q.Place
	if place.Foreign {
		return a.language().Text("notice_foreign", nil)
	}
	if a.Hidden && !place.NoHistory {
		return a.language().Text("notice_hidden", nil)
	}
	if a.Alone {
		return a.language().Text("notice_alone", nil)
	}
	missing := discord.Permissions(0)
	if place.NoHistory || a.IsDenied() {
		missing = place.LacksToRead()
	}
	if a.notified.ofDenial(a.q.Channel, missing) {
		return a.language().NoticeNoHistory(missing)
	}
	return ""
}

// leftOut returns the notice about messages that were left out, if a larger token budget would
// have kept some; those that are old and uncertain do not count. It mentions a summary of them
// once.
func (a *prepared) leftOut() string {
	switch {
	case a.Unsent > 0:
		return a.language().Text("notice_unsent", nil)
	case !slices.ContainsFunc(a.Built.Left, func(l path.Left) bool { return l.Why == path.LeftOverBudget }):
		return ""
	case !a.IsSummarised():
		return a.language().Text("notice_left_out", nil)
	case len(a.Built.Stretch()) > 0:
		return a.language().Text("notice_summary", nil)
	default:
		return ""
	}
}

const (
	// mostNotified bounds the entries of each kind. People are told again of what was
	// forgotten.
	mostNotified = 4096
	// silence is the longest time for which a person in a channel is not told again of a
	// limit.
	silence = 10 * time.Minute
)

// notified remembers what people were told, so that they are not told twice: that
// heddle cannot read what was said before in a channel, and that they have reached a
// limit. It may be used by any goroutine.
type notified struct {
	denied *lru.Cache[graph.ChannelID, discord.Permissions] // the permissions that are missing
	over   *lru.Cache[refused, time.Time]
}

// refused is a person who has reached a limit in a channel.
type refused struct {
	person  graph.UserID
	channel graph.ChannelID
	limit   limits.Whose
}

func newNotified() *notified {
	denied, _ := lru.New[graph.ChannelID, discord.Permissions](mostNotified) // the size is positive
	over, _ := lru.New[refused, time.Time](mostNotified)
	return &notified{denied: denied, over: over}
}

// ofDenial reports whether to tell people in a channel now which permissions heddle
// lacks to read what was said before, and remembers that they were told. They are told
// again after the missing permissions have changed.
func (n *notified) ofDenial(channel graph.ChannelID, missing discord.Permissions) bool {
	if missing == 0 {
		n.denied.Remove(channel)
		return false
	}
	told, _, _ := n.denied.PeekOrAdd(channel, missing)
	if told != missing && told != 0 {
		n.denied.Add(channel, missing)
	}
	return told != missing
}

// ofLimit reports whether to tell a person in a channel of a limit now, and remembers
// that they were told until the limit ends, for ten minutes at most. A limit of a
// single answer has no end and is always told.
func (n *notified) ofLimit(person graph.UserID, channel graph.ChannelID, e *limits.ExceededError, now time.Time) bool {
	if e.Until.IsZero() {
		return true
	}
	key := refused{person, channel, e.Whose}
	if until, told := n.over.Get(key); told && now.Before(until) {
		return false
	}
	until := now.Add(silence)
	if e.Until.Before(until) {
		until = e.Until
	}
	n.over.Add(key, until)
	return true
}

// isSilent reports whether an answer failed because of a limit that the asker has just been told
// of.
func (a *prepared) isSilent(failure error) bool {
	exceeded, ok := errors.AsType[*limits.ExceededError](failure)
	return ok && !a.notified.ofLimit(a.Person, a.q.Channel, exceeded, time.Now())
}
