package catchup

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"heddle/bot/conversation"
	"heddle/bot/limits"
	"heddle/bot/phrases"
	"heddle/bot/reply/split"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/llm"
	"heddle/store"
)

// The bounds of requests for descriptions.
const (
	mostRequests  = 4      // for one answer
	batchBytes    = 48_000 // of the talks in one request
	bytesPerToken = 3      // the least number assumed, for the operator's bound
	mostLines     = 48     // messages of one talk: the first and the newest ones
	firstLines    = 8
	lineSize      = 280 // characters of one message
	nameSize      = 32  // characters of a name
	tokensPerTalk = 150 // of the response
	tokensMost    = 6000
	modelTimeout  = 75 * time.Second
)

// The bounds of a description, in characters.
const (
	titleSize  = 60
	aboutSize  = 240
	openSize   = 120
	accountMax = 1500
)

// batchSize returns the number of bytes of talks in one request, if requests may have
// at most budget tokens.
func batchSize(budget int) int {
	return min(batchBytes, max(budget-tokensMost, budget/2)*bytesPerToken)
}

// describe describes talks of a stretch, the first ones first. It uses stored descriptions,
// and asks the model for as many others as fit into a bounded number of requests. If some of
// these could not be described, it sets why.
func (c *Catchup) describe(ctx context.Context, s *stretch, talks []*talk) {
	var open []*talk
	for _, t := range talks {
		if !t.isAside() && !c.recall(ctx, s, t) {
			open = append(open, t)
		}
	}
	if len(open) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, modelTimeout)
	defer cancel()
	account := c.deps.Preparer.Open(ctx, s.Question, s.Asker)
	ctx = limits.With(ctx, account)
	var asking errgroup.Group
	for _, together := range batches(open, batchSize(c.settings.Budget), c.deps.Preparer.Naming(conversation.Offered{})) {
		asking.Go(func() error { return c.describeBatch(ctx, s.ID, together) })
	}
	if err := asking.Wait(); err != nil {
		c.deps.Log.Log(ctx, store.LogLevel(err), "talks could not be described, they are listed with their first words", "channel", s.Channel, "error", err)
		s.trouble = err
		return
	}
	account.Answered()
}

func systemTurn() path.Turn {
	return path.Turn{Role: path.RoleSystem, Parts: []path.Part{path.Text(llm.System(phrases.ModelTalks))}}
}

// errNothingSaid means that the model described none of the talks, or said nothing of one
// that can be shown.
var errNothingSaid = fmt.Errorf("read what the model says of talks: %w", &llm.Error{Kind: llm.Malformed})

// describeBatch asks the model to describe the talks of a request, and stores the descriptions.
func (c *Catchup) describeBatch(ctx context.Context, at graph.MessageID, together *batch) error {
	var request llm.Request
	request.Path.Options.MaxTokens = min(tokensPerTalk*len(together.talks)+tokensPerTalk, tokensMost)
	request.Path.Turns = append(together.path(), path.Task(phrases.ModelDescribe))
	answer, err := c.deps.Model.Stream(ctx, request, nil)
	if err != nil {
		return fmt.Errorf("have talks described: %w", err)
	}
	said := parseDescriptions(answer.Text, len(together.talks))
	if len(said) == 0 {
		return errNothingSaid
	}
	made := together.sources()
	for i, description := range said {
		together.talks[i].described, together.talks[i].made = description, made
	}
	c.keep(ctx, at, together, &answer)
	return nil
}

