package chaos_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"time"

	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/wait"
	"heddle/store"
	"heddle/store/bolt"
	"heddle/store/redis"
	"heddle/store/seal"
)

// kind is a kind of press below an answer.
type kind uint8

const (
	why kind = iota
	again
	step // to another alternative, if there is one
	withdraw
	stop // the answer, while it grows
)

// planned is a press that somebody is going to make.
type planned struct {
	kind  kind
	after time.Duration // the buttons are there
}

// press is a press that somebody made.
type press struct {
	kind  kind
	of    *mention
	at    time.Time
	names string // the name of the button, which tells the answer that it is about
	said  string // what the one who pressed read; "" for nothing
	text  string // what the answer showed a while after that, if they read that it is finished
}

// pressesOf returns what somebody presses below the answers to a mention, one after the other: nothing
// below a third of them, and ⋯ Delete last, if at all.
func (p *plan) pressesOf(random *rand.Rand) (all []planned) {
	if !p.lives {
		return nil
	}
	soon := func() time.Duration { return time.Duration(random.IntN(1000)) * time.Millisecond }
	if random.IntN(30) == 0 {
		all = append(all, planned{stop, soon()})
	}
	for range random.IntN(3) {
		all = append(all, planned{kind(random.IntN(int(step) + 1)), soon()})
	}
	if len(all) > 0 && all[0].kind == again {
		all = append(all, planned{step, soon()})
	}
	if random.IntN(12) == 0 {
		all = append(all, planned{withdraw, soon()})
	}
	return all
}

// answerTime is how long somebody waits for what a press or an answer brings, before they do something
// else. A process that is killed brings nothing.
const answerTime = 5 * time.Second

// plays makes presses below the answers to a mention.
func (r *run) plays(m *mention, presses []planned) {
	for _, p := range presses {
		at, button := r.finds(m, p.kind)
		if button == "" {
			continue
		}
		if wait.For(r.ctx, p.after) != nil {
			return
		}
		r.makes(&press{kind: p.kind, of: m}, at, button, answerTime)
	}
}

// labels are what people read on buttons.
func (k kind) labels() []string {
	return map[kind][]string{
		why: {phrases.English("label_why")}, again: {phrases.LabelAgain}, step: {"◀", "▶"}, withdraw: {phrases.LabelMore}, stop: {phrases.English("label_stop")},
	}[k]
}

// finds waits until a button of a kind stands below the answer to a mention, and returns its message
// and its name. It waits briefly for what an answer lacks that no longer grows: some have no buttons.
func (r *run) finds(m *mention, k kind) (at graph.MessageID, button string) {
	end, ended := time.Now().Add(6*answerTime), time.Time{}
	for now := time.Now(); now.Before(end) && !r.isDeleted(m); now = time.Now() {
		answer := answerTo(m, r.heddle.User, r.said(m.channel, m.id))
		if at, button = k.below(answer); button != "" {
			return at, button
		}
		switch grows := slices.ContainsFunc(answer, isGrowing); {
		case len(answer) == 0 || grows:
			ended = time.Time{}
		case ended.IsZero():
			ended = now
		case now.Sub(ended) > answerTime/3:
			return 0, ""
		}
		if wait.For(r.ctx, 20*time.Millisecond) != nil {
			break
		}
	}
	return 0, ""
}

// below returns the first button of a kind below an answer, and its message; "" for none.
func (k kind) below(answer []discordtest.Message) (at graph.MessageID, button string) {
	for _, part := range slices.Backward(answer) {
		for _, b := range part.Buttons() {
			if slices.Contains(k.labels(), b.Label) && !b.Disabled {
				return part.ID, b.CustomID
			}
		}
	}
	return 0, ""
}

func (r *run) isDeleted(m *mention) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return m.deleted
}

// makes makes a press, and notes what whoever pressed reads then. It does not wait for that below an
// answer that changes because of the press, as nothing may come.
func (r *run) makes(p *press, at graph.MessageID, button string, most time.Duration) {
	p.at, p.names = time.Now(), button
	id, err := r.discord.Interactions.Press(p.of.channel, at, p.of.by, button)
	if err != nil {
		return // the button has gone
	}
	if p.kind == again || p.kind == step {
		r.reading.Go(func() { r.notes(p, r.answered(id, most)) })
		return
	}
	said := r.answered(id, most)
	if p.kind == withdraw {
		said = r.withdraws(p.of, said)
	}
	r.notes(p, said)
}

