package commands

import (
	"slices"
	"strings"
	"unicode/utf8"

	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/discord"
)

// How much of an explanation is shown.
const (
	pageSize  = 1800 // characters of a page; Discord takes 2000
	nameSize  = 32   // characters of a name
	wordsSize = 80   // characters of what somebody said
)

// pages returns the explanation in pages, at least one.
func (e *explanation) pages() []string {
	heading := phrases.ID("why_answer")
	if e.response == nil {
		heading = "why_preview"
	}
	g := &e.graph
	named := e.language.Naming(g, func(m *graph.Message) string { return graph.Apart(phrases.Quoted(m.Name, nameSize)) })
	return paged(slices.Concat(
		[]string{e.say(heading, nil)}, e.section(named, "why_conversation", g.Conversation), e.section(named, "why_recalled", g.Recalled),
		e.section(named, "why_background", g.Background), []string{e.rest()},
	))
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

func (e *explanation) say(id phrases.ID, values phrases.Values) string {
	return e.language.Text(id, values)
}

// section returns messages below a title, each with a link to it, and why it is there.
func (e *explanation) section(named *phrases.Naming, title phrases.ID, nodes []graph.Node) []string {
	if len(nodes) == 0 {
		return nil
	}
	blocks := make([]string, len(nodes))
	for i := range nodes {
		n := &nodes[i]
		blocks[i] = cite(e.guild, n.Message) + "\n-# " + named.Reason(n.Message, &n.Reasons[0])
		if title == "why_recalled" && e.channel != 0 && n.Message.Channel != e.channel {
			blocks[i] += " · " + discord.Mention(n.Message.Channel)
		}
		if p := n.Probability; title == "why_conversation" && p > 0 && p < 1 {
			blocks[i] += " · " + e.say("why_belongs", phrases.Values{"Sure": e.language.Sure(p)})
		}
	}
	blocks[0] = phrases.Lines(e.say(title, phrases.Values{"Count": len(nodes)}), blocks[0])
	return blocks
}

// cite returns a line that names who wrote a message, with a link to it and its first
// words.
func cite(guild graph.GuildID, m *graph.Message) string {
	return discord.Linked(phrases.Quoted(m.Name, nameSize), discord.LinkTo(guild, m)) + " " + phrases.Excerpt(m, wordsSize)
}

// rest returns what was left out, where reading ended and what answered.
func (e *explanation) rest() string {
	var lines []string
	if len(e.graph.Conversation)+len(e.graph.Background)+len(e.graph.Recalled)+e.unseen == 0 {
		lines = append(lines, e.say("why_alone", nil))
	}
	if e.unseen > 0 {
		lines = append(lines, e.language.Count("why_unseen", e.unseen, nil))
	}
	for _, left := range []struct {
		why path.LeftReason
		id  phrases.ID
	}{
		{path.LeftFulfilled, "why_fulfilled"}, {path.LeftUncertain, "why_uncertain"}, {path.LeftOverBudget, "why_over_budget"},
	} {
		if n := e.left[left.why]; n > 0 {
			lines = append(lines, e.language.Count(left.id, n, nil))
		}
	}
	if stops := e.stopped(); stops != "" {
		lines = append(lines, e.say("why_stopped", phrases.Values{"Stops": stops}))
	}
	return phrases.Lines(append(lines, e.answered()...)...)
}

// stopped returns where reading ended, each cause once.
func (e *explanation) stopped() string {
	var causes []string
	for i := range e.graph.Seals {
		if cause := e.language.Stop(&e.graph.Seals[i]); cause != "" && !slices.Contains(causes, cause) {
			causes = append(causes, cause)
		}
	}
	return strings.Join(causes, ", ")
}

// answered returns what answered: the model, what it took and how sure it was.
func (e *explanation) answered() []string {
	r := e.response
	if r == nil {
		return nil
	}
	of, phrase := phrases.Values{"Model": phrases.Quoted(r.Model, nameSize)}, phrases.ID("why_model")
	if r.Original() != r.ID {
		phrase = "why_reused"
	} else if tokens := r.Usage.Prompt + r.Usage.Completion; tokens > 0 { // else the provider did not report them
		of["Tokens"], phrase = tokens, "why_model_tokens"
	}
	lines := []string{e.say(phrase, of)}
	if c := r.Confidence.Comparable(); c != nil {
		lines = append(lines, e.say(certainty(*c), nil))
	}
	return lines
}

// certainty words how sure a model was, by the measure that answers are compared by.
func certainty(c float64) phrases.ID {
	switch {
	case c >= 0.7:
		return "why_sure"
	case c >= 0.3:
		return "why_fairly_sure"
	}
	return "why_unsure"
}
