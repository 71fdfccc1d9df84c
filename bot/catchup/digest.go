package catchup

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"heddle/bot/answer"
	"heddle/bot/conversation"
	"heddle/bot/outbox"
	"heddle/bot/phrases"
	"heddle/graph"
)

// digestTalks is the number of talks in a digest. A button leads to the others.
const digestTalks = 3

// Digest implements answer.Teller. It describes the talks that matter most to the
// person who asked. A button below shows all talks, only to the person who presses it.
func (c *Catchup) Digest(ctx context.Context, q conversation.Question, person graph.UserID) (d answer.Digest, told bool, err error) {
	by := asker{person: person, guild: q.Guild, channel: q.Channel, scope: q.Place.Scope, public: true}
	asked := query{until: q.ID, channels: []graph.ChannelID{q.Channel}}
	s, err := c.reader.read(ctx, by, asked)
	switch {
	case errors.Is(err, errNoChannel), errors.Is(err, errUnknown):
		return d, false, nil
	case err != nil:
		return d, false, fmt.Errorf("part what was said: %w", err)
	case len(s.talks) == 0:
		return d, false, nil
	}
	shown := sorted(s.talks)
	shown = shown[:min(len(shown), digestTalks)]
	trouble := c.describer.describe(ctx, by, q.ID, shown)
	asked.since = s.since // the others who press wrote at other times
	d = (&telling{language: phrases.In(q.Place.Locale), guild: q.Guild, stretch: s, query: asked}).digest(shown, trouble)
	for _, t := range shown {
		d.Sources = append(d.Sources, t.sources()...)
	}
	return d, true, nil
}

// digest returns the digest of the talks that come first.
func (t *telling) digest(shown []*talk, trouble *phrases.Phrase) answer.Digest {
	lines := []string{t.head()}
	for i, one := range shown {
		lines = append(lines, t.entry(i, one))
	}
	if trouble != nil {
		lines = append(lines, "-# "+t.language.Say(*trouble))
	}
	all := outbox.Button(t.query.name(showList, 0), t.say(phrases.LabelAllTalks, nil))
	return answer.Digest{Text: strings.Join(lines, "\n"), Buttons: outbox.Rows{{all}}}
}
