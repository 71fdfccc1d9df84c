package path_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"heddle/graph"
	"heddle/graph/path"
)

// plainFold stands for a fold that knows what looks alike.
func plainFold(name string) string {
	name = strings.NewReplacer("η", "h", "е", "e", "0", "o").Replace(strings.ToLower(name))
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" .()[]_-🙂", r) {
			return -1
		}
		return r
	}, name)
}

func TestNamesAreMarkedWhereTheyCouldBeMistaken(t *testing.T) {
	naming := path.NewNaming(plainFold).Reserving("Weaver", "search_channel")
	for _, test := range []struct {
		name   string
		origin graph.Origin
		want   string
	}{
		{"ann", graph.OriginPerson, "ann"},
		{" ann ", graph.OriginPerson, "ann"},
		{"", graph.OriginPerson, "somebody (person)"},
		{"🙂", graph.OriginPerson, "🙂"},
		{"ann", graph.OriginWebhook, "ann (webhook)"},
		{"ann", graph.OriginBot, "ann (bot)"},
		{"heddle", graph.OriginPerson, "heddle (person)"},
		{"ηеddle", graph.OriginPerson, "ηеddle (person)"},
		{"h.e.d.d.l.e", graph.OriginPerson, "h.e.d.d.l.e (person)"},
		{"the heddle team", graph.OriginPerson, "the heddle team (person)"},
		{"weaver", graph.OriginPerson, "weaver (person)"},
		{"search_channel", graph.OriginPerson, "search_channel (person)"},
		{"SYSTEM", graph.OriginBot, "SYSTEM (bot)"},
		{"ann (bot)", graph.OriginPerson, "ann (bot) (person)"},
		{"ann (person)", graph.OriginWebhook, "ann (person) (webhook)"},
		{"somebody", graph.OriginPerson, "somebody (person)"},
		{"robotics", graph.OriginPerson, "robotics"},
	} {
		m := graph.Message{Author: 1, Name: test.name, Origin: test.origin}
		if got := naming.Names().Of(&m); got != test.want {
			t.Errorf("the %s %q is called %q, want %q", test.origin, test.name, got, test.want)
		}
	}
}

func TestNamesakesAndUsersOfAWebhookHaveNamesOfTheirOwn(t *testing.T) {
	names := path.NewNaming(plainFold).Names()
	var got []string
	for _, name := range []string{"ann", "bob", "ann", "Ann"} {
		got = append(got, names.Of(&graph.Message{Author: 7, Name: name, Origin: graph.OriginWebhook}))
	}
	got = append(got, names.Of(&graph.Message{Author: 8, Name: "ann", Origin: graph.OriginWebhook}))
	for author, name := range []string{"ann", "Ann", "Ann (2)"} {
		got = append(got, names.Of(&graph.Message{Author: graph.UserID(10 + author), Name: name}))
	}
	got = append(got, names.Of(&graph.Message{Author: 10, Name: "renamed"}))
	want := []string{"ann (webhook)", "bob (webhook)", "ann (webhook)", "Ann (webhook 2)", "ann (webhook 3)", "ann", "Ann (2)", "Ann (2) (2)", "ann"}
	if !slices.Equal(got, want) {
		t.Errorf("they are called %q, want %q", got, want)
	}
}

// TestNoTwoSpeakersHaveOneName draws speakers with few names and all kinds. It demands
// that names differ in how they look, that the last mark tells the kind, and that further
// speakers and a clone rename nobody.
func TestNoTwoSpeakersHaveOneName(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	bases := []string{"ann", "Ann", "a.n.n", "ann (2)", "ann (bot)", "ann (webhook 2)", "ann (person)", "heddle", "hеddle", "", "🙂", "🙂 (2)", "(2)", "somebody", "2"}
	for round := range 500 {
		names := path.NewNaming(plainFold).Names()
		looks, written := map[string]string{}, map[string]bool{}
		given := map[string]string{}
		for range 20 {
			m := graph.Message{
				Author: graph.UserID(1 + draw.IntN(8)), Origin: []graph.Origin{graph.OriginPerson, graph.OriginBot, graph.OriginWebhook}[draw.IntN(3)],
			}
			m.Author += 100 * graph.UserID(m.Origin)
			m.Name = bases[draw.IntN(len(bases))]
			who := fmt.Sprint(m.Author)
			if m.Origin == graph.OriginWebhook {
				who += m.Name
			}
			copied := names.Clone().Of(&m)
			name := names.Of(&m)
			if name != copied {
				t.Fatalf("round %d: a clone calls %s %q, want %q", round, who, copied, name)
			}
			if before, known := given[who]; known {
				if name != before {
					t.Fatalf("round %d: %s was called %q and is now called %q, want the same", round, who, before, name)
				}
				continue
			}
			given[who] = name
			if look := plainFold(name); written[strings.ToLower(name)] || looks[look] != "" && plainFold(m.Name) != "" {
				t.Fatalf("round %d: %s is called %q, want a name that does not look like %q", round, who, name, looks[look])
			}
			written[strings.ToLower(name)] = true
			if plainFold(m.Name) != "" {
				looks[plainFold(name)] = name
			}
			if mark := name[strings.LastIndexByte(name, '(')+1:]; m.Origin == graph.OriginBot != strings.HasPrefix(mark, "bot") ||
				m.Origin == graph.OriginWebhook != strings.HasPrefix(mark, "webhook") {
				t.Fatalf("round %d: the %s %q is called %q, want the mark of its origin alone", round, m.Origin, m.Name, name)
			}
		}
	}
}
