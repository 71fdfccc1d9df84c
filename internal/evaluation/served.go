package evaluation

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"heddle/graph"
)

// budgets are the numbers of characters at which the curve is read.
func budgets() [5]int { return [...]int{1000, 2000, 3000, 4000, 6000} }

// Answering names heddle as it answers: with what it recalls. As "heddle" it chooses
// from what it judges alone.
const Answering = "answering"

// Rival is a strategy with its name.
type Rival struct {
	Name     string
	Strategy Strategy
}

// OnQuestions returns heddle with the given options, and what it is compared with on
// questions.
func OnQuestions(o graph.Options) []Rival {
	plain := o
	plain.Affinity = nil
	return []Rival{
		{"last-10", Last(10)},
		{"last-30", Last(30)},
		{"last-60", Last(60)},
		{"tik/tok", Heddle(plain)},
		{"heddle", Heddle(o)},
	}
}

// Served is how well one strategy serves the questions of one kind, or of all: means over
// them.
type Served struct {
	Kind            string     `json:"kind"`
	Strategy        string     `json:"strategy"`
	Questions       int        `json:"questions"`
	AllNeeded       float64    `json:"all_needed"`     // share of the questions for which everything needed is sent
	Needed          float64    `json:"needed"`         // share of what is needed
	TalkRecall      float64    `json:"talk_recall"`    // of the questions about a talk, in the conversation
	TalkPrecision   float64    `json:"talk_precision"` // the same
	Messages        float64    `json:"messages"`
	Characters      float64    `json:"characters"`
	AllNeededWithin [5]float64 `json:"all_needed_within"` // of the budgets, the likeliest needed first

	talks int // number of questions about a talk
}

// serve compares what was chosen for a question with what it needs.
func (a *Posed) serve(chosen Chosen) Served {
	sent := chosen.sent()
	s := Served{Questions: 1, Messages: float64(len(sent)), Needed: fraction(a.Needed, sent)}
	s.Characters = length(a.Sight.Before, sent)
	s.AllNeeded = whole(s.Needed)
	if len(a.Talk) > 0 {
		s.talks, s.TalkRecall, s.TalkPrecision = 1, fraction(a.Talk, chosen.Conversation), fraction(chosen.Conversation, a.Talk)
	}
	order := bestFirst(&chosen)
	for k, most := range budgets() {
		s.AllNeededWithin[k] = whole(fraction(a.Needed, within(order, a.Sight.Before, most)))
	}
	return s
}

// length returns how many characters some of messages have.
func length(messages []graph.Message, sent []int) (characters float64) {
	for _, i := range sent {
		characters += float64(utf8.RuneCountInString(messages[i].Text))
	}
	return characters
}

// fraction returns which share of some messages is among others; 1 of none.
func fraction(of, among []int) float64 {
	if len(of) == 0 {
		return 1
	}
	n := 0
	for _, i := range of {
		if slices.Contains(among, i) {
			n++
		}
	}
	return float64(n) / float64(len(of))
}

func whole(share float64) float64 {
	if share < 1 {
		return 0
	}
	return 1
}

// bestFirst returns what is sent by how likely it is needed and, where a strategy does not
// tell, the newest first.
func bestFirst(chosen *Chosen) []int {
	needed := map[int]float64{}
	if g := chosen.Graph; g != nil {
		for _, node := range slices.Concat(g.Conversation, g.Background, g.Recalled) {
			needed[Index(node.Message.ID)] = node.Needed
		}
	}
	order := chosen.sent()
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(needed[b], needed[a]), cmp.Compare(b, a)) })
	return order
}

// within returns the first messages of an order that have at most most characters together.
func within(order []int, messages []graph.Message, most int) []int {
	for k, i := range order {
		if most -= utf8.RuneCountInString(messages[i].Text); most < 0 {
			return order[:k]
		}
	}
	return order
}

// meanOf returns the means of the results for several questions.
func meanOf(results []Served) Served {
	var m Served
	for i := range results {
		r := &results[i]
		m.Questions, m.talks = m.Questions+1, m.talks+r.talks
		m.AllNeeded, m.Needed = m.AllNeeded+r.AllNeeded, m.Needed+r.Needed
		m.TalkRecall, m.TalkPrecision = m.TalkRecall+r.TalkRecall, m.TalkPrecision+r.TalkPrecision
		m.Messages, m.Characters = m.Messages+r.Messages, m.Characters+r.Characters
		for k, share := range r.AllNeededWithin {
			m.AllNeededWithin[k] += share
		}
	}
	n, talks := float64(max(m.Questions, 1)), float64(max(m.talks, 1))
	m.AllNeeded, m.Needed, m.Messages, m.Characters = m.AllNeeded/n, m.Needed/n, m.Messages/n, m.Characters/n
	m.TalkRecall, m.TalkPrecision = m.TalkRecall/talks, m.TalkPrecision/talks
	for k := range m.AllNeededWithin {
		m.AllNeededWithin[k] /= n
	}
	return m
}

// QuestionReport is how well strategies serve questions, by kind and then together.
type QuestionReport struct {
	Rows []Served `json:"rows"`
}

// together is the kind that stands for all kinds.
const together = "together"

// ServeQuestions has every strategy choose for every question. It shows its progress if
// progress is a terminal.
func ServeQuestions(ctx context.Context, logs []*Log, questions []Question, rivals []Rival, progress io.Writer) (QuestionReport, error) {
	posed := make([]Posed, len(questions))
	for k := range questions {
		var err error
		if posed[k], err = questions[k].Pose(logs); err != nil {
			return QuestionReport{}, err
		}
	}
	results := make([][]Served, len(posed)) // by question and rival
	err := each(ctx, len(posed), progress, func(ctx context.Context, k int) error {
		for _, rival := range rivals {
			chosen, err := rival.Strategy(posed[k].Sight)
			if err = cmp.Or(err, ctx.Err()); err != nil {
				return fmt.Errorf("choose for %s: %w", questions[k].place, err)
			}
			results[k] = append(results[k], posed[k].serve(chosen))
		}
		return nil
	})
	if err != nil {
		return QuestionReport{}, err
	}
	var report QuestionReport
	for _, kind := range append(kindsOf(questions), together) {
		for i := range rivals {
			var of []Served
			for k := range questions {
				if kind == together || questions[k].Kind == kind {
					of = append(of, results[k][i])
				}
			}
			row := meanOf(of)
			row.Kind, row.Strategy = kind, rivals[i].Name
			report.Rows = append(report.Rows, row)
		}
	}
	return report, nil
}

// kindsOf returns the kinds of questions, in alphabetical order.
func kindsOf(questions []Question) []string {
	var kinds []string
	for i := range questions {
		if questions[i].Kind != "" {
			kinds = append(kinds, questions[i].Kind)
		}
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}
