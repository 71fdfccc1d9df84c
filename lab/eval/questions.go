package eval

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"heddle/graph"
	"heddle/internal/evaluation"
	"heddle/lab/chatlog"
)

// Question is a question to a bot, with what it needs; lab/questions/README.md has the fields.
type Question struct {
	Channel string   `json:"channel"`
	After   string   `json:"after"`
	Delay   float64  `json:"delay"` // seconds
	Author  string   `json:"author"`
	Text    string   `json:"text"`
	ReplyTo string   `json:"reply_to"`
	Kind    string   `json:"kind"`
	Needed  []string `json:"needed"`
	Talk    []string `json:"talk"`
}

// readQuestions reads the questions of a file, or of those files in a folder whose names,
// without their ends, match none of some patterns.
func readQuestions(place string, without []string) (all []Question, err error) {
	files, err := filepath.Glob(filepath.Join(place, "*.jsonl"))
	if err == nil && len(files) == 0 {
		files = []string{place}
	}
	files = slices.DeleteFunc(files, func(file string) bool {
		return slices.ContainsFunc(without, func(pattern string) bool {
			left, _ := filepath.Match(pattern, strings.TrimSuffix(filepath.Base(file), ".jsonl"))
			return left
		})
	})
	for _, file := range files {
		f, err := os.Open(file) //nolint:gosec // the file is the caller's choice
		if err != nil {
			return nil, evaluation.Errorf("the questions cannot be opened: %w; name a file of JSON lines, or a folder of them", err)
		}
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<20)
		for n := 1; lines.Scan(); n++ {
			var q Question
			if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
				return nil, evaluation.Errorf("%s, line %d is no question: %w", file, n, err)
			}
			all = append(all, q)
		}
		if err := cmp.Or(lines.Err(), f.Close()); err != nil {
			return nil, fmt.Errorf("read the questions of %s: %w", file, err)
		}
	}
	return all, nil
}

// posed is a question as strategies see it, with the indices of what it needs.
type posed struct {
	kind         string
	sight        evaluation.Sight
	needed, talk []int
}

// ask puts a question to its log.
func (q *Question) ask(logs []*chatlog.Log) (posed, error) {
	log := logNamed(logs, q.Channel)
	if log == nil {
		return posed{}, evaluation.Errorf("there is no log of %q, of which a question asks; name the folder that has it", q.Channel)
	}
	var unknown string
	at := func(id string) int {
		i := slices.Index(log.IDs, id)
		if i < 0 {
			unknown = id
		}
		return i
	}
	after := at(q.After)
	all := func(ids []string) (found []int) {
		for _, id := range ids {
			found = append(found, at(id))
		}
		return found
	}
	a := posed{kind: q.Kind, needed: all(q.Needed), talk: all(q.Talk)}
	var replied []graph.Reference
	if q.ReplyTo != "" {
		replied = chatlog.WithReply(nil, at(q.ReplyTo))
	}
	if unknown != "" {
		return posed{}, evaluation.Errorf("the log of %q has no message %s, which a question names", q.Channel, unknown)
	}
	before := log.Messages[:after+1]
	a.sight = evaluation.Sight{Before: before, Trigger: graph.Message{
		ID: evaluation.MessageID(after + 1), Channel: evaluation.LogChannel, Author: authorNamed(before, q.Author), Name: q.Author,
		Time: before[after].Time.Add(time.Duration(q.Delay * float64(time.Second))), Text: q.Text, References: replied,
	}}
	return a, nil
}

// Asked is a question from which can be learnt: the page of messages before it and then the
// question itself, and which of the page it needs.
type Asked struct {
	Kind   string
	Window []*graph.Message
	Needed []bool
}

// Length returns the number of characters of a message of the window.
func (a *Asked) Length(i int) float64 { return float64(utf8.RuneCountInString(a.Window[i].Text)) }

