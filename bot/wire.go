package bot

import (
	"context"
	"slices"

	"heddle/bot/alternatives"
	"heddle/bot/answer"
	"heddle/bot/attachments"
	"heddle/bot/catchup"
	"heddle/bot/commands"
	"heddle/bot/conversation"
	"heddle/bot/deferred"
	"heddle/bot/dispatch"
	"heddle/bot/gate"
	"heddle/bot/guilds"
	"heddle/bot/limits"
	"heddle/bot/operating"
	"heddle/bot/overrides"
	"heddle/bot/phrases"
	"heddle/bot/reconcile"
	"heddle/bot/tools"
	"heddle/bot/work"
	"heddle/graph"
)

// New checks what a bot needs and makes one. It connects to nothing yet.
func New(deps Deps, settings Settings) (*Bot, error) {
	if err := deps.check(); err != nil {
		return nil, err
	}
	deps.setDefaults()
	settings = settings.orDefaults()
	s := newShared(deps, settings)
	chosen, pauses := overrides.New(deps.Store.Overrides(), settings.Overrides, deps.Log), operating.NewPauses(deps.Store.Pauses(), deps.Log)
	settings.Conversation.Overrides, settings.Conversation.Paused = chosen, pauses.In

	loop := tools.NewLoop(deps.Model, deps.Tools, settings.Tools, deps.Log)
	preparer := s.newPreparer(deps, settings, loop)
	answers := s.newAnswers(deps, settings, preparer, loop)
	talks := s.newCatchup(deps, settings, preparer)
	rooms := s.newAlternatives(deps, settings, answers, talks)
	known := commands.New(commands.Deps{
		REST: deps.REST, Outbox: deps.Outbox.Interactions(), Responses: deps.Store.Responses, Readers: s.permissions, History: deps.History,
		Previews: preparer, Asides: answer.NewAsides(answers, deps.Log), People: s.people, Gate: s.gate,
		Explain: naming(settings.Commands.Contact, commandSentence), Log: deps.Log,
	}, settings.Commands, slices.Concat(chosen.Commands(deps.History, preparer), operating.Commands(operating.Deps{
		Pauses: pauses, Spending: deps.Limits.Ledger(), Limits: deps.Limits, Stats: answers.Stats, Guilds: s.guilds.Count, Ping: deps.Store.Ping,
	}, settings.Operating), talks.Commands())...)

	return &Bot{
		rest: deps.REST, commands: known, gateway: deps.Gateway, preparer: preparer, answers: answers, writes: s.writes,
		ledger: deps.Limits.Ledger(), people: s.people,
		receiver: receiver{
			history: deps.History, guilds: s.guilds, rooms: rooms, commands: known, files: s.files, inflight: s.inflight,
			deletions: newDeletions(deps.Store.Deletions, s.writes, rooms.Edits, newWelcome(deps.Store.Claims, deps.Outbox, deps.Log)), log: deps.Log,
		},
		reconcile: func(events reconcile.Events) *reconcile.Reconciler { return s.newReconciler(deps, events) },
		join:      func(ctx context.Context) { s.leases.Follow(ctx, deps.Log, deps.Store.Claims) },
		start: func(ctx context.Context) *dispatch.Dispatcher {
			return dispatch.Start(ctx, dispatch.Deps{
				Store: deps.Store, Leases: s.leases, Writes: s.writes, Guilds: s.guilds, Gate: s.gate, Members: s.permissions,
				History: deps.History, REST: deps.REST, Alternatives: rooms, Log: deps.Log,
			}, settings.Dispatch)
		},
		grace: settings.Grace, log: deps.Log,
	}, nil
}

// shared is what several rooms work with.
type shared struct {
	guilds      *guilds.Cache
	permissions *guilds.Permissions
	people      *gate.People
	gate        *gate.Gate
	leases      *work.Leases
	inflight    *work.Inflight
	writes      *deferred.Writes
	files       *attachments.Reader
	explain     func(error) phrases.Phrase // the sentence that people read about an error
}

