package gate

import (
	"context"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"heddle/bot/guilds"
	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/internal/discord"
)

// wishes are the words that state what a person asks of heddle about their own messages, if
// a message holds nothing else but the mention. They are those of all languages, as people may
// use any of them anywhere. A wish goes by the phrase that confirms it.
type wishes struct {
	words map[string]phrases.ID
	// please are the words that may precede or follow a wish.
	please []string
}

func newWishes() wishes {
	w := wishes{words: make(map[string]phrases.ID), please: phrases.Words("please_words")}
	for id, wished := range map[phrases.ID]phrases.ID{
		"opt_in_words": "opted_in", "opt_out_words": "opted_out", "forget_me_words": "forgotten",
	} {
		for _, words := range phrases.Words(id) {
			w.words[words] = wished
		}
	}
	return w
}

// longestWish is the length in bytes of the longest message that is examined.
const longestWish = 100

// in returns the wish that a message states, or "". The message must hold nothing else but
// heddle's mention, or that of its role.
func (w wishes) in(m *discord.Message, self guilds.Self) phrases.ID {
	content := m.Content
	for _, mention := range []string{"<@" + self.User.String() + ">", "<@!" + self.User.String() + ">", "<@&" + self.Role.String() + ">"} {
		content = strings.ReplaceAll(content, mention, " ")
	}
	if len(content) > longestWish {
		return ""
	}
	words := strings.FieldsFunc(strings.ToLower(norm.NFKC.String(content)), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	said := strings.Join(words, " ")
	for _, please := range w.please {
		said = strings.TrimSuffix(strings.TrimPrefix(said, please+" "), " "+please)
	}
	return w.words[said]
}

// fulfil carries out a wish and returns the phrase that confirms it.
func (g *Gate) fulfil(ctx context.Context, wished phrases.ID, person graph.UserID) (phrases.ID, error) {
	fulfil, known := map[phrases.ID]func(context.Context, graph.UserID) error{
		"opted_in": g.people.OptIn, "opted_out": g.people.OptOut, "forgotten": g.people.Forget,
	}[wished]
	if !known {
		return "not_read", nil
	}
	return wished, fulfil(ctx, person)
}
