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

// wish is what a person asks of heddle about their own messages.
type wish uint8

const (
	wishNothing wish = iota
	wishOptIn
	wishOptOut
	wishForget
)

// wishes are the words that state a wish if a message holds nothing else but the
// mention. They are those of all languages, as people may use any of them anywhere.
type wishes struct {
	words map[string]wish
	// please are the words that may precede or follow a wish.
	please []string
}

func newWishes() wishes {
	w := wishes{words: make(map[string]wish), please: phrases.Words(phrases.PleaseWords)}
	for id, wished := range map[phrases.ID]wish{
		phrases.OptInWords: wishOptIn, phrases.OptOutWords: wishOptOut, phrases.ForgetMeWords: wishForget,
	} {
		for _, words := range phrases.Words(id) {
			w.words[words] = wished
		}
	}
	return w
}

// longestWish is the length in bytes of the longest message that is examined.
const longestWish = 100

// in returns the wish that a message states. The message must hold nothing else but
// heddle's mention, or that of its role.
func (w wishes) in(m *discord.Message, self guilds.Self) wish {
	content := m.Content
	for _, mention := range []string{"<@" + self.User.String() + ">", "<@!" + self.User.String() + ">", "<@&" + self.Role.String() + ">"} {
		content = strings.ReplaceAll(content, mention, " ")
	}
	if len(content) > longestWish {
		return wishNothing
	}
	words := strings.FieldsFunc(strings.ToLower(norm.NFKC.String(content)), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	said := strings.Join(words, " ")
	for _, please := range w.please {
		said = strings.TrimSuffix(strings.TrimPrefix(said, please+" "), " "+please)
	}
	return w.words[said]
}

// fulfil carries out a wish and returns the phrase that confirms it.
func (p *People) fulfil(ctx context.Context, w wish, person graph.UserID) (phrases.ID, error) {
	switch w {
	case wishOptIn:
		return phrases.OptedIn, p.OptIn(ctx, person)
	case wishOptOut:
		return phrases.OptedOut, p.OptOut(ctx, person)
	case wishForget:
		return phrases.Forgotten, p.Forget(ctx, person)
	case wishNothing:
	}
	return phrases.NotRead, nil
}
