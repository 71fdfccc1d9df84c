package answer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"heddle/bot/phrases"
	"heddle/bot/reply"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/store"
)

// look reads how a question reads now, what stands of its answer, and what the store knows of it.
func (a *Answerer) look(ctx context.Context, q *Question) (seen, error) {
	s := seen{version: q.Version, gone: q.Cause == Deleted}
	if q.Cause == Pressed {
		return s, a.lookPressed(ctx, q, &s)
	}
	if s.stands.Parts = q.Answer; s.gone && len(q.Answer) > 0 {
		return s, nil
	}
	m, err := discord.ReadMessage(ctx, a.deps.REST, q.Channel, q.ID) // one that heddle may not read counts as never edited
	switch {
	case err == nil:
		a.deps.History.Hold(ctx, &m) // it is answered as it reads here, or as it reads since then
	case !discord.IsForbidden(err) && !discord.IsNotFound(err):
		return s, unsentOf(err)
	}
	if m.ByWebhook() {
		a.deps.Guilds.MetWebhook(q.Guild, m.Author.ID)
	}
	s.gone = s.gone || discord.HasCode(err, discord.CodeUnknownMessage)
	s.stands, err = a.standing(ctx, q)
	switch {
	case discord.IsNotFound(err): // the answer is gone with the channel
		s.noChannel = true
		return s, nil
	case discord.IsForbidden(err):
		s.unreadable = err
	case err != nil:
		return s, unsentOf(err)
	}
	if m.Edited.After(s.version) {
		s.version = m.Edited
	}
	isPart := func(part graph.MessageID) bool { return part.Time().Equal(s.version) }
	s.matters = !s.version.IsZero() && (s.version.Sub(q.ID.Time()) <= a.settings.Edits || slices.ContainsFunc(q.Parts, isPart))
	return s, a.recollect(ctx, q, &s)
}

// recollect adds what the store knows of the answer. That is the one that the buttons of the last
// message name, if it was not sent as far as the store knows, or else the newest.
func (a *Answerer) recollect(ctx context.Context, q *Question, s *seen) error {
	sent := q.Before.Sent
	s.own = len(sent) > 0 && (!s.matters || !q.Before.SentFor.Before(s.version)) &&
		slices.EqualFunc(s.stands.Said, sent, func(m discord.Message, p reply.Sent) bool { return m.ID == p.ID && reply.Shows(&m, p.Text) })
	s.unkept, _ = a.unkept.Get(q.repliesTo())
	all, err := a.deps.Store.Responses.ByTrigger(ctx, q.Place.Scope, q.ID)
	if err != nil {
		s.keeps, s.away = keepsUnknown, err
		return nil //nolint:nilerr // decide goes by what stands
	}
	for i := range all {
		s.newest = max(s.newest, all[i].Generation)
	}
	all = slices.DeleteFunc(all, func(r store.Response) bool { return r.Reply != 0 })
	if len(all) == 0 {
		return nil
	}
	s.kept = new(reply.NewestAnswer(all))
	if said := s.stands.Said; len(said) > 0 {
		if named := reply.Named(&said[len(said)-1], all); named != nil && len(named.Replies) == 0 {
			s.kept = named
		}
	}
	switch {
	case len(s.kept.Replies) > 0:
		s.keeps = keepsShown
		s.parts, err = a.deps.Replies.Parts(ctx, s.kept, s.kept.Replies[0].ID)
	case s.kept.Text == "" && s.kept.Notice == "":
		s.keeps = keepsSilent
	default:
		s.keeps, s.lacksFiles = keepsUnsent, s.stands.files() < s.kept.Owes
	}
	return err
}

// lookPressed reads what the message shows on which ↻ was pressed. Alternatives of one generation
// answer one version of the question: if it has changed, the next answer belongs to the newest
// generation, or to another. If the question cannot be read, it counts as unchanged.
func (a *Answerer) lookPressed(ctx context.Context, q *Question, s *seen) error {
	d, err := a.Display(ctx, q.Press.At)
	switch {
	case errors.Is(err, reply.ErrAnswersGone):
		return nil
	case err != nil:
		return err
	}
	s.display, s.pressedShown = d, d.Current().ID == q.Press.Response
	s.generation = a.nextGeneration(ctx, q, d.Current(), &d.Newest)
	return nil
}

// nextGeneration returns the generation of the next answer to a question, asked for below the
// answer that stands.
func (a *Answerer) nextGeneration(ctx context.Context, q *Question, stands, newest *store.Response) int {
	now, err := a.deps.Preparer.Read(ctx, q.Question)
	if err != nil {
		q.log(a.deps.Log).DebugContext(ctx, "a question could not be compared with what was answered, it counts as unchanged", "error", err)
		return stands.Generation
	}
	for _, answered := range []*store.Response{stands, newest} {
		if now.Edited.Equal(answered.Question().Edited) {
			return answered.Generation
		}
	}
	return newest.Generation + 1
}

// Standing is the part of an answer that is on Discord.
type Standing struct {
	Parts []graph.MessageID // oldest first
	Said  []discord.Message // the same messages
	State State
}

