package phrases_test

import (
	"strings"
	"testing"
	"time"

	"heddle/bot/phrases"
	"heddle/bot/tools"
	"heddle/internal/discord"
)

// TestNoticesAreLeftOut has heddle tell things beside the conversation in every language.
// None of it is left of what it said.
func TestNoticesAreLeftOut(t *testing.T) {
	const said = "The warp is what runs lengthwise.\n\n- it is strong"
	at := time.Unix(1_800_000_000, 0)
	for name, l := range everyLanguage(t) {
		notices := []string{
			l.NoticeReused(3 * time.Hour), l.NoticeFiles(-1, []string{"a.txt", "b.txt"}), l.NoticeFiles(2, []string{"a.txt"}),
			l.NoticeNoHistory(discord.PermissionReadHistory), l.Doing(tools.NameSearch), l.Doing(tools.Waiting),
			l.Text(phrases.NoticeStopped, nil), l.Text(phrases.Welcome, nil), l.Text(phrases.WelcomeMissing, phrases.Values{"Missing": "Send Messages"}),
			l.Text(phrases.LacksToAnswer, phrases.Values{"Where": "<#1>", "Missing": "Send Messages"}),
			l.Say(phrases.Until(phrases.OverPerson, at)), l.Say(phrases.Until(phrases.OverGuild, at)), l.Say(phrases.Refusal(413, 40005)),
			l.Say(phrases.Phrase{ID: phrases.Unreachable}.OrAsk("<@5>, or the weavers.")), l.Text(phrases.Paused, nil), "-# " + l.Text(phrases.ModelUnclear, nil),
		}
		for _, notice := range notices {
			for text, want := range map[string]string{
				notice: "", said + "\n" + notice: said, said + "\n\n" + notice + "\n" + notices[0]: said,
				notice + "\n\n" + said: notice + "\n\n" + said,
			} {
				if got := phrases.WithoutNotices(text); got != want {
					t.Errorf("%s: without notices %q is %q, want %q", name, text, got, want)
				}
			}
		}
	}
	for _, text := range []string{said, "", "\n", said + "\n", "-# a remark of the model's", "I am paused for now, said the loom.", strings.Repeat("weft\n", 500)} {
		if got := phrases.WithoutNotices(text); got != text {
			t.Errorf("%q, which holds no notice, becomes %q, want it unchanged", text, got)
		}
	}
}
