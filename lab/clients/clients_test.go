package clients_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
)

// A check runs if its client is installed. Otherwise it passes with a line in the log,
// unless CI is true in the environment: then it fails.

func TestDiscordPyTakesTheServerForDiscordIfInstalled(t *testing.T) {
	const python = "/usr/bin/python3"
	if missing(t, "discord.py (Debian's python3-discord)", python, "-c", "import discord") {
		return
	}
	check(t, python, "discordpy_check.py")
}

func TestDiscordJSTakesTheServerForDiscordIfInstalled(t *testing.T) {
	if missing(t, "discord.js (npm ci in lab/clients)", "node", "--input-type=module", "-e", "import 'discord.js'") {
		return
	}
	check(t, "node", "discordjs_check.mjs")
}

// missing runs a command that fails if the client is not installed, and reports whether
// it does.
func missing(t *testing.T, what, name string, args ...string) bool {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
	if err == nil {
		return false
	}
	said := fmt.Sprintf("%s is not installed: %v\n%s", what, err, out)
	if os.Getenv("CI") == "true" {
		t.Fatal(said)
	}
	t.Log("not run: " + said)
	return true
}

// check runs a client's script against a server of its own.
func check(t *testing.T, name, script string) {
	t.Helper()
	server := discordtest.New(discordtest.Options{AnswerWithin: discordtest.Patience}) // long, so that the speed of a client does not matter
	t.Cleanup(server.Close)
	guild := server.World.AddGuild("weavers")
	channel := server.World.AddChannel(guild, discordtest.ChannelDraft{Name: "general"})
	server.World.AddChannel(guild, discordtest.ChannelDraft{Name: "board", Topic: "plans", Private: true})
	server.World.AddChannel(guild, discordtest.ChannelDraft{Name: "help", Kind: discordtest.Forum, Tags: []discordtest.Tag{{Name: "loom"}, {Name: "done", Emoji: "✅"}}})
	news := server.World.AddChannel(guild, discordtest.ChannelDraft{Name: "news", Kind: discordtest.Announcement})
	digest := server.World.AddChannel(guild, discordtest.ChannelDraft{Name: "digest"})
	ann := server.People.AddUser("ann", guild)
	bot := server.People.AddBot("heddle", guild)
	server.People.SetNick(guild, ann, "Captain Nemo")
	server.People.SetDisplayName(ann, "Ann B.")
	server.World.RenameRole(guild, server.World.AddRole(guild, "staff", 0, true), "crew")
	server.World.Follow(news, digest, ann)
	server.People.SetLocale(ann, "de")
	far := server.World.AddGuild("abroad")
	server.People.Join(far, ann)
	abroad := server.World.AddChannel(far, discordtest.ChannelDraft{Name: "far"})
	server.People.AllowUserInstall(bot.User)
	server.People.InstallFor(ann, bot.User)
	drafts := make([]discordtest.Draft, 250)
	start := time.Now().Add(-time.Hour)
	for i := range drafts {
		drafts[i] = discordtest.Draft{Author: ann, Content: fmt.Sprint("line ", i+1), At: start.Add(time.Duration(i) * time.Second)}
	}
	errtest.Must(server.Chat.Backfill(channel, drafts))(t)
	ctx, cancel := context.WithTimeout(t.Context(), discordtest.Patience)
	defer cancel()
	controls := listen(t, &control{server: server, channel: channel, abroad: abroad, ann: ann, bot: bot.User})
	cmd := exec.CommandContext(ctx, name, script)
	cmd.Env = append(os.Environ(),
		"DISCORD_API_URL="+server.URL(), "DISCORD_TOKEN="+bot.Token, "CHANNEL="+channel.String(), "CONTROL="+controls,
		"NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1") // otherwise Python would use the environment's proxy even for this machine
	out, err := cmd.CombinedOutput()
	t.Logf("%s:\n%s", script, out)
	if err != nil || !strings.Contains(string(out), "ok done") {
		t.Fatalf("%s failed: %v", script, err)
	}
}

// control does for a script what only the owner of the server can do.
type control struct {
	server   *discordtest.Server
	channel  graph.ChannelID
	abroad   graph.ChannelID // of a guild where the bot is no member
	ann, bot graph.UserID
}

