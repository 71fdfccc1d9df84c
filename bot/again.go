package bot

import (
	"context"
	"log/slog"
	"slices"
	"strings"

	"heddle/bot/work"

	"heddle/graph"
	"heddle/store"
)

// askedAgain says whether a mention asks for another answer to an earlier
// question, and gives that question: the mention replies to an answer of heddle's
// and says "again", or 🔁, and nothing else. Where the answer is not known any
// more the mention is a question like any other.
func (b *Bot) askedAgain(ctx context.Context, log *slog.Logger, p *prepared) (mention, bool) {
	if !asksAgain(&p.trigger) {
		return mention{}, false
	}
	answer := p.trigger.References[slices.IndexFunc(p.trigger.References, isReply)].Message
	responses, err := b.responses.Recall(ctx, p.place.Scope, []graph.MessageID{answer})
	if err != nil {
		log.DebugContext(ctx, "the answer that is asked for again could not be looked up", "error", err)
	}
	response, ok := responses[answer]
	if !ok || response.Channel != p.channel {
		return mention{}, false
	}
	question := p.mention
	question.id, question.reply, question.fresh, question.asker = response.Trigger, p.id, true, p.trigger.Author
	question.beside = answer
	question.generation = b.generationBeside(ctx, log, question, response.ID)
	return question, true
}

// besides gives an answer the buttons that lead to the one just given beside it.
func (b *Bot) besides(ctx context.Context, log *slog.Logger, m mention) {
	ctx, cancel := work.Ending(ctx, b.settings.Flush)
	defer cancel()
	if err := b.relabelBeside(ctx, log, m); err != nil {
		log.Log(ctx, level(err), "an answer did not get the buttons to the one beside it", "error", err)
	}
}

func (b *Bot) relabelBeside(ctx context.Context, log *slog.Logger, m mention) error {
	d, err := b.readDisplay(ctx, m.place.Scope, m.channel, m.beside)
	if err != nil {
		return err
	}
	d, release, err := b.holdDisplay(ctx, log, d, m.beside)
	if err != nil {
		return err
	}
	defer release()
	return b.relabel(ctx, d)
}

// generationBeside is that of the next answer to a question, beside one that is given.
func (b *Bot) generationBeside(ctx context.Context, log *slog.Logger, question mention, given store.ResponseID) int {
	responses, err := b.responses.ByTrigger(ctx, question.place.Scope, question.id)
	if err != nil {
		log.DebugContext(ctx, "the answers to a question could not be looked up", "error", err)
	}
	i := indexOf(responses, given)
	if i < 0 {
		return 0
	}
	newest := standing(responses)
	generation, err := b.generation(ctx, question, &responses[i], &newest)
	if err != nil {
		log.DebugContext(ctx, "whether a question was edited is not known", "error", err)
	}
	return generation
}

// asksAgain says whether a message replies to something and asks for another answer.
func asksAgain(m *graph.Message) bool {
	return slices.ContainsFunc(m.References, isReply) && saysAgain(m.Text)
}

func isReply(r graph.Reference) bool { return r.Kind == graph.ReferenceReply }

// saysAgain says whether a text asks for another answer and for nothing else,
// mentions aside.
func saysAgain(text string) bool {
	words := slices.DeleteFunc(strings.Fields(strings.ToLower(text)), func(word string) bool { return strings.HasPrefix(word, "@") })
	switch strings.TrimRight(strings.Join(words, " "), ".!") {
	case "again", "🔁", "🔄":
		return true
	default:
		return false
	}
}
