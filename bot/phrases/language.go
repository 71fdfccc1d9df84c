package phrases

import (
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/nicksnyder/go-i18n/v2/i18n"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/number"
)

// files holds one file for each language, named by its language tag. To add a language,
// add a file.
//
//go:embed languages/*.json
var files embed.FS

// ID is the key of a phrase in the files of all languages. "notice_cut" is one of the lines
// below an answer, as all that begin with notice are; label, command and option begin those
// of buttons and commands.
type ID string

// Values maps the placeholders of a phrase to their values. A number is written as people do
// who speak the language. Codes and ids, which are not counted, must be strings.
type Values map[string]any

// Phrase is a phrase with its values, before a language is chosen.
type Phrase struct {
	ID      ID
	Values  Values // nil for a phrase without placeholders
	Contact string // whom the reader can ask if the trouble lasts; empty for nobody
}

// Language is a language that people read. The zero Language is English.
type Language struct{ *spoken }

// spoken is a language with how its numbers are written.
type spoken struct {
	localizer *i18n.Localizer
	numbers   func() *message.Printer
}

// In returns the language of the first of Discord's locales that heddle has phrases
// for, or English if there is none.
func In(locales ...string) Language {
	return Language{&spoken{
		localizer: i18n.NewLocalizer(bundle(), locales...),
		numbers:   sync.OnceValue(func() *message.Printer { return numbersIn(locales) }),
	}}
}

// English returns a phrase without placeholders in English.
func English(id ID) string { return In().Text(id, nil) }

// Text returns the text of a phrase. The text of an unknown phrase is its ID.
func (l Language) Text(id ID, values Values) string {
	return l.localize(id, values, &i18n.LocalizeConfig{})
}

// Say returns the text of a phrase.
func (l Language) Say(p Phrase) string {
	text := l.Text(p.ID, p.Values)
	if p.Contact == "" {
		return text
	}
	return l.Text("ask_contact", Values{"Trouble": text, "Contact": p.Contact})
}

// Count returns the text of a phrase in the plural form for n, with n for {{.Count}}.
func (l Language) Count(id ID, n int, values Values) string {
	all := Values{"Count": n}
	maps.Copy(all, values)
	return l.localize(id, all, &i18n.LocalizeConfig{PluralCount: n})
}

// localize returns the text of a phrase. If the language lacks the phrase, the text is
// in English.
func (l Language) localize(id ID, values Values, wanted *i18n.LocalizeConfig) string {
	if l.spoken == nil {
		l = In()
	}
	wanted.MessageID = string(id)
	if len(values) > 0 {
		wanted.TemplateData = l.written(values)
	}
	if text, _ := l.localizer.Localize(wanted); text != "" {
		return text // an error means that the text is in English
	}
	return string(id)
}

// Localized returns the texts of a phrase in all languages but English, by Discord's
// locales.
func Localized(id ID) map[string]string {
	return LocalizedBy(func(l Language) string { return l.Text(id, nil) })
}

// LocalizedBy returns what is said in all languages but English, by Discord's locales.
func LocalizedBy(said func(Language) string) map[string]string {
	all := make(map[string]string)
	matcher := language.NewMatcher(bundle().LanguageTags())
	for _, locale := range discordLocales() {
		if tag, _, confidence := matcher.Match(language.Make(locale)); confidence > language.Low && !isEnglish(tag) {
			all[locale] = said(In(locale))
		}
	}
	return all
}

// Words returns the words that a phrase lists, separated by commas, in all languages.
func Words(id ID) []string {
	var all []string
	for _, tag := range bundle().LanguageTags() {
		for word := range strings.SplitSeq(In(tag.String()).Text(id, nil), ",") {
			all = append(all, strings.TrimSpace(word))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func isEnglish(tag language.Tag) bool {
	base, _ := tag.Base()
	return base.String() == "en"
}

// discordLocales returns the locales in Discord's API reference, "Locales".
func discordLocales() []string {
	return []string{
		"id", "da", "de", "en-GB", "en-US", "es-ES", "es-419", "fr", "hr", "it", "lt", "hu", "nl", "no", "pl", "pt-BR", "ro", "fi",
		"sv-SE", "vi", "tr", "cs", "el", "bg", "ru", "uk", "hi", "th", "zh-CN", "ja", "zh-TW", "ko",
	}
}

// bundle returns the languages, which are read once.
//
//nolint:gochecknoglobals // it holds what is embedded and never changes
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

// Cost is an amount of money. It is written with two decimals. Below one it has as many more
// as it takes to show its first digits.
type Cost struct {
	Amount   float64
	Currency string // empty if prices are set without one
}

// decimals returns with how many decimals a cost is written at most.
func (c Cost) decimals() int {
	const least, most = 2, 6
	decimals := least
	for rest := c.Amount; rest < 1 && decimals < most; rest *= 10 {
		decimals++
	}
	return decimals
}

// numbersIn returns what writes numbers as people do who speak the first of Discord's
// locales that heddle has phrases for, and as in English if there is none.
func numbersIn(locales []string) *message.Printer {
	matcher := language.NewMatcher(bundle().LanguageTags())
	for _, locale := range locales {
		tag := language.Make(locale)
		if _, _, confidence := matcher.Match(tag); confidence > language.Low {
			return message.NewPrinter(tag)
		}
	}
	return message.NewPrinter(language.English)
}

// written returns values with the numbers among them as the language writes them: 1,234 or
// 1.234.
func (s *spoken) written(values Values) map[string]any {
	all := maps.Clone(map[string]any(values))
	for name, value := range all {
		switch n := value.(type) {
		case int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64:
			all[name] = s.numbers().Sprint(number.Decimal(n))
		case Cost:
			amount := s.numbers().Sprint(number.Decimal(n.Amount, number.MinFractionDigits(2), number.MaxFractionDigits(n.decimals())))
			all[name] = strings.TrimSpace(amount + " " + n.Currency)
		}
	}
	return all
}

// RefusedError is an error that the person who uses a command reads as it is. It tells them
// what they can do.
type RefusedError struct{ Phrase }

// Error returns the name of the phrase.
func (r RefusedError) Error() string { return "refused: " + string(r.ID) }

// Refused returns an error that people read as a phrase.
func Refused(id ID, values Values) error {
	return RefusedError{Phrase{ID: id, Values: values}}
}
