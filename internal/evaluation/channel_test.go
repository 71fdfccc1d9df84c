package evaluation_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"heddle/bot/conversation"
	"heddle/graph"
	"heddle/graph/affinity"
	"heddle/internal/errtest"
	"heddle/internal/evaluation"
	"heddle/internal/golden"
	"heddle/internal/terminal"
	"heddle/internal/why"
)

// sample returns the file of one of the channels that were written for this project.
func sample(name string) string { return filepath.Join("..", "playground", "sample", name+".json") }

func TestAnExportIsMeasuredByItsOwnReplies(t *testing.T) {
	for _, name := range []string{"commons", "garden", "thread"} {
		got := text(t, measured(t, evaluation.Options{Files: []string{sample(name)}, Now: usual(t), Replies: evaluation.UsuallyHidden}))
		golden.Check(t, filepath.Join("testdata", name+".golden"), got)
		fitsATerminal(t, got)
	}
}

func fitsATerminal(t *testing.T, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if columns := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); columns > 80 {
			t.Errorf("a line has %d columns: %s, want at most 80", columns, line)
		}
	}
}

// usual returns the default settings.
func usual(t *testing.T) graph.Options {
	t.Helper()
	model := errtest.Must(affinity.Default())(t)
	options := graph.DefaultOptions()
	options.TimeThreshold, options.Affinity = graph.AutoThreshold, model
	return options
}

func measured(t *testing.T, o evaluation.Options) *evaluation.Channel {
	t.Helper()
	o.Answering = why.Bot{Settings: conversation.Settings{Expand: o.Now, Recall: 6}}.Answering
	c := errtest.Must(evaluation.Measure(t.Context(), o))(t)
	return c
}

func text(t *testing.T, c *evaluation.Channel) string {
	t.Helper()
	var b strings.Builder
	errtest.None(t, c.WriteText(&b))
	return b.String()
}

// place writes files into a new folder and returns the folder.
func place(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, content := range files {
		errtest.None(t, os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600))
	}
	return folder
}

// exported returns an export with n messages. replies maps messages to those that they
// reply to.
func exported(n int, replies map[int]int, before string) string {
	var b strings.Builder
	fmt.Fprint(&b, `{"guild":{"id":"1"},"channel":{"id":"2","type":"GuildTextChat","name":"general"},"messages":[`)
	begin := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	id := func(i int) graph.MessageID { return graph.FirstMessageID(begin.Add(time.Duration(i) * time.Minute)) }
	for i := range n {
		if i > 0 {
			b.WriteString(",")
		}
		reference := ""
		if to, is := replies[i]; is {
			reference = fmt.Sprintf(`,"reference":{"messageId":"%s","channelId":"2"},"mentions":[{"id":"%d","name":"u%d","nickname":"User %d"}]`, id(to), 500+to%5, to%5, to%5)
		}
		fmt.Fprintf(&b, `{"id":"%s","timestamp":%q,"content":"%smessage %d","author":{"id":"%d","name":"u%d"}%s}`, id(i), begin.Add(time.Duration(i)*time.Minute).Format(time.RFC3339), before, i, 500+i%5, i%5, reference)
	}
	b.WriteString(`]}`)
	return b.String()
}

func every(n, step, back int) map[int]int {
	replies := map[int]int{}
	for i := back; i < n; i += step {
		replies[i] = i - back
	}
	return replies
}

func TestRepliesAreSpreadAndBounded(t *testing.T) {
	folder := place(t, map[string]string{"a.json": exported(43, every(43, 1, 3), "")})
	o := evaluation.Options{Files: []string{filepath.Join(folder, "a.json")}, Now: usual(t), Replies: 25}
	c := measured(t, o)
	if c.Replies != 40 || c.Measured != 25 || c.Recommended == nil {
		t.Errorf("%d of %d replies, recommended %v, want 25, 40 and not nil", c.Measured, c.Replies, c.Recommended)
	}
	o.Replies = 0
	if all := measured(t, o); all.Measured != 40 {
		t.Errorf("%d of 40 replies, want 40", all.Measured)
	}
}