// State is how complete an answer on Discord is.
type State uint8

// The states.
const (
	Nothing State = iota
	Half          // it says that more is to come, or is not all of one attempt
	Unclear       // its last part is so long that another one may have been meant to follow
	Whole
)

// names reports whether the buttons of an answer say that it answers a version of its question.
func (s *Standing) names(version time.Time) bool {
	return reply.AnswersVersion(&s.Said[len(s.Said)-1], version)
}

// files returns the number of files on the last message of an answer.
func (s *Standing) files() int {
	if len(s.Said) == 0 {
		return 0
	}
	return len(s.Said[len(s.Said)-1].Attachments)
}

// mostAfter bounds the pages that are read after a question. Answers stand close to their
// questions.
const mostAfter = 10

// standing reads which part of the answer to a question stands.
func (a *Answerer) standing(ctx context.Context, q *Question) (Standing, error) {
	var messages []discord.Message
	after := q.repliesTo()
	for range mostAfter {
		page, err := discord.ReadPage(ctx, a.deps.REST, q.Channel, "after", after)
		if err != nil {
			return Standing{}, fmt.Errorf("read what stands of an answer: %w", err)
		}
		messages = append(messages, page.Messages...)
		if page.Count < discord.PageSize || len(page.Messages) == 0 {
			break
		}
		after = slices.MaxFunc(page.Messages, byID).ID
	}
	slices.SortFunc(messages, byID)
	asked := make(map[graph.MessageID]graph.MessageID)
	for _, part := range q.Parts {
		asked[part] = q.ID
	}
	return a.Standings(messages, q.Place.Self.User, asked)[q.repliesTo()], nil
}

func byID(a, b discord.Message) int { return cmp.Compare(a.ID, b.ID) }

// Standings returns what messages, oldest first, show of answers, by their questions: heddle's
// replies to a question, and its replies to these. A message that replies to nothing belongs
// to the question that its buttons name, together with the parts before it. self is heddle's
// account, and asked holds the questions of messages that are parts of some.
func (a *Answerer) Standings(messages []discord.Message, self graph.UserID, asked map[graph.MessageID]graph.MessageID) map[graph.MessageID]Standing {
	answers := make(map[graph.MessageID]Standing)
	questions := make(map[graph.MessageID]graph.MessageID) // by part of the question or of its answer
	maps.Copy(questions, asked)
	var loose []discord.Message // parts that reply to nothing and have no buttons
	for i := range messages {
		part := &messages[i]
		if part.Author.ID != self || part.Reference != nil && part.Reference.Forward {
			continue
		}
		question, known := reply.QuestionOf(part)
		var before []discord.Message // of the same answer
		switch {
		case part.Reference != nil:
			question, known = part.Reference.Message, true
			if first, follows := questions[question]; follows {
				question = first
			}
		case !known && reply.FillsMessage(part.Content):
			loose = append(loose, *part)
			continue
		default:
			before, loose = loose, nil
		}
		if !known {
			continue
		}
		stands := answers[question]
		for _, m := range append(before, *part) {
			questions[m.ID] = question
			stands.Parts, stands.Said = append(stands.Parts, m.ID), append(stands.Said, m)
		}
		stands.State = stateOf(stands.Said, !a.deps.Replies.NoButtons)
		answers[question] = stands
	}
	return answers
}

// stateOf returns how complete an answer is of which these messages stand, oldest first. With
// buttons, they stand below every whole answer.
func stateOf(said []discord.Message, buttons bool) State {
	if slices.ContainsFunc(said, func(part discord.Message) bool { return isUnfinished(part.Content) }) {
		return Half
	}
	last := said[len(said)-1]
	continues := reply.FillsMessage(last.Content)
	switch {
	case continues && buttons && len(last.Components) == 0, // its buttons are missing
		!reply.IsComplete(said):
		return Half
	case continues && !buttons:
		return Unclear
	default:
		return Whole
	}
}

// Abandoned returns the question of an answer that broke off, or whose question was deleted
// unless it is among the messages from an id on. It is called for an answer to question. That
// an answer to an older question is incomplete is known only if it says so, as its first parts
// may be older, too.
func (s *Standing) Abandoned(question, from graph.MessageID) (of graph.MessageID, ok bool) {
	if s.State == Half {
		says := slices.ContainsFunc(s.Said, func(part discord.Message) bool { return isUnfinished(part.Content) })
		return question, says || question >= from
	}
	last := &s.Said[len(s.Said)-1]
	if of, marked := reply.QuestionOf(last); marked {
		return of, of >= from
	}
	return question, len(last.Components) == 0 && question >= from // the store was away, so that it got no buttons
}

// isUnfinished reports whether a message of heddle's is the beginning of an answer that
// broke off, as it still ends with the sign that more is to come.
func isUnfinished(text string) bool {
	last := text[strings.LastIndexByte(text, '\n')+1:]
	return strings.HasSuffix(last, reply.Indicator) || text == reply.Unresolved || phrases.IsDoing(last)
}
