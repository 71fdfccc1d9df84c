package discordtest_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
)

type found struct {
	Total    int `json:"total_results"`
	Messages [][]struct {
		ID        graph.MessageID
		Channel   graph.ChannelID `json:"channel_id"`
		Content   string
		Reactions []any
	}
	Threads []struct{ ID graph.ChannelID }
}

// texts returns what was found, with a bar between messages.
func (f found) texts() string {
	var all []string
	for _, group := range f.Messages {
		all = append(all, group[0].Content)
	}
	return strings.Join(all, "|")
}

func (p *place) search(t *testing.T, query string) answer {
	t.Helper()
	return p.do(t, http.MethodGet, "/guilds/"+p.guild.String()+"/messages/search?"+query, "")
}

// TestMessagesAreSearched searches by each parameter. All words must be in a message, whole.
func TestMessagesAreSearched(t *testing.T) {
	p := newPlace(t, free())
	bob := p.People.AddUser("bob", p.guild)
	aside := errtest.Must(p.World.AddThread(p.channel, p.ann, discordtest.ThreadDraft{Name: "aside"}))(t)
	adult := p.World.AddChannel(p.guild, discordtest.ChannelDraft{Name: "late", AgeRestricted: true})
	hidden := p.World.AddChannel(p.guild, discordtest.ChannelDraft{Name: "board", Private: true})
	say := func(channel graph.ChannelID, who graph.UserID, d discordtest.Draft) graph.MessageID {
		return errtest.Must(p.Chat.Post(channel, who, d))(t)
	}
	first := say(p.channel, p.ann, discordtest.Draft{Content: "The loom is stuck, again"})
	errtest.None(t, p.Chat.React(p.channel, first, bob, "👍"))
	second := say(p.channel, bob, discordtest.Draft{Content: "oil the LOOM! see https://example.com <@" + p.ann.String() + ">"})
	say(aside, bob, discordtest.Draft{Content: "which loom"})
	say(adult, bob, discordtest.Draft{Content: "a late loom"})
	say(hidden, bob, discordtest.Draft{Content: "a secret loom"})
	say(p.channel, p.ann, discordtest.Draft{Content: "looms are fine", Attachments: []discordtest.Attachment{{Name: "a.png", Data: []byte("x")}}})
	p.created(t, `{"content":"the answer: loom"}`)
	for name, c := range map[string]struct{ query, want string }{
		"a word, newest first": {"content=loom", "the answer: loom|which loom|oil the LOOM!|The loom is stuck, again"},
		"all words":            {"content=stuck+loom", "The loom is stuck, again"},
		"part of a word":       {"content=loo", ""},
		"words far apart":      {"content=again+loom&slop=1", ""},
		"no farther apart":     {"content=again+loom&slop=2", "The loom is stuck, again"},
		"oldest first":         {"content=loom&sort_order=asc&limit=2", "The loom is stuck, again|oil the LOOM!"},
		"by relevance":         {"content=loom&sort_by=relevance&limit=1", "which loom"},
		"an offset":            {"content=loom&offset=2", "oil the LOOM!|The loom is stuck, again"},
		"beyond the end":       {"content=loom&offset=9975", ""},
		"by author":            {"content=loom&author_id=" + bob.String(), "which loom|oil the LOOM!"},
		"by a kind of author":  {"content=loom&author_type=bot", "the answer: loom"},
		"by no kind of author": {"content=loom&author_type=-bot&author_type=-webhook", "which loom|oil the LOOM!|The loom is stuck, again"},
		"in a thread":          {"channel_id=" + aside.String(), "which loom"},
		"before":               {"content=loom&max_id=" + second.String(), "The loom is stuck, again"},
		"after":                {"content=loom&min_id=" + first.String() + "&max_id=" + (second + 1).String(), "oil the LOOM!"},
		"who is mentioned":     {"mentions=" + p.ann.String(), "oil the LOOM!"},
		"with a link":          {"has=link", "oil the LOOM!"},
		"with a picture":       {"has=image", "looms are fine"},
		"for adults":           {"content=late&include_nsfw=true", "a late loom"},
	} {
		var got found
		p.search(t, c.query).decode(t, &got)
		if text := strings.ReplaceAll(got.texts(), " see https://example.com <@"+p.ann.String()+">", ""); text != c.want {
			t.Errorf("%s: found %q, want %q", name, text, c.want)
		}
	}
	var got found
	p.search(t, "content=loom&limit=3").decode(t, &got)
	if got.Total != 4 || len(got.Threads) != 1 || got.Threads[0].ID != aside {
		t.Errorf("got %d results and the threads %+v, want 4 and the aside", got.Total, got.Threads)
	}
	p.search(t, "content=again").decode(t, &got)
	if got.Messages[0][0].Reactions != nil {
		t.Errorf("a result has the reactions %v, want none", got.Messages[0][0].Reactions)
	}
	for query, status := range map[string]int{
		"limit=26": 400, "slop=101": 400, "limit=0": 400, "offset=9976": 400, "sort_by=size": 400, "content=" + strings.Repeat("x", 1025): 400,
		strings.Repeat("channel_id=1&", 501): 400, "channel_id=" + hidden.String(): 403, "channel_id=1": 403,
	} {
		if a := p.search(t, query); a.status != status {
			t.Errorf("%.40s answered %d %s, want %d", query, a.status, a.body, status)
		}
	}
}

