package bot

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"heddle/bot/phrases"

	"heddle/bot/outbox"
	"heddle/store"
)

// What the buttons below answers are called: what is to be done, and where it
// concerns one, the response. Somebody who makes up such a name reaches no more than
// the answers to the question behind the very message that holds the button.
const (
	buttonPrefix = "heddle:"
	buttonBack   = buttonPrefix + "back:"  // shows a response that is older
	buttonOn     = buttonPrefix + "on:"    // shows one that is newer
	buttonAt     = buttonPrefix + "at"     // says which is shown; nobody can press it
	buttonAgain  = buttonPrefix + "again:" // has the question answered once more while the response is shown
	buttonEdit   = buttonPrefix + "edit:"  // has the question, edited since the response was made, answered as it is now
)

// alternatives are the answers to a question among which people can choose, oldest
// first: those of one generation that say something, each once however often it was
// given again.
func alternatives(responses []store.Response, generation int) []store.Response {
	all := slices.DeleteFunc(slices.Clone(responses), func(r store.Response) bool { return r.Generation != generation || r.Text == "" })
	slices.SortFunc(all, func(a, b store.Response) int {
		return cmp.Or(a.Created.Compare(b.Created), given(&a).Compare(given(&b)), cmp.Compare(a.ID.String(), b.ID.String()))
	})
	seen := make(map[store.ResponseID]bool)
	return slices.DeleteFunc(all, func(r store.Response) bool {
		known := seen[r.Original()]
		seen[r.Original()] = true
		return known
	})
}

// indexOf is where a response, or what it gives again, is among alternatives; -1
// where it is not.
func indexOf(all []store.Response, id store.ResponseID) int {
	return slices.IndexFunc(all, func(r store.Response) bool { return r.ID == id })
}

// buttons stand below an answer that shows one of its alternatives: those that walk
// them where there are several, and one that asks afresh, there and where the answer
// was given before.
func buttons(all []store.Response, at int) []discordgo.Button {
	var row []discordgo.Button
	if len(all) > 1 {
		row = []discordgo.Button{
			walkTo(buttonBack, phrases.LabelBack, all, at-1),
			outbox.DisabledButton(buttonAt, fmt.Sprintf(phrases.LabelAt, at+1, len(all))),
			walkTo(buttonOn, phrases.LabelOn, all, at+1),
		}
	}
	if shown := &all[at]; len(row) > 0 || shown.Original() != shown.ID {
		row = append(row, outbox.Button(buttonAgain+shown.ID.String(), phrases.LabelAgain))
	}
	return row
}

// walkTo is a button to one of the alternatives; at an end it cannot be pressed.
func walkTo(name, label string, all []store.Response, to int) discordgo.Button {
	if to < 0 || to >= len(all) {
		return outbox.DisabledButton(name, label)
	}
	return outbox.Button(name+all[to].ID.String(), label)
}

// pressedButton reads the name of a button of heddle's.
func pressedButton(id string) (name string, response store.ResponseID, ok bool) {
	for _, name := range []string{buttonBack, buttonOn, buttonAgain, buttonEdit} {
		if rest, is := strings.CutPrefix(id, name); is {
			return name, response, response.UnmarshalText([]byte(rest)) == nil
		}
	}
	return "", response, false
}
