package playground_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"heddle/bot/conversation"
	"heddle/graph"
	"heddle/graph/affinity"
	"heddle/graph/path"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/playground"
	"heddle/internal/why"
)

// stage is a running playground with a bot that answers every mention.
type stage struct {
	url string // of the page
	bot *bot
}

// open runs a playground, with exports in it, until the test ends.
func open(tb testing.TB, exports ...string) *stage {
	tb.Helper()
	model := errtest.Must(affinity.Default())(tb)
	expand := graph.DefaultOptions()
	expand.Affinity, expand.TimeThreshold = model, graph.AutoThreshold
	s, address := &stage{}, make(chan string, 1)
	watching := make(chan struct{})
	url, end := run(tb, playground.Options{
		Preview: why.Bot{Settings: conversation.Settings{Expand: expand, System: "Be kind.", Retention: path.DefaultRetention()}},
		Address: "127.0.0.1:0", Exports: exports,
		Start: func(ctx context.Context, c playground.Connection) error {
			s.bot = &bot{c, <-address, watching}
			return s.bot.run(ctx)
		},
	})
	tb.Cleanup(end)
	s.url = url
	address <- url
	select {
	case <-watching: // messages from now on are answered
	case <-time.After(discordtest.Patience):
		tb.Fatal("the bot watches nothing")
	}
	return s
}

// run runs a playground, whose address it returns. end ends it.
func run(tb testing.TB, o playground.Options) (url string, end func()) {
	tb.Helper()
	ctx, cancel := context.WithCancel(tb.Context())
	out, stdout := io.Pipe()
	o.Stdout = stdout
	done := make(chan error, 1)
	go func() {
		done <- playground.Run(ctx, o)
		stdout.Close()
	}()
	printed := bufio.NewReader(out)
	line, err := printed.ReadString('\n')
	if err != nil {
		cancel()
		tb.Fatalf("nothing was printed, want an address: %v; %v", err, <-done)
	}
	go io.Copy(io.Discard, printed) //nolint:errcheck // ends with the pipe
	return strings.TrimSpace(line), func() {
		cancel()
		if err := <-done; err != nil {
			tb.Errorf("the playground failed: %v", err)
		}
	}
}

// call makes a request to the page's server, as a POST if change is not nil, and
// decodes the response.
func (s *stage) call(t *testing.T, path string, change, result any) int {
	t.Helper()
	method, body := http.MethodGet, []byte(nil)
	if change != nil {
		method = http.MethodPost
		body, _ = json.Marshal(change)
	}
	return errtest.Must(send(t.Context(), method, s.url+path, http.Header{"Content-Type": {"application/json"}}, bytes.NewReader(body), result))(t)
}

// send makes a request, decodes the response and returns its status.
func send(ctx context.Context, method, url string, header http.Header, body io.Reader, result any) (status int, err error) {
	request, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		return 0, err
	}
	request.Header = header
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(result); err != nil {
		return 0, fmt.Errorf("%s %s: %s: %w", method, url, response.Status, err)
	}
	return response.StatusCode, nil
}

type message struct {
	ID      graph.MessageID `json:"id"`
	Channel graph.ChannelID `json:"channel"`
	Author  graph.UserID    `json:"author"`
	Name    string          `json:"name"`
	Content string          `json:"content"`
	Edited  bool            `json:"edited"`
	ReplyTo graph.MessageID `json:"replyTo"`
}

type event struct {
	Kind    string  `json:"kind"`
	Message message `json:"message"`
}

// events streams happenings from now on.
func events(ctx context.Context, url string) (func() (event, error), func() error, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/api/events", http.NoBody)
	if err != nil {
		return nil, nil, err
	}
	response, err := http.DefaultClient.Do(request) //nolint:bodyclose // the caller gets its Close
	if err != nil {
		return nil, nil, err
	}
	lines := bufio.NewScanner(response.Body)
	next := func() (event, error) {
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				var e event
				return e, json.Unmarshal([]byte(data), &e)
			}
		}
		return event{}, io.ErrUnexpectedEOF
	}
	return next, response.Body.Close, nil
}

// bot is a small substitute for heddle. It follows the events of the page, takes the
// five messages before a mention as the conversation, and answers over REST.
type bot struct {
	playground.Connection
	page     string
	watching chan struct{} // closed once it receives events
}

