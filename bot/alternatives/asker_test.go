package alternatives_test

import (
	"context"
	"fmt"
	"testing"

	"heddle/bot/alternatives"
	"heddle/bot/answer"
	"heddle/bot/tools"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

// lookup is a tool that notes whether it may read the channel.
type lookup chan bool

func (lookup) Spec() path.Tool {
	return path.Tool{Name: "lookup", Schema: `{"type":"object"}`}
}

func (lookup) Independent() bool { return false }

func (l lookup) Call(ctx context.Context, call tools.Call) (tools.Result, error) {
	readable, err := call.Place.Readable(ctx)
	if err != nil {
		return tools.Result{}, fmt.Errorf("look up: %w", err)
	}
	l <- readable
	return tools.Result{Text: "nothing"}, nil
}

// TestToolsReadWhatThePersonWhoAskedForTheAnswerMayRead has Bob ask for another answer
// to a question of Ann's, in a channel of which one of the two may not read the history.
func TestToolsReadWhatThePersonWhoAskedForTheAnswerMayRead(t *testing.T) {
	t.Parallel()
	for name, asks := range map[string]func(s *scene, answered graph.MessageID){
		"by the button": func(s *scene, answered graph.MessageID) { s.ask(answered, again, answer.Answered) },
		"by the word":   func(s *scene, answered graph.MessageID) { s.again(answered, "A joke about looms.") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, bobMay := range []bool{true, false} {
				noted := make(lookup, 1)
				s := newScene(t, alternatives.EditsIgnored, noted)
				without := s.Bob
				if bobMay {
					without = s.Ann
				}
				s.Event("CHANNEL_UPDATE", fmt.Sprintf(
					`{"id":"%d","guild_id":"%d","type":0,"permission_overwrites":[{"id":"%d","type":1,"allow":"0","deny":"%d"}]}`,
					s.Channel, s.Guild, without, discordtest.ReadMessageHistory))
				_, first, _ := s.joked()
				s.Model.Queue(openaitest.Call(openaitest.ToolCall{ID: "1", Name: "lookup", Arguments: "{}"}), openaitest.Answer("A joke about looms."))
				asks(s, first)
				select {
				case may := <-noted:
					if may != bobMay {
						t.Errorf("the tool may read the channel: %t, want what Bob may: %t", may, bobMay)
					}
				default:
					t.Error("the tool was not called")
				}
			}
		})
	}
}
