package discordtest_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"

	"heddle/graph"
	"heddle/internal/discordtest"
)

// place is a server with a guild, a channel, a person and a bot.
type place struct {
	*discordtest.Server
	guild   graph.GuildID
	channel graph.ChannelID
	ann     graph.UserID
	bot     discordtest.Bot
}

func newPlace(t *testing.T, o discordtest.Options) *place {
	t.Helper()
	p := &place{Server: discordtest.New(o)}
	t.Cleanup(p.Close)
	p.guild = p.World.AddGuild("weavers")
	p.channel = p.World.AddChannel(p.guild, discordtest.ChannelDraft{Name: "general"})
	p.ann = p.People.AddUser("ann", p.guild)
	p.bot = p.People.AddBot("heddle", p.guild)
	return p
}

func (p *place) say(t *testing.T, text string) graph.MessageID {
	t.Helper()
	return p.post(t, discordtest.Draft{Content: text})
}

func (p *place) post(t *testing.T, d discordtest.Draft) graph.MessageID {
	t.Helper()
	id, err := p.Chat.Post(p.channel, p.ann, d)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), discordtest.Patience)
	t.Cleanup(cancel)
	return ctx
}

// redirect sends discordgo's requests to our server instead of Discord.
type redirect struct{ server *discordtest.Server }

func (r redirect) RoundTrip(req *http.Request) (*http.Response, error) {
	inner := req.Clone(req.Context())
	inner.URL.Scheme = "http"
	inner.URL.Host = strings.TrimSuffix(strings.TrimPrefix(r.server.URL(), "http://"), "/api")
	return http.DefaultTransport.RoundTrip(inner)
}

// dial returns a discordgo session that is not open yet.
func (p *place) dial(t *testing.T) *discordgo.Session {
	t.Helper()
	s, err := discordgo.New("Bot " + p.bot.Token)
	if err != nil {
		t.Fatal(err)
	}
	s.Client = &http.Client{Transport: redirect{p.Server}}
	s.SyncEvents = true
	s.Identify.Intents = discordgo.IntentsGuilds | discordgo.IntentsGuildMessages |
		discordgo.IntentsDirectMessages | discordgo.IntentMessageContent
	return s
}

func (p *place) open(t *testing.T, s *discordgo.Session) {
	t.Helper()
	if err := s.Open(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
}

func receive[T any](t *testing.T, from <-chan T) T { //nolint:ireturn // T is what the channel carries
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-within(t).Done():
		var missing T
		t.Fatalf("no %T arrived, want one of each", missing)
		return missing
	}
}

func TestDiscordgoHearsAPersonAndAnswers(t *testing.T) {
	p := newPlace(t, discordtest.Options{})
	s := p.dial(t)
	heard := make(chan *discordgo.MessageCreate, 10)
	s.AddHandler(func(_ *discordgo.Session, m *discordgo.MessageCreate) { heard <- m })
	p.open(t, s)

	question := p.say(t, "hello <@"+p.bot.User.String()+">")
	m := receive(t, heard)
	if m.ID != question.String() || m.Author.Username != "ann" || m.GuildID != p.guild.String() || len(m.Mentions) != 1 {
		t.Fatalf("heard %+v, want ann's question with one mention", m.Message)
	}

	sent, err := s.ChannelMessageSendReply(m.ChannelID, "hello ann", m.Reference())
	if err != nil {
		t.Fatal(err)
	}
	if sent.ReferencedMessage == nil || sent.ReferencedMessage.ID != m.ID {
		t.Fatalf("the answer refers to %+v, want ID %v", sent.ReferencedMessage, m.ID)
	}
	if echo := receive(t, heard); echo.ID != sent.ID {
		t.Fatalf("the bot heard message %s of its own, want %s", echo.ID, sent.ID)
	}
	if _, err := s.ChannelMessageEdit(sent.ChannelID, sent.ID, "hello again"); err != nil {
		t.Fatal(err)
	}
	held := p.Chat.Messages(p.channel)
	if len(held) != 2 || held[1].Content != "hello again" || held[1].Edited.IsZero() {
		t.Fatalf("the channel holds %+v, want 2 of them, Content %q of the second and Edited.IsZero() false of the second", held, "hello again")
	}
	if err := s.ChannelMessageDelete(sent.ChannelID, sent.ID); err != nil {
		t.Fatal(err)
	}
	if _, ok := p.Chat.Message(p.channel, held[1].ID); ok {
		t.Fatal("the deleted message is still there")
	}
}

func TestDiscordgoListsHistory(t *testing.T) {
	p := newPlace(t, discordtest.Options{})
	s := p.dial(t)
	ids := []graph.MessageID{p.say(t, "one"), p.say(t, "two"), p.say(t, "three")}
	page, err := s.ChannelMessages(p.channel.String(), 2, "", "", "")
	if err != nil {
		t.Fatal(err)
	}
	if len(page) != 2 || page[0].ID != ids[2].String() || page[1].ID != ids[1].String() {
		t.Fatalf("the page holds %v, want messages %s and %s", page, ids[2], ids[1])
	}
}

func TestDiscordgoLosesItsSocketAndCatchesUp(t *testing.T) {
	p := newPlace(t, discordtest.Options{})
	s := p.dial(t)
	heard := make(chan string, 10)
	resumed := make(chan struct{}, 10)
	s.AddHandler(func(_ *discordgo.Session, m *discordgo.MessageCreate) { heard <- m.Content })
	s.AddHandler(func(*discordgo.Session, *discordgo.Resumed) { resumed <- struct{}{} })
	p.open(t, s)
	if err := p.Gateway.AwaitReady(within(t), p.bot.User); err != nil {
		t.Fatal(err)
	}
	p.say(t, "before")
	if got := receive(t, heard); got != "before" {
		t.Fatalf("heard %q, want %q", got, "before")
	}
	p.Gateway.CloseSockets(4000)
	away := func(g discordtest.GatewayState) bool { return g.Ready == 0 || g.Opened > 1 }
	if err := p.Gateway.Await(within(t), away); err != nil {
		t.Fatal(err)
	}
	p.say(t, "missed")
	if got := receive(t, heard); got != "missed" {
		t.Fatalf("heard %q, want %q", got, "missed")
	}
	receive(t, resumed)
}

func TestDiscordgoUploadsAndForwards(t *testing.T) {
	p := newPlace(t, discordtest.Options{})
	s := p.dial(t)
	sent, err := s.ChannelFileSendWithMessage(p.channel.String(), "see", "weave.txt", strings.NewReader("threads"))
	if err != nil {
		t.Fatal(err)
	}
	if status, body := fetch(t, sent.Attachments[0].URL); status != http.StatusOK || body != "threads" {
		t.Errorf("the file reads %d %q, want %d and %q", status, body, http.StatusOK, "threads")
	}
	forward, err := s.ChannelMessageSendComplex(p.channel.String(), &discordgo.MessageSend{Reference: sent.Forward()})
	if err != nil {
		t.Fatal(err)
	}
	if len(forward.MessageSnapshots) != 1 || forward.MessageSnapshots[0].Message.Content != "see" {
		t.Errorf("the forward is %+v, want one in MessageSnapshots and MessageSnapshots[0].Message.Content %q", forward, "see")
	}
}