// TestMessagesOfOtherChainsAreCounted hides the replies of two chains that take turns, after
// a message that is in none.
func TestMessagesOfOtherChainsAreCounted(t *testing.T) {
	folder := place(t, map[string]string{"a.json": exported(9, map[int]int{3: 1, 4: 2, 5: 3, 6: 4, 7: 5, 8: 6}, "")})
	c := measured(t, evaluation.Options{Files: []string{filepath.Join(folder, "a.json")}, Now: usual(t)})
	for _, tried := range []evaluation.Tried{c.Ways[0], c.Now} { // each is sent everything
		if p := tried.Parents; p.Replies != 6 || p.Sent != 5.5 || p.OtherChains != 2.5 || p.Untold != 1 {
			t.Errorf("%s has %+v, want 5.5 messages, 2.5 in the other chain and 1 in none", tried.Name, p)
		}
	}
}

// TestOnlySettingsThatChangeAreRecommended recommends others than those in effect, and these.
func TestOnlySettingsThatChangeAreRecommended(t *testing.T) {
	set := func(most int) *evaluation.Thresholds {
		o := usual(t)
		o.MaxTotal = most
		thresholds := evaluation.NewThresholds(o)
		return &thresholds
	}
	c := &evaluation.Channel{Now: evaluation.Tried{Thresholds: set(30)}, Recommended: &evaluation.Tried{Thresholds: set(60)}}
	if got := text(t, c); !strings.HasSuffix(got, "In .env:\n\nMAX_TOTAL=60\n") {
		t.Errorf("the advice is %s, want MAX_TOTAL alone in .env", got)
	}
	c.Recommended.Thresholds = set(30)
	if got := text(t, c); !strings.HasSuffix(got, "keep them.\n") {
		t.Errorf("the advice is %s, want no setting", got)
	}
}

func TestExportsThatCannotBeMeasuredAreToldInASentence(t *testing.T) {
	whole := exported(60, every(60, 2, 3), "")
	folder := place(t, map[string]string{
		"none.json": exported(40, nil, ""), "one.json": exported(1, nil, ""), "empty.json": exported(0, nil, ""),
		"short.json": whole[:len(whole)/2], "log.json": `{"a":1}`, "list.json": `[1,2]`,
		"outside.json": strings.ReplaceAll(whole, `"reference":{"messageId":"`, `"reference":{"messageId":"9`),
		"odd.json":     `{"channel":{"id":"2"},"messages":[null,{},7,{"id":"5","reference":{"messageId":"5"}},{"id":"6","reference":{"messageId":"7"}}]}`,
	})
	for name, want := range map[string]string{
		"none": "holds no reply to a message that is in it too", "one": "holds no reply", "empty": "holds no message", "outside": "holds no reply",
		"short": "is cut short after message", "log": "not an export of one channel", "list": "not an export of one channel",
		"odd": "holds no reply", "missing": "there is no file",
	} {
		file := filepath.Join(folder, name+".json")
		_, err := evaluation.Measure(t.Context(), evaluation.Options{Files: []string{file}, Now: usual(t)})
		if _, correctable := errors.AsType[*terminal.InputError](err); !correctable || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), "; ") {
			t.Errorf("%s: error %v, want one that says %q", name, err, want)
		}
	}
}

func TestHostileNamesStayOnTheirLine(t *testing.T) {
	name := "a\x1b[31m" + strings.Repeat("w", 60)
	folder := place(t, map[string]string{name + ".json": exported(40, every(40, 1, 3), "\\u001b[2J")})
	out := text(t, measured(t, evaluation.Options{Files: []string{filepath.Join(folder, name+".json")}, Now: usual(t)}))
	if strings.Contains(out, "\x1b") {
		t.Error("a name reaches the terminal")
	}
	fitsATerminal(t, out)
}
