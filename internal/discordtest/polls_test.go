package discordtest_test

import (
	"net/http"
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
)

type wirePoll struct {
	Question struct{ Text string }
	Answers  []struct {
		ID    int                   `json:"answer_id"`
		Media struct{ Text string } `json:"poll_media"`
	}
	Results *struct {
		Final  bool `json:"is_finalized"`
		Counts []struct {
			ID, Count int
			Me        bool `json:"me_voted"`
		} `json:"answer_counts"`
	}
}

type pollMessage struct {
	ID     graph.MessageID
	Type   int
	Poll   *wirePoll
	Embeds []struct {
		Type   string
		Fields []struct{ Name, Value string }
	}
}

// TestAPollIsVotedOnAndEnds has the bot make a poll, ann vote twice, and the poll end.
func TestAPollIsVotedOnAndEnds(t *testing.T) {
	p := newPlace(t, free())
	w := p.identified(t, intents|discordtest.IntentGuildPolls)
	m := p.created(t, `{"poll":{"question":{"text":"Warp or weft?"},"answers":[{"poll_media":{"text":"warp"}},{"poll_media":{"text":"weft","emoji":{"name":"🧵"}}}],"duration":2}}`)
	var sent pollMessage
	if w.decode(w.expect("MESSAGE_CREATE"), &sent); sent.Poll == nil || sent.Poll.Question.Text != "Warp or weft?" || sent.Poll.Results != nil {
		t.Errorf("the event tells %+v, want the question and no results", sent.Poll)
	}
	for _, answer := range []int{1, 2} {
		errtest.None(t, p.Chat.Vote(p.channel, m.ID, p.ann, answer))
	}
	for _, want := range []string{"ADD 1", "REMOVE 1", "ADD 2"} {
		var vote struct {
			User    graph.UserID    `json:"user_id"`
			Message graph.MessageID `json:"message_id"`
			Answer  int             `json:"answer_id"`
		}
		name, answer, _ := strings.Cut(want, " ")
		if w.decode(w.expect("MESSAGE_POLL_VOTE_"+name), &vote); vote.User != p.ann || vote.Message != m.ID || string(rune('0'+vote.Answer)) != answer {
			t.Errorf("the vote is %+v, want ann's for %s", vote, answer)
		}
	}
	read := func() (got pollMessage) {
		p.do(t, http.MethodGet, p.messages()+"/"+m.ID.String(), "").decode(t, &got)
		return got
	}
	if got := read().Poll; got.Results.Final || len(got.Results.Counts) != 1 || got.Results.Counts[0].ID != 2 || got.Results.Counts[0].Count != 1 || got.Answers[1].Media.Text != "weft" {
		t.Errorf("the open poll reads %+v, want one vote for weft", got)
	}
	edit := p.do(t, http.MethodPatch, p.messages()+"/"+m.ID.String(), `{"content":"x"}`)
	end := "/channels/" + p.channel.String() + "/polls/" + m.ID.String() + "/expire"
	ended, again := p.do(t, http.MethodPost, end, ""), p.do(t, http.MethodPost, end, "")
	editCode, _ := edit.code(t)
	if code, _ := again.code(t); editCode != 520003 || ended.status != http.StatusOK || code != 520001 || !read().Poll.Results.Final {
		t.Errorf("edit, end and a second end answered %s %s %s, want 520003, the poll and 520001", edit.body, ended.body, again.body)
	}
	w.expect("MESSAGE_UPDATE")
	var result pollMessage
	if w.decode(w.expect("MESSAGE_CREATE"), &result); result.Type != 46 || result.Embeds[0].Type != "poll_result" || result.Embeds[0].Fields[4].Value != "weft" {
		t.Errorf("the result is %+v, want weft", result)
	}
	if err := p.Chat.Vote(p.channel, m.ID, p.ann, 1); err == nil {
		t.Error("ann votes after the end, want an error")
	}
	voters := p.do(t, http.MethodGet, "/channels/"+p.channel.String()+"/polls/"+m.ID.String()+"/answers/2", "")
	if !strings.Contains(string(voters.body), p.ann.String()) {
		t.Errorf("the voters are %s, want ann", voters.body)
	}
	bad := p.create(t, `{"poll":{"question":{"text":"?"},"answers":[]}}`)
	if code, _ := bad.code(t); code != 50035 {
		t.Errorf("a poll without answers gave %s, want 50035", bad.body)
	}
}

// TestAPollIsHiddenWithoutTheIntent has ann ask in a poll where the bot may not read content.
func TestAPollIsHiddenWithoutTheIntent(t *testing.T) {
	p := newPlace(t, free())
	w := p.identified(t, intents&^discordtest.IntentMessageContent)
	p.post(t, discordtest.Draft{Poll: &discordtest.Poll{Question: "?", Answers: []discordtest.PollAnswer{{Text: "yes"}}}})
	var got pollMessage
	if w.decode(w.expect("MESSAGE_CREATE"), &got); got.Poll != nil {
		t.Errorf("the poll is %+v, want none", got.Poll)
	}
}