func (b *bot) run(ctx context.Context) error {
	next, stop, err := events(ctx, b.page)
	if err != nil {
		return err
	}
	defer stop() //nolint:errcheck // it ends with ctx
	close(b.watching)
	var me struct{ ID graph.UserID }
	if err := b.exchange(ctx, http.MethodGet, b.DiscordURL+"/v9/users/@me", nil, &me); err != nil {
		return err
	}
	for {
		e, err := next()
		if err != nil {
			return err
		}
		if e.Kind == "created" && strings.Contains(e.Message.Content, "<@"+me.ID.String()+">") && e.Message.Author != me.ID {
			if err := b.reply(ctx, e.Message); err != nil {
				return err
			}
		}
	}
}

func (b *bot) reply(ctx context.Context, trigger message) error {
	var world struct{ Messages []message }
	if err := b.exchange(ctx, http.MethodGet, b.page+"/api/world", nil, &world); err != nil {
		return err
	}
	g := &graph.Graph{Trigger: graph.Message{ID: trigger.ID, Channel: trigger.Channel, Name: trigger.Name, Text: trigger.Content}, Rounds: 1}
	var turns []map[string]string
	for _, m := range world.Messages {
		if m.Channel != trigger.Channel || m.ID == trigger.ID {
			continue
		}
		g.Conversation = append(g.Conversation, graph.Node{
			Message: &graph.Message{ID: m.ID, Channel: m.Channel, Name: m.Name, Text: m.Content}, Probability: 1, Reasons: []graph.Reason{{Kind: graph.ReasonSeed}},
		})
	}
	if most := 5; len(g.Conversation) > most {
		cut := len(g.Conversation) - most
		g.Explored, g.Conversation = g.Conversation[:cut], g.Conversation[cut:]
		g.Seals = []graph.Seal{{At: g.Conversation[0].Message.ID, Why: graph.SealBudget}}
	}
	for _, n := range g.Conversation {
		turns = append(turns, map[string]string{"role": "user", "content": fmt.Sprintf("[speaker: %s]\n%s", n.Message.Name, n.Message.Text)})
	}
	turns = append(turns, map[string]string{"role": "user", "content": fmt.Sprintf("[speaker: %s]\n%s", trigger.Name, trigger.Content)})
	b.Observer.Begins(trigger.ID, g, path.Build(g, path.Shape{System: "Be kind."}))
	var answer struct {
		Choices []struct{ Message struct{ Content string } }
	}
	if err := b.exchange(ctx, http.MethodPost, b.Model.URL+"/chat/completions", map[string]any{"model": b.Model.Name, "messages": turns}, &answer); err != nil {
		return err
	}
	return b.exchange(ctx, http.MethodPost, fmt.Sprintf("%s/v9/channels/%s/messages", b.DiscordURL, trigger.Channel), map[string]any{
		"content": answer.Choices[0].Message.Content, "message_reference": map[string]any{"message_id": trigger.ID}, "components": buttons(),
	}, &struct{}{})
}

// buttons returns the buttons below an answer.
func buttons() []any {
	return []any{map[string]any{"type": 1, "components": []any{
		map[string]any{"type": 2, "style": 2, "custom_id": "at", "label": "1/1", "disabled": true},
		map[string]any{"type": 2, "style": 2, "custom_id": "again", "label": "again"},
	}}}
}

// change edits an answer, as heddle does after a press.
func (b *bot) change(t *testing.T, channel, answer string, fields map[string]any) {
	t.Helper()
	errtest.None(t, b.exchange(t.Context(), http.MethodPatch, fmt.Sprintf("%s/v9/channels/%s/messages/%s", b.DiscordURL, channel, answer), fields, &struct{}{}))
}

func (b *bot) exchange(ctx context.Context, method, url string, body, result any) error {
	var content []byte
	if body != nil {
		content, _ = json.Marshal(body)
	}
	header := http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bot " + b.Token}}
	if strings.HasPrefix(url, b.Model.URL) {
		header.Set("Authorization", "Bearer "+b.Model.Key)
	}
	status, err := send(ctx, method, url, header, bytes.NewReader(content), result)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("%s %s: status %d", method, url, status)
	}
	return err
}
