package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"heddle/bot/gateway"
	"heddle/config"
	"heddle/graph"
	"heddle/internal/discord"
)

// errNotTried is the reason for which something was not tried.
var errNotTried = errors.New("not tried")

// notTried returns an error that says why something was not tried.
func notTried(why string) error { return fmt.Errorf("%w: %s", errNotTried, why) }

// live tries on Discord itself, in one channel, what docs/unverified.md lists. Whatever it sends
// holds a mark, by which it is found and deleted at the end.
type live struct {
	rest    *discord.REST
	limits  *seenLimits
	heard   *heardEvents
	told    io.Writer     // where a person is asked to press a button
	press   time.Duration // how long that person has
	channel discord.Channel
	me      discord.User
	mark    string
	sent    []graph.MessageID
	first   discord.Message     // the first message that was sent, which others refer to
	pressed discord.Interaction // the press of a button; zero for none
}

// trial is one line of the sheet: what is tried, and a function that says what was seen.
type trial struct {
	what string
	try  func(ctx context.Context) (saw string, err error)
}

// tryLive tries everything in a channel and prints a sheet that can replace lines of
// docs/unverified.md. It leaves nothing in the channel. The status is 1 if something failed, and 2
// if nothing could be tried.
func tryLive(ctx context.Context, c *config.Config, channel graph.ChannelID, press time.Duration, p Process) (worst int) {
	limits := &seenLimits{seen: map[string]string{}}
	rest := discord.NewREST(discord.RESTConfig{BaseURL: string(c.DiscordAPIURL), Token: c.DiscordToken.Reveal(), Transport: limits})
	l := &live{rest: rest, limits: limits, heard: newHeardEvents(channel), told: p.Stderr, press: press, mark: "heddle-live-" + strings.ToLower(rand.Text()[:8])}
	fmt.Fprintf(p.Stdout, "Tried on %s with %s. These lines can replace those in docs/unverified.md.\n\n| what | what was seen |\n|---|---|\n", time.Now().UTC().Format(time.DateOnly), rest.BaseURL())
	line := func(what, saw string, err error) {
		switch {
		case errors.Is(err, errNotTried):
			saw = err.Error()
		case err != nil:
			saw, worst = "failed: "+err.Error(), max(worst, StatusWarned)
		}
		fmt.Fprintf(p.Stdout, "| %s | %s |\n", what, strings.NewReplacer("|", "\\|", "\n", " ").Replace(saw))
	}
	if err := l.enter(ctx, channel); err != nil {
		line("the channel", "", err)
		return StatusFaulted
	}
	line("the channel", fmt.Sprintf("type %d, heddle is %s", l.channel.Type, printable(l.me.Name)), nil)
	connected, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	var running sync.WaitGroup
	running.Go(func() {
		ended <- gateway.New(gateway.Config{Token: c.DiscordToken.Reveal(), REST: rest}).Run(connected, l.heard)
		close(l.heard.over)
	})
	defer running.Wait()
	defer stop()
	defer func() {
		saw, err := l.cleanUp(ctx)
		line("what is left in the channel", saw, err)
	}()
	for _, t := range l.trials(ended) {
		saw, err := t.try(ctx)
		line(t.what, saw, err)
	}
	for _, what := range []string{
		"edits of messages older than an hour", "tokens of interactions after 15 minutes", "files that come with a command", "several shards, two sessions of one shard, 4011",
	} {
		line(what, "", notTried("heddle doctor cannot"))
	}
	return worst
}

// enter reads the channel, and who heddle is.
func (l *live) enter(ctx context.Context, channel graph.ChannelID) (err error) {
	if l.me, err = discord.Read[discord.User](ctx, l.rest, "/users/@me"); err != nil {
		return err
	}
	l.channel, err = discord.Read[discord.Channel](ctx, l.rest, "/channels/"+channel.String())
	if err == nil && l.channel.Type.HasOnlyThreads() {
		err = errors.New("nobody can write there but in posts: name one of them")
	}
	return err
}