// report lets the model report on one talk at length, or answer a question about it if
// there is one.
func (c *Catchup) report(ctx context.Context, s *stretch, t *talk, question string) (string, error) {
	account := c.deps.Preparer.Open(ctx, s.Question, s.Asker)
	ctx, cancel := context.WithTimeout(limits.With(ctx, account), modelTimeout)
	defer cancel()
	var request llm.Request
	request.Path.Options.MaxTokens = tokensMost / 4
	only := newBatch(batchSize(c.settings.Budget), c.deps.Preparer.Naming(conversation.Offered{}))
	only.add(t)
	request.Path.Turns = only.path()
	if question == "" {
		request.Path.Turns = append(request.Path.Turns, path.Task(phrases.ModelAccount))
	} else {
		request.Tail = phrases.ModelAskedOfTalk
		request.Path.Turns = append(request.Path.Turns, path.Turn{Role: path.RoleUser, Speaker: "whoever asks", Parts: []path.Part{path.Text(question)}})
	}
	answer, err := c.deps.Model.Stream(ctx, request, nil)
	if err != nil {
		return "", fmt.Errorf("have a talk told: %w", err)
	}
	parts := split.Parts(shown(answer.Text), accountMax)
	if len(parts) == 0 {
		return "", errNothingSaid
	}
	account.Answered()
	if len(parts) > 1 {
		return parts[0].Text + "\n…", nil
	}
	return parts[0].Text, nil
}

// parseDescriptions parses the model's descriptions of so many talks, by their indices.
// It ignores what does not concern a talk, and keeps the first description of each.
func parseDescriptions(text string, talks int) map[int]described {
	said := make(map[int]described)
	for text != "" {
		begin := strings.IndexByte(text, '{')
		if begin < 0 {
			break
		}
		text = text[begin:]
		var one struct {
			Talk int `json:"talk"`
			described
		}
		decoder := json.NewDecoder(strings.NewReader(text))
		if err := decoder.Decode(&one); err != nil {
			text = text[1:]
			continue
		}
		text = text[decoder.InputOffset():]
		if _, twice := said[one.Talk-1]; twice || one.Talk < 1 || one.Talk > talks {
			continue
		}
		if checked := one.checked(); checked.Title != "" {
			said[one.Talk-1] = checked
		}
	}
	return said
}

// checked returns a description on one line each, within its bounds and without links.
func (d described) checked() described {
	line := func(text string, size int) string {
		return graph.OneLine(shown(text), size)
	}
	return described{line(d.Title, titleSize), line(d.About, aboutSize), line(d.Open, openSize)}
}

// addresses matches what Discord's clients may take for the address of a page or an
// invite.
var addresses = regexp.MustCompile(`(?i)\b[a-z][a-z0-9+.-]*://[^\s<>]+|\b(?:www\.|discord(?:app)?\.(?:gg|com/invite)/)[^\s<>]+`)

// shown returns a text of the model's without the addresses in it, which it may have
// made up or copied. A description links only to its talk.
func shown(text string) string {
	return addresses.ReplaceAllString(split.Readable(text, nil), "…")
}

// A description is stored as the summary of a path that contains only the talk. It is thus
// encrypted and found by the content of the talk. Its sources are the messages of all talks
// in the request that it was read from: it is erased with any of them, their older
// versions, and their authors, and given on only to those who may read them all.

// recall sets the stored description of a talk, and reports whether there is one that may
// be given to somebody. A description made from other messages with the same content does
// not count.
func (c *Catchup) recall(ctx context.Context, s *stretch, t *talk) bool {
	record := c.record(0, t)
	kept, found, err := c.deps.Responses.Summary(ctx, t.scope, record.SummaryID())
	if err != nil {
		c.deps.Log.DebugContext(ctx, "it could not be looked up what is known of a talk, the model is asked", "error", err)
	}
	asker := conversation.Asker{Person: s.Asker, Guild: s.Guild, Scope: t.scope, Own: t.sources}
	if !found || !t.isAmong(kept.Sources) || !c.rule.MayUse(ctx, asker, kept.Sources) {
		return false
	}
	t.made = kept.Sources
	return json.Unmarshal([]byte(kept.Text), &t.described) == nil
}

// isAmong reports whether the messages of a talk are among sources.
func (t *talk) isAmong(made []store.SourceRef) bool {
	return !slices.ContainsFunc(t.sources, func(a store.SourceRef) bool {
		return !slices.ContainsFunc(made, func(b store.SourceRef) bool { return a.Message == b.Message && a.Channel == b.Channel })
	})
}

