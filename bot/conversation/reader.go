package conversation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"heddle/bot/limits"
	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/llm"
)

// The bounds of reading.
const (
	readWait   = 1500 * time.Millisecond // that an answer waits for a choice
	readTokens = 400                     // of an answer of the reader
	readLine   = 500                     // the characters that are shown of a message
	readName   = 40                      // and of a name
	readKept   = 512                     // the choices that are kept
)

// InDoubt is the number of characters that are sent in doubt from which on a reader is
// asked. docs/context-quality.md has the figures.
const InDoubt = 150

// errUnusable means that an answer of the reader's is none.
var errUnusable = errors.New("the answer names no lines")

// reader has a model choose which messages a question needs. Its methods may be called from
// any goroutine.
type reader struct {
	model *llm.Client // nil: nobody reads
	log   *slog.Logger
	kept  *lru.Cache[path.Hash, graph.Choice] // by what the model was asked
}

func newReader(model *llm.Client, log *slog.Logger) *reader {
	kept, _ := lru.New[path.Hash, graph.Choice](readKept) // the size is positive
	return &reader{model, log, kept}
}

// reading returns what reads for a question that is charged to an account. Without one, as
// for a preview, the model is not asked, and only choices that are kept are made.
func (r *reader) reading(ctx context.Context, account *limits.Account) graph.Reader {
	return func(trigger *graph.Message, lines []*graph.Message, doubt int) (graph.Choice, bool) {
		if doubt < InDoubt || trigger.AsksNothing() {
			return graph.Choice{}, false
		}
		asked := ToRead(trigger, lines)
		hash := path.RequestHash([]byte(asked))
		choice, known := r.kept.Get(hash)
		if known || account == nil {
			return choice, known
		}
		choice, err := r.ask(limits.With(ctx, account), asked, len(lines))
		if err != nil {
			r.log.InfoContext(ctx, "nobody has read what a question needs, the link model's choice stands", "trigger", trigger.ID, "error", err)
			return graph.Choice{}, false
		}
		r.kept.Add(hash, choice)
		return choice, true
	}
}

// ask asks the model once about so many lines.
func (r *reader) ask(ctx context.Context, asked string, lines int) (graph.Choice, error) {
	ctx, cancel := context.WithTimeout(ctx, readWait)
	defer cancel()
	coldest := 0.0
	answer, err := r.model.Stream(ctx, llm.Request{Tail: asked, Path: path.Path{
		Turns:   []path.Turn{{Role: path.RoleSystem, Parts: []path.Part{path.Text(phrases.ModelRead)}}},
		Options: path.Options{Temperature: &coldest, MaxTokens: readTokens},
	}}, nil)
	if err != nil {
		return graph.Choice{}, fmt.Errorf("ask which messages a question needs: %w", err)
	}
	choice, err := AsRead(answer.Text, lines)
	choice.By = r.model.Model()
	return choice, err
}

// ToRead returns what a reader is shown: messages, one on each line, and the question. A
// message cannot end its line, so each line begins with what heddle writes.
func ToRead(question *graph.Message, messages []*graph.Message) string {
	var b strings.Builder
	b.WriteString("Lines:\n")
	numbers := make(map[graph.MessageID]int, len(messages))
	before := time.Time{}
	for i, m := range messages {
		numbers[m.ID] = i + 1
		for _, part := range m.Parts {
			numbers[part] = i + 1
		}
		writeLine(&b, strconv.Itoa(i+1), m, before, numbers)
		before = m.Time
	}
	b.WriteString("\nThe question:\n")
	writeLine(&b, "?", question, before, numbers)
	return b.String()
}

// writeLine writes a message under its mark: after which pause who said what, in reply to
// which line.
func writeLine(b *strings.Builder, mark string, m *graph.Message, before time.Time, numbers map[graph.MessageID]int) {
	b.WriteString("[" + mark + "]")
	if pause := pauseBetween(before, m.Time); pause != "" {
		b.WriteString(" (" + pause + " later)")
	}
	b.WriteString(" " + cmp.Or(graph.OneLine(m.Name, readName), "somebody"))
	if m.Origin == graph.OriginSelf {
		b.WriteString(" (the assistant)")
	}
	for _, r := range m.References {
		if to := numbers[r.Message]; to > 0 && r.Kind == graph.ReferenceReply {
			fmt.Fprintf(b, " to [%d]", to)
		}
	}
	b.WriteString(": " + graph.OneLine(m.Says(), readLine) + "\n")
}

// pauseBetween returns a pause coarsely; "" for a short one, or if nothing was said before.
func pauseBetween(before, after time.Time) string {
	const day = 24 * time.Hour
	switch pause := after.Sub(before); {
	case before.IsZero() || pause < 10*time.Minute:
		return ""
	case pause < 2*time.Hour:
		return strconv.Itoa(int(pause/time.Minute)) + " minutes"
	case pause < 2*day:
		return strconv.Itoa(int(pause/time.Hour)) + " hours"
	default:
		return strconv.Itoa(int(pause/day)) + " days"
	}
}

// AsRead returns the choice of so many lines that a reader's answer tells. What it doubts
// counts as needed. An answer that holds anything else, or does not tell what is needed and
// what the talk is, is an error.
func AsRead(answer string, lines int) (graph.Choice, error) {
	lists := map[string][]bool{"talk": make([]bool, lines), "needed": make([]bool, lines), "perhaps": make([]bool, lines)}
	choice, told, list := graph.Choice{}, map[string]bool{}, ""
	for _, word := range strings.FieldsFunc(strings.ToLower(answer), func(r rune) bool { return strings.ContainsRune(" \t\r\n,;:.*`[]", r) }) {
		if lists[word] != nil || word == "earlier" {
			list, told[word] = word, true
			continue
		}
		first, last, isNumber := span(word, lines)
		switch {
		case lists[list] != nil && isNumber:
			for i := first - 1; i < last; i++ {
				lists[list][i] = true
			}
		case lists[list] != nil && word == "none":
		case list == "earlier" && (word == "yes" || word == "no"):
			choice.Earlier = word == "yes"
		default:
			return graph.Choice{}, errUnusable
		}
	}
	if !told["needed"] || !told["talk"] {
		return graph.Choice{}, errUnusable
	}
	choice.Talk, choice.Needed = lists["talk"], lists["needed"]
	for i, doubtful := range lists["perhaps"] {
		choice.Needed[i] = choice.Needed[i] || doubtful
	}
	return choice, nil
}

// span returns the lines that a number or two with a hyphen name, and reports whether all of
// them exist.
func span(word string, lines int) (first, last int, ok bool) {
	from, to, both := strings.Cut(word, "-")
	if !both {
		to = from
	}
	first, err := strconv.Atoi(from)
	last, worse := strconv.Atoi(to)
	return first, last, cmp.Or(err, worse) == nil && 1 <= first && first <= last && last <= lines
}
