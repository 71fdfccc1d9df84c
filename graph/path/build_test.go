package path_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/errtest"
)

func said(id uint64, author graph.UserID, name, text string) graph.Message {
	return graph.Message{ID: graph.MessageID(id), Author: author, Name: name, Text: text}
}

func conversation(trigger graph.Message, messages ...graph.Message) *graph.Graph {
	g := &graph.Graph{Trigger: trigger}
	for _, message := range messages {
		g.Conversation = append(g.Conversation, graph.Node{Message: &message})
	}
	return g
}

func TestBuildShowsPicturesToModelsThatSee(t *testing.T) {
	trigger := said(1, 1, "ann", "what is this?")
	trigger.Attachments = []graph.Attachment{{ID: 7, Name: "cat.png", Type: "image/png", Size: 10}, {ID: 8, Name: "a.pdf", Type: "application/pdf"}}
	for sees, want := range map[bool]path.Part{
		true:  path.Image{Content: path.Content{Attachment: 7, Size: 10}, Type: "image/png"},
		false: path.File{Content: path.Content{Attachment: 7, Size: 10}, Name: "cat.png", Type: "image/png"},
	} {
		parts := path.Build(conversation(trigger), path.Shape{SeesImages: sees}).Path.Turns[1].Parts
		if len(parts) != 3 || parts[1] != want {
			t.Errorf("sees images %t: the trigger's parts are %+v, want %+v second", sees, parts, want)
		}
	}
}

func TestBuildLeavesOutWhatHasNothingToShow(t *testing.T) {
	built := path.Build(conversation(said(2, 1, "ann", ""), said(1, 1, "ann", "")), path.Shape{})
	if len(built.Path.Turns) != 2 || built.Dropped != 0 {
		t.Errorf("an empty message before an empty trigger leaves %d turns and %d dropped, want 2 and 0", len(built.Path.Turns), built.Dropped)
	}
}

func TestTailTellsWhatChanges(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	ago := func(d time.Duration) graph.Message { return graph.Message{Time: now.Add(-d)} }
	tail := path.Tail{
		Now:        now,
		Messages:   []graph.Message{ago(91 * 24 * time.Hour), ago(2 * time.Hour), ago(2*time.Hour - 1), ago(0)},
		Background: []path.Turn{user("bob", "lunch?")},
		Files:      []string{"plan.md"},
		Notices:    []string{"3 older messages were left out."},
		Recalled:   []path.Recalled{{Turn: user("ann", "the kiln"), Author: 1, Said: now.Add(-100 * time.Hour), Link: "https://discord.com/channels/1/2/3"}},
	}
	text := tail.Text(func(turn path.Turn) string { return turn.Speaker + " said: " + turn.PlainText() })
	for _, want := range []string{
		"Today is Saturday, 21 November 2026, and it is 12:00 (UTC).\n", "message 1 3 months ago; message 2 2 hours ago; message 3 1 hour ago.\n",
		"bob said: lunch?", "plan.md", "3 older messages were left out.",
		"[heddle: said 2026-11-17 08:00, https://discord.com/channels/1/2/3]\nann said: the kiln",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the tail lacks %q, want it in\n%s", want, text)
		}
	}
	for zone, want := range map[string]string{
		"Europe/Berlin": "and it is 13:00 (Europe/Berlin, UTC+1)", "Asia/Kolkata": "and it is 17:30 (Asia/Kolkata, UTC+5:30)",
		"America/St_Johns": "and it is 08:30 (America/St_Johns, UTC-3:30)", "Pacific/Auckland": "Sunday, 22 November 2026, and it is 01:00",
	} {
		there := path.Tail{Now: now.In(errtest.Must(time.LoadLocation(zone))(t))}
		if text := there.Text(nil); !strings.Contains(text, want) {
			t.Errorf("in %s the tail is\n%s\nwant %q in it", zone, text, want)
		}
	}
	plain := (path.Tail{Now: now, Messages: []graph.Message{ago(0)}}).Text(nil)
	for _, told := range []string{"messages above", "Older messages"} {
		if strings.Contains(plain, told) {
			t.Errorf("a fresh conversation's tail is\n%s\nwant no %q in it", plain, told)
		}
	}
}

