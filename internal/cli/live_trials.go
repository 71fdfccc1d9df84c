package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/wait"
)

// eventPatience is how long an event may take after the answer to its request.
const eventPatience = 10 * time.Second

// login waits for READY.
func (l *live) login(ctx context.Context, ended <-chan error) (string, error) {
	const patience = 30 * time.Second
	if l.heard.await(ctx, patience, func(e heardEvent) bool { return e.name == "READY" }) {
		return "READY came", nil
	}
	select {
	case err := <-ended:
		return "", fmt.Errorf("the gateway refuses heddle: %w", err)
	default:
		return "", errors.New("READY did not come within 30 s")
	}
}

// intentOf reads whether the portal's switch is on. If it is off, login has told the close code.
func intentOf(ctx context.Context, rest *discord.REST) (string, error) {
	raw, err := rest.Get(ctx, "/applications/@me", nil)
	app := discord.DecodeApplication(raw)
	switch {
	case err != nil:
		return "", err
	case app.Approved:
		return "on, and approved", nil
	case app.Content:
		return "on, with the flag for few people", nil
	}
	return "off", nil
}

// send sends the first message, and waits for its event.
func (l *live) send(ctx context.Context) (string, error) {
	m, err := l.post(ctx, body{"content": l.text("heddle tries what Discord does. This goes away by itself."), "nonce": l.mark, "enforce_nonce": true})
	if err != nil {
		return "", err
	}
	l.first = m
	if !l.heard.message(ctx, "MESSAGE_CREATE", m.ID, func(discord.Message) bool { return true }) {
		return "sent; MESSAGE_CREATE did not come within 10 s", nil
	}
	return "sent; MESSAGE_CREATE came", nil
}

// needsFirst returns an error if nothing could be sent.
func (l *live) needsFirst() error {
	if l.first.ID == 0 {
		return notTried("nothing could be sent")
	}
	return nil
}

// nonce repeats the first message, and one that was deleted.
func (l *live) nonce(ctx context.Context) (string, error) {
	if err := l.needsFirst(); err != nil {
		return "", err
	}
	again, err := l.post(ctx, body{"content": l.text("once more"), "nonce": l.mark, "enforce_nonce": true})
	if err != nil {
		return "", err
	}
	saw := "another message was made"
	if again.ID == l.first.ID {
		saw = "the first message came back"
	}
	b := body{"content": l.text("to be deleted"), "nonce": l.mark + "-2", "enforce_nonce": true}
	gone, err := l.post(ctx, b)
	if err != nil {
		return saw, err
	}
	if _, err = l.rest.Do(ctx, discord.Call{Method: http.MethodDelete, Path: l.path("/", gone.ID.String())}); err != nil {
		return saw, err
	}
	outcome := "another message was made"
	if _, err := l.post(ctx, b); err != nil {
		outcome = err.Error()
	}
	return saw + "; after a deletion: " + outcome, nil
}

// edit edits the first message several times in a row.
func (l *live) edit(ctx context.Context) (string, error) {
	if err := l.needsFirst(); err != nil {
		return "", err
	}
	const edits = 4
	began := time.Now()
	for n := range edits {
		b := body{"content": l.text("edit " + strconv.Itoa(n+1)), "allowed_mentions": body{"parse": []string{}}}
		if _, err := l.rest.Do(ctx, discord.Call{Method: http.MethodPatch, Path: l.path("/", l.first.ID.String()), Body: b}); err != nil {
			return "", fmt.Errorf("edit %d: %w", n+1, err)
		}
	}
	took := time.Since(began).Round(time.Millisecond)
	if !l.heard.message(ctx, "MESSAGE_UPDATE", l.first.ID, func(m discord.Message) bool {
		return !m.Edited.IsZero() && strings.HasPrefix(m.Content, "edit "+strconv.Itoa(edits))
	}) {
		return fmt.Sprintf("%d in %s; the last MESSAGE_UPDATE did not come within 10 s", edits, took), nil
	}
	return fmt.Sprintf("%d in %s; MESSAGE_UPDATE came with edited_timestamp", edits, took), nil
}

// reply replies to the first message without a ping.
func (l *live) reply(ctx context.Context) (string, error) {
	if err := l.needsFirst(); err != nil {
		return "", err
	}
	m, err := l.post(ctx, body{"content": l.text("a reply"), "message_reference": body{"message_id": l.first.ID, "fail_if_not_exists": false}})
	if err != nil {
		return "", err
	}
	saw := fmt.Sprintf("type %d, %d mentions", m.Type, len(m.Mentions))
	if m.ReferencedState == discord.ReferencedGiven {
		saw += ", with referenced_message"
	}
	return saw, nil
}

// file uploads a file, and keeps it in an edit by its id.
func (l *live) file(ctx context.Context) (string, error) {
	if err := l.needsFirst(); err != nil {
		return "", err
	}
	m, err := l.post(ctx, body{"content": l.text("a file"), "attachments": []body{{"id": 0, "description": "heddle"}}}, discord.File{Name: "heddle.txt", Type: "text/plain", Data: []byte(l.mark)})
	if err != nil {
		return "", err
	}
	if len(m.Attachments) != 1 {
		return fmt.Sprintf("%d files came back", len(m.Attachments)), nil
	}
	b := body{"content": l.text("a kept file"), "attachments": []body{{"id": m.Attachments[0].ID}}}
	raw, err := l.rest.Do(ctx, discord.Call{Method: http.MethodPatch, Path: l.path("/", m.ID.String()), Body: b})
	edited, _ := discord.Decode[discord.Message](raw)
	switch {
	case err != nil:
		return "", err
	case len(edited.Attachments) == 1 && edited.Attachments[0].ID == m.Attachments[0].ID:
		return "kept", nil
	}
	return "lost", nil
}

