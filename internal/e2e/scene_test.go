package e2e_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/discordtest/documented"
	"heddle/internal/errtest"
	"heddle/internal/openaitest"
	"heddle/internal/waittest"
)

// patience bounds the waits of an end-to-end test, of which some have many steps.
const patience = 2 * discordtest.Patience

// patient returns settings for a slow machine, for tests that are not about how long
// heddle waits.
func patient() []string {
	return []string{"CLAIM_LEASE=10m", "LLM_TIMEOUT=10m", "LLM_PATIENCE=10m", "SHUTDOWN_GRACE=2m"}
}

// scene is the setup of an end-to-end test: people who talk on a Discord server, a model,
// and heddle as a program between the two. Each part holds only what it needs.
type scene struct {
	*trial
	*world
	*screen
	*people
	*commands
	*provider
	*operator
}

// trial is a test with the time that it may take.
type trial struct {
	t   testing.TB
	ctx context.Context //nolint:containedctx // a test's own, for every wait of it
}

// world is a Discord with a guild, a channel, two people and heddle.
type world struct {
	discord *discordtest.Server
	guild   graph.GuildID
	channel graph.ChannelID
	ann     graph.UserID
	bob     graph.UserID
	heddle  discordtest.Bot
}

// screen shows what is on Discord.
type screen struct {
	*trial
	*world
}

// people talk on Discord: they post, edit, react and press buttons.
type people struct{ *screen }

// commands are what people do with heddle's commands, and what only they see of it.
type commands struct{ *people }

// provider is the model: what it answers, and what it was asked.
type provider struct {
	*trial

	model  *openaitest.Server
	reply  atomic.Pointer[openaitest.Reply]
	script atomic.Pointer[func(openaitest.Request) *openaitest.Reply]
}

// operator runs heddle: with settings, with files and by its command line.
type operator struct {
	*trial

	environ []string
	data    string // the folder of the embedded store
}

// ok fails the test on an error.
func (r *trial) ok(err error) {
	r.t.Helper()
	errtest.None(r.t, err)
}

// contains fails the test unless a text contains all of some others.
func (r *trial) contains(text string, wants ...string) {
	r.t.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			r.t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

// same fails the test unless something is as wanted.
func (r *trial) same(what string, got, want any) {
	r.t.Helper()
	if !reflect.DeepEqual(got, want) {
		r.t.Errorf("%s: %#v, want %#v", what, got, want)
	}
}

// atMost fails the test if something is more than it may be.
func (r *trial) atMost(what string, got, most int) {
	r.t.Helper()
	if got > most {
		r.t.Errorf("%s: %d, want at most %d", what, got, most)
	}
}

// lacks fails the test if a text contains any of some others.
func (r *trial) lacks(text string, unwanted ...string) {
	r.t.Helper()
	for _, part := range unwanted {
		if strings.Contains(text, part) {
			r.t.Errorf("want no %q in\n%s", part, text)
		}
	}
}

// awaits waits until a text is in a log.
func (r *trial) awaits(logs *waittest.Log, text string) {
	r.t.Helper()
	r.awaitsTimes(logs, text, 1)
}

// awaitsTimes waits until a text is in a log so many times.
func (r *trial) awaitsTimes(logs *waittest.Log, text string, times int) {
	r.t.Helper()
	r.ok(logs.Await(r.ctx, text, times))
}

// newScene returns a scene without messages, in which heddle does not run yet, for a test that
// runs beside others.
func newScene(t *testing.T) *scene {
	t.Helper()
	t.Parallel()
	return sceneOn(t, discordtest.Options{})
}

// newTimedScene is newScene with Discord's clock.
func newTimedScene(t *testing.T) (*scene, *discordtest.Clock) {
	t.Helper()
	t.Parallel()
	clock := new(discordtest.Clock)
	return sceneOn(t, discordtest.Options{Clock: clock.Now}), clock
}

// inScenes runs a test of several cases, each in a scene of its own and beside the others.
func inScenes[C any](t *testing.T, cases map[string]C, test func(*scene, C)) {
	t.Helper()
	t.Parallel()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) { test(newScene(t), c) })
	}
}

