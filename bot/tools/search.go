package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"heddle/bot/guilds"
	"heddle/fetch"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/llm"
)

// NameSearch names the tool that searches older messages.
const NameSearch = "search_channel"

// The limits of one search.
const (
	searchReads = 10  // pages read from Discord
	searchPages = 100 // pages of 100 messages looked through
	maxFound    = 20
	maxQuoted   = 600 // characters of one message
	maxQuery    = 200 // characters of an argument
)

// Search searches older messages of the channel of the answer.
type Search struct{ Guilds *guilds.Cache }

// Spec implements Tool.
func (Search) Spec() path.Tool {
	return path.Tool{
		Name: NameSearch,
		Description: "Finds older messages of this channel, the newest 20 that fit, if the last message asks about what is not above. " +
			"Do not repeat a search.",
		Schema: `{"type":"object","properties":{"words":{"type":"string","description":"All must occur; \"quoted words\" together."},` +
			`"person":{"type":"string"},"after":{"type":"string","description":"A day, as 2026-01-31."},"before":{"type":"string"}}}`,
	}
}

// Call implements Tool.
func (s Search) Call(ctx context.Context, call Call) (Result, error) {
	q, err := readQuery(call.Arguments)
	if err != nil {
		return Result{}, err
	}
	at := &call.Place
	readable, err := s.Guilds.MayReadHistory(ctx, at.Guild, at.Channel, at.Person)
	if err != nil {
		return Result{}, fmt.Errorf("find out whether the asker may read the channel: %w", err)
	}
	if !readable {
		return Result{}, RefusalError("older messages of this channel may not be read by the one who asks.")
	}
	before := at.Trigger
	if !q.before.IsZero() {
		before = min(before, graph.FirstMessageID(q.before))
	}
	var found []graph.Message
	back := fetch.Back{Channel: at.Channel, Before: before, Until: q.after, Reads: searchReads, Pages: searchPages}
	reached, err := at.Past.Older(ctx, back, func(m *graph.Message) bool {
		if q.fits(m) {
			found = append(found, *m)
		}
		return len(found) < maxFound
	})
	if err != nil {
		return Result{}, fmt.Errorf("look through the channel: %w", err)
	}
	slices.Reverse(found)
	return Result{Text: report(found, at.named(found), reached), Sources: found, Once: true}, nil
}

// query describes the messages to find.
type query struct {
	phrases       []string // lower case; all must be there
	person        string   // lower case
	after, before time.Time
}

// readQuery reads the arguments of a call. If they cannot be used, its error is a
// RefusalError that tells the model how to do better.
func readQuery(arguments []byte) (query, error) {
	var given struct {
		Words  string `json:"words"`
		Person string `json:"person"`
		After  string `json:"after"`
		Before string `json:"before"`
	}
	if err := decode(arguments, &given); err != nil {
		return query{}, err
	}
	if most := 4 * maxQuery; max(len(given.Words), len(given.Person), len(given.After), len(given.Before)) > most {
		return query{}, RefusalError(fmt.Sprintf("an argument is longer than %d characters.", maxQuery))
	}
	q := query{phrases: phrases(given.Words), person: strings.ToLower(strings.TrimLeft(strings.TrimSpace(given.Person), "@"))}
	var err error
	if q.after, err = readDay("after", given.After); err != nil {
		return query{}, err
	}
	if q.before, err = readDay("before", given.Before); err != nil {
		return query{}, err
	}
	switch {
	case len(q.phrases) == 0 && q.person == "" && q.after.IsZero() && q.before.IsZero():
		return query{}, RefusalError("there is nothing to look for; give words, a person, or days.")
	case !q.before.IsZero() && !q.after.Before(q.before):
		return query{}, RefusalError("no day is both after and before those given.")
	}
	return q, nil
}

// phrases returns the words and the quoted phrases of a text.
func phrases(text string) []string {
	var all []string
	for i, piece := range strings.Split(strings.ToLower(text), `"`) {
		words := strings.Fields(piece)
		if i%2 == 1 && len(words) > 0 {
			words = []string{strings.Join(words, " ")}
		}
		all = append(all, words...)
	}
	return all
}

func readDay(name, text string) (time.Time, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, RefusalError(fmt.Sprintf("the argument %q is no day as 2026-01-31.", name))
}

func (q *query) fits(m *graph.Message) bool {
	if m.Text == "" || !q.before.IsZero() && !m.Time.Before(q.before) {
		return false
	}
	if q.person != "" && !strings.Contains(strings.ToLower(m.Name), q.person) {
		return false
	}
	text := strings.Join(strings.Fields(strings.ToLower(m.Text)), " ")
	return !slices.ContainsFunc(q.phrases, func(phrase string) bool { return !strings.Contains(text, phrase) })
}

// named returns the names of those who wrote messages, as the model knows them.
func (p *Place) named(messages []graph.Message) []string {
	names := path.Naming{}.Names()
	if p.Names != nil {
		names = p.Names.Clone() // other calls read them too
	}
	said := make([]string, len(messages))
	for i := range messages {
		said[i] = names.Of(&messages[i])
	}
	return said
}

// report returns the messages found as JSON, in which no message can pass for another.
func report(found []graph.Message, names []string, reached fetch.Reached) string {
	type message struct {
		When string `json:"when"`
		Who  string `json:"who"`
		Text string `json:"text"`
	}
	told := struct {
		Messages []message `json:"messages"`
		Reach    string    `json:"looked_through"`
	}{Messages: make([]message, len(found))}
	for i := range found {
		m := &found[i]
		who := names[i]
		if m.Origin == graph.OriginSelf {
			who = "you"
		}
		told.Messages[i] = message{m.Time.UTC().Format("2006-01-02 15:04"), who, clipped(llm.Said(path.TurnOf(*m, "")), maxQuoted)}
	}
	switch {
	case len(found) == maxFound:
		told.Reach = "the newest that fit; there may be older ones"
	case reached.All:
		told.Reach = "everything that was asked for"
	case reached.Oldest.IsZero():
		told.Reach = "nothing: older messages could not be read"
	default:
		told.Reach = "back to " + reached.Oldest.UTC().Format("2006-01-02") + " and no further"
	}
	return encoded(told)
}

// clipped returns the beginning of a text, of at most so many characters.
func clipped(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

// encoded returns value as JSON. value is made of strings, so that encoding cannot fail.
func encoded(value any) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return "{}"
	}
	return strings.TrimSuffix(b.String(), "\n")
}
