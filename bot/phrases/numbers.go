package phrases

import (
	"maps"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/number"
)

// Cost is an amount of money, in whatever currency prices are set in. It is written with
// four decimals.
type Cost float64

// numbersIn returns what writes numbers as people do who speak the first of Discord's
// locales that heddle has phrases for, and as in English if there is none.
func numbersIn(locales []string) *message.Printer {
	for _, locale := range locales {
		tag := language.Make(locale)
		if base, sure := tag.Base(); sure != language.No && speaks(base) {
			return message.NewPrinter(tag)
		}
	}
	return message.NewPrinter(language.English)
}

// speaks reports whether heddle has phrases in a language.
func speaks(wanted language.Base) bool {
	for _, tag := range bundle().LanguageTags() {
		if base, _ := tag.Base(); base == wanted {
			return true
		}
	}
	return false
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
			all[name] = s.numbers().Sprint(number.Decimal(float64(n), number.Scale(4)))
		}
	}
	return all
}
