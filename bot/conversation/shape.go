package conversation

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/llm"
	"heddle/store"
)

// Offered are the tools that the model may call; tools.Loop returns them.
type Offered struct {
	Own  []path.Tool // heddle's, for everybody
	Lent []Lent      // by servers
}

// Lent are the tools that a server lends.
type Lent struct {
	Server string
	For    []uint64    // the guilds, roles and people that they are for; empty: everybody
	Tools  []path.Tool // as the server named them last
	Away   bool        // they cannot be called now
}

// isFor reports whether the tools are for somebody with some ids.
func (l *Lent) isFor(ids []uint64) bool {
	return len(l.For) == 0 || slices.ContainsFunc(l.For, func(id uint64) bool { return slices.Contains(ids, id) })
}

// To returns the tools that may be called for somebody with some ids: their guild's, their roles'
// and their own. It also returns the servers of theirs that are away.
func (o Offered) To(ids []uint64) (offered []path.Tool, away []string) {
	offered = slices.Clone(o.Own)
	for i := range o.Lent {
		switch l := &o.Lent[i]; {
		case !l.isFor(ids):
		case l.Away:
			away = append(away, l.Server)
		default:
			offered = append(offered, l.Tools...)
		}
	}
	return offered, away
}

// lends reports whether all of these tools of servers are lent to somebody with some ids, also
// while a server is away. The name of a tool begins with that of its server.
func (o Offered) lends(ids []uint64, outside []string) bool {
	return !slices.ContainsFunc(outside, func(tool string) bool {
		name, _, _ := strings.Cut(tool, "_")
		return !slices.ContainsFunc(o.Lent, func(l Lent) bool { return l.Server == name && l.isFor(ids) })
	})
}

// Naming decides how the people in requests to the model are named now, so that nobody
// passes for another person, for heddle or for one of the tools that are offered.
func (r *Preparer) Naming(offered Offered) path.Naming {
	self := r.deps.Guilds.Self()
	naming := path.NewNaming(fold).Reserving(self.Name, self.Global)
	all := slices.Clone(offered.Own)
	for i := range offered.Lent {
		all = append(all, offered.Lent[i].Tools...)
	}
	for i := range all {
		naming = naming.Reserving(all[i].Name)
	}
	return naming
}

// idsOf returns what servers lend their tools to an asker by: the ids of their guild, of
// themselves and, if servers lend any by roles, of their roles.
func (r *Preparer) idsOf(ctx context.Context, q Question, offered Offered, asker graph.UserID) []uint64 {
	ids := []uint64{uint64(q.Guild), uint64(asker)}
	if !slices.ContainsFunc(offered.Lent, func(l Lent) bool { return len(l.For) > 0 }) {
		return ids
	}
	roles, err := r.deps.Guilds.Roles(ctx, q.Guild, asker)
	if err != nil {
		r.deps.Log.WarnContext(ctx, "the roles of an asker could not be read, the model is lent no tools that are for roles", "trigger", q.ID, "error", err)
	}
	for _, role := range roles {
		ids = append(ids, uint64(role))
	}
	return ids
}

// Lends reports whether all of these tools of servers are lent to an asker now.
func (r *Preparer) Lends(ctx context.Context, q Question, offered Offered, outside []string) bool {
	return len(outside) == 0 || offered.lends(r.idsOf(ctx, q, offered, q.Asker), outside)
}

// shape makes the path of a conversation, with the files that the model is shown. It has the
// tools even where the provider refuses them, as its hash is that of the full request.
func (r *Preparer) shape(ctx context.Context, p *Prepared) error {
	sees := r.settings.Vision && !slices.Contains(r.deps.Model.Rejected(), llm.FeatureImages)
	p.ids = r.idsOf(ctx, p.q, p.offered, p.Person)
	shape := path.Shape{
		System: p.by.system, SeesImages: sees, Options: r.settings.Options, Retention: r.settings.Retention,
		ArtifactWindow: r.settings.ArtifactWindow, Lineage: p.from.Lineage, Naming: r.Naming(p.offered).Reserving(p.q.Place.Self.Nick), Answers: r.forPath(p),
	}
	shape.Tools, p.away = p.offered.To(p.ids)
	shape.Count = func(turn path.Turn) int { return r.tokens.Count(ctx, p.read.named(p.read.inlined(turn))) }
	shape.Budget = r.tokens.pathBudget(ctx, shape.Tools)
	files := selectFiles(p.Graph, sees)
	p.read = r.deps.Files.read(ctx, files, p.q.Spoken)
	r.tokens.fit(ctx, p, files, shape.Budget-r.tokens.ofText(ctx, shape.System))
	if p.read != nil { // else no file is read at all, as in a preview
		p.NotRead = append(p.NotRead, notRead(files)...)
	}
	p.NotRead = append(p.NotRead, r.linksNotRead(p)...)
	p.Built = path.Build(p.Graph, shape)
	p.spare = shape.Budget
	for _, turn := range p.Built.Path.Turns {
		p.spare -= shape.Count(turn)
	}
	p.votes = votes(ctx, &r.deps, p)
	p.outside = outsideOf(p.Built.Messages, shape.Answers, p.Past.Records())
	if err := ctx.Err(); err != nil { // the end of ctx may have cut the counts short
		return fmt.Errorf("count the conversation before %s: %w", p.q.ID, err)
	}
	if len(p.read) > 0 {
		for i, turn := range p.Built.Path.Turns {
			p.Built.Path.Turns[i] = p.read.inlined(turn)
		}
	}
	return nil
}