func newShared(deps Deps, settings Settings) *shared {
	s := &shared{
		guilds: guilds.New(), leases: work.NewLeases(deps.Store.Claims, settings.Lease), inflight: work.NewInflight(),
		writes: deferred.New(deps.Log), files: attachments.NewReader(deps.Files, deps.Log), explain: naming(settings.Commands.Contact, sentence),
	}
	if settings.Several {
		s.leases = s.leases.Shared()
	}
	deps.History.LeaveOut(phrases.WithoutNotices)
	s.permissions = guilds.NewPermissions(deps.REST, s.guilds)
	s.people = newPeople(deps, s.files)
	s.gate = gate.New(s.people, deps.Outbox, settings.Gate)
	return s
}

// newPeople returns who opted out. When somebody opts out or in, what is held in memory of
// their channels is dropped.
func newPeople(deps Deps, files *attachments.Reader) *gate.People {
	people := gate.NewPeople(deps.Store.OptOuts, deps.Store.Deletions, func(person graph.UserID) {
		files.ForgetAll()
		channels := deps.History.ForgetPerson(person)
		deps.Log.Info("a person opted out or in, what was held of their channels is dropped", "channels", channels)
	}, deps.Log)
	deps.History.Withhold(people.OptedOut)
	return people
}

// members returns what people may read, and what they may use.
func (s *shared) members(deps Deps) limits.Members {
	return limits.Members{Permissions: s.permissions, Limits: deps.Limits}
}

func (s *shared) newPreparer(deps Deps, settings Settings, loop *tools.Loop) *conversation.Preparer {
	return conversation.New(conversation.Deps{
		History: deps.History, Store: deps.Store, Model: deps.Model, Tools: loop, Typing: deps.Outbox,
		Files: s.files, Guilds: s.members(deps), People: s.people, Leases: s.leases, Writes: s.writes, Log: deps.Log,
	}, settings.Conversation)
}

func (s *shared) newAnswers(deps Deps, settings Settings, preparer *conversation.Preparer, loop *tools.Loop) *answer.Answers {
	return answer.New(answer.Deps{
		Preparer: preparer, History: deps.History, Store: deps.Store, Outbox: deps.Outbox, Model: deps.Model, Loop: loop,
		Guilds: s.permissions, People: s.people, Leases: s.leases, Writes: s.writes,
		Observer: deps.Observer, Explain: s.explain, Flush: settings.Flush, Log: deps.Log,
	}, settings.Answer)
}

func (s *shared) newCatchup(deps Deps, settings Settings, preparer *conversation.Preparer) *catchup.Catchup {
	return catchup.New(catchup.Deps{
		History: deps.History, Guilds: s.guilds, Members: s.members(deps), People: s.people, Gate: s.gate,
		Responses: deps.Store.Responses, Model: deps.Model, Outbox: deps.Outbox, Writes: s.writes,
		Meanings: preparer.Meanings(), Explain: s.explain, Log: deps.Log,
	}, catchup.Settings{Affinity: settings.Conversation.Expand.Affinity, Budget: settings.Conversation.Budget, Paused: settings.Conversation.Paused})
}

func (s *shared) newAlternatives(deps Deps, settings Settings, answers *answer.Answers, talks *catchup.Catchup) *alternatives.Alternatives {
	return alternatives.New(alternatives.Deps{
		Answers: answers, Teller: talks, Store: deps.Store, Outbox: deps.Outbox, Leases: s.leases, Inflight: s.inflight, History: deps.History,
		Self: s.guilds, Locales: s.guilds, Observer: deps.Observer, Explain: s.explain,
		ExplainPress: naming(settings.Commands.Contact, pressSentence), Flush: settings.Flush, Log: deps.Log,
	}, settings.Alternatives)
}

// newReconciler returns a reconciler that reports to events what it finds.
func (s *shared) newReconciler(deps Deps, events reconcile.Events) *reconcile.Reconciler {
	return reconcile.New(reconcile.Deps{
		Archive: deps.Store.Archive, Claims: deps.Store.Claims, Checks: deps.Store.Backlog, Leases: s.leases,
		REST: deps.REST, Remover: deps.Outbox, Guilds: s.guilds, Events: events, Writes: s.writes, Log: deps.Log,
	})
}
