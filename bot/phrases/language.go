package phrases

import (
	"embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/nicksnyder/go-i18n/v2/i18n"
	"golang.org/x/text/language"
)

// files holds one file for each language. Another language is one more file.
//
//go:embed languages/*.json
var files embed.FS

// ID names a phrase in the files of all languages.
type ID string

// The phrases of commands.
const (
	CommandHeddle  ID = "command_heddle"
	CommandHelp    ID = "command_help"
	CommandPrivacy ID = "command_privacy"
	Help           ID = "help"
	Privacy        ID = "privacy"
	PrivacyContact ID = "privacy_contact"
	CommandUnknown ID = "command_unknown"
	CommandFailed  ID = "command_failed"
	Days           ID = "days"
)

// Values are what the placeholders of a phrase stand for.
type Values map[string]any

// Language is a language that people read.
type Language struct{ localizer *i18n.Localizer }

// In returns the first of the locales, as Discord names them, that heddle speaks.
// Otherwise it returns English.
func In(locales ...string) Language { return Language{i18n.NewLocalizer(bundle(), locales...)} }

// Text returns a phrase.
func (l Language) Text(id ID, values Values) string {
	return l.localizer.MustLocalize(&i18n.LocalizeConfig{MessageID: string(id), TemplateData: map[string]any(values)})
}

// Count returns a phrase in the form for a number, which stands for {{.Count}}.
func (l Language) Count(id ID, n int, values Values) string {
	all := map[string]any{"Count": n}
	for name, value := range values {
		all[name] = value
	}
	return l.localizer.MustLocalize(&i18n.LocalizeConfig{MessageID: string(id), PluralCount: n, TemplateData: all})
}

// Localized returns a phrase in all languages but English, by Discord's locales.
func Localized(id ID) map[string]string {
	return map[string]string{
		"de":     In("de").Text(id, nil),
		"es-ES":  In("es").Text(id, nil),
		"es-419": In("es").Text(id, nil),
		"ja":     In("ja").Text(id, nil),
	}
}

// bundle returns the languages, which are read once.
var bundle = sync.OnceValue(func() *i18n.Bundle {
	b := i18n.NewBundle(language.English)
	b.RegisterUnmarshalFunc("json", json.Unmarshal)
	entries, err := files.ReadDir("languages")
	if err != nil {
		panic(fmt.Sprintf("phrases: %v", err)) // the files are embedded
	}
	for _, entry := range entries {
		if _, err := b.LoadMessageFileFS(files, "languages/"+entry.Name()); err != nil {
			panic(fmt.Sprintf("phrases: %s: %v", strings.TrimSuffix(entry.Name(), ".json"), err))
		}
	}
	return b
})
