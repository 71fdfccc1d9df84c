package commands

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/store"
)

// How much of an explanation is shown.
const (
	pageSize  = 1800 // characters of a page; Discord takes 2000
	nameSize  = 32   // characters of a name
	wordsSize = 80   // characters of what somebody said
)

// pages returns the explanation in pages, at least one.
func (e *explanation) pages(language phrases.Language) []string {
	t := &telling{e, language}
	var blocks []string
	blocks = append(blocks, t.heading())
	blocks = append(blocks, t.section(phrases.WhyConversation, e.conversation)...)
	blocks = append(blocks, t.section(phrases.WhyBackground, e.background)...)
	blocks = append(blocks, t.rest())
	return paged(blocks)
}

// paged joins blocks into pages. No block is torn.
func paged(blocks []string) []string {
	var pages []string
	page := ""
	for _, block := range blocks {
		if block == "" {
			continue
		}
		if page != "" && utf8.RuneCountInString(page)+1+utf8.RuneCountInString(block) > pageSize {
			pages, page = append(pages, page), ""
		}
		page = phrases.Lines(page, block)
	}
	return append(pages, page)
}

// telling words an explanation in a language.
type telling struct {
	*explanation

	language phrases.Language
}

func (t *telling) say(id phrases.ID, values phrases.Values) string {
	return t.language.Text(id, values)
}

func (t *telling) heading() string {
	if t.response == nil {
		return t.say(phrases.WhyPreview, nil)
	}
	return t.say(phrases.WhyAnswer, nil)
}

// section returns messages with their reasons below a title.
func (t *telling) section(title phrases.ID, reasons []reason) []string {
	if len(reasons) == 0 {
		return nil
	}
	blocks := make([]string, len(reasons))
	for i := range reasons {
		blocks[i] = t.message(&reasons[i])
	}
	blocks[0] = phrases.Lines(t.say(title, phrases.Values{"Count": len(reasons)}), blocks[0])
	return blocks
}

// message returns a message, with a link to it, and why it is there.
func (t *telling) message(r *reason) string {
	why := t.because(r)
	if b := r.because.Belongs; b > 0 && b < 1 {
		why += " · " + t.say(phrases.WhyBelongs, phrases.Values{"Percent": percent(b)})
	}
	return Cite(t.guild, &r.message) + "\n-# " + why
}

// Cite returns a line that names who wrote a message, with a link to it and its first
// words.
func Cite(guild graph.GuildID, m *graph.Message) string {
	return fmt.Sprintf("[%s](<%s>) %s", Quoted(m.Name, nameSize), discord.LinkTo(guild, m), Excerpt(m, wordsSize))
}

// Excerpt returns what a message says, without its marks, on one line of at most so many
// characters. It does not show what a spoiler hides.
func Excerpt(m *graph.Message, size int) string {
	unmarked := graph.Message{Text: discord.Unmarked(m.Text), Attachments: m.Attachments}
	return Quoted(unmarked.Says(), size)
}

// because returns the deciding reason for a message.
func (t *telling) because(r *reason) string {
	b := &r.because
	values := phrases.Values{"From": t.from(r), "Percent": percent(b.Link), "Gap": t.span(time.Duration(b.Gap) * time.Second)}
	switch b.Kind {
	case graph.ReasonSeed:
		return t.say(phrases.WhyNewest, nil)
	case graph.ReasonTemporal:
		return t.say(phrases.WhyNeighbour, values)
	case graph.ReasonLineage:
		return t.say(phrases.WhyLineage, nil)
	case graph.ReasonReference, graph.ReasonAnswer:
	}
	answers := b.Kind == graph.ReasonAnswer
	switch b.Reference {
	case graph.ReferenceReply:
		return t.say(either(answers, phrases.WhyReplies, phrases.WhyRepliedTo), values)
	case graph.ReferenceStarter:
		return t.say(phrases.WhyStarter, nil)
	case graph.ReferenceForward:
		return t.say(phrases.WhyForwarded, values)
	case graph.ReferenceLink:
		return t.say(either(answers, phrases.WhyLinks, phrases.WhyLinked), values)
	case graph.ReferenceAddress, graph.ReferenceInferred:
	}
	switch {
	case b.Link < 0.1:
		return t.say(phrases.WhyWeak, values)
	case r.same:
		return t.say(either(answers, phrases.WhyContinues, phrases.WhyContinued), values)
	}
	return t.say(either(answers, phrases.WhyAnswers, phrases.WhyAnswered), values)
}

