package bot

import (
	"context"
	"slices"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/llm"
)

// build makes the path, with the texts of the files that were read in it. A model
// that is known to take no tools gets a path without.
func (b *Bot) build(g *graph.Graph, shape path.Shape, read readFiles) path.Built {
	if !b.rejects(llm.FeatureTools) {
		shape.Tools = b.loop.Specs()
	}
	if count := shape.Count; count != nil {
		shape.Count = func(turn path.Turn) int { return count(read.named(read.inlined(turn))) }
		if shape.Budget > 0 {
			shape.Budget = max(b.meter.budget(shape.Budget)-toolTokens(shape.Tools, count)-b.summaryRoom()-b.tailRoom(), 1)
		}
	}
	built := path.Build(g, shape)
	if len(read) == 0 {
		return built
	}
	for i, turn := range built.Path.Turns {
		built.Path.Turns[i] = read.inlined(turn)
	}
	built.Hash = built.Path.Hash()
	return built
}

// toolTokens is how many tokens the descriptions of tools take.
func toolTokens(tools []path.Tool, count func(path.Turn) int) int {
	tokens := 0
	for _, tool := range tools {
		parts := []path.Part{path.Text(tool.Name), path.Text(tool.Description), path.Text(tool.Schema)}
		tokens += count(path.Turn{Role: path.RoleSystem, Parts: parts})
	}
	return tokens
}

// rejects says whether the model's provider is known to reject a feature.
func (b *Bot) rejects(feature string) bool { return slices.Contains(b.model.Rejected(), feature) }

// readable reports whether the one who asks may read what was said in the channel
// before, and heddle too.
func (b *Bot) readable(m *mention, asker graph.UserID) func(context.Context) (bool, error) {
	guild, channel := m.guild, m.channel
	return func(ctx context.Context) (bool, error) {
		return b.permissions.MayReadHistory(ctx, guild, channel, asker)
	}
}
