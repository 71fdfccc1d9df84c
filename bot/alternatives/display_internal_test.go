package alternatives

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"heddle/bot/outbox"
	"heddle/graph"
	"heddle/store"
)

// twoFiles returns an answer in two messages that shows the second of two alternatives.
// A file of the first alternative is on its first message; on its second are one of the
// second alternative and one of an answer that cannot be shown any more.
func twoFiles() *display {
	on := func(message graph.MessageID, id graph.AttachmentID, name string, of int) file {
		return file{store.Artifact{Message: message, Attachment: id, Name: name}, of}
	}
	return &display{
		channel: 5, parts: []graph.MessageID{10, 11}, shown: 1,
		all: []store.Response{
			{ID: store.ResponseID{1}, Standing: store.Standing{Trigger: 7}}, {ID: store.ResponseID{2}, Standing: store.Standing{Trigger: 7}},
		},
		files: []file{on(10, 20, "warp.txt", 0), on(11, 21, "weft.txt", 1), on(11, 22, "old.txt", -1), on(11, 23, "older.txt", -1)},
	}
}

func TestFilesOfOtherAlternativesAreNamed(t *testing.T) {
	t.Parallel()
	const first, second, earlier = "-# Files of answer 1: warp.txt.", "-# Files of answer 2: weft.txt.", "-# Files of an earlier answer: old.txt, older.txt."
	everywhere := func(graph.MessageID) bool { return true }
	onFirst := func(m graph.MessageID) bool { return m == 10 }
	for name, test := range map[string]struct {
		shown int
		on    func(graph.MessageID) bool
		want  []string
	}{
		"the first is shown":              {0, everywhere, []string{earlier, second}},
		"the second is shown":             {1, everywhere, []string{earlier, first}},
		"a new one is shown":              {newAlternative, everywhere, []string{earlier, first, second}},
		"the first is shown, in one part": {0, onFirst, nil},
		"a new one is shown, in one part": {newAlternative, onFirst, []string{first}},
	} {
		if got := twoFiles().filesOfOthers(test.shown, test.on); got != strings.Join(test.want, "\n") {
			t.Errorf("%s: the notice is %q, want %q", name, got, test.want)
		}
	}
}

func TestATextReachesTheMessagesThatItNeeds(t *testing.T) {
	t.Parallel()
	d := twoFiles()
	for text, want := range map[string][]graph.MessageID{
		"short":                             {10},
		strings.Repeat("x", outbox.Limit):   {10},
		strings.Repeat("x", outbox.Limit+1): {10, 11},
		strings.Repeat("x", 3*outbox.Limit): {10, 11},
		"| a | b |\n|---|---|\n" + strings.Repeat("| "+strings.Repeat("x", 30)+" | https://a.b/ |\n", 40): {10, 11}, // people read a longer list
	} {
		var shown store.Response
		shown.Text = text
		reached := d.reached(&shown)
		got := slices.DeleteFunc([]graph.MessageID{9, 10, 11, 12}, func(m graph.MessageID) bool { return !reached(m) })
		if !slices.Equal(got, want) {
			t.Errorf("a text of %d bytes reaches %v, want %v", len(text), got, want)
		}
	}
}

func TestAnAnswerTakesThePlaceOfADisplayAndKeepsItsFiles(t *testing.T) {
	t.Parallel()
	d := twoFiles()
	to := d.to(newAlternative, outbox.Interaction(3))
	held := map[graph.MessageID][]graph.AttachmentID{10: {20}, 11: {21, 22, 23}}
	if to.Channel != 5 || to.Trigger != 7 || !slices.Equal(to.Over, d.parts) || to.Cause != outbox.Interaction(3) ||
		!maps.EqualFunc(to.Held, held, slices.Equal) || to.HeldText != d.filesOfOthers(newAlternative, func(graph.MessageID) bool { return true }) {
		t.Errorf("the answer goes to %+v, want it over %v with the files %v", to, d.parts, held)
	}
	to.Over[0] = 99
	if d.parts[0] != 10 {
		t.Error("whoever sends an answer can change the display, want a copy of its parts")
	}
	if d.reply = 8; d.to(0, outbox.Interaction(3)).Trigger != 8 {
		t.Error("the answer does not reply to what the display replied to")
	}
}

func TestAnAnswerRepliesToWhatTheFirstOneInItsMessagesRepliedTo(t *testing.T) {
	t.Parallel()
	sent := func(reply graph.MessageID, parts ...graph.MessageID) (r store.Response) {
		r.Reply = reply
		for _, part := range parts {
			r.Replies = append(r.Replies, store.Reply{ID: part})
		}
		return r
	}
	all := []store.Response{sent(0, 10), sent(7, 20, 21), {}}
	for head, want := range map[graph.MessageID]graph.MessageID{10: 0, 20: 7, 30: 0} {
		if got := replyOf(all, head); got != want {
			t.Errorf("the answer that begins with %s replies to %s, want %s", head, got, want)
		}
	}
}