// ReadAsked reads the questions of a file, or of those files in a folder whose names match
// none of some patterns.
func ReadAsked(place string, logs []*chatlog.Log, without []string) (all []Asked, err error) {
	questions, err := readQuestions(place, without)
	if err != nil {
		return nil, err
	}
	for k := range questions {
		a, err := questions[k].ask(logs)
		if err != nil {
			return nil, err
		}
		chosen, _ := evaluation.Last(page).Select(a.sight)
		asked := Asked{Kind: a.kind}
		for _, i := range chosen.Conversation {
			asked.Window, asked.Needed = append(asked.Window, &a.sight.Before[i]), append(asked.Needed, slices.Contains(a.needed, i))
		}
		asked.Window = append(asked.Window, &a.sight.Trigger)
		all = append(all, asked)
	}
	return all, nil
}

// page is the number of messages before a question that are judged.
const page = 100

// logNamed returns the log with a name, which is the end of its path.
func logNamed(logs []*chatlog.Log, name string) *chatlog.Log {
	for _, log := range logs {
		path := strings.TrimSuffix(strings.TrimSuffix(filepath.ToSlash(log.Path), ".gz"), ".jsonl")
		if strings.HasSuffix("/"+path, "/"+name) {
			return log
		}
	}
	return nil
}

// authorNamed returns the id of whoever last wrote under a name, or 0 for nobody.
func authorNamed(messages []graph.Message, name string) graph.UserID {
	for i := range slices.Backward(messages) {
		if messages[i].Name == name {
			return messages[i].Author
		}
	}
	return 0
}

// budgets are the numbers of characters at which the curve is read.
func budgets() []int { return []int{1000, 2000, 3000, 4000, 6000} }

// served is how well one strategy serves questions: sums over them, and then means.
type served struct {
	Questions       int       `json:"questions"`
	AllNeeded       float64   `json:"all_needed"` // share of the questions for which everything needed is sent
	Needed          float64   `json:"needed"`     // share of what is needed
	TalkRecall      float64   `json:"talk_recall"`
	TalkPrecision   float64   `json:"talk_precision"`
	Messages        float64   `json:"messages"`
	Characters      float64   `json:"characters"`
	AllNeededWithin []float64 `json:"all_needed_within"` // of the budgets, the likeliest needed first

	talks int // questions about a talk, over which the talk's shares are means
}

// serve compares what was chosen for a question with what it needs.
func (a *posed) serve(chosen evaluation.Chosen) served {
	sent := slices.Concat(chosen.Conversation, chosen.Background)
	s := served{Questions: 1, Messages: float64(len(sent)), Needed: fraction(a.needed, sent), AllNeededWithin: make([]float64, len(budgets()))}
	for _, i := range sent {
		s.Characters += float64(utf8.RuneCountInString(a.sight.Before[i].Text))
	}
	s.AllNeeded = whole(s.Needed)
	if len(a.talk) > 0 {
		s.talks, s.TalkRecall, s.TalkPrecision = 1, fraction(a.talk, chosen.Conversation), fraction(chosen.Conversation, a.talk)
	}
	order := bestFirst(sent, chosen.Needed)
	for k, most := range budgets() {
		s.AllNeededWithin[k] = whole(fraction(a.needed, within(order, a.sight.Before, most)))
	}
	return s
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

// bestFirst orders messages by how likely they are needed, and by their age where a strategy
// does not tell.
func bestFirst(sent []int, needed []float64) []int {
	order := make([]int, len(sent))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if needed != nil {
			return cmp.Or(cmp.Compare(needed[b], needed[a]), cmp.Compare(sent[b], sent[a]))
		}
		return cmp.Compare(sent[b], sent[a])
	})
	for k, at := range order {
		order[k] = sent[at]
	}
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