// sceneOn is newScene for a Discord with options. Whether the test runs beside others is left to
// it.
func sceneOn(tb testing.TB, options discordtest.Options) *scene {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), patience)
	tb.Cleanup(cancel)
	test := &trial{t: tb, ctx: ctx}
	model, discord := newProvider(test), newWorld(test, options)
	seen := &screen{test, discord}
	talking := &people{seen}
	s := &scene{
		trial: test, world: discord, screen: seen, people: talking, commands: &commands{talking}, provider: model,
		operator: &operator{trial: test, data: tb.TempDir()},
	}
	s.environ = append(patient(),
		"DISCORD_TOKEN="+s.heddle.Token, "DISCORD_API_URL="+s.discord.URL(),
		"OPENAI_BASE_URL="+s.model.URL(), "LLM_MODEL=test-model", "DATA_DIR="+s.data, "LOG_LEVEL=debug",
		"RECORD_WAIT=1m", // at any load an answer is one edit
	)
	return s
}

// newProvider returns a provider whose model fails until it is told what to answer.
func newProvider(test *trial) *provider {
	test.t.Helper()
	p := &provider{trial: test}
	p.always(openaitest.Reply{Status: 500})
	model := errtest.Must(openaitest.Start(openaitest.Config{Script: p.answers}))(test.t)
	test.t.Cleanup(func() { _ = model.Close() })
	p.model = model
	return p
}

// newWorld returns a world in which nobody has said anything.
func newWorld(test *trial, options discordtest.Options) *world {
	test.t.Helper()
	if options.Limits == nil {
		options.Limits = discordtest.NoLimits()
	}
	if options.AnswerWithin == 0 {
		options.AnswerWithin = patience // how fast heddle is must not decide a test
	}
	if options.Inspect == nil {
		options.Inspect = documented.Demanded(test.t)
	}
	w := &world{discord: discordtest.New(options)}
	test.t.Cleanup(w.discord.Close)
	w.guild = w.discord.World.AddGuild("weavers")
	w.channel = w.discord.World.AddChannel(w.guild, discordtest.ChannelDraft{Name: "general"})
	w.ann, w.bob = w.discord.People.AddUser("ann", w.guild), w.discord.People.AddUser("bob", w.guild)
	w.heddle = w.discord.People.AddBot("heddle", w.guild)
	return w
}

// holdsEvents keeps every event from heddle until release is called.
func (w *world) holdsEvents() (release func()) {
	var held []discordtest.Event
	remove := w.discord.Events.Intercept(func(e discordtest.Event) []discordtest.Event {
		held = append(held, e)
		return nil
	})
	return func() {
		remove()
		for _, e := range held {
			w.discord.Events.Dispatch(e.Bot, e.Name, e.Data)
		}
	}
}

// person returns the person of a name.
func (p *people) person(name string) graph.UserID {
	switch name {
	case "ann":
		return p.ann
	case "bob":
		return p.bob
	default:
		p.t.Fatalf("nobody is called %q", name)
		return 0
	}
}

// said creates a past conversation of lines such as "ann: text". The time between two
// lines is apart.
func (p *people) said(apart time.Duration, lines ...string) []graph.MessageID {
	p.t.Helper()
	drafts := make([]discordtest.Draft, len(lines))
	for i, line := range lines {
		name, text, _ := strings.Cut(line, ": ")
		at := time.Now().Add(-time.Duration(len(lines)-i) * apart)
		drafts[i] = discordtest.Draft{Author: p.person(name), Content: text, At: at}
	}
	return errtest.Must(p.discord.Chat.Backfill(p.channel, drafts))(p.t)
}

// post posts a message in the scene's channel.
func (p *people) post(author graph.UserID, draft discordtest.Draft) graph.MessageID {
	p.t.Helper()
	return p.postIn(p.channel, author, draft)
}

func (p *people) postIn(channel graph.ChannelID, author graph.UserID, draft discordtest.Draft) graph.MessageID {
	p.t.Helper()
	return errtest.Must(p.discord.Chat.Post(channel, author, draft))(p.t)
}

// mention returns a text that mentions heddle.
func (p *people) mention(text string) string { return "<@" + p.heddle.User.String() + "> " + text }

