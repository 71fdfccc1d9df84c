package bot

import (
	"context"
	"slices"

	"heddle/bot/alternatives"
	"heddle/bot/answer"
	"heddle/bot/catchup"
	"heddle/bot/commands"
	"heddle/bot/conversation"
	"heddle/bot/dispatch"
	"heddle/bot/gate"
	"heddle/bot/guilds"
	"heddle/bot/phrases"
	"heddle/bot/tools"
	"heddle/bot/work"
	"heddle/graph"
)

// New makes a bot. It connects to nothing yet.
func New(deps Deps, settings Settings) *Bot {
	if deps.Observer == nil {
		deps.Observer = answer.Unobserved{}
	}
	s := newShared(deps, settings)
	chosen := commands.NewOverrides(deps.Store, settings.Overrides, deps.Log)
	settings.Conversation.Overrides = chosen

	loop := tools.NewLoop(deps.Model, deps.Tools, deps.Servers, tools.Limits{}, deps.Log)
	preparer := s.newPreparer(deps, settings, loop)
	talks := s.newCatchup(deps, settings, preparer)
	answers := s.newAnswers(deps, settings, preparer, talks, loop)
	rooms := s.newAlternatives(deps, settings, answers)
	checks := &commands.Checks{Gate: s.gate, Overrides: chosen, Servers: deps.Servers, Reach: deps.Reach}
	known := commands.New(commands.Deps{
		REST: deps.REST, Outbox: deps.Outbox.Interactions(), Store: deps.Store, Guilds: s.guilds, History: deps.History,
		Preparer: preparer, Answers: answers, Gate: s.gate, Limits: deps.Limits, Overrides: chosen, Below: rooms.Displays.BelowAside,
		Explain: naming(settings.Commands.Contact, commandSentence), Log: deps.Log,
	}, settings.Commands, slices.Concat(checks.Commands(), talks.Commands(), rooms.Buttons())...)

	return &Bot{
		deps: deps, commands: known, preparer: preparer, answers: answers, writes: s.writes, people: s.people, leases: s.leases, grace: settings.Grace,
		receiver: receiver{
			deps: deps, guilds: s.guilds, shown: rooms.Displays, commands: known, files: s.files, inflight: s.inflight, writes: s.writes,
			ratings: &alternatives.Ratings{Store: deps.Store.Ratings, Guilds: s.guilds, History: deps.History},
		},
		start: func(ctx context.Context, events *receiver) {
			work := dispatch.Deps{
				Store: deps.Store, Leases: s.leases, Writes: s.writes, Guilds: s.guilds, Gate: s.gate,
				History: deps.History, REST: deps.REST, Alternatives: rooms, Log: deps.Log,
			}
			events.dispatch = dispatch.Start(ctx, work, settings.Dispatch)
			events.checker = dispatch.NewChecker(work, deps.Outbox, missed{events})
		},
	}
}

// shared is what several rooms work with.
type shared struct {
	guilds   *guilds.Cache
	people   *gate.People
	gate     *gate.Gate
	leases   *work.Leases
	inflight *work.Inflight
	writes   *work.Writes
	files    *conversation.Files
	explain  func(error) phrases.Phrase // the sentence that people read about an error
}

// flows reports whether events of everything that falls to this process flow.
func flows(from Gateway) func() bool {
	return func() bool {
		now := from.Status()
		return now.Connected > 0 && now.Apart == 0
	}
}

func newShared(deps Deps, settings Settings) *shared {
	s := &shared{
		guilds: guilds.New(deps.REST), leases: work.NewLeases(deps.Store.Claims, settings.Lease), inflight: work.NewInflight(flows(deps.Gateway)),
		writes: work.NewWrites(deps.Log), files: conversation.NewFiles(deps.Files, deps.Log), explain: naming(settings.Commands.Contact, sentence),
	}
	if settings.Several {
		s.leases = s.leases.Shared()
	}
	deps.History.LeaveOut(phrases.WithoutNotices)
	s.people = newPeople(deps, s.files)
	s.gate = gate.New(s.people, deps.Outbox, settings.Gate)
	return s
}

// newPeople returns who opted out. When somebody opts out or in, what is held in memory of
// their channels is dropped.
func newPeople(deps Deps, files *conversation.Files) *gate.People {
	people := gate.NewPeople(deps.Store.OptOuts, deps.Store.Deletions, func(person graph.UserID) {
		files.ForgetAll()
		channels := deps.History.ForgetPerson(person)
		deps.Log.Info("a person opted out or in, what was held of their channels is dropped", "channels", channels)
	}, deps.Log)
	deps.History.Withhold(people.OptedOut)
	return people
}

func (s *shared) newPreparer(deps Deps, settings Settings, loop *tools.Loop) *conversation.Preparer {
	return conversation.New(conversation.Deps{
		History: deps.History, Store: deps.Store, Model: deps.Model, Tools: loop.Specs(), Servers: deps.Servers, Typing: deps.Outbox.Typing,
		Files: s.files, Guilds: s.guilds, Limits: deps.Limits, People: s.people, Writes: s.writes, Log: deps.Log,
	}, settings.Conversation)
}

func (s *shared) newAnswers(deps Deps, settings Settings, preparer *conversation.Preparer, talks *catchup.Catchup, loop *tools.Loop) *answer.Answers {
	return answer.New(answer.Deps{
		Preparer: preparer, History: deps.History, Store: deps.Store, Outbox: deps.Outbox, Model: deps.Model, Loop: loop,
		Guilds: s.guilds, People: s.people, Teller: talks, Writes: s.writes,
		Observer: deps.Observer, Explain: s.explain, Flush: settings.flush(), Log: deps.Log,
	}, settings.Answer)
}

func (s *shared) newCatchup(deps Deps, settings Settings, preparer *conversation.Preparer) *catchup.Catchup {
	return catchup.New(catchup.Deps{
		Preparer: preparer, Guilds: s.guilds, Gate: s.gate, Responses: deps.Store.Responses, Model: deps.Model,
		Outbox: deps.Outbox, Writes: s.writes, Explain: s.explain, Log: deps.Log,
	}, catchup.Settings{Affinity: settings.Conversation.Expand.Affinity, Budget: settings.Conversation.Budget, Paused: settings.Conversation.Overrides.Paused})
}

func (s *shared) newAlternatives(deps Deps, settings Settings, answers *answer.Answers) *alternatives.Alternatives {
	return alternatives.New(alternatives.Deps{
		Answers: answers, Store: deps.Store, Outbox: deps.Outbox, Leases: s.leases, Inflight: s.inflight, History: deps.History,
		Guilds: s.guilds, Gate: s.gate, Observer: deps.Observer, Explain: naming(settings.Commands.Contact, pressSentence), Flush: settings.flush(), Log: deps.Log,
	}, settings.Alternatives)
}
