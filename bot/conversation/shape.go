package conversation

import (
	"context"
	"fmt"
	"log/slog"
	"slices"

	"heddle/bot/attachments"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/llm"
)

// Tools returns the tools that the model may call; tools.Loop does.
type Tools interface {
	Specs() []path.Tool
}

// shaper turns a graph into a path and a tail.
type shaper struct {
	tools    Tools
	model    Model
	vision   *vision
	files    *attachments.Reader
	tokens   *tokens
	naming   naming
	template path.Shape // the part that is the same for all paths
	log      *slog.Logger
}

func newShaper(deps Deps, tokens *tokens, naming naming, settings Settings) *shaper {
	return &shaper{
		tools: deps.Tools, model: deps.Model, vision: newVision(deps.Model, deps.Typing, settings.Vision), files: deps.Files,
		tokens: tokens, naming: naming, log: deps.Log,
		template: path.Shape{
			Options: settings.Options, Budget: settings.Budget, Retention: settings.Retention, ArtifactWindow: settings.ArtifactWindow,
		},
	}
}

// shaped is the path of a conversation.
type shaped struct {
	built path.Built
	read  attachments.Contents
	shown []graph.AttachmentID // the files that were selected
}

// shape makes the path of a conversation, with the files that the model is shown.
func (s *shaper) shape(ctx context.Context, q Question, by chosen, c *basis) (shaped, error) {
	sees := s.vision.sees(ctx, s.log, q.Channel, c.graph)
	selected := attachments.Select(c.graph, sees, attachments.Before{Shown: c.from.before.Shown, Positions: c.from.Positions})
	read := s.files.Read(ctx, selected, q.addresses())
	shape := s.shapeOf(c.answers.forPath(), c.from.Lineage)
	shape.System, shape.SeesImages = by.system, sees
	built := s.build(ctx, c.graph, shape, read)
	if err := ctx.Err(); err != nil { // the end of ctx may have cut the counts short
		return shaped{}, fmt.Errorf("count the conversation before %s: %w", q.ID, err)
	}
	return shaped{built, read, attachments.IDs(selected)}, nil
}

// shapeOf returns how a path is made from a graph. answers are the records of the answers
// in the graph.
func (s *shaper) shapeOf(answers map[graph.MessageID]path.Answer, lineage path.Lineage) path.Shape {
	shape := s.template
	shape.Answers, shape.Lineage, shape.Naming = answers, lineage, s.naming.now()
	return shape
}

// build builds a path that includes the texts of the files that were read. If the model
// is known to accept no tools, the path has none.
func (s *shaper) build(ctx context.Context, g *graph.Graph, shape path.Shape, read attachments.Contents) path.Built {
	if !rejects(s.model, llm.FeatureTools) {
		shape.Tools = s.tools.Specs()
	}
	if count := s.tokens.count; count != nil {
		shape.Count = func(turn path.Turn) int { return count(ctx, read.Named(read.Inlined(turn))) }
		exact := func() int { return s.tokens.pathBudget(ctx, shape.Tools) }
		if atMost := s.tokens.atMost; atMost != nil {
			shape.AtMost = func(turn path.Turn) int { return atMost(read.Named(read.Inlined(turn))) }
			shape.Budget, shape.Exact = s.tokens.leastPathBudget(shape.Tools), exact
		} else {
			shape.Budget = exact()
		}
	}
	built := path.Build(g, shape)
	if len(read) == 0 {
		return built
	}
	for i, turn := range built.Path.Turns {
		built.Path.Turns[i] = read.Inlined(turn)
	}
	built.Rehash()
	return built
}

// rejects reports whether a model's provider is known to reject a feature.
func rejects(model Model, feature string) bool { return slices.Contains(model.Rejected(), feature) }