// outsideOf returns the tools of servers whose calls and results are on a path of messages.
func outsideOf(messages []graph.Message, answers map[graph.MessageID]path.Answer, records map[graph.MessageID]store.Response) (outside []string) {
	for i := range messages {
		if id := messages[i].ID; len(answers[id].Turns) > 0 {
			outside = append(outside, records[id].Outside...)
		}
	}
	slices.Sort(outside)
	return slices.Compact(outside)
}

// tail returns what the model is told beside the conversation, without what is recalled and
// the time.
func (r *Preparer) tail(ctx context.Context, p *Prepared) path.Tail {
	tail := path.Tail{Messages: p.Built.Messages}
	room := r.tokens.tailRoom() + max(0, p.spare)
	tail.Excerpts, room = r.tokens.excerpts(ctx, p, room)
	tail.Background, tail.Beside, p.Unsent = r.tokens.background(ctx, p.Graph, p.Built.Names, room)
	for _, file := range p.Built.Files {
		tail.Files = append(tail.Files, file.Name)
	}
	tail.Notices = append(tail.Notices, p.votes...)
	if len(p.away) > 0 {
		tail.Notices = append(tail.Notices, phrases.ModelAway(p.away))
	}
	if p.Built.Dropped > 0 {
		tail.Notices = append(tail.Notices, phrases.ModelLeftOut(p.Built.Dropped))
	}
	if p.Unsent > 0 {
		tail.Notices = append(tail.Notices, phrases.ModelUnsent(p.Unsent))
	}
	if unread := phrases.ModelNotRead(p.NotRead); unread != "" {
		tail.Notices = append(tail.Notices, unread)
	}
	for _, notice := range []struct {
		text  string
		given bool
	}{
		{phrases.ModelNoHistory, p.IsDenied()},
		{phrases.ModelHidden, p.Hidden},
		{phrases.ModelAlone, p.Alone},
		{phrases.ModelNoRecords, p.Past.LacksRecords()},
		{phrases.ModelCatchUp, p.Calls},
	} {
		if notice.given {
			tail.Notices = append(tail.Notices, notice.text)
		}
	}
	if p.by.members {
		tail.Notices = append(tail.Notices, phrases.ModelMembers(membersOf(p.Built.Messages, p.Built.Names)))
	}
	return tail
}

// background returns the background of a graph as turns, oldest first, and the author of
// each. It leaves in the graph, too, the newest ones that fit into room tokens. One that is too
// long keeps no other out. unsent is the number of seeds that do not fit.
func (t *tokens) background(ctx context.Context, g *graph.Graph, names *path.Names, room int) (turns []path.Turn, by []graph.UserID, unsent int) {
	messages := graph.Messages(g.Background)
	names.Meet(messages)
	var fitting []graph.Node // the newest first, as turns and by until the end
	for i := range slices.Backward(messages) {
		turn := path.TurnOf(messages[i], names.Of(&messages[i]))
		took := t.Count(ctx, turn)
		if took > room {
			if slices.ContainsFunc(g.Background[i].Reasons, func(r graph.Reason) bool { return r.Kind == graph.ReasonSeed }) {
				unsent++
			}
			continue
		}
		room -= took
		fitting, turns, by = append(fitting, g.Background[i]), append(turns, turn), append(by, messages[i].Author)
	}
	slices.Reverse(fitting)
	slices.Reverse(turns)
	slices.Reverse(by)
	g.Background = fitting
	return turns, by, unsent
}

// tokens counts tokens and divides the budget, as settings say. Its methods may be called from
// any goroutine.
type tokens Settings

// pathBudget returns how many tokens a path that is sent with tools may have: what the tools,
// the tail, recalled messages and a summary leave of the budget.
func (t *tokens) pathBudget(ctx context.Context, tools []path.Tool) int {
	left := t.Budget - t.summaryRoom() - t.recallRoom() - t.tailRoom()
	for i := range tools {
		left -= t.ofText(ctx, tools[i].Name+tools[i].Description+tools[i].Schema)
	}
	return max(left, 1)
}

// tailRoom returns the number of tokens that are reserved for the tail. It is constant, so
// that messages of others do not move a path's cut.
func (t *tokens) tailRoom() int { return t.Budget / 8 }

// recallRoom returns the number of tokens that are reserved for recalled messages, or 0
// if none are recalled. It is constant, like tailRoom.
func (t *tokens) recallRoom() int { return t.Budget * t.Recall / 100 }

// The bounds of a summary's room in tokens.
const leastSummary, mostSummary = 64, 512

// summaryRoom returns the number of tokens that are reserved for a summary: an eighth
// of the budget, within bounds, or 0 if there are no summaries.
func (t *tokens) summaryRoom() int {
	if !t.Summaries {
		return 0
	}
	return min(max(t.Budget/8, leastSummary), mostSummary)
}

// ofText returns the number of tokens of a text that is sent as a turn of its own.
func (t *tokens) ofText(ctx context.Context, text string) int {
	return t.Count(ctx, path.Turn{Role: path.RoleSystem, Parts: []path.Part{path.Text(text)}})
}