// keep stores the descriptions of talks that were read from an answer of the model. After
// an error the model is asked again next time.
func (c *Catchup) keep(ctx context.Context, at graph.MessageID, together *batch, answer *llm.Answer) {
	for _, t := range together.talks {
		text, err := json.Marshal(t.described)
		if err != nil || t.described == (described{}) {
			continue
		}
		record := c.record(at, t)
		record.Text, record.FinishReason, record.Sources = string(text), llm.FinishStop, together.sources()
		record.ResponseHash, record.Created = path.ResponseHash(record.Text, record.FinishReason), time.Now()
		record.Reported, record.Fingerprint = answer.Model, answer.Fingerprint
		_, _ = rand.Read(record.ID[:]) // it never fails
		if err := c.deps.Responses.Save(ctx, record); err != nil && !errors.Is(err, store.ErrForgotten) {
			c.deps.Log.Log(ctx, store.LogLevel(err), "what was said of talks could not be stored, the model is asked again next time", "error", err)
		}
	}
}

// record returns the record of a description, without its text and what it was read from.
func (c *Catchup) record(at graph.MessageID, t *talk) store.Response {
	turn := turnOf("talk", t.text(c.deps.Preparer.Naming(conversation.Offered{}).Names()))
	record := store.Response{
		Standing: store.Standing{Scope: t.scope, Channel: t.Messages[0].Channel, Trigger: at, Summarises: len(t.Messages)},
		Input:    store.Input{Model: c.deps.Model.Model(), Path: []path.Turn{systemTurn(), turn, path.Task(phrases.ModelDescribe)}},
	}
	record.PathHash = path.Path{Turns: record.Path}.Hash()
	return record
}

// batch is the talks of one request. They have one scope, so that whatever one talk has
// the model do, it cannot tell of another that not everybody who reads the first may read.
type batch struct {
	talks []*talk
	turns []path.Turn // of each talk
	names *path.Names // of everybody in the talks
	room  int         // bytes that are left
}

func newBatch(size int, naming path.Naming) *batch { return &batch{names: naming.Names(), room: size} }

// batches divides talks among requests of size bytes each. It leaves out talks that do not
// fit into mostRequests of them.
func batches(talks []*talk, size int, naming path.Naming) []*batch {
	var all []*batch
	last := make(map[store.Scope]*batch)
	for _, t := range talks {
		if b := last[t.scope]; b != nil && b.add(t) {
			continue
		}
		if len(all) == mostRequests {
			continue
		}
		b := newBatch(size, naming)
		b.add(t)
		all, last[t.scope] = append(all, b), b
	}
	return all
}

// add adds a talk if it fits, and reports whether it did. The first talk fits always.
func (b *batch) add(t *talk) bool {
	text := t.text(b.names)
	if len(b.talks) > 0 && (len(text) > b.room || len(b.talks)*tokensPerTalk >= tokensMost) {
		return false
	}
	b.talks = append(b.talks, t)
	b.turns = append(b.turns, turnOf("talk "+strconv.Itoa(len(b.talks)), text))
	b.room -= len(text)
	return true
}

// path returns the turns of the request.
func (b *batch) path() []path.Turn { return append([]path.Turn{systemTurn()}, b.turns...) }

// sources returns the Discord messages of all talks.
func (b *batch) sources() []store.SourceRef {
	var all []store.SourceRef
	for _, t := range b.talks {
		all = append(all, t.sources...)
	}
	return all
}

// turnOf returns the text of a talk as a turn of a request.
func turnOf(name, text string) path.Turn {
	return path.Turn{Role: path.RoleUser, Speaker: name, Parts: []path.Part{path.Text(strings.ToValidUTF8(text, "\uFFFD"))}}
}

// text returns a talk as the model reads it, with a line for each message. Nothing in a
// message can begin another line. names are those of the speakers.
func (t *talk) text(names *path.Names) string {
	var b strings.Builder
	for i := range t.Messages {
		m := &t.Messages[i]
		if left := len(t.Messages) - mostLines; left > 0 && i >= firstLines && i < firstLines+left {
			if i == firstLines {
				b.WriteString("…\n")
			}
			continue
		}
		b.WriteString(names.InLine(m))
		b.WriteString(": ")
		b.WriteString(graph.OneLine(m.Says(), lineSize))
		b.WriteByte('\n')
	}
	return b.String()
}
