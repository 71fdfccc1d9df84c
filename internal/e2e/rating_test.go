package e2e_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/inspect"
	"heddle/internal/openaitest"
	"heddle/store"
)

// thinks returns the ratings of the response that a message shows. heddle must have
// ended.
func (o *operator) thinks(scope store.Scope, message graph.MessageID) map[graph.UserID]bool {
	o.t.Helper()
	stored := o.stored()
	defer func() {
		if err := stored.Close(); err != nil {
			o.t.Error(err)
		}
	}()
	shown, err := stored.Responses.ByReplies(o.ctx, scope, []graph.MessageID{message})
	if err != nil {
		o.t.Fatal(err)
	}
	all, err := stored.Ratings.Of(o.ctx, scope)
	if err != nil {
		o.t.Fatal(err)
	}
	response := shown[message]
	people := make(map[graph.UserID]bool)
	for _, rating := range all[response.Original()] {
		people[rating.Person] = rating.Good
	}
	return people
}

func TestThumbsOnAnAnswerRateItOncePerPerson(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	long := strings.Repeat("All about looms. ", 200) + "The end."
	s.model.Queue(openaitest.Answer(long), openaitest.Answer("Weave."))
	r := s.start()
	question := s.post(s.ann, discordtest.Draft{Content: s.mention("what is a loom?")})
	first := s.answer(s.channel, question, "All about looms.")
	last := s.says(s.channel, "The end.")
	other := s.discord.People.AddBot("other", s.guild)
	s.reacts(s.channel, first.ID, s.ann, "👍", "👎", "-👎")
	s.reacts(s.channel, last.ID, s.ann, "👍🏽")
	s.reacts(s.channel, last.ID, s.bob, "👍", "👎🏿", "❤️")
	s.reacts(s.channel, last.ID, other.User, "👎")
	s.reacts(s.channel, last.ID, s.heddle.User, "👎")
	s.reacts(s.channel, question, s.bob, "👎") // the message is no answer
	s.heard(s.channel, "Weave.")
	r.end()
	want := map[graph.UserID]bool{s.ann: true, s.bob: false}
	if got := s.thinks(s.scope(), first.ID); !maps.Equal(got, want) {
		t.Errorf("people think %v, want %v (ann is %s, bob %s)", got, want, s.ann, s.bob)
	}
}

// TestRatingsAreCounted proves that each thumb counts once, even one that is taken back.
func TestRatingsAreCounted(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.always(openaitest.Answer("Forty-two."))
	r := s.start("HEALTH_ADDR=127.0.0.1:0", "DASHBOARD_ADDR=127.0.0.1:0")
	question := s.post(s.ann, discordtest.Draft{Content: s.mention("6 × 7?")})
	answer := s.answer(s.channel, question, "Forty-two.")
	s.reacts(s.channel, answer.ID, s.ann, "👍")
	s.reacts(s.channel, answer.ID, s.bob, "👎", "-👎", "👍", "❤️")
	s.reacts(s.channel, question, s.bob, "👎") // the message is no answer
	s.heard(s.channel, "Forty-two.")
	if _, text := s.visit(r.healthOf(s), "/metrics"); !strings.Contains(text, `heddle_ratings_total{rating="good"} 2`) || !strings.Contains(text, `heddle_ratings_total{rating="bad"} 1`) {
		t.Errorf("the metrics are\n%s\nwant %q in it and %q in it", text, `heddle_ratings_total{rating="good"} 2`, `heddle_ratings_total{rating="bad"} 1`)
	}
	_, counts := s.visit(r.dashboardOf(s), "/api/pulse")
	for _, want := range []string{`{"name":"ratings_total","labels":{"rating":"good"},"value":2}`, `{"name":"ratings_total","labels":{"rating":"bad"},"value":1}`} {
		if !strings.Contains(counts, want) {
			t.Errorf("the dashboard does not count %s:\n%s", want, counts)
		}
	}
}

func TestReactionsThatAModeratorTakesAwayRateNoMore(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.always(openaitest.Answer("Forty-two."))
	r := s.start()
	direct := s.discord.World.OpenDM(s.ann, s.heddle.User)
	var answers []discordtest.Message
	for _, question := range []string{"one?", "two?"} {
		answers = append(answers, s.answer(direct, s.postIn(direct, s.ann, discordtest.Draft{Content: question}), "Forty-two."))
	}
	s.reacts(direct, answers[0].ID, s.ann, "👍", "👎🏻")
	s.reacts(direct, answers[1].ID, s.ann, "👍", "👎🏻")
	if err := s.discord.Chat.ClearReactions(direct, answers[0].ID); err != nil {
		t.Fatal(err)
	}
	if err := s.discord.Chat.ClearReaction(direct, answers[1].ID, "👎🏻"); err != nil {
		t.Fatal(err)
	}
	s.heard(direct, "Forty-two.")
	r.end()
	scope := store.ChannelScope(0, direct)
	if got := s.thinks(scope, answers[0].ID); len(got) != 0 {
		t.Errorf("of the answer without reactions ann thinks %v, want none", got)
	}
	if got := s.thinks(scope, answers[1].ID); !maps.Equal(got, map[graph.UserID]bool{s.ann: true}) {
		t.Errorf("of the other ann thinks %v, want %v", got, map[graph.UserID]bool{s.ann: true})
	}
}

