package alternatives

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"heddle/bot/outbox"
	"heddle/bot/phrases"
	"heddle/store"
)

// The names of the buttons below answers. A name says what the button does and, if it is
// about a response, which one. Somebody who makes up a name reaches only the answers to
// the question that the pressed message answers.
const (
	buttonPrefix = "heddle:"
	buttonBack   = buttonPrefix + "back:"  // shows an older response
	buttonOn     = buttonPrefix + "on:"    // shows a newer one
	buttonAt     = buttonPrefix + "at"     // shows which one is shown; it cannot be pressed
	buttonAgain  = buttonPrefix + "again:" // asks the question once more while the response is shown
	buttonEdit   = buttonPrefix + "edit:"  // answers the question as it was edited since the response was made
	buttonWhy    = buttonPrefix + "why"    // shows what the answer was made from; see whyName
	buttonMore   = buttonPrefix + "more"   // opens the menu of what else can be done with the answer
)

// newestAnswer returns the response that stands below the question itself: the first
// of the last generation, as "again" asked for those after it.
func newestAnswer(responses []store.Response) store.Response {
	return slices.MinFunc(responses, func(a, b store.Response) int {
		return cmp.Or(cmp.Compare(b.Generation, a.Generation), store.Given(&a).Compare(store.Given(&b)))
	})
}

// indexOf returns the index of a response; -1 if it is not among them.
func indexOf(all []store.Response, id store.ResponseID) int {
	return slices.IndexFunc(all, func(r store.Response) bool { return r.ID == id })
}

// ButtonPolicy is which buttons stand below answers.
type ButtonPolicy uint8

// The policies.
const (
	// ButtonsOn shows a row below every answer, and a second one where there are
	// alternatives.
	ButtonsOn           ButtonPolicy = iota
	ButtonsAlternatives              // only answers with alternatives, and those given before, have buttons
	ButtonsOff                       // only an answer that offers another one has a button
)

// keyboard lays out the buttons below answers.
type keyboard struct{ policy ButtonPolicy }

// below returns the buttons below an answer that shows one of its alternatives. The
// first row asks why, asks afresh and opens the menu. The second row steps through the
// alternatives if there are several.
func (k keyboard) below(l phrases.Language, all []store.Response, at int) outbox.Rows {
	return rows(k.first(l, all, at), k.second(all, at))
}

// offering returns the buttons of below with the offer to answer an edited question.
func (k keyboard) offering(l phrases.Language, all []store.Response, at int) outbox.Rows {
	offer := outbox.Button(buttonEdit+all[at].ID.String(), l.Text(phrases.LabelEdit, nil))
	return rows(append(k.first(l, all, at), offer), k.second(all, at))
}

// rows returns those rows that have buttons.
func rows(all ...[]discordgo.Button) outbox.Rows {
	return slices.DeleteFunc(outbox.Rows(all), func(row []discordgo.Button) bool { return len(row) == 0 })
}

// first returns the buttons of the first row, as far as the policy allows them. If only
// alternatives may have buttons, an answer can be asked for afresh once it has
// alternatives or was reused.
func (k keyboard) first(l phrases.Language, all []store.Response, at int) (first []discordgo.Button) {
	shown := &all[at]
	add := func(button discordgo.Button) { first = append(first, button) }
	if k.policy == ButtonsOn {
		add(outbox.Button(whyName(shown.Trigger), l.Text(phrases.LabelWhy, nil)))
	}
	repeatable := len(all) > 1 || shown.Original() != shown.ID
	if k.policy == ButtonsOn || k.policy == ButtonsAlternatives && repeatable {
		add(outbox.Button(buttonAgain+shown.ID.String(), phrases.LabelAgain))
	}
	if k.policy == ButtonsOn {
		add(outbox.Button(buttonMore, phrases.LabelMore))
	}
	return first
}

func (k keyboard) second(all []store.Response, at int) []discordgo.Button {
	if len(all) < 2 || k.policy == ButtonsOff {
		return nil
	}
	return []discordgo.Button{
		stepTo(buttonBack, phrases.LabelBack, all, at-1),
		outbox.DisabledButton(buttonAt, fmt.Sprintf("%d/%d", at+1, len(all))),
		stepTo(buttonOn, phrases.LabelOn, all, at+1),
	}
}

// stepTo returns a button to one of the alternatives. Past an end it is disabled.
func stepTo(name, label string, all []store.Response, to int) discordgo.Button {
	if to < 0 || to >= len(all) {
		return outbox.DisabledButton(name, label)
	}
	return outbox.Button(name+all[to].ID.String(), label)
}

// AsksWhy reports whether a button's name is that of the one which shows what an answer
// was made from.
func AsksWhy(name string) bool {
	base, _, _ := strings.Cut(strings.TrimPrefix(name, buttonPrefix), ":")
	return buttonPrefix+base == buttonWhy && strings.HasPrefix(name, buttonPrefix)
}

// parseButton parses the name of a button of heddle's.
func parseButton(id string) (name string, response store.ResponseID, ok bool) {
	if id == buttonMore {
		return id, response, true
	}
	for _, name := range []string{buttonBack, buttonOn, buttonAgain, buttonEdit} {
		if rest, is := strings.CutPrefix(id, name); is {
			return name, response, response.UnmarshalText([]byte(rest)) == nil
		}
	}
	return "", response, false
}