// accepts sends a message and reports in words whether Discord took it.
func (l *live) accepts(ctx context.Context, b body) (string, error) {
	if err := l.needsFirst(); err != nil {
		return "", err
	}
	_, err := l.post(ctx, b)
	if refusal, ok := errors.AsType[*discord.Error](err); ok && refusal.Status == http.StatusBadRequest {
		return "refused: " + err.Error(), nil
	}
	return "accepted", err
}

// nullParse sends null where Discord documents a list.
func (l *live) nullParse(ctx context.Context) (string, error) {
	return l.accepts(ctx, body{"content": l.text("null"), "allowed_mentions": body{"parse": nil}})
}

// codePoints sends as many characters as are allowed if code points are counted.
func (l *live) codePoints(ctx context.Context) (string, error) {
	const most = 2000
	mark := l.text("")
	return l.accepts(ctx, body{"content": strings.Repeat("𝄞", most-len(mark)) + mark})
}

// readIDs reads the ids of messages of a channel.
func readIDs(ctx context.Context, l *live, query url.Values) (ids []graph.MessageID, err error) {
	raw, err := l.rest.Get(ctx, l.path(), query)
	if err != nil {
		return nil, err
	}
	var all []json.RawMessage
	_ = json.Unmarshal(raw, &all)
	for _, one := range all {
		if m, err := discord.Decode[discord.Message](one); err == nil {
			ids = append(ids, m.ID)
		}
	}
	return ids, nil
}

// history reads two pages.
func (l *live) history(ctx context.Context) (string, error) {
	first, err := readIDs(ctx, l, url.Values{"limit": {"100"}})
	if err != nil {
		return "", err
	}
	if len(first) < 100 {
		return fmt.Sprintf("the channel holds %d messages, newest first: %t", len(first), descends(first)), nil
	}
	second, err := readIDs(ctx, l, url.Values{"limit": {"100"}, "before": {first[99].String()}})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d and %d messages, newest first: %t", len(first), len(second), descends(append(first, second...))), nil
}

// descends reports whether ids go from new to old, without a repeat.
func descends(ids []graph.MessageID) bool {
	for i := 1; i < len(ids); i++ {
		if ids[i] >= ids[i-1] {
			return false
		}
	}
	return true
}

// around asks for two messages around the first.
func (l *live) around(ctx context.Context) (string, error) {
	if err := l.needsFirst(); err != nil {
		return "", err
	}
	ids, err := readIDs(ctx, l, url.Values{"limit": {"2"}, "around": {l.first.ID.String()}})
	return fmt.Sprintf("a limit of 2 returned %d messages", len(ids)), err
}

// cursors asks for what is before and after the first message, which the documentation excludes.
func (l *live) cursors(ctx context.Context) (string, error) {
	if err := l.needsFirst(); err != nil {
		return "", err
	}
	id := l.first.ID.String()
	ids, err := readIDs(ctx, l, url.Values{"limit": {"5"}, "before": {id}, "after": {id}})
	if refusal, ok := errors.AsType[*discord.Error](err); ok && refusal.Status == http.StatusBadRequest {
		return "refused: " + err.Error(), nil
	}
	return fmt.Sprintf("%d messages, those before: %t", len(ids), len(ids) > 0 && ids[0] < l.first.ID), err
}

// search looks for the first message until it is found, for as long as an index may take.
func (l *live) search(ctx context.Context) (string, error) {
	switch {
	case l.channel.Guild == 0:
		return "", notTried("direct messages cannot be searched")
	case l.needsFirst() != nil:
		return "", l.needsFirst()
	}
	const tries = 5
	query := url.Values{"content": {l.mark}, "channel_id": {l.channel.ID.String()}}
	built := 0
	for n := range tries {
		raw, err := l.rest.Get(ctx, "/guilds/"+l.channel.Guild.String()+"/messages/search", query)
		if err != nil {
			return "", err
		}
		var found struct {
			Total    int                 `json:"total_results"`
			Messages [][]json.RawMessage `json:"messages"`
			Code     int                 `json:"code"`
			Wait     float64             `json:"retry_after"`
		}
		_ = json.Unmarshal(raw, &found)
		pause := 2 * time.Second
		switch {
		case found.Code != 0:
			built++
			pause = min(time.Duration(found.Wait*float64(time.Second)), eventPatience)
		case len(found.Messages) > 0:
			return fmt.Sprintf("found at try %d: %d in all, %d in the first group; %d times 202 before", n+1, found.Total, len(found.Messages[0]), built), nil
		}
		if wait.For(ctx, pause) != nil {
			break
		}
	}
	return fmt.Sprintf("not found in %d tries, %d of them 202", tries, built), ctx.Err()
}

// hidden compares the channels that the gateway hides with those that REST lists.
func (l *live) hidden(ctx context.Context) (string, error) {
	if l.channel.Guild == 0 {
		return "", notTried("direct messages have no server")
	}
	raw, err := l.rest.Get(ctx, "/guilds/"+l.channel.Guild.String()+"/channels", nil)
	if err != nil {
		return "", err
	}
	var guild discord.Guild
	if !l.heard.await(ctx, eventPatience, func(e heardEvent) bool {
		guild, err = discord.Decode[discord.Guild](e.data)
		return e.name == "GUILD_CREATE" && err == nil && guild.ID == l.channel.Guild && !guild.Unavailable
	}) {
		return "", errors.New("GUILD_CREATE did not come within 10 s")
	}
	hidden := 0
	for i := range guild.Channels {
		if guild.Channels[i].Hidden {
			hidden++
		}
	}
	return fmt.Sprintf("the gateway lists %d channels, %d of them hidden; REST lists %d", len(guild.Channels), hidden, len(discord.DecodeChannels(raw))), nil
}
