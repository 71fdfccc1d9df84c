package gate

import (
	"context"
	"slices"
	"strings"
	"unicode"

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

// wishes are the words that are a wish if a message holds nothing else but the mention.
func wishes() map[string]wish {
	return map[string]wish{
		"opt in": wishOptIn, "optin": wishOptIn, "opt me in": wishOptIn,
		"opt out": wishOptOut, "optout": wishOptOut, "opt me out": wishOptOut,
		"forget me": wishForget,
	}
}

// longestWish bounds the messages that are looked at, in bytes.
const longestWish = 100

// wishIn returns the wish that a message states: its words, and nothing else but heddle's
// mention, or the mention of its role.
func wishIn(m *discord.Message, self guilds.Self) wish {
	content := strings.NewReplacer(
		"<@"+self.User.String()+">", " ", "<@!"+self.User.String()+">", " ", "<@&"+self.Role.String()+">", " ",
	).Replace(m.Content)
	if len(content) > longestWish {
		return wishNothing
	}
	words := strings.FieldsFunc(strings.ToLower(content), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	words = slices.DeleteFunc(words, func(word string) bool { return word == "please" })
	return wishes()[strings.Join(words, " ")]
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