func TestARatingStaysWithTheAnswerThatWasShown(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.model.Queue(openaitest.Answer("Bule is no colour."), openaitest.Answer("Indigo is."), openaitest.Answer("Dear."))
	r := s.start()
	question := s.post(s.ann, discordtest.Draft{Content: s.mention("is bule a colour?")})
	before := s.answer(s.channel, question, "Bule is no colour.")
	s.reacts(s.channel, before.ID, s.bob, "👎")
	s.edit(question, s.mention("is indigo a colour?"))
	after := s.answer(s.channel, question, "Indigo is.")
	s.reacts(s.channel, after.ID, s.ann, "👍")
	s.heard(s.channel, "Dear.")
	r.end()
	if got := s.thinks(s.scope(), after.ID); !maps.Equal(got, map[graph.UserID]bool{s.ann: true}) {
		t.Errorf("of the new answer people think %v, want %v", got, map[graph.UserID]bool{s.ann: true})
	}
	stored := s.stored()
	kept, err := stored.Responses.ByTrigger(s.ctx, s.scope(), question)
	if err != nil || len(kept) != 2 {
		t.Fatalf("kept are %+v, %v, want 2 of them and no error", kept, err)
	}
	all, err := stored.Ratings.Of(s.ctx, s.scope())
	if err != nil || len(all) != 2 || len(all[kept[1].ID]) != 1 || all[kept[1].ID][0].Person != s.bob {
		t.Errorf("the ratings are %v, %v, want 2 of them, one in for kept[1].ID, [kept[1].ID][0].Person %v and no error", all, err, s.bob)
	}
}

func TestWhatPeopleLikeBetterIsExportedAsAPair(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.model.Queue(openaitest.Answer("Four."), openaitest.Answer("Vier."), openaitest.Answer("Indeed."))
	r := s.start()
	first := s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("2 + 2?")}), "Four.")
	second := s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: "again", ReplyTo: first.ID}), "Vier.")
	s.reacts(s.channel, first.ID, s.bob, "👎")
	s.reacts(s.channel, second.ID, s.ann, "👍")
	s.heard(s.channel, "Indeed.")
	r.end()
	stdout, stderr := s.must(consent(s.ann), "export", "-format", "dpo")
	type message struct {
		Content string `json:"content"`
	}
	var row struct {
		Prompt   []message `json:"prompt"`
		Chosen   []message `json:"chosen"`
		Rejected []message `json:"rejected"`
	}
	if err := json.Unmarshal([]byte(stdout), &row); err != nil {
		t.Fatalf("exported is %q, want a row of JSON: %v", stdout, err)
	}
	if row.Chosen[0].Content != "Vier." || row.Rejected[0].Content != "Four." || !strings.Contains(row.Prompt[1].Content, "2 + 2?") {
		t.Errorf("the pair is %s, want Vier. chosen and Four. rejected", stdout)
	}
	if !strings.Contains(stderr, "1 rows.") || !strings.Contains(stderr, "1 without an alternative") || !strings.Contains(stderr, "1 ratings of people without consent") {
		t.Errorf("export says %q, want %q in it, %q in it and %q in it", stderr, "1 rows.", "1 without an alternative", "1 ratings of people without consent")
	}
}

func TestEveryFormatIsExportedAsItIsPublished(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.model.Queue(call("create_artifact", `{"title":"Sums","file_name":"sums.md","content":"4"}`),
		openaitest.Answer("Four."), openaitest.Answer("Because."), openaitest.Answer("Darum."), openaitest.Answer("Indeed."))
	r := s.start()
	first := s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("2 + 2? As a file.")}), "Four.")
	why := s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("why?"), ReplyTo: first.ID}), "Because.")
	again := s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: "again", ReplyTo: why.ID}), "Darum.")
	s.reacts(s.channel, again.ID, s.ann, "👍")
	s.heard(s.channel, "Indeed.")
	r.end()
	for _, format := range inspect.Formats() {
		rows, told := s.must(consent(s.ann), "export", "-format", format)
		schema, err := jsonschema.NewCompiler().Compile("../inspect/testdata/" + format + ".schema.json")
		if err != nil {
			t.Fatal(err)
		}
		if rows == "" {
			t.Errorf("no row of %s: %s", format, told)
		}
		for row := range strings.Lines(rows) {
			value, err := jsonschema.UnmarshalJSON(strings.NewReader(row))
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(value); err != nil {
				t.Errorf("a row of %s does not fit: %v\n%s", format, err, row)
			}
		}
	}
}
