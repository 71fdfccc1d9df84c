package catchup

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"regexp"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"heddle/bot/limits"
	"heddle/bot/outbox"
	"heddle/bot/phrases"
	"heddle/bot/work"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/llm"
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
	if budget == 0 {
		return batchBytes
	}
	return min(batchBytes, max(budget-tokensMost, budget/2)*bytesPerToken)
}

// describer describes talks with the help of the model.
type describer struct {
	model   Model
	members Members
	known   *known
	explain func(error) phrases.Phrase
	log     *slog.Logger
	size    int
}

// describe describes talks, the first ones first. It uses stored descriptions, and asks
// the model for as many others as fit into a bounded number of requests. If some of
// these could not be described, it returns what people read about that, and otherwise
// nil.
func (d *describer) describe(ctx context.Context, by asker, at graph.MessageID, talks []*talk) *phrases.Phrase {
	var open []*talk
	for _, t := range talks {
		if !t.isAside() && !d.known.recall(ctx, t) {
			open = append(open, t)
		}
	}
	if len(open) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, modelTimeout)
	defer cancel()
	account := d.open(ctx, by)
	ctx = limits.With(ctx, account)
	var asking errgroup.Group
	for _, batch := range d.batches(open) {
		asking.Go(func() error { return d.ask(ctx, at, batch) })
	}
	if err := asking.Wait(); err != nil {
		d.log.Log(ctx, work.LogLevel(err), "talks could not be described, they are listed with their first words", "channel", by.channel, "error", err)
		why := d.explain(err)
		return &why
	}
	account.Answered()
	return nil
}

// describeAgain describes the talks of a list when somebody turns a page. It asks the
// model only if no description is stored.
func (d *describer) describeAgain(ctx context.Context, by asker, at graph.MessageID, talks []*talk) *phrases.Phrase {
	for _, t := range talks {
		if !t.isAside() && d.known.recall(ctx, t) {
			for _, other := range talks {
				d.known.recall(ctx, other)
			}
			return nil
		}
	}
	return d.describe(ctx, by, at, talks)
}

// open opens the account that requests to the model are charged to.
func (d *describer) open(ctx context.Context, by asker) *limits.Account {
	who := limits.Who{Person: by.person, Channel: by.channel, Guild: by.guild}
	who.Roles = func(ctx context.Context) ([]graph.RoleID, error) { return d.members.Roles(ctx, by.guild, by.person) }
	return d.members.Open(ctx, who)
}

// batches divides talks among requests. It leaves out talks that do not fit.
func (d *describer) batches(talks []*talk) [][]*talk {
	var batches [][]*talk
	room := 0
	for _, t := range talks {
		size := len(t.text())
		if size > room || len(batches[len(batches)-1])*tokensPerTalk >= tokensMost {
			if len(batches) == mostRequests {
				break
			}
			batches, room = append(batches, nil), max(d.size, size)
		}
		batches[len(batches)-1] = append(batches[len(batches)-1], t)
		room -= size
	}
	return batches
}

// text returns a talk as the model reads it, with a line for each message. Nothing in a
// message can begin another line.
func (t *talk) text() string {
	var b strings.Builder
	for i := range t.Messages {
		m := &t.Messages[i]
		if left := len(t.Messages) - mostLines; left > 0 && i >= firstLines && i < firstLines+left {
			if i == firstLines {
				b.WriteString("…\n")
			}
			continue
		}
		b.WriteString(strings.ReplaceAll(graph.OneLine(m.Name, nameSize), ":", " "))
		b.WriteString(": ")
		b.WriteString(graph.OneLine(words(m), lineSize))
		b.WriteByte('\n')
	}
	return b.String()
}

// turn returns a talk as a turn of a request.
func (t *talk) turn(name string) path.Turn {
	return path.Turn{Role: path.RoleUser, Speaker: name, Parts: []path.Part{path.Text(strings.ToValidUTF8(t.text(), "\uFFFD"))}}
}

func systemTurn() path.Turn {
	return path.Turn{Role: path.RoleSystem, Parts: []path.Part{path.Text(llm.System(phrases.ModelTalks))}}
}

// errNothingSaid means that the model described none of the talks, or said nothing of one
// that can be shown.
var errNothingSaid = fmt.Errorf("read what the model says of talks: %w", &llm.Error{Kind: llm.Malformed})

// ask asks the model to describe some talks, and stores the descriptions.
func (d *describer) ask(ctx context.Context, at graph.MessageID, talks []*talk) error {
	request := llm.Request{Tail: phrases.ModelDescribe}
	request.Path.Options.MaxTokens = min(tokensPerTalk*len(talks)+tokensPerTalk, tokensMost)
	request.Path.Turns = []path.Turn{systemTurn()}
	for i, t := range talks {
		request.Path.Turns = append(request.Path.Turns, t.turn("talk "+strconv.Itoa(i+1)))
	}
	answer, err := d.model.Stream(ctx, request, nil)
	if err != nil {
		return fmt.Errorf("have talks described: %w", err)
	}
	said := parseDescriptions(answer.Text, len(talks))
	if len(said) == 0 {
		return errNothingSaid
	}
	for i, description := range said {
		talks[i].described = description
		d.known.keep(ctx, at, talks[i], &answer)
		answer.Usage = llm.Usage{} // it is counted once
	}
	return nil
}

// account lets the model report on one talk at length, or answer a question about it if
// there is one.
func (d *describer) account(ctx context.Context, by asker, t *talk, question string) (string, error) {
	account := d.open(ctx, by)
	ctx, cancel := context.WithTimeout(limits.With(ctx, account), modelTimeout)
	defer cancel()
	request := llm.Request{Tail: phrases.ModelAccount}
	request.Path.Options.MaxTokens = tokensMost / 4
	request.Path.Turns = []path.Turn{systemTurn(), t.turn("talk 1")}
	if question != "" {
		request.Tail = phrases.ModelAskedOfTalk
		request.Path.Turns = append(request.Path.Turns, path.Turn{Role: path.RoleUser, Speaker: "whoever asks", Parts: []path.Part{path.Text(question)}})
	}
	answer, err := d.model.Stream(ctx, request, nil)
	if err != nil {
		return "", fmt.Errorf("have a talk told: %w", err)
	}
	said := cut(shown(answer.Text), accountMax)
	if said == "" {
		return "", errNothingSaid
	}
	account.Answered()
	return said, nil
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
		return graph.OneLine(shown(strings.ToValidUTF8(text, "")), size)
	}
	return described{line(d.Title, titleSize), line(d.About, aboutSize), line(d.Open, openSize)}
}

// addresses matches what Discord's clients may take for the address of a page or an
// invite.
var addresses = regexp.MustCompile(`(?i)\b[a-z][a-z0-9+.-]*://[^\s<>]+|\b(?:www\.|discord(?:app)?\.(?:gg|com/invite)/)[^\s<>]+`)

// shown returns a text of the model's without the addresses in it, which it may have
// made up or copied. A description links only to its talk.
func shown(text string) string {
	return addresses.ReplaceAllString(outbox.Readable(text, nil), "…")
}

// cut returns the beginning of a text, of about size characters at most. It closes a
// code block that it cuts.
func cut(text string, size int) string {
	parts := outbox.Split(text, size)
	switch len(parts) {
	case 0:
		return ""
	case 1:
		return parts[0].Text
	}
	return parts[0].Text + "\n…"
}