// TestCharactersWithoutSpacesAreSearched searches for a word in a language without spaces.
func TestCharactersWithoutSpacesAreSearched(t *testing.T) {
	p := newPlace(t, free())
	p.say(t, "窯の温度は何度ですか")
	for query, want := range map[string]string{"content=温度": "窯の温度は何度ですか", "content=温室": ""} {
		var got found
		p.search(t, query).decode(t, &got)
		if got.texts() != want {
			t.Errorf("%s found %q, want %q", query, got.texts(), want)
		}
	}
}

// TestASearchMayHaveToWaitOrBeRefused searches while the index is built, beyond the limit, and
// without what it needs.
func TestASearchMayHaveToWaitOrBeRefused(t *testing.T) {
	c := noon()
	p := newPlace(t, discordtest.Options{Clock: c.Now})
	p.say(t, "the loom")
	p.World.BuildIndex(p.guild, 1, 1.5)
	var wait struct {
		Code    int
		After   float64 `json:"retry_after"`
		Indexed *int    `json:"documents_indexed"`
	}
	a := p.search(t, "content=loom")
	if a.decode(t, &wait); a.status != http.StatusAccepted || wait.Code != 110000 || wait.After != 1.5 || wait.Indexed == nil {
		t.Errorf("got %d %s, want 202 with 110000 and a wait of 1.5 s", a.status, a.body)
	}
	second, third := p.search(t, "content=loom"), p.search(t, "content=loom")
	if left := second.header.Get("X-Ratelimit-Remaining"); second.status != http.StatusOK || left != "0" || third.status != http.StatusTooManyRequests {
		t.Errorf("got %d with %s left and then %d, want 200, 0 and 429", second.status, left, third.status)
	}
	status := func() int {
		t.Helper()
		c.Advance(2e9)
		return p.search(t, "content=loom").status
	}
	var got []string
	p.World.SetOverwrites(p.channel, discordtest.Overwrite{Member: p.bot.User, Deny: discordtest.ReadMessageHistory})
	got = append(got, strconv.Itoa(status()))
	p.World.SetOverwrites(p.channel)
	got = append(got, strconv.Itoa(status()))
	p.People.DenyMessageContent(p.bot.User)
	got = append(got, strconv.Itoa(status()))
	p.People.Leave(p.guild, p.bot.User)
	got = append(got, strconv.Itoa(status()))
	if fmt.Sprint(got) != "[403 200 403 403]" {
		t.Errorf("without history, with it, without the intent and outside it answered %v, want 403, 200, 403 and 403", got)
	}
}