// plus returns the sum of two results.
func (s served) plus(o served) served {
	sum := served{
		Questions: s.Questions + o.Questions, AllNeeded: s.AllNeeded + o.AllNeeded, Needed: s.Needed + o.Needed,
		TalkRecall: s.TalkRecall + o.TalkRecall, TalkPrecision: s.TalkPrecision + o.TalkPrecision,
		Messages: s.Messages + o.Messages, Characters: s.Characters + o.Characters, talks: s.talks + o.talks,
		AllNeededWithin: make([]float64, len(budgets())),
	}
	for k := range sum.AllNeededWithin {
		for _, one := range [][]float64{s.AllNeededWithin, o.AllNeededWithin} {
			if one != nil {
				sum.AllNeededWithin[k] += one[k]
			}
		}
	}
	return sum
}

// mean returns the means of a sum.
func (s served) mean() served {
	n, talks := float64(max(s.Questions, 1)), float64(max(s.talks, 1))
	s.AllNeeded, s.Needed, s.Messages, s.Characters = s.AllNeeded/n, s.Needed/n, s.Messages/n, s.Characters/n
	s.TalkRecall, s.TalkPrecision = s.TalkRecall/talks, s.TalkPrecision/talks
	for k := range s.AllNeededWithin {
		s.AllNeededWithin[k] /= n
	}
	return s
}

// Served is how well one strategy serves the questions of one kind, or of all.
type Served struct {
	Kind     string `json:"kind"`
	Strategy string `json:"strategy"`
	served
}

// QuestionReport is how well strategies serve questions, by kind and then together.
type QuestionReport struct {
	Rows []Served `json:"rows"`
}

// together is the kind that stands for all kinds.
const together = "together"

// serveQuestions has every strategy choose for every question.
func serveQuestions(ctx context.Context, logs []*chatlog.Log, questions []Question, strategies Strategies) (QuestionReport, error) {
	results := make([][]served, len(questions))
	working, ctx := errgroup.WithContext(ctx)
	working.SetLimit(runtime.GOMAXPROCS(0))
	for k := range questions {
		working.Go(func() error {
			a, err := questions[k].ask(logs)
			if err != nil {
				return err
			}
			for _, s := range strategies {
				chosen, err := s.Make().Select(a.sight)
				if err != nil {
					return fmt.Errorf("choose for a question after %s: %w", questions[k].After, err)
				}
				results[k] = append(results[k], a.serve(chosen))
			}
			return ctx.Err()
		})
	}
	if err := working.Wait(); err != nil {
		return QuestionReport{}, err
	}
	var report QuestionReport
	for _, kind := range append(kindsOf(questions), together) {
		for i, s := range strategies {
			var sum served
			for k := range questions {
				if kind == together || questions[k].Kind == kind {
					sum = sum.plus(results[k][i])
				}
			}
			report.Rows = append(report.Rows, Served{kind, s.Name, sum.mean()})
		}
	}
	return report, nil
}

// kindsOf returns the kinds of questions, in alphabetical order.
func kindsOf(questions []Question) []string {
	var kinds []string
	for i := range questions {
		kinds = append(kinds, questions[i].Kind)
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}

// WriteText writes a table with a block of rows for each kind.
func (r QuestionReport) WriteText(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	kind := ""
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.Kind != kind {
			kind = row.Kind
			fmt.Fprintf(table, "\n%s\t%d questions\n", kind, row.Questions)
			fmt.Fprint(table, "strategy\tall needed\tneeded\ttalk: recall\tprecision\tmessages\tchars")
			for _, most := range budgets() {
				fmt.Fprintf(table, "\tall at %d", most)
			}
			fmt.Fprint(table, "\n")
		}
		fmt.Fprintf(table, "%s\t%.3f\t%.3f\t%.3f\t%.3f\t%.1f\t%.0f", row.Strategy, row.AllNeeded, row.Needed, row.TalkRecall, row.TalkPrecision, row.Messages, row.Characters)
		for _, share := range row.AllNeededWithin {
			fmt.Fprintf(table, "\t%.3f", share)
		}
		fmt.Fprint(table, "\n")
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}
