package commands

import (
	"context"
	"strings"
	"time"

	"heddle/bot/phrases"
)

// about tells people what heddle is and does with what they write.
type about struct{ settings Settings }

func (a *about) help(_ context.Context, use *Use) (Reply, error) {
	return Reply{Text: use.Language.Text(phrases.Help, nil)}, nil
}

// privacy names the providers that read what people write, how long answers are kept,
// and whom people can ask.
func (a *about) privacy(_ context.Context, use *Use) (Reply, error) {
	const day = 24 * time.Hour
	text := use.Language.Text(phrases.Privacy, phrases.Values{
		"Provider": a.settings.Chat.Provider, "Model": a.settings.Chat.Name,
		"Days": use.Language.Count(phrases.Days, max(1, int(a.settings.Keep/day)), nil),
	})
	if len(a.settings.Fallbacks) > 0 {
		var named []string
		for _, m := range a.settings.Fallbacks {
			named = append(named, use.Language.Text(phrases.PrivacyModel, phrases.Values{"Provider": m.Provider, "Model": m.Name}))
		}
		text = phrases.Lines(text, use.Language.Text(phrases.PrivacyFallbacks, phrases.Values{"Providers": strings.Join(named, ", ")}))
	}
	if a.settings.Embedding != (Model{}) {
		text = phrases.Lines(text, use.Language.Text(phrases.PrivacyEmbedding, phrases.Values{
			"Provider": a.settings.Embedding.Provider, "Model": a.settings.Embedding.Name,
		}))
	}
	if a.settings.Contact != "" {
		text = phrases.Lines(text, use.Language.Text(phrases.PrivacyContact, phrases.Values{"Contact": a.settings.Contact}))
	}
	return Reply{Text: text}, nil
}
