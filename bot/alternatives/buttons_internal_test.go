package alternatives

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"heddle/bot/outbox"
	"heddle/bot/phrases"
	"heddle/store"
)

func TestAlternativesAreToldApartOldestFirst(t *testing.T) {
	at := func(n byte) store.Response {
		return store.Response{
			ID: store.ResponseID{n}, Output: store.Output{Text: "x"}, Standing: store.Standing{Created: time.Unix(int64(n), 0)},
		}
	}
	edited, silent, reuse, second := at(3), at(4), at(1), at(1)
	edited.Generation, silent.Text = 1, ""
	reuse.ID, reuse.Reuses, reuse.Reused = store.ResponseID{7}, store.ResponseID{9}, time.Unix(5, 0)
	second.ID, second.Reuses, second.Reused = store.ResponseID{8}, store.ResponseID{9}, time.Unix(6, 0)
	all := store.Alternatives([]store.Response{at(2), second, edited, silent, reuse}, 0)
	if len(all) != 2 || all[0].ID != reuse.ID || all[1].ID != (store.ResponseID{2}) {
		t.Errorf("the alternatives are %+v, want 2 of them, ID %v of the first and ID %v of the second", all, reuse.ID, (store.ResponseID{2}))
	}
	if all := store.Alternatives([]store.Response{at(2), edited}, 1); len(all) != 1 || all[0].ID != edited.ID {
		t.Errorf("those of the edit are %+v, want one of them and ID %v of the first", all, edited.ID)
	}
}

func TestButtonsFitDiscordsLimitsAndReadBack(t *testing.T) {
	var all []store.Response
	for i := range 12 {
		all = append(all, store.Response{ID: store.ResponseID{byte(i + 1)}})
	}
	for at := range all {
		names := map[string]bool{}
		rows := keyboard{}.offering(phrases.In(), all, at)
		for _, b := range slices.Concat(rows...) {
			name, to, ok := parseButton(b.CustomID)
			want, about := map[string]int{buttonBack: at - 1, buttonOn: at + 1, buttonAgain: at, buttonEdit: at}[name]
			if names[b.CustomID] || len(b.CustomID) > 100 || len(b.Label) > 80 || ok == (b.Disabled || AsksWhy(b.CustomID)) || about && ok && to != all[want].ID {
				t.Errorf("at %d the button %+v does not fit Discord's limits, stands twice or reads back as another", at, b)
			}
			names[b.CustomID] = true
		}
		if got := shape(rows); got != "Why? ↻ ⋯ ✎ Answer the edit | ◀ "+fmt.Sprintf("%d/12", at+1)+" ▶" {
			t.Errorf("at %d the buttons are %q, want %q", at, got, "Why? ↻ ⋯ ✎ Answer the edit | ◀ "+fmt.Sprintf("%d/12", at+1)+" ▶")
		}
	}
}

// TestButtonsAreAsTheOperatorWants shows what each policy leaves below an answer.
func TestButtonsAreAsTheOperatorWants(t *testing.T) {
	one, two := []store.Response{{ID: store.ResponseID{1}}}, []store.Response{{ID: store.ResponseID{1}}, {ID: store.ResponseID{2}}}
	reused := []store.Response{{ID: store.ResponseID{1}, Standing: store.Standing{Reuses: store.ResponseID{99}}}}
	for _, c := range []struct {
		policy ButtonPolicy
		all    []store.Response
		offers bool
		want   string
	}{
		{ButtonsOn, one, false, "Why? ↻ ⋯"},
		{ButtonsOn, two, false, "Why? ↻ ⋯ | ◀ 1/2 ▶"},
		{ButtonsAlternatives, one, false, ""},
		{ButtonsAlternatives, reused, false, "↻"},
		{ButtonsAlternatives, two, false, "↻ | ◀ 1/2 ▶"},
		{ButtonsOff, two, false, ""},
		{ButtonsOff, two, true, "✎ Answer the edit"},
	} {
		below := keyboard{c.policy}.below
		if c.offers {
			below = keyboard{c.policy}.offering
		}
		if got := shape(below(phrases.In(), c.all, 0)); got != c.want {
			t.Errorf("with policy %d, %d answers and an offer %t the buttons are %q, want %q", c.policy, len(c.all), c.offers, got, c.want)
		}
	}
}

// shape returns the labels of rows.
func shape(rows outbox.Rows) string {
	lines := make([]string, len(rows))
	for i, row := range rows {
		var labels []string
		for _, b := range row {
			labels = append(labels, b.Label)
		}
		lines[i] = strings.Join(labels, " ")
	}
	return strings.Join(lines, " | ")
}
