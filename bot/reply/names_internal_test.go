package reply

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"heddle/bot/phrases"
	"heddle/internal/expensive"
	"heddle/store"
)

func TestButtonsFitDiscordsLimitsAndReadBack(t *testing.T) {
	var all []store.Response
	for i := range 12 {
		all = append(all, store.Response{ID: store.ResponseID{byte(i + 1)}})
	}
	for at := range all {
		names := map[string]bool{}
		rows := new(Replies).Below(phrases.In(), all, at)
		for _, b := range slices.Concat(rows...) {
			last := strings.LastIndexByte(b.CustomID, ':') + 1
			want, about := map[string]int{phrases.LabelBack: at - 1, phrases.LabelOn: at + 1, phrases.LabelAgain: at}[b.Label]
			to, _ := ParseResponse(b.CustomID[last:])
			if names[b.CustomID] || len(b.CustomID) > 100 || len(b.Label) > 80 || about && !b.Disabled && to != all[want].ID {
				t.Errorf("at %d the button %+v does not fit Discord's limits, stands twice or reads back as another", at, b)
			}
			names[b.CustomID] = true
		}
		if got := shape(rows); got != "Why? ↻ ⋯ | ◀ "+fmt.Sprintf("%d/12", at+1)+" ▶" {
			t.Errorf("at %d the buttons are %q, want %q", at, got, "Why? ↻ ⋯ | ◀ "+fmt.Sprintf("%d/12", at+1)+" ▶")
		}
	}
}

func TestButtonsFitTheAnswer(t *testing.T) {
	one, two := []store.Response{{ID: store.ResponseID{1}}}, []store.Response{{ID: store.ResponseID{1}}, {ID: store.ResponseID{2}}}
	aside := []store.Response{{Input: store.Input{Sources: []store.SourceRef{{Channel: 1}}}}}
	for _, c := range []struct {
		all  []store.Response
		want string
	}{
		{one, "Why? ↻ ⋯"},
		{two, "Why? ↻ ⋯ | ◀ 1/2 ▶"},
		{aside, "Why? ⋯"},
	} {
		if got := shape((&Replies{NoButtons: true}).Below(phrases.In(), c.all, 0)); got != "" {
			t.Errorf("without buttons, those below %d answers are %q, want none", len(c.all), got)
		}
		if got := shape(new(Replies).Below(phrases.In(), c.all, 0)); got != c.want {
			t.Errorf("the buttons below %d answers are %q, want %q", len(c.all), got, c.want)
		}
	}
}

// shape returns the labels of rows.
func shape(rows Rows) string {
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

// BenchmarkExpensiveButton reads names of buttons that anybody could have made up.
func BenchmarkExpensiveButton(b *testing.B) {
	expensive.Text(b, func(text string) {
		ParseResponse(text)
		ParseStop(text)
	})
}

// FuzzAButtonIsWhatItWasMadeAs demands that a response is read in a name only if heddle could
// have written it.
func FuzzAButtonIsWhatItWasMadeAs(f *testing.F) {
	f.Add(store.ResponseID{1}.String())
	f.Add(strings.Repeat("F", 32))
	f.Add("x")
	f.Fuzz(func(t *testing.T, name string) {
		response, ok := ParseResponse(name)
		if ok && !strings.EqualFold(name, response.String()) {
			t.Fatalf("%q is read as %s, want what makes the same name again", name, response)
		}
	})
}
