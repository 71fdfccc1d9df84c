package conversation

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"heddle/bot/guilds"
	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/llm"
	"heddle/store"
)

// Settings are the operator's choice of what answers are made from.
type Settings struct {
	Expand    graph.Options
	Overrides *Overrides  // nil: nobody chooses anything
	Reader    *llm.Client // reads what questions need; nil: the link model alone chooses
	// Transcriber hears voice messages; nil: nobody does.
	Transcriber *llm.Transcriber
	System      string // the system prompt, without heddle's frame
	Options     path.Options
	Zone        *time.Location // in which the model reads times; nil: the machine's
	Vision      bool           // the model is shown pictures
	Budget      int            // tokens a request may take; 0: 16,000
	Count       llm.CountFunc  // tokens of a turn; nil: they are estimated
	Summaries   bool           // messages that leave a path are summarised
	// Retention decides which old messages stay on a path; the zero value keeps all.
	Retention path.Retention
	// Recall is the percentage of Budget for older messages that are quoted because
	// they share rare words with a question; 0: none are quoted.
	Recall int
	// ArtifactWindow is how long after an answer without a record a file counts as made
	// by it.
	ArtifactWindow time.Duration
}

// orDefaults returns the settings with defaults for the budget and what counts.
func (s Settings) orDefaults() Settings {
	s.Budget = cmp.Or(s.Budget, 16_000)
	s.Zone = cmp.Or(s.Zone, time.Local)
	if s.Count == nil {
		s.Count = func(_ context.Context, turn path.Turn) int { return 1 + len(turn.PlainText())/4 }
	}
	return s
}

// chosen holds the settings for the answer to one question.
type chosen struct {
	expand  graph.Options
	system  string // the system prompt in its frame
	model   string // "" for the first
	members bool   // the model is told who takes part
}

// chosen returns the settings for the answer to a question: the operator's, which the choices
// of admins replace.
func (r *Preparer) chosen(ctx context.Context, q Question) chosen {
	over := store.Override{}
	if r.settings.Overrides != nil {
		over = r.settings.Overrides.In(ctx, q.Guild, q.Channel, q.Place.Parent)
	}
	system := r.settings.System
	if over.Persona != "" {
		system += "\n\n" + over.Persona
	}
	by := chosen{r.settings.Expand, llm.System(filled(system, q.Place)), over.Model, strings.Contains(system, "{members}")}
	if over.MinLinear != nil {
		by.expand.MinLinear = *over.MinLinear
	}
	if over.MaxTotal != nil {
		by.expand.MaxTotal = *over.MaxTotal
	}
	if over.TimeThreshold == "auto" {
		by.expand.TimeThreshold = graph.AutoThreshold
	} else if gap, err := time.ParseDuration(over.TimeThreshold); err == nil && gap > 0 {
		by.expand.TimeThreshold = gap
	}
	return by
}

// filled returns a system prompt with its macros filled in. A macro whose value changes
// from question to question is replaced by a reference, as the root of all paths must
// stay the same.
func filled(system string, place guilds.Place) string {
	return strings.NewReplacer(
		"{guild}", inline(cmp.Or(place.Named.Guild, phrases.ModelDirect)),
		"{channel}", inline(cmp.Or(place.Named.Channel, phrases.ModelDirect)),
		"{topic}", inline(cmp.Or(place.Named.Topic, phrases.ModelNoTopic)),
		"{date}", phrases.ModelDateBelow,
		"{members}", phrases.ModelMembersBelow,
	).Replace(system)
}

// inline returns a name in a form that fits into a sentence.
func inline(name string) string { return graph.OneLine(name, 300) }

// membersOf returns the names of the people in a conversation, each once, in the order
// in which they first spoke.
func membersOf(messages []graph.Message, names *path.Names) []string {
	var all []string
	for i := range messages {
		name := names.Of(&messages[i])
		if messages[i].Origin != graph.OriginSelf && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}
