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

// wish is what somebody wants of heddle's reading what they write.
type wish uint8

const (
	wishNothing wish = iota
	wishOptIn
	wishOptOut
	wishForget
)

// wishes are the words that are a wish if a message holds nothing else but the mention,
// in all languages at once, as people write their own in any guild.
type wishes struct {
	words map[string]wish
	// please are the words that may stand before or behind a wish.
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

// longestWish bounds the messages that are looked at, in bytes.
const longestWish = 100

// in returns the wish that a message states: its words, and nothing else but heddle's
// mention, or the mention of its role.
func (w wishes) in(m *discord.Message, self guilds.Self) wish {
	content := strings.NewReplacer(
		"<@"+self.User.String()+">", " ", "<@!"+self.User.String()+">", " ", "<@&"+self.Role.String()+">", " ",
	).Replace(m.Content)
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

// fulfil does what somebody wishes and returns the phrase that tells so.
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