func TestFactsAreWhatMustBeEqualBesideThePath(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	by := func(authors ...graph.UserID) (messages []graph.Message) {
		for _, author := range authors {
			messages = append(messages, graph.Message{Author: author})
		}
		return messages
	}
	lunch := []path.Turn{user("bob", "lunch?"), user("cyd", "at one")}
	whole := path.Tail{
		Now: now, Files: []string{"a", "b"}, Messages: by(1, 2), Notices: []string{"x"}, Background: lunch, Beside: []graph.UserID{2, 3},
		Recalled: []path.Recalled{{Turn: user("ann", "the kiln"), Author: 1, Said: now}, {Turn: user("bob", "the oven"), Author: 2, Said: now}},
	}
	facts := whole.Facts(path.Options{})
	but := func(change func(*path.Tail)) path.Tail {
		changed := whole
		changed.Recalled = slices.Clone(whole.Recalled)
		change(&changed)
		return changed
	}
	for name, test := range map[string]struct {
		tail  path.Tail
		equal bool
	}{
		"an hour later, files in another order": {but(func(t *path.Tail) { t.Now, t.Files = now.Add(time.Hour), []string{"b", "a"} }), true},
		"said at other times":                   {but(func(t *path.Tail) { t.Messages = by(1, 2); t.Messages[0].Time = now.Add(-90 * time.Minute) }), true},
		"said once more":                        {but(func(t *path.Tail) { t.Messages = by(1, 2, 1) }), true},
		"the next day in its zone":              {but(func(t *path.Tail) { t.Now = now.In(time.FixedZone("east", 13*3600)) }), false},
		"a day later":                           {but(func(t *path.Tail) { t.Now = now.Add(24 * time.Hour) }), false},
		"one file less":                         {but(func(t *path.Tail) { t.Files = t.Files[:1] }), false},
		"names run on":                          {but(func(t *path.Tail) { t.Files = []string{"ab"} }), false},
		"a namesake":                            {but(func(t *path.Tail) { t.Messages = by(1, 3) }), false},
		"the other way on":                      {but(func(t *path.Tail) { t.Messages = by(2, 1) }), false},
		"no background":                         {but(func(t *path.Tail) { t.Background, t.Beside = nil, nil }), false},
		"other words in the background":         {but(func(t *path.Tail) { t.Background = []path.Turn{lunch[0], user("cyd", "at two")} }), false},
		"a namesake in the background":          {but(func(t *path.Tail) { t.Beside = []graph.UserID{2, 4} }), false},
		"the background the other way on":       {but(func(t *path.Tail) { t.Background = []path.Turn{lunch[1], lunch[0]} }), false},
		"another notice":                        {but(func(t *path.Tail) { t.Notices = []string{"y"} }), false},
		"a notice for a file":                   {but(func(t *path.Tail) { t.Files, t.Notices = []string{"a", "b", "x"}, nil }), false},
		"recalled of another time and place":    {but(func(t *path.Tail) { t.Recalled[0].Said, t.Recalled[0].Link = now.Add(time.Hour), "x" }), true},
		"recalled in other words":               {but(func(t *path.Tail) { t.Recalled[0].Turn = user("ann", "the loom") }), false},
		"recalled of a namesake":                {but(func(t *path.Tail) { t.Recalled[1].Author = 3 }), false},
		"recalled the other way on":             {but(func(t *path.Tail) { slices.Reverse(t.Recalled) }), false},
		"one recalled message less":             {but(func(t *path.Tail) { t.Recalled = t.Recalled[:1] }), false},
		"nothing recalled":                      {but(func(t *path.Tail) { t.Recalled = nil }), false},
		"lines of a file":                       {but(func(t *path.Tail) { t.Excerpts = lunch[:1] }), false},
		"somebody beside for somebody within":   {but(func(t *path.Tail) { t.Messages, t.Beside = by(1), []graph.UserID{2, 2, 3} }), false},
	} {
		if got := test.tail.Facts(path.Options{}) == facts; got != test.equal {
			t.Errorf("%s: equal facts is %t, want %t", name, got, test.equal)
		}
	}
	seen := map[path.Hash]bool{}
	for _, temperature := range []*float64{nil, new(0.0), new(0.7), new(1.0)} {
		seen[path.Tail{Now: now}.Facts(path.Options{Temperature: temperature})] = true
	}
	if len(seen) != 4 {
		t.Errorf("four temperatures have %d facts, want 4", len(seen))
	}
}