// notes notes what somebody read who made a press.
func (r *run) notes(p *press, said []discordtest.Message) {
	for _, m := range said {
		p.said += m.Content + "\n"
	}
	if says(p.said, "stop_late") {
		_ = wait.For(r.ctx, 3*time.Second) // the last edit may still be under way
		p.text = r.shows(p.of)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.presses = append(r.presses, p)
}

// answered waits until somebody reads something because of their press, or has waited for so long.
func (r *run) answered(id discordtest.InteractionID, most time.Duration) []discordtest.Message {
	ctx, cancel := context.WithTimeout(r.ctx, most)
	defer cancel()
	in, _ := r.discord.Interactions.Await(ctx, id, func(in discordtest.Interaction) bool {
		return len(in.Private) > 0 && in.Private[0].Flags&discordtest.FlagLoading == 0
	})
	return in.Private
}

// withdraws chooses Delete in the menu of the answer to a mention, and returns what the asker reads then.
func (r *run) withdraws(m *mention, menu []discordtest.Message) []discordtest.Message {
	for _, shown := range menu {
		for _, b := range shown.Buttons() {
			if b.Label != phrases.English("label_delete") {
				continue
			}
			r.mu.Lock()
			m.withdraws = true
			edits := m.edits
			r.mu.Unlock()
			id, err := r.discord.Interactions.Press(m.channel, shown.ID, m.by, b.CustomID)
			if err != nil {
				r.t.Error(err)
				return nil
			}
			said := r.answered(id, answerTime)
			r.mu.Lock()
			defer r.mu.Unlock()
			if slices.ContainsFunc(said, func(m discordtest.Message) bool { return says(m.Content, "answer_deleted") }) {
				m.withdrawn = edits
			}
			return said
		}
	}
	return menu
}

// shows returns what the answer to a mention shows.
func (r *run) shows(m *mention) string {
	var text strings.Builder
	for _, part := range answerTo(m, r.heddle.User, r.said(m.channel, m.id)) {
		fmt.Fprintln(&text, part.Content)
	}
	return text.String()
}

// says reports whether a text contains one of some phrases.
func says(text string, ids ...phrases.ID) bool {
	return slices.ContainsFunc(ids, func(id phrases.ID) bool { return strings.Contains(text, phrases.English(id)) })
}

// audited stops all processes and compares what stands, and what people read, with what is stored. An
// answer that is not stored needs no buttons.
func (r *run) audited(all counts, worst []flaw) (counts, []flaw) {
	for _, p := range r.all {
		p.end(syscall.SIGTERM)
	}
	kept, err := r.opens()
	if err != nil {
		r.t.Error(err)
		return all, worst
	}
	defer func() { r.must(kept.Close()) }()
	worst = slices.DeleteFunc(worst, func(f flaw) bool {
		without := f.is == bare && !slices.ContainsFunc(r.stored(kept, f.of), func(s store.Response) bool { return showsSame(f.text, s.Text) })
		if without {
			all[bare]--
			all[fine]++
		}
		return without
	})
	for _, p := range r.presses {
		if claim := r.lies(kept, p); claim != "" {
			all[untrue]++
			worst = append(worst, flaw{p.of, untrue, claim})
		}
	}
	return all, worst
}

// lies returns what somebody read who pressed a button, if it was not true.
func (r *run) lies(kept *store.Store, p *press) string {
	named := p.kind == again || p.kind == step
	before := func(s store.Response) bool {
		return s.Created.Before(p.at) && (!named || strings.Contains(p.names, s.ID.String()))
	}
	now := r.shows(p.of)
	switch {
	case says(p.said, "answers_gone", "why_unknown", "conversation_gone") && slices.ContainsFunc(r.stored(kept, p.of), before),
		says(p.said, "stop_late") && showsSame(now, p.text) && len(token.FindAllString(now, -1)) > len(token.FindAllString(p.text, -1)),
		says(p.said, "question_gone") && !p.of.deleted:
		return fmt.Sprintf("%s, after %s at %s", strings.TrimSpace(p.said), p.names, p.at.Format(time.TimeOnly))
	}
	return ""
}

// showsSame reports whether two texts show tokens of the same request.
func showsSame(a, b string) bool {
	x, y := token.FindStringSubmatch(a), token.FindStringSubmatch(b)
	return x != nil && y != nil && slices.Equal(x[1:4], y[1:4])
}

// stored returns what is stored of the answers to a mention.
func (r *run) stored(kept *store.Store, m *mention) []store.Response {
	all, err := kept.Responses.ByTrigger(r.ctx, store.GuildScope(r.guild), m.id)
	r.must(err)
	return all
}

// opens opens the store of a run whose processes have ended.
func (r *run) opens() (*store.Store, error) {
	key, err := seal.ParseKey(masterKey)
	if err != nil {
		return nil, err
	}
	var engine store.Engine
	if r.redis != nil {
		engine, err = redis.Open(redis.Options{URL: r.redis.URL()})
	} else {
		engine, err = bolt.Open(bolt.Options{Dir: r.all[0].dir})
	}
	if err != nil {
		return nil, fmt.Errorf("open the store of a run: %w", err)
	}
	return store.New(engine, store.Options{Key: key, Shared: r.redis != nil}), nil
}
