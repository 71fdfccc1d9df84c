package bot

import (
	"context"
	"slices"

	"heddle/bot/alternatives"
	"heddle/bot/answer"
	"heddle/bot/catchup"
	"heddle/bot/commands"
	"heddle/bot/deferred"
	"heddle/bot/dispatch"
	"heddle/bot/gate"
	"heddle/bot/guilds"
	"heddle/bot/limits"
	"heddle/bot/operating"
	"heddle/bot/overrides"
	"heddle/bot/reconcile"
	"heddle/bot/tools"
	"heddle/bot/work"
	"heddle/graph"
)

// shared is what several rooms work with.
type shared struct {
	guilds   *guilds.Cache
	leases   *work.Leases
	inflight *work.Inflight
	writes   *deferred.Writes
	files    *answer.Files
}

// people returns who opted out. What is held of their channels is dropped when they do.
func (s *shared) people(deps Deps) *gate.People {
	people := gate.NewPeople(deps.Store.OptOuts, deps.Store.Deletions, func(person graph.UserID) {
		s.files.ForgetAll()
		channels := deps.History.ForgetPerson(person)
		deps.Log.Info("a person opted out or in, what was held of their channels is dropped", "channels", channels)
	}, deps.Log)
	deps.History.Withhold(people.OptedOut)
	return people
}

// reconciling returns what makes a reconciler that passes on what it finds.
func (s *shared) reconciling(deps Deps) func(reconcile.Events) *reconcile.Reconciler {
	return func(events reconcile.Events) *reconcile.Reconciler {
		return reconcile.New(reconcile.Deps{
			Archive: deps.Store.Archive, Claims: deps.Store.Claims, Checks: deps.Store.Backlog, Leases: s.leases,
			REST: deps.REST, Remover: deps.Outbox, Guilds: s.guilds, Events: events, Writes: s.writes, Log: deps.Log,
		})
	}
}

// New checks what a bot needs and makes one. It connects to nothing yet.
func New(deps Deps, settings Settings) (*Bot, error) {
	if err := deps.check(); err != nil {
		return nil, err
	}
	deps.setDefaults()
	settings = settings.orDefaults()
	s := shared{
		guilds: guilds.New(), leases: work.NewLeases(deps.Store.Claims, settings.Lease), inflight: work.NewInflight(),
		writes: deferred.New(deps.Log), files: answer.NewFiles(deps.Files, deps.Log),
	}
	permissions := guilds.NewPermissions(deps.REST, s.guilds)
	people := s.people(deps)
	if settings.Several {
		s.leases = s.leases.Shared()
	}
	chosen, pauses := overrides.New(deps.Store.Overrides(), settings.Overrides, deps.Log), operating.NewPauses(deps.Store.Pauses(), deps.Log)
	settings.Answer.Overrides, settings.Answer.Paused = chosen, pauses.In
	explain := naming(settings.Commands.Contact, sentence)
	answers := answer.New(answer.Deps{
		History: deps.History, Store: deps.Store, Outbox: deps.Outbox, Model: deps.Model,
		Loop:  tools.NewLoop(deps.Model, deps.Tools, settings.Tools, deps.Log),
		Files: s.files, Guilds: limits.Members{Permissions: permissions, Limits: deps.Limits}, People: people, Leases: s.leases, Writes: s.writes,
		Observer: deps.Observer, Explain: explain, Flush: settings.Flush, Log: deps.Log,
	}, settings.Answer)
	door := gate.New(people, deps.Outbox, settings.Gate)
	members := limits.Members{Permissions: permissions, Limits: deps.Limits}
	talks := catchup.New(catchup.Deps{
		History: deps.History, Guilds: s.guilds, Members: members, People: people, Gate: door,
		Responses: deps.Store.Responses, Model: deps.Model, Outbox: deps.Outbox, Writes: s.writes, Meanings: answer.NewMeanings(answers), Explain: explain, Log: deps.Log,
	}, catchup.Settings{Affinity: settings.Answer.Expand.Affinity, Budget: settings.Answer.Budget})
	rooms := alternatives.New(alternatives.Deps{
		Answers: answers, Teller: talks, Store: deps.Store, Outbox: deps.Outbox, Leases: s.leases, Inflight: s.inflight, History: deps.History,
		Self: s.guilds, Locales: s.guilds, Observer: deps.Observer, Explain: explain, ExplainPress: naming(settings.Commands.Contact, pressSentence), Flush: settings.Flush, Log: deps.Log,
	}, settings.Alternatives)
	known := commands.New(commands.Deps{
		REST: deps.REST, Outbox: deps.Outbox.Interactions(), Responses: deps.Store.Responses, Readers: permissions, History: deps.History,
		Previews: answers, Asides: answer.NewAsides(answers), People: people, Gate: door, Log: deps.Log,
	}, settings.Commands, slices.Concat(chosen.Commands(deps.History, answers), operating.Commands(operating.Deps{
		Pauses: pauses, Spending: deps.Limits.Ledger(), Limits: deps.Limits, Stats: answers.Stats, Guilds: s.guilds.Count, Ping: deps.Store.Ping,
	}, settings.Operating), talks.Commands())...)
	return &Bot{
		rest: deps.REST, commands: known, gateway: deps.Gateway, answers: answers, writes: s.writes,
		ledger: deps.Limits.Ledger(), people: people,
		receiver: receiver{
			history: deps.History, guilds: s.guilds, rooms: rooms, commands: known, files: s.files, inflight: s.inflight,
			deletions: newDeletions(deps.Store.Deletions, s.writes, rooms.Edits, newWelcome(deps.Store.Claims, deps.Outbox, deps.Log)), log: deps.Log,
		},
		start: func(ctx context.Context) *dispatch.Dispatcher {
			return dispatch.Start(ctx, dispatch.Deps{
				Store: deps.Store, Leases: s.leases, Writes: s.writes, Guilds: s.guilds, Gate: door, Members: permissions,
				History: deps.History, REST: deps.REST, Alternatives: rooms, Log: deps.Log,
			}, settings.Dispatch)
		},
		reconcile: s.reconciling(deps),
		join:      func(ctx context.Context) { s.leases.Follow(ctx, deps.Log, deps.Store.Claims) },
		grace:     settings.Grace, log: deps.Log,
	}, nil
}