// trials returns what is tried, in order. ended gets why the gateway's connection ended for good.
func (l *live) trials(ended <-chan error) []trial {
	return []trial{
		{"login", func(ctx context.Context) (string, error) { return l.login(ctx, ended) }},
		{"Message Content intent", func(ctx context.Context) (string, error) { return intentOf(ctx, l.rest) }},
		{"send", l.send},
		{"`nonce` with `enforce_nonce`, twice", l.nonce},
		{"edit, as an answer grows", l.edit},
		{"reply", l.reply},
		{"a file that an edit keeps by its id", l.file},
		{"`allowed_mentions` with `\"parse\": null`", l.nullParse},
		{"2,000 characters that take two UTF-16 units each", l.codePoints},
		{"history pages", l.history},
		{"`around` with an even limit", l.around},
		{"two cursors at once", l.cursors},
		{"search", l.search},
		{"channels that heddle may not view", l.hidden},
		{"buttons, acknowledged within 3 s and twice", l.buttons},
		{"a deferred answer", l.deferred},
		{"rate limits, by their headers", func(context.Context) (string, error) { return l.limits.String(), nil }},
	}
}

// path returns the path of the channel's messages, with more behind it.
func (l *live) path(more ...string) string {
	return "/channels/" + l.channel.ID.String() + "/messages" + strings.Join(more, "")
}

// body is the JSON of a request.
type body = map[string]any

// text returns the content of a message, with the mark.
func (l *live) text(text string) string { return text + " " + l.mark }

// post sends a message to the channel. Mentions in it notify nobody.
func (l *live) post(ctx context.Context, b body, files ...discord.File) (discord.Message, error) {
	if b["allowed_mentions"] == nil {
		b["allowed_mentions"] = body{"parse": []string{}}
	}
	raw, err := l.rest.Do(ctx, discord.Call{Method: http.MethodPost, Path: l.path(), Body: b, Files: files, Repeatable: b["nonce"] != nil})
	if err != nil {
		return discord.Message{}, err
	}
	m, err := discord.Decode[discord.Message](raw)
	if m.ID != 0 && !slices.Contains(l.sent, m.ID) {
		l.sent = append(l.sent, m.ID)
	}
	return m, err
}

// cleanUp deletes everything that was sent, also if an answer of Discord's was lost, and says what
// is left. It takes a minute at most, also after an interrupt.
func (l *live) cleanUp(ctx context.Context) (saw string, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	const mostPages = 10 // that people fill meanwhile
	after := l.channel.Last
	for range mostPages {
		page, err := discord.ReadPage(ctx, l.rest, l.channel.ID, "after", after)
		for i := range page.Messages {
			m := &page.Messages[i]
			after = max(after, m.ID)
			if m.Author.ID == l.me.ID && strings.Contains(m.Content, l.mark) && !slices.Contains(l.sent, m.ID) {
				l.sent = append(l.sent, m.ID)
			}
		}
		if err != nil || page.Count < discord.PageSize {
			break
		}
	}
	var left []string
	if l.pressed.ID != 0 {
		if _, err := l.rest.Do(ctx, discord.Call{Method: http.MethodDelete, Path: l.original()}); err != nil && !discord.IsNotFound(err) {
			left = append(left, fmt.Sprintf("the answer to the button (%s)", err))
		}
	}
	for _, id := range l.sent {
		_, err := l.rest.Do(ctx, discord.Call{Method: http.MethodDelete, Path: l.path("/", id.String())})
		if err != nil && !discord.IsNotFound(err) {
			left = append(left, fmt.Sprintf("message %s (%s)", id, err))
		}
	}
	if len(left) > 0 {
		return "", errors.New("delete by hand: " + strings.Join(left, ", "))
	}
	return fmt.Sprintf("nothing; %d messages were deleted", len(l.sent)), nil
}
