package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/gorilla/websocket"
)

// relay is a minimal bot that only passes mentions on to the model. The time that it
// takes is that of the wire.
func relay(ctx context.Context, s *scene) error {
	conn, response, err := websocket.DefaultDialer.DialContext(ctx, s.discord.GatewayURL()+"?v=9&encoding=json", nil)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer response.Body.Close() //nolint:errcheck // the response of a handshake
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	identify := map[string]any{"op": 2, "d": map[string]any{
		"token": s.heddle.Token, "intents": 1<<0 | 1<<9 | 1<<12 | 1<<15, "properties": map[string]string{},
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
		if event.Type == "MESSAGE_CREATE" && strings.Contains(event.Data.Content, s.heddle.User.String()) {
			asking.Go(func() { ask(ctx, client, s, event.Data.Content) })
		}
	}
}

// ask asks the model as heddle would, and ignores errors, which show as missing times.
func ask(ctx context.Context, client *http.Client, s *scene, content string) {
	body, err := json.Marshal(map[string]any{
		"model": "test-model", "stream": true, "messages": []map[string]string{{"role": "user", "content": "heddle (" + strings.Split(content, "(")[1]}},
	})
	if err != nil {
		return
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.model.URL()+"/chat/completions", strings.NewReader(string(body)))
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