func (p *people) edit(id graph.MessageID, text string) {
	p.t.Helper()
	p.ok(p.discord.Chat.Edit(p.channel, id, text))
}

// thread creates an empty thread.
func (p *people) thread(name string) graph.ChannelID {
	p.t.Helper()
	return errtest.Must(p.discord.World.AddThread(p.channel, p.ann, discordtest.ThreadDraft{Name: name}))(p.t)
}

// askIn has somebody mention heddle in a channel.
func (p *people) askIn(channel graph.ChannelID, author graph.UserID, text string) graph.MessageID {
	p.t.Helper()
	return p.postIn(channel, author, discordtest.Draft{Content: p.mention(text)})
}

// askBelow has somebody mention heddle in a reply, in the scene's channel.
func (p *people) askBelow(message graph.MessageID, author graph.UserID, text string) graph.MessageID {
	p.t.Helper()
	return p.post(author, discordtest.Draft{Content: p.mention(text), ReplyTo: message})
}

// answered has Ann ask something in a channel, and waits for an answer that contains a text.
func (p *people) answered(channel graph.ChannelID, question, want string) discordtest.Message {
	p.t.Helper()
	return p.answer(channel, p.askIn(channel, p.ann, question), want)
}

// asks has Ann ask a question and waits for the whole answer.
func (s *scene) asks(question, want string) {
	s.t.Helper()
	s.model.Queue(openaitest.Answer(want))
	s.wholeAnswer(s.ask(s.ann, question), want)
}

// press presses the button with a label.
func (p *people) press(who graph.UserID, m discordtest.Message, label string) discordtest.InteractionID {
	p.t.Helper()
	has := func(b discordtest.Button) bool { return b.Label == label }
	if !slices.ContainsFunc(m.Buttons(), has) { // they follow the text if the store is slow
		m = p.posted(m.Channel, "the button "+label, func(now discordtest.Message) bool { return now.ID == m.ID && slices.ContainsFunc(now.Buttons(), has) })
	}
	at := slices.IndexFunc(m.Buttons(), has)
	return errtest.Must(p.discord.Interactions.Press(m.Channel, m.ID, who, m.Buttons()[at].CustomID))(p.t)
}

// reacts adds reactions to a message, and removes those whose emoji begins with a minus.
func (p *people) reacts(channel graph.ChannelID, message graph.MessageID, who graph.UserID, emojis ...string) {
	p.t.Helper()
	for _, emoji := range emojis {
		do := p.discord.Chat.React
		if back, gone := strings.CutPrefix(emoji, "-"); gone {
			do, emoji = p.discord.Chat.Unreact, back
		}
		p.ok(do(channel, message, who, emoji))
	}
}

// heard waits until heddle has received all earlier events of a channel, by asking it
// another question there.
func (p *people) heard(channel graph.ChannelID, answer string) {
	p.t.Helper()
	p.answer(channel, p.postIn(channel, p.ann, discordtest.Draft{Content: p.mention("and then?")}), answer)
}

// follow posts a long reply to a message of heddle and waits for the answer.
func (p *people) follow(n int, after discordtest.Message) discordtest.Message {
	p.t.Helper()
	text := fmt.Sprintf("fact %d: %s", n, strings.Repeat(fmt.Sprintf("thread %d is fine ", n), 12))
	draft := discordtest.Draft{Content: p.mention(text)}
	if after.ID != 0 {
		draft.ReplyTo = after.ID
	}
	return p.answer(p.channel, p.post(p.ann, draft), "Noted.")
}

func file(name, kind string, data []byte) []discordtest.Attachment {
	return []discordtest.Attachment{{Name: name, Type: kind, Data: data}}
}

// picture returns a PNG file whose sides have this many pixels.
func picture(t *testing.T, side int) []byte {
	t.Helper()
	var b bytes.Buffer
	errtest.None(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, side, side))))
	return b.Bytes()
}

// long returns a text that fills this many messages.
func long(word string, messages int) string {
	line := strings.TrimSpace(strings.Repeat(word+" ", 18)) + "\n"
	return strings.TrimSpace(strings.Repeat(line, (1900*messages-900)/len(line)))
}
