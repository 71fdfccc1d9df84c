package phrases

import (
	"embed"
	"encoding/json"
	"fmt"
	"maps"
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
	CommandOptOut  ID = "command_opt_out"
	CommandOptIn   ID = "command_opt_in"
	CommandForget  ID = "command_forget"
	OptedOutBy     ID = "opted_out"
	OptedInBy      ID = "opted_in"
	ForgottenBy    ID = "forgotten"
	NotPermittedBy ID = "not_permitted"
	CommandUnknown ID = "command_unknown"
	CommandFailed  ID = "command_failed"

	Days    ID = "days"
	Hours   ID = "hours"
	Minutes ID = "minutes"
	Seconds ID = "seconds"
)

// The phrases of an explanation: why an answer was made from what it was made from.
const (
	WhyUnknown      ID = "why_unknown"
	CommandWhy      ID = "command_why"
	WhyAnswer       ID = "why_answer"
	WhyPreview      ID = "why_preview"
	WhyConversation ID = "why_conversation"
	WhyBackground   ID = "why_background"
	WhyAlone        ID = "why_alone"
	WhyBelongs      ID = "why_belongs"
	WhyQuestion     ID = "why_question"
	WhyOther        ID = "why_other"
	WhyNewest       ID = "why_newest"
	WhyNeighbour    ID = "why_neighbour"
	WhyLineage      ID = "why_lineage"
	WhyRepliedTo    ID = "why_replied_to"
	WhyReplies      ID = "why_replies"
	WhyStarter      ID = "why_starter"
	WhyForwarded    ID = "why_forwarded"
	WhyAddressed    ID = "why_addressed"
	WhyAnswered     ID = "why_answered"
	WhyAnswers      ID = "why_answers"
	WhyContinued    ID = "why_continued"
	WhyContinues    ID = "why_continues"
	WhyWeak         ID = "why_weak"
	WhyUnseen       ID = "why_unseen"
	WhyFulfilled    ID = "why_fulfilled"
	WhyUncertain    ID = "why_uncertain"
	WhyOverBudget   ID = "why_over_budget"
	WhyStopped      ID = "why_stopped"
	WhyStopGap      ID = "why_stop_gap"
	WhyStopOther    ID = "why_stop_other"
	WhyStopBegin    ID = "why_stop_begin"
	WhyStopRoom     ID = "why_stop_room"
	WhyStopDenied   ID = "why_stop_denied"
	WhyModel        ID = "why_model"
	WhyReused       ID = "why_reused"
	WhySure         ID = "why_sure"
	WhyFairlySure   ID = "why_fairly_sure"
	WhyUnsure       ID = "why_unsure"
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
	maps.Copy(all, values)
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
