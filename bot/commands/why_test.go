package commands_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"heddle/bot/commands"
	"heddle/bot/phrases"
	"heddle/bot/reply"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/openaitest"
)

// shows has somebody choose a message in whose menu the command stands that explains it.
func (r *room) shows(who graph.UserID, message graph.MessageID, change func(*discord.Interaction)) discordtest.Interaction {
	r.t.Helper()
	use := discordtest.Invocation{Command: phrases.English("command_why"), Target: message}
	return r.uses(who, use, func(i *discord.Interaction) {
		i.Command.Target = r.Message(message)
		change(i)
	})
}

// TestAPressRightAfterAnAnswerWaitsForItsRecord presses Why? below an answer that is
// recorded, below a message that may just have been sent, and below one that is too old to
// wait for.
func TestAPressRightAfterAnAnswerWaitsForItsRecord(t *testing.T) {
	r := newRoom(t, commands.Settings{})
	r.Ask(r.Ann, r.Mention("which one?"), openaitest.Answer("The large one."))
	answered, other := r.Last().ID, r.Post(r.Self, discordtest.Draft{Content: "of another life"})
	for name, test := range map[string]struct {
		message graph.MessageID
		age     time.Duration
		waits   bool // for two seconds
		want    string
	}{
		"recorded":   {answered, 0, false, "**What this answer was made from**"},
		"unrecorded": {other, 9 * time.Second, true, phrases.English("why_unknown")},
		"old":        {other, 10 * time.Second, false, phrases.English("why_unknown")},
	} {
		id, err := r.Discord.Interactions.Invoke(r.Channel, r.Bob, r.Self, discordtest.Invocation{Command: "heddle help"})
		errtest.None(r.T, err)
		press := r.arrived(id)
		press.Type, press.CustomID, press.Message = discord.InteractionComponent, reply.ButtonWhy+":x", test.message
		press.Changed = press.ID.Time().Add(-test.age)
		began := time.Now()
		r.commands.Answer(r.Context(), press, r.Place())
		in, _ := r.Discord.Interactions.Find(id)
		r.privately(name, in, test.want)
		if waited := time.Since(began) > time.Second; test.waits && !waited {
			t.Errorf("%s: the record is not waited for", name)
		}
	}
}

// TestALongExplanationHasPages explains an answer that was made from much, page by page.
func TestALongExplanationHasPages(t *testing.T) {
	r := newRoom(t, commands.Settings{})
	for n := range 25 {
		r.Say(r.Ann, fmt.Sprintf("line %02d of the looms that are stuck today", n))
	}
	r.Ask(r.Ann, r.Mention("which ones?"), openaitest.Answer("All."))
	answered := r.Last().ID
	var told strings.Builder
	use := r.shows(r.Bob, answered, asIs)
	shown := r.privately("the first page", use, "**What this answer was made from**")
	page := 1
	for ; ; page++ {
		told.WriteString(shown.Content)
		buttons := shown.Buttons()
		if len(buttons) != 3 {
			t.Fatalf("page %d has the buttons %+v, want three", page, buttons)
		}
		of := strings.SplitN(buttons[1].Label, "/", 2)
		if of[0] != strconv.Itoa(page) || !buttons[1].Disabled || buttons[0].Disabled != (page == 1) || buttons[2].Disabled != (of[0] == of[1]) {
			t.Errorf("page %d has the buttons %+v, want it named, and the way back and on where there is one", page, buttons)
		}
		if buttons[2].Disabled {
			break
		}
		r.presses(r.Bob, shown, buttons[2].CustomID)
		turned, _ := r.Discord.Interactions.Find(use.ID)
		shown = r.privately("another page, in the same message", turned)
	}
	if all := told.String(); page < 2 || !strings.Contains(all, "line 00") || !strings.Contains(all, "line 24") {
		t.Errorf("%d pages tell %q, want several with all lines", page, all)
	}
}

// TestWhatSomebodySaidWhoOptedOutIsNotShown explains an answer of whose sources one is by
// somebody who has opted out since. What that message replied to does not stand in its place.
func TestWhatSomebodySaidWhoOptedOutIsNotShown(t *testing.T) {
	r := newRoom(t, commands.Settings{})
	out := false
	r.History.Withhold(func(person graph.UserID) bool { return out && person == r.Bob })
	first := r.Say(r.Ann, "the loom is stuck")
	r.Post(r.Bob, discordtest.Draft{Content: "oil the treadle", ReplyTo: first})
	r.Ask(r.Ann, r.Mention("what now?"), openaitest.Answer("Oil it."))
	for _, out = range []bool{false, true} {
		r.History.ForgetPerson(r.Bob)
		told := r.privately("why", r.shows(r.Ann, r.Last().ID, asIs)).Content
		if strings.Count(told, "the loom is stuck") != 1 || strings.Contains(told, "oil the treadle") == out {
			t.Errorf("after bob opted out (%t) the explanation reads\n%s\nwant each message that may be shown once", out, told)
		}
	}
}

// TestAPreviewTellsWhatThePathLeavesOut asks about a message that nobody answered. A chart that
// was asked for before it stands, and is no part of what it would be answered from.
func TestAPreviewTellsWhatThePathLeavesOut(t *testing.T) {
	r := newRoom(t, commands.Settings{})
	asked := r.Say(r.Ann, r.Mention("draw a chart of the looms"))
	chart := discordtest.Attachment{Name: "chart.png", Type: "image/png", Data: []byte("chart")}
	r.Post(r.Self, discordtest.Draft{Content: "There it is.", ReplyTo: asked, Attachments: []discordtest.Attachment{chart}})
	r.Say(r.Ann, "the loom is stuck")
	about := r.Say(r.Ann, r.Mention("what now?"))
	told := r.privately("a preview", r.shows(r.Bob, about, asIs)).Content
	left := phrases.In().Count("why_fulfilled", 2, nil)
	if !strings.Contains(told, "the loom is stuck") || strings.Contains(told, "draw a chart") || !strings.Contains(told, left) {
		t.Errorf("the preview reads\n%s\nwant the loom, and %q in place of the chart", told, left)
	}
}
