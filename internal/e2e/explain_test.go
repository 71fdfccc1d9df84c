package e2e_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/openaitest"
)

var askedScenes = flag.String("scenes", "../playground/scenes.json", "explain the questions of this file in the form of scenes.json") //nolint:gochecknoglobals // a flag of a test

// demo is a channel with questions, as scenes.json has it.
type demo struct {
	Name  string     `json:"name"`
	Lines []demoLine `json:"lines"`
	Hints []demoLine `json:"hints"`
}

type demoLine struct {
	Minutes float64 `json:"minutes"` // ago
	Who     string  `json:"who"`
	Text    string  `json:"text"`
	Label   string  `json:"label"`
	Answers string  `json:"answers"`
}

// TestExplainShowsWhatIsSent asks each question of the demo in a channel of its own. What
// explain shows of an export of that channel is what was sent, turn by turn.
func TestExplainShowsWhatIsSent(t *testing.T) {
	s := newScene(t)
	s.always(openaitest.Answer("So it is."))
	s.start()
	var demos []demo
	s.ok(json.Unmarshal(errtest.Must(os.ReadFile(*askedScenes))(t), &demos))
	asked := 0
	for _, d := range demos {
		for k := range d.Hints {
			p := s.plays(d, k)
			s.answer(p.channel, p.question, "So it is.")
			asked++
			sent := errtest.Must(s.model.Await(s.ctx, asked))(t)[asked-1].Chat.Messages
			s.explainsAsSent(s.exportOf(p), sent)
		}
	}
	if asked < 5 {
		t.Errorf("%d questions are asked, want all of the demo", asked)
	}
}

// played is a channel in which a question of a demo was asked.
type played struct {
	name     string
	channel  graph.ChannelID
	question graph.MessageID
	names    map[graph.UserID]string
}

// plays fills a new channel with the lines of a demo, and asks its kth question there.
func (s *scene) plays(d demo, k int) played {
	s.t.Helper()
	channel := s.discord.World.AddChannel(s.guild, discordtest.ChannelDraft{Name: d.Name})
	names, people, said := map[graph.UserID]string{s.heddle.User: "heddle"}, map[string]graph.UserID{}, map[string]graph.MessageID{}
	who := func(name string) graph.UserID {
		if people[name] == 0 {
			people[name] = s.discord.People.AddUser(name, s.guild)
			names[people[name]] = name
		}
		return people[name]
	}
	now := time.Now().Add(-30 * time.Second)
	for _, l := range d.Lines {
		at := now.Add(-time.Duration(l.Minutes * float64(time.Minute)))
		ids := errtest.Must(s.discord.Chat.Backfill(channel, []discordtest.Draft{{Author: who(l.Who), At: at, Content: l.Text, ReplyTo: said[l.Answers]}}))(s.t)
		if l.Label != "" {
			said[l.Label] = ids[0]
		}
	}
	hint := d.Hints[k]
	text := s.mention(strings.TrimPrefix(hint.Text, "@heddle "))
	return played{d.Name, channel, s.postIn(channel, who(hint.Who), discordtest.Draft{Content: text, ReplyTo: said[hint.Answers]}), names}
}

// exportOf writes a channel up to its question as DiscordChatExporter does, and returns the
// name of the file.
func (s *scene) exportOf(p played) string {
	s.t.Helper()
	type object = map[string]any
	account := func(id graph.UserID) object {
		return object{"id": id.String(), "name": p.names[id], "nickname": p.names[id], "isBot": id == s.heddle.User}
	}
	var messages []object
	for _, m := range s.discord.Chat.Messages(p.channel) {
		if m.ID > p.question {
			break
		}
		told := object{
			"id": m.ID.String(), "type": "Default", "timestamp": m.ID.Time().Format(time.RFC3339Nano), "author": account(m.Author),
			"content": strings.ReplaceAll(m.Content, s.mention(""), "@heddle "),
		}
		if told["content"] != m.Content {
			told["mentions"] = []object{account(s.heddle.User)}
		}
		if m.Reference != nil {
			told["type"], told["reference"] = "Reply", object{"type": "Default", "messageId": m.Reference.Message.String(), "channelId": p.channel.String()}
		}
		messages = append(messages, told)
	}
	export := object{
		"guild": object{"id": s.guild.String(), "name": "weavers"}, "messages": messages,
		"channel": object{"id": p.channel.String(), "type": "GuildTextChat", "name": p.name},
	}
	file := filepath.Join(s.t.TempDir(), "channel.json")
	s.ok(os.WriteFile(file, errtest.Must(json.Marshal(export))(s.t), 0o600))
	return file
}

// explainsAsSent fails the test unless explain shows of the last message of an export
// exactly the messages of a request, and the texts of the messages that it names are there.
func (s *scene) explainsAsSent(export string, sent []openaitest.Message) {
	s.t.Helper()
	type node struct {
		Role    string `json:"role"`
		Speaker string `json:"speaker"`
		Text    string `json:"text"`
	}
	var shown struct {
		Conversation []node `json:"conversation"`
		Background   []node `json:"background"`
		Recalled     []node `json:"recalled"`
		Path         struct {
			Turns []node `json:"turns"`
			Tail  node   `json:"tail"`
		} `json:"path"`
	}
	s.ok(json.Unmarshal([]byte(s.prints(nil, "explain", export, "--at", "last", "--format", "json")), &shown))
	shown.Path.Tail.Text = "[heddle: added, not said by anyone]\n" + shown.Path.Tail.Text // as every tail is labelled
	var want, got, all []string
	for _, m := range sent {
		want, all = append(want, m.Role+": "+dateless(m.Text())), append(all, m.Text())
	}
	for _, t := range slices.Insert(shown.Path.Turns, len(shown.Path.Turns)-1, shown.Path.Tail) {
		if t.Speaker != "" {
			t.Text = "[speaker: " + t.Speaker + "]\n" + t.Text
		}
		got = append(got, t.Role+": "+dateless(t.Text))
	}
	s.same("what explain shows, which is what was sent", strings.Join(got, "\n"), strings.Join(want, "\n"))
	nodes := slices.Concat(shown.Conversation, shown.Background, shown.Recalled)
	for _, n := range nodes {
		s.contains(strings.Join(all, "\n"), n.Text)
	}
	s.same("messages that are sent beside the question", strings.Count(strings.Join(all[1:], "\n"), "[speaker: ")-1, len(nodes))
}

// dateless returns a text without the day, which may change during a test.
func dateless(text string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool { return strings.HasPrefix(line, "Today is ") }), "\n")
}
