package phrases

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/feature/plural"
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

// spoken is a language with how its numbers are written, which also depends on where it is
// spoken.
type spoken struct {
	*translation
	numbers func() *message.Printer
	english *translation // has the phrases that this one lacks
}

// translation holds the phrases of one language.
type translation struct {
	tag   language.Tag
	texts map[ID]forms
}

// forms maps the plural forms that a language has to the texts of a phrase. A phrase that
// counts nothing has the form "other" alone.
type forms map[string]string

// UnmarshalJSON reads a text, or an object with a text for each form.
func (f *forms) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*f = forms{"other": text}
		return nil
	}
	return json.Unmarshal(data, (*map[string]string)(f))
}

// In returns the language of the first of Discord's locales that heddle has phrases
// for, or English if there is none.
func In(locales ...string) Language { return translations().in(locales...) }

// English returns a phrase without placeholders in English.
func English(id ID) string { return In().Text(id, nil) }

// Text returns the text of a phrase. The text of an unknown phrase is its ID.
func (l Language) Text(id ID, values Values) string {
	return l.text(id, values, func(language.Tag) string { return "other" })
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
	return l.text(id, all, func(tag language.Tag) string {
		names := map[plural.Form]string{plural.Zero: "zero", plural.One: "one", plural.Two: "two", plural.Few: "few", plural.Many: "many"}
		return cmp.Or(names[plural.Cardinal.MatchPlural(tag, n, 0, 0, 0, 0)], "other")
	})
}

// text returns the text of a phrase with its values, in the plural form that form returns
// for a language. If the language lacks the phrase, all of it is in English, its numbers
// included, so that a new language may begin with one phrase.
func (l Language) text(id ID, values Values, form func(language.Tag) string) string {
	if l.spoken == nil {
		l = In()
	}
	found, ok := l.texts[id]
	if !ok {
		l = Language{&spoken{l.english, englishNumbers, l.english}}
		if found, ok = l.texts[id]; !ok {
			return string(id)
		}
	}
	text := cmp.Or(found[form(l.tag)], found["other"])
	if len(values) == 0 {
		return text
	}
	var written []string
	for name, value := range values {
		written = append(written, "{{."+name+"}}", l.write(value))
	}
	return strings.NewReplacer(written...).Replace(text)
}

func englishNumbers() *message.Printer { return message.NewPrinter(language.English) }

// Localized returns the texts of a phrase in all languages but English, by Discord's
// locales.
func Localized(id ID) map[string]string {
	return LocalizedBy(func(l Language) string { return l.Text(id, nil) })
}

// LocalizedBy returns what is said in all languages but English, by Discord's locales.
func LocalizedBy(said func(Language) string) map[string]string {
	all := make(map[string]string)
	for _, locale := range discordLocales() {
		if l := In(locale); l.tag != language.English {
			all[locale] = said(l)
		}
	}
	return all
}

// Words returns the words that a phrase lists, separated by commas, in all languages.
func Words(id ID) []string {
	var all []string
	for i := range translations().all {
		for word := range strings.SplitSeq(translations().speak(i, language.English).Text(id, nil), ",") {
			all = append(all, strings.TrimSpace(word))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// discordLocales returns the locales in Discord's API reference, "Locales".
func discordLocales() []string {
	return []string{
		"id", "da", "de", "en-GB", "en-US", "es-ES", "es-419", "fr", "hr", "it", "lt", "hu", "nl", "no", "pl", "pt-BR", "ro", "fi",
		"sv-SE", "vi", "tr", "cs", "el", "bg", "ru", "uk", "hi", "th", "zh-CN", "ja", "zh-TW", "ko",
	}
}

// spokenLanguages holds the languages, English first, and what finds one by a locale.
type spokenLanguages struct {
	all     []*translation
	matcher language.Matcher
}

func (s *spokenLanguages) in(locales ...string) Language {
	for _, locale := range locales {
		tag := language.Make(locale)
		if _, i, confidence := s.matcher.Match(tag); confidence > language.Low {
			return s.speak(i, tag)
		}
	}
	return s.speak(0, language.English)
}

// speak returns a language, with numbers as they are written where tag is spoken.
func (s *spokenLanguages) speak(i int, tag language.Tag) Language {
	numbers := sync.OnceValue(func() *message.Printer { return message.NewPrinter(tag) })
	return Language{&spoken{s.all[i], numbers, s.all[0]}}
}

// translations returns the languages, which are read once.
//
//nolint:gochecknoglobals // it holds what is embedded and never changes
var translations = sync.OnceValue(func() *spokenLanguages {
	all, err := readTranslations(files)
	if err != nil {
		panic(fmt.Sprintf("phrases: %v", err)) // the files are embedded
	}
	return all
})

// readTranslations reads the files of a folder languages, of which one is English.
func readTranslations(files fs.FS) (*spokenLanguages, error) {
	names, err := fs.Glob(files, "languages/*.json")
	all := make([]*translation, len(names))
	tags := make([]language.Tag, len(names))
	for i, name := range names {
		all[i] = &translation{tag: language.Make(strings.TrimSuffix(path.Base(name), ".json"))}
		text, failed := fs.ReadFile(files, name)
		if failed == nil {
			failed = json.Unmarshal(text, &all[i].texts)
		}
		if failed != nil {
			err = fmt.Errorf("%s: %w", name, failed)
		}
		if all[i].tag == language.English {
			all[0], all[i] = all[i], all[0] // a matcher falls back to its first language
		}
	}
	for i, read := range all {
		tags[i] = read.tag
	}
	return &spokenLanguages{all, language.NewMatcher(tags)}, err
}

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

// write returns a value as the language writes it: 1,234 or 1.234 for a number.
func (s *spoken) write(value any) string {
	switch n := value.(type) {
	case int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64:
		return s.numbers().Sprint(number.Decimal(n))
	case Cost:
		amount := s.numbers().Sprint(number.Decimal(n.Amount, number.MinFractionDigits(2), number.MaxFractionDigits(n.decimals())))
		return strings.TrimSpace(amount + " " + n.Currency)
	}
	return fmt.Sprint(value)
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