func either(first bool, a, b phrases.ID) phrases.ID { //nolint:revive // a condition as a value
	if first {
		return a
	}
	return b
}

// from returns what the message is called that a reason is about.
func (t *telling) from(r *reason) string {
	switch {
	case r.asked:
		return t.say(phrases.WhyQuestion, nil)
	case r.from != "":
		return graph.Apart(Quoted(r.from, nameSize))
	}
	return t.say(phrases.WhyOther, nil)
}

// rest returns what was left out, where reading ended and what answered.
func (t *telling) rest() string {
	var lines []string
	if len(t.conversation)+len(t.background)+t.unseen == 0 {
		lines = append(lines, t.say(phrases.WhyAlone, nil))
	}
	if t.unseen > 0 {
		lines = append(lines, t.language.Count(phrases.WhyUnseen, t.unseen, nil))
	}
	for _, left := range []struct {
		why string
		id  phrases.ID
	}{
		{store.LeftFulfilled, phrases.WhyFulfilled}, {store.LeftUncertain, phrases.WhyUncertain}, {store.LeftOverBudget, phrases.WhyOverBudget},
	} {
		if n := t.left[left.why]; n > 0 {
			lines = append(lines, t.language.Count(left.id, n, nil))
		}
	}
	if stops := t.stopped(); stops != "" {
		lines = append(lines, t.say(phrases.WhyStopped, phrases.Values{"Stops": stops}))
	}
	return phrases.Lines(append(lines, t.answered()...)...)
}

// stopped returns where reading ended, each cause once.
func (t *telling) stopped() string {
	var causes []string
	seen := map[string]bool{}
	for _, s := range t.stops {
		cause := t.stop(s)
		if cause == "" || seen[cause] {
			continue
		}
		seen[cause] = true
		causes = append(causes, cause)
	}
	return strings.Join(causes, ", ")
}

// stop returns why reading ended at one place, or "" if that explains nothing.
func (t *telling) stop(s store.Stop) string {
	switch s.Why {
	case graph.SealGap:
		return t.say(phrases.WhyStopGap, phrases.Values{"Gap": t.span(time.Duration(s.Gap) * time.Second)})
	case graph.SealAffinity:
		return t.say(phrases.WhyStopOther, nil)
	case graph.SealChannel:
		if s.Direction == graph.Older {
			return t.say(phrases.WhyStopBegin, nil)
		}
	case graph.SealBudget:
		return t.say(phrases.WhyStopRoom, nil)
	case graph.SealUnreadable:
		return t.say(phrases.WhyStopDenied, nil)
	case graph.SealTrigger:
	}
	return "" // the channel's end and the question itself explain nothing
}

// answered returns what answered: the model, what it took and how sure it was.
func (t *telling) answered() []string {
	r := t.response
	if r == nil {
		return nil
	}
	lines := []string{t.say(phrases.WhyModel, phrases.Values{"Model": Quoted(r.Model, nameSize), "Tokens": r.Usage.Prompt + r.Usage.Completion})}
	if r.Original() != r.ID {
		lines[0] = t.say(phrases.WhyReused, phrases.Values{"Model": Quoted(r.Model, nameSize)})
	}
	if c := r.Confidence.Comparable(); c != nil {
		lines = append(lines, t.say(certainty(*c), nil))
	}
	return lines
}

// certainty words how sure a model was, by the measure that answers are compared by.
func certainty(c float64) phrases.ID {
	switch {
	case c >= 0.7:
		return phrases.WhySure
	case c >= 0.3:
		return phrases.WhyFairlySure
	}
	return phrases.WhyUnsure
}

// span returns a duration in its largest unit.
func (t *telling) span(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d >= day:
		return t.language.Count(phrases.Days, int(d/day), nil)
	case d >= time.Hour:
		return t.language.Count(phrases.Hours, int(d/time.Hour), nil)
	case d >= time.Minute:
		return t.language.Count(phrases.Minutes, int(d/time.Minute), nil)
	}
	return t.language.Count(phrases.Seconds, int(d/time.Second), nil)
}

func percent(p float64) int { return int(p*100 + 0.5) }

// Quoted returns text on one line, of at most so many characters, in which nothing is
// Discord's markup.
func Quoted(text string, size int) string {
	var b strings.Builder
	for _, r := range graph.OneLine(text, size) {
		if strings.ContainsRune("\\*_~`|>[]()<", r) || b.Len() == 0 && strings.ContainsRune("#-+", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	if b.Len() == 0 {
		return "…"
	}
	return b.String()
}
