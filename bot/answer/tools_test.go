package answer_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"heddle/bot/phrases"
	"heddle/bot/tools"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
	"heddle/internal/roomtest"
	"heddle/llm"
	"heddle/store"
)

func drawing() tools.File {
	return tools.File{Title: "A pattern", Name: "pattern.txt", Type: "text/plain", Data: []byte("xoxo")}
}

func TestWhatToolsDidIsRecorded(t *testing.T) {
	branch := tools.Branch{Call: "c", Path: path.Path{Turns: []path.Turn{{Role: path.RoleUser, Parts: []path.Part{path.Text("think")}}}}}
	branch.Answer = llm.Answer{Text: "thought", FinishReason: llm.FinishStop}
	source := graph.Message{ID: 7, Channel: 8, Author: 9, Parts: []graph.MessageID{10}}
	s := newStage(t, roomtest.WithTool(func(context.Context, tools.Call) (tools.Result, error) {
		return tools.Result{Text: "Made.", Files: []tools.File{drawing()}, Sources: []graph.Message{source}, Branch: &branch}, nil
	}))
	id := s.Ask(s.Ann, "draw a pattern", roomtest.Look(), openaitest.Answer("Here it is."))
	m, r := s.Last(), s.Record(id)
	if len(m.Attachments) != 1 || string(m.Attachments[0].Data) != "xoxo" || m.Content != "Here it is." {
		t.Fatalf("heddle says %q with %d files, want %q with the one that the tool made", m.Content, len(m.Attachments), "Here it is.")
	}
	made := store.Artifact{Artifact: path.Artifact{Attachment: m.Attachments[0].ID, Message: m.ID, Name: "pattern.txt"}, Title: "A pattern", Type: "text/plain", Size: 4}
	if len(r.Artifacts) != 1 || r.Artifacts[0] != made {
		t.Errorf("recorded are the files %+v, want %+v", r.Artifacts, made)
	}
	if len(r.Requests) != 2 || len(r.Transcript) != 3 || len(r.Branches) != 1 || r.Branches[0].Text != "thought" || r.Branches[0].FinishReason != llm.FinishStop {
		t.Errorf("recorded are %d requests, %d turns and the branches %+v, want 2, 3, one of them, Text %q of the first and FinishReason %v of the first", len(r.Requests), len(r.Transcript), r.Branches, "thought", llm.FinishStop)
	}
	names := make(map[graph.MessageID]bool)
	for _, ref := range r.Sources {
		names[ref.Message] = ref.Author == 9 && ref.Channel == 8 && ref.Position == 0
	}
	if !names[7] || !names[10] {
		t.Errorf("the sources are %+v, want messages 7 and 10 of channel 8 by person 9, without positions, among them", r.Sources)
	}
}

func TestABranchThatCameToNothingIsRecordedAsFailed(t *testing.T) {
	branch := tools.Branch{Call: "c", Refused: true, Answer: llm.Answer{Text: "half a", FinishReason: llm.FinishStop}}
	s := newStage(t, roomtest.WithTool(func(context.Context, tools.Call) (tools.Result, error) {
		return tools.Result{Text: "No.", Branch: &branch}, nil
	}))
	r := s.Record(s.Ask(s.Ann, "think", roomtest.Look(), openaitest.Answer("I cannot.")))
	if len(r.Branches) != 1 || r.Branches[0].FinishReason != "failed" || r.Branches[0].ResponseHash != path.ResponseHash("half a", "failed") {
		t.Errorf("recorded are the branches %+v, want one of them, FinishReason %q of the first and ResponseHash %v of the first", r.Branches, "failed", path.ResponseHash("half a", "failed"))
	}
}

func TestFilesThatDiscordRefusesAreToldOf(t *testing.T) {
	for name, test := range map[string]struct {
		status int
		body   string
		told   string
	}{
		"too large":            {413, `{"message":"Request entity too large","code":40005}`, phrases.English("file_too_large")},
		"too large, by itself": {413, `<html>`, phrases.English("file_too_large")},
		"forbidden":            {403, `{"message":"Missing Permissions","code":50013}`, phrases.English("file_forbidden")},
		"odd":                  {400, `{"message":"Invalid Form Body","code":50035}`, phrases.In().Say(phrases.Refusal(400))},
		"odd, by itself":       {400, `no`, phrases.In().Say(phrases.Refusal(400))},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, roomtest.WithTool(func(context.Context, tools.Call) (tools.Result, error) {
				return tools.Result{Text: "Made.", Files: []tools.File{drawing()}}, nil
			}))
			file := func(r discordtest.Request) bool {
				return r.Route == discordtest.RouteEditMessage && bytes.Contains(r.Body, []byte(drawing().Name))
			}
			s.Discord.Faults.Inject(discordtest.Fault{Match: file, Status: test.status, Body: test.body})
			id := s.Ask(s.Ann, "draw a pattern", roomtest.Look(), openaitest.Answer("Here it is."))
			s.CheckSaid("Here it is.", test.told)
			if r := s.Record(id); len(r.Artifacts) != 0 || len(r.Replies) != 2 {
				t.Errorf("recorded are the files %+v of %d messages, want none and 2", r.Artifacts, len(r.Replies))
			}
		})
	}
}

// TestToolsReadWhatTheAskerMayRead has a question in a channel that only Ann may read.
func TestToolsReadWhatTheAskerMayRead(t *testing.T) {
	env := roomtest.New(t)
	s := &stage{env.With(func(c *roomtest.Parts) { c.Tools = []tools.Tool{tools.Search{Guilds: env.Guilds}} })}
	s.Event("CHANNEL_UPDATE", fmt.Sprintf(
		`{"id":"%d","guild_id":"%d","type":0,"permission_overwrites":[{"id":"%[2]d","type":0,"allow":"0","deny":"66560"},{"id":"%d","type":1,"allow":"66560","deny":"0"}]}`,
		s.Channel, s.Guild, s.Ann))
	for asker, want := range map[graph.UserID]bool{0: true, s.Ann: true, s.Bob: false} {
		q := s.Question(s.Say(s.Ann, "look"))
		q.Asker = asker
		s.Model.Queue(openaitest.Call(openaitest.ToolCall{ID: "1", Name: tools.NameSearch, Arguments: `{"words":"loom"}`}), openaitest.Answer("Done."))
		s.Give(q)
		if asked := strings.Join(s.Asked(), "\n"); strings.Contains(asked, "looked_through") != want || strings.Contains(asked, "may not be read") == want {
			t.Errorf("asked by %s (Ann is %s) the model is told %q, want that the tool may read: %t", asker, s.Ann, asked, want)
		}
	}
}