func listen(t *testing.T, h http.Handler) string {
	t.Helper()
	listener := errtest.Must(new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0"))(t)
	server := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return "http://" + listener.Addr().String()
}

// press lets ann press a button, given as "message/custom id".
func (c *control) press(which string) error {
	message, button, _ := strings.Cut(which, "/")
	var id graph.MessageID
	if err := id.UnmarshalText([]byte(message)); err != nil {
		return err
	}
	_, err := c.server.Interactions.Press(c.channel, id, c.ann, button)
	return err
}

func (c *control) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	what, said := strings.TrimPrefix(r.URL.Path, "/"), "done"
	var err error
	if what == "use" {
		said, err = c.use(r.Body)
	} else if id, isAnswer := strings.CutPrefix(what, "answer/"); isAnswer {
		said, err = c.answer(r.Context(), id)
	} else {
		err = c.act(r.Context(), what)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_, _ = io.WriteString(w, said)
}

// use lets ann use a command or send a modal. It returns the id of the interaction.
func (c *control) use(body io.Reader) (string, error) {
	var use struct {
		Command string                    `json:"command"`
		Options map[string]string         `json:"options"`
		Target  graph.MessageID           `json:"target"`
		Abroad  bool                      `json:"abroad"`
		Submit  discordtest.InteractionID `json:"submit"` // the modal that answered it
		Value   string                    `json:"value"`  // of the modal's only input
	}
	if err := json.NewDecoder(body).Decode(&use); err != nil {
		return "", err
	}
	invocation := discordtest.Invocation{Command: use.Command, Target: use.Target, Options: map[string]any{}}
	for name, value := range use.Options {
		invocation.Options[name] = value
	}
	channel := c.channel
	if use.Abroad {
		channel = c.abroad
	}
	var id discordtest.InteractionID
	var err error
	if use.Submit != 0 {
		id, err = c.submit(use.Submit, use.Value)
	} else {
		id, err = c.server.Interactions.Invoke(channel, c.ann, c.bot, invocation)
	}
	return id.String(), err
}

func (c *control) submit(modal discordtest.InteractionID, value string) (discordtest.InteractionID, error) {
	in, _ := c.server.Interactions.Find(modal)
	if in.Modal == nil || len(in.Modal.Inputs) != 1 {
		return 0, fmt.Errorf("interaction %s opened no modal with one input", modal)
	}
	return c.server.Interactions.Submit(modal, map[string]string{in.Modal.Inputs[0].CustomID: value})
}

// answer waits for the answer to an interaction: a private message, or the title of a
// modal.
func (c *control) answer(ctx context.Context, text string) (string, error) {
	var id discordtest.InteractionID
	if err := id.UnmarshalText([]byte(text)); err != nil {
		return "", err
	}
	in, err := c.server.Interactions.Await(ctx, id, func(in discordtest.Interaction) bool {
		return in.Modal != nil || len(in.Private) > 0 && in.Private[0].Content != ""
	})
	switch {
	case err != nil:
		return "", err
	case in.Modal != nil:
		return in.Modal.Title, nil
	case len(in.Private) == 1:
		return in.Private[0].Content, nil
	}
	return fmt.Sprintf("%+v", in), nil
}

func (c *control) act(ctx context.Context, what string) error {
	opened := c.server.Gateway.State().Opened
	if rest, ok := strings.CutPrefix(what, "press/"); ok {
		return c.press(rest)
	}
	switch what {
	case "react", "unreact":
		return c.react(what)
	case "vote":
		return c.server.Chat.Vote(c.channel, c.newest(), c.ann, 2)
	case "speak":
		return c.speak()
	case "cut":
		c.server.Gateway.CloseSockets(0)
		// The message must be posted while there is no socket.
		err := c.server.Gateway.Await(ctx, func(g discordtest.GatewayState) bool { return g.Ready == 0 || g.Opened > opened })
		if err != nil {
			return err
		}
	case "reconnect":
		c.server.Gateway.AskReconnect()
		err := c.server.Gateway.Await(ctx, func(g discordtest.GatewayState) bool { return g.Ready == 0 || g.Opened > opened })
		if err != nil {
			return err
		}
	case "invalidate":
		c.server.Gateway.Invalidate()
		return nil
	default:
		return fmt.Errorf("no control %q", what)
	}
	_, err := c.server.Chat.Post(c.channel, c.ann, discordtest.Draft{Content: what})
	return err
}

// newest returns the newest message.
func (c *control) newest() graph.MessageID {
	all := c.server.Chat.Messages(c.channel)
	return all[len(all)-1].ID
}

// speak lets ann send a voice message, and then a picture as a spoiler.
func (c *control) speak() error {
	voice := discordtest.Attachment{Name: "voice-message.ogg", Type: "audio/ogg", Data: []byte("OggS"), Seconds: 12.5, Waveform: "AAAA"}
	_, err := c.server.Chat.Post(c.channel, c.ann, discordtest.Draft{Flags: discordtest.FlagVoiceMessage, Attachments: []discordtest.Attachment{voice}})
	if err != nil {
		return err
	}
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 40, 20))); err != nil {
		return err
	}
	hidden := discordtest.Attachment{Name: "loom.png", Data: picture.Bytes(), Spoiler: true}
	_, err = c.server.Chat.Post(c.channel, c.ann, discordtest.Draft{Content: "look", Attachments: []discordtest.Attachment{hidden}})
	return err
}

// react changes the reactions on the newest message.
func (c *control) react(what string) error {
	const thumb = "👍"
	newest := c.newest()
	if what == "react" {
		return c.server.Chat.React(c.channel, newest, c.ann, thumb)
	}
	return c.server.Chat.Unreact(c.channel, newest, c.ann, thumb)
}
