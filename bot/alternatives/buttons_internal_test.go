package alternatives

import (
	"strings"
	"testing"
	"time"

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
	all := among([]store.Response{at(2), second, edited, silent, reuse}, 0)
	if len(all) != 2 || all[0].ID != reuse.ID || all[1].ID != (store.ResponseID{2}) {
		t.Errorf("the alternatives are %+v", all)
	}
	if all := among([]store.Response{at(2), edited}, 1); len(all) != 1 || all[0].ID != edited.ID {
		t.Errorf("those of the edit are %+v", all)
	}
}

func TestButtonsFitDiscordsLimitsAndReadBack(t *testing.T) {
	var all []store.Response
	for i := range 12 {
		all = append(all, store.Response{ID: store.ResponseID{byte(i + 1)}})
	}
	for at := range all {
		names := map[string]bool{}
		row := buttons(phrases.In(), all, at)
		for _, b := range row {
			name, to, ok := parseButton(b.CustomID)
			want := map[string]int{buttonBack: at - 1, buttonOn: at + 1, buttonAgain: at}[name]
			if names[b.CustomID] || len(b.CustomID) > 100 || len(b.Label) > 80 || ok == b.Disabled || ok && to != all[want].ID {
				t.Errorf("at %d: %+v", at, b)
			}
			names[b.CustomID] = true
		}
		if len(row) != 4 {
			t.Errorf("at %d there are %d buttons", at, len(row))
		}
	}
	offering := display{said: phrases.In(), all: all, offers: true}
	if row := offering.row(4); len(row) != 5 || row[4].CustomID != buttonEdit+all[4].ID.String() { // Discord takes no more
		t.Errorf("an answer that offers another has the buttons %+v", row)
	}
	if row := buttons(phrases.In(), all[:1], 0); len(row) != 0 {
		t.Errorf("a single answer has the buttons %+v", row)
	}
	all[0].Reuses = store.ResponseID{99}
	if row := buttons(phrases.In(), all[:1], 0); len(row) != 1 || !strings.HasPrefix(row[0].CustomID, buttonAgain) {
		t.Errorf("an answer that is given again has the buttons %+v", row)
	}
}
