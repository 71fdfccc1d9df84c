package load

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"

	"github.com/gorilla/websocket"
)

// relay is a minimal bot that only passes mentions on to the model. The time that it
// takes is that of the wire.
type relay struct{ gateway, token, user, model string }

// relayed runs a relay in this process.
func relayed(ctx context.Context, s *scene) error { return s.relay().run(ctx) }

// relayedApart runs a relay in a process of its own, as heddle is one.
func relayedApart(ctx context.Context, s *scene) error {
	own, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	r := s.relay()
	cmd := exec.CommandContext(ctx, own, "load", "--relay", r.gateway, r.token, r.user, r.model) //nolint:gosec // this program
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil && ctx.Err() == nil {
		return fmt.Errorf("run a relay: %w", err)
	}
	return nil
}

func (s *scene) relay() *relay {
	return &relay{s.discord.GatewayURL(), s.heddle.Token, s.heddle.User.String(), s.model.URL()}
}

// run passes mentions on until ctx ends or the connection does.
func (r *relay) run(ctx context.Context) error {
	conn, response, err := websocket.DefaultDialer.DialContext(ctx, r.gateway+"?v=9&encoding=json", nil)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer response.Body.Close() //nolint:errcheck // the response of a handshake
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	identify := map[string]any{"op": 2, "d": map[string]any{
		"token": r.token, "intents": 1<<0 | 1<<9 | 1<<12 | 1<<15, "properties": map[string]string{},
	}}
	if err := conn.WriteJSON(identify); err != nil {
		return fmt.Errorf("identify: %w", err)
	}
	var asking sync.WaitGroup
	defer asking.Wait()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	for {
		var event struct {
			Type string `json:"t"`
			Data struct {
				Content string `json:"content"`
			} `json:"d"`
		}
		if err := conn.ReadJSON(&event); err != nil {
			return nil // closed at the end
		}
		if event.Type == "MESSAGE_CREATE" && strings.Contains(event.Data.Content, r.user) {
			asking.Go(func() { r.ask(ctx, client, event.Data.Content) })
		}
	}
}

// ask asks the model as heddle would, and ignores errors, which show as missing times.
func (r *relay) ask(ctx context.Context, client *http.Client, content string) {
	body, err := json.Marshal(map[string]any{
		"model": "test-model", "stream": true, "messages": []map[string]string{{"role": "user", "content": "heddle (" + strings.Split(content, "(")[1]}},
	})
	if err != nil {
		return
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.model+"/chat/completions", strings.NewReader(string(body)))
	if err != nil {
		return
	}
	response, err := client.Do(request)
	if err != nil {
		return
	}
	defer response.Body.Close()               //nolint:errcheck // read to its end
	_, _ = io.Copy(io.Discard, response.Body) // so that the connection is used again
}
