package conversation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

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
	leastLine  = 16                      // and the tokens that its text may have in any case
	leastShown = 8                       // lines that a reader needs if there are more
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
	model  *llm.Client // nil: nobody reads
	tokens *tokens
	log    *slog.Logger
	kept   *lru.Cache[path.Hash, graph.Choice] // by what the model was asked
}

func newReader(model *llm.Client, tokens *tokens, log *slog.Logger) *reader {
	kept, _ := lru.New[path.Hash, graph.Choice](readKept) // the size is positive
	return &reader{model, tokens, log, kept}
}

// reading returns what reads for a question that is charged to an account. Without one, as
// for a preview, the model is not asked, and only choices that are kept are made.
func (r *reader) reading(ctx context.Context, account *limits.Account, naming path.Naming) graph.Reader {
	return func(trigger *graph.Message, lines []*graph.Message, doubt int) (graph.Choice, bool) {
		if doubt < InDoubt || trigger.AsksNothing() {
			return graph.Choice{}, false
		}
		asked, shown := r.tokens.toRead(ctx, naming, trigger, lines)
		if shown == 0 {
			return graph.Choice{}, false
		}
		hash := path.RequestHash([]byte(asked))
		choice, known := r.kept.Get(hash)
		if !known && account == nil {
			return graph.Choice{}, false
		}
		if !known {
			var err error
			if choice, err = r.ask(limits.With(ctx, account), asked, shown); err != nil {
				r.log.InfoContext(ctx, "nobody has read what a question needs, the link model's choice stands", "trigger", trigger.ID, "error", err)
				return graph.Choice{}, false
			}
			r.kept.Add(hash, choice)
		}
		unread := make([]bool, len(lines)-shown)
		choice.Needed, choice.Talk = slices.Concat(unread, choice.Needed), slices.Concat(unread, choice.Talk)
		return choice, true
	}
}

// ask asks the model once about so many lines.
func (r *reader) ask(ctx context.Context, asked string, lines int) (graph.Choice, error) {
	ctx, cancel := context.WithTimeout(ctx, readWait)
	defer cancel()
	coldest := 0.0
	answer, err := r.model.Stream(ctx, llm.Request{Path: path.Path{
		Turns:   []path.Turn{{Role: path.RoleSystem, Parts: []path.Part{path.Text(phrases.ModelRead)}}, path.Task(asked)},
		Options: path.Options{Temperature: &coldest, MaxTokens: readTokens},
	}}, nil)
	if err != nil {
		return graph.Choice{}, fmt.Errorf("ask which messages a question needs: %w", err)
	}
	choice, err := AsRead(answer.Text, lines)
	choice.By = r.model.Model()
	return choice, err
}

// toRead returns what a reader is shown, and the number of lines, the newest, in it. With the
// instructions it takes at most half of the budget. Where there is too much, the messages that
// take the most tokens are shortened first, so that nobody pushes out what others said by rare
// characters; then the oldest lines are left out.
func (t *tokens) toRead(ctx context.Context, naming path.Naming, question *graph.Message, lines []*graph.Message) (asked string, shown int) {
	room := t.Budget/2 - t.ofText(ctx, phrases.ModelRead)
	for most := room; ; {
		asked = ToRead(question, lines, naming.Names(), func(m *graph.Message) string {
			text := Says(m)
			if took := t.ofText(ctx, text); took > most {
				text = graph.OneLine(text, utf8.RuneCountInString(text)*most/took)
			}
			return text
		})
		switch {
		case t.ofText(ctx, asked) <= room:
			return asked, len(lines)
		case most > leastLine:
			most /= 2
		case len(lines) < 2*leastShown:
			return "", 0 // so little shows no conversation
		default:
			lines = lines[(len(lines)+1)/2:]
		}
	}
}

// Says returns what a reader is shown of a message.
func Says(m *graph.Message) string { return graph.OneLine(m.Says(), readLine) }

// ToRead returns what a reader is shown: messages, one on each line, and the question. A
// message cannot end its line, so each line begins with what heddle writes.
func ToRead(question *graph.Message, messages []*graph.Message, names *path.Names, says func(*graph.Message) string) string {
	var b strings.Builder
	b.WriteString("Lines:\n")
	numbers := make(map[graph.MessageID]int, len(messages))
	before := time.Time{}
	for i, m := range messages {
		numbers[m.ID] = i + 1
		for _, part := range m.Parts {
			numbers[part] = i + 1
		}
		writeMark(&b, strconv.Itoa(i+1), before, m.Time)
		writeSpeaker(&b, m, names.InLine(m), numbers)
		b.WriteString(": " + says(m) + "\n")
		before = m.Time
	}
	b.WriteString("\nThe question:\n")
	writeMark(&b, "?", before, question.Time)
	writeSpeaker(&b, question, names.InLine(question), numbers)
	b.WriteString(": " + says(question) + "\n")
	return b.String()
}

// writeMark writes what a line begins with, and the pause before its message.
func writeMark(b *strings.Builder, mark string, before, after time.Time) {
	b.WriteString("[" + mark + "] ")
	if pause := pauseBetween(before, after); pause != "" {
		b.WriteString("(" + pause + " later) ")
	}
}

// writeSpeaker writes who said a message, in reply to which line.
func writeSpeaker(b *strings.Builder, m *graph.Message, name string, numbers map[graph.MessageID]int) {
	b.WriteString(name)
	if m.Origin == graph.OriginSelf {
		b.WriteString(" (the assistant)")
	}
	for _, r := range m.References {
		if to := numbers[r.Message]; to > 0 && r.Kind == graph.ReferenceReply {
			fmt.Fprintf(b, " to [%d]", to)
		}
	}
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
