package alternatives

import (
	"iter"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"heddle/bot/commands"
	"heddle/bot/phrases"
	"heddle/bot/reply"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/store"
)

// The names of the buttons below answers. A name says what the button does and, if it is
// about a response, which one. Somebody who makes up a name reaches only the answers to
// the question that the pressed message answers.
const (
	buttonPrefix = "heddle:"
	buttonShow   = buttonPrefix + "show:"  // shows the response
	buttonAgain  = buttonPrefix + "again:" // asks the question once more while the response is shown
	buttonMore   = buttonPrefix + "more"   // opens the menu of what else can be done with the answer
	// buttonStop ends an answer that is growing. Behind it stand who asked for the answer, and
	// the message that it replies to; see QuestionOf.
	buttonStop = buttonPrefix + "stop:"
	// buttonWhy asks what the answer was made from.
	buttonWhy = commands.ButtonWhy + ":"
)

// The names of what can be chosen in the menu of an answer. A name ends with the message
// that the menu belongs to. It may be made up, so the person who chooses is checked
// again.
const (
	itemDelete = buttonPrefix + "delete:" // deletes the answer
	itemThread = buttonPrefix + "thread:" // starts a thread from the answer
	itemFile   = buttonPrefix + "file:"   // shows the answer as a file, to the person alone
)

// whyName returns the name of the button that shows what the answer to a question was made
// from. The question in it is for QuestionOf, and the version of it that was answered, which
// an edit made, is for AnswersVersion. The checksum, which replaces reply.NoChecksum when the
// answer is whole, is for IsComplete.
func whyName(question graph.MessageID, edited time.Time) string {
	return buttonWhy + reply.NoChecksum + versionOf(edited) + ":" + question.String()
}

// versionOf returns the time of an edit as it stands in the name of a button; "" for none.
func versionOf(edited time.Time) string {
	if edited.IsZero() {
		return ""
	}
	return ":" + strconv.FormatInt(edited.UnixMicro(), 36)
}

// AnswersVersion reports whether the last message of an answer says that it answers the
// version of its question that an edit made. It tells what nobody has stored.
func AnswersVersion(m *discord.Message, edited time.Time) bool {
	_, answered, named := readWhy(m)
	return named && strings.HasPrefix(":"+answered, versionOf(edited)+":")
}

// readWhy reads the name of a message's button that shows what the answer was made from: the
// checksum, and the version and the question behind it. It reports whether there is one.
func readWhy(m *discord.Message) (sum, answered string, named bool) {
	for name := range buttonNames(m) {
		if rest, is := strings.CutPrefix(name, buttonWhy); is {
			if sum, answered, named = strings.Cut(rest, ":"); named {
				return sum, answered, true
			}
		}
	}
	return "", "", false
}

// below returns the buttons below an answer that shows one of its alternatives. The
// first row asks why, asks afresh and opens the menu. The second row steps through the
// alternatives if there are several.
func (ds *Displays) below(l phrases.Language, all []store.Response, at int) reply.Rows {
	if ds.settings.NoButtons {
		return nil
	}
	shown := &all[at]
	first := []discordgo.Button{reply.Button(whyName(shown.Trigger, asked(shown).Edited), l.Text("label_why", nil))}
	if !shown.IsAside() {
		first = append(first, reply.Button(buttonAgain+shown.ID.String(), phrases.LabelAgain))
	}
	rows := reply.Rows{append(first, reply.Button(buttonMore, phrases.LabelMore))}
	if len(all) < 2 {
		return rows
	}
	return append(rows, reply.Pager(buttonPrefix+"at", at, len(all), func(to int) string {
		if to < 0 || to >= len(all) {
			return buttonShow + strconv.Itoa(to)
		}
		return buttonShow + all[to].ID.String()
	}))
}

// BelowAside returns the buttons below the answer to a question that is in no message.
func (ds *Displays) BelowAside(channel graph.ChannelID) reply.Rows {
	aside := []store.Response{{Input: store.Input{Sources: []store.SourceRef{{Channel: channel}}}}}
	return ds.below(ds.language(channel), aside, 0)
}

// parseResponse parses the response in the name of a button.
func parseResponse(name string) (response store.ResponseID, ok bool) {
	return response, response.UnmarshalText([]byte(name)) == nil
}

// IsComplete reports whether the messages of an answer, oldest first, belong to one attempt
// and none is missing, by the checksum in the name of the last one's button. An answer
// without a checksum, because it has no such button or got it later, counts as complete.
func IsComplete(parts []discord.Message) bool {
	if len(parts) == 0 {
		return true
	}
	texts := make([]string, len(parts))
	for i := range parts {
		texts[i] = parts[i].Content
	}
	sum, _, named := readWhy(&parts[len(parts)-1])
	return !named || sum == reply.NoChecksum || sum == reply.Checksum(texts)
}

// QuestionOf returns the question that a message of heddle's answers by the names of its
// buttons. People do not see the names, and Discord keeps them for as long as the
// message. They are needed where Discord refuses replies, because heddle may not read a
// channel's history. QuestionOf reports false if the message has no such button.
func QuestionOf(m *discord.Message) (question graph.MessageID, ok bool) {
	for name := range buttonNames(m) {
		if !strings.HasPrefix(name, buttonStop) && !strings.HasPrefix(name, buttonWhy) {
			continue
		}
		last := name[strings.LastIndexByte(name, ':')+1:]
		if question.UnmarshalText([]byte(last)) == nil && question != 0 {
			return question, true
		}
	}
	return 0, false
}

// buttonNames yields the names of a message's buttons.
func buttonNames(m *discord.Message) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, row := range m.Components {
			for _, button := range row.Children {
				if !yield(button.CustomID) {
					return
				}
			}
		}
	}
}

// stopName returns the name of the button that ends the answer in reply to a message.
func stopName(asker graph.UserID, replyTo graph.MessageID) string {
	return buttonStop + asker.String() + ":" + replyTo.String()
}

// parseStop parses what follows buttonStop in the name of the button that ends an answer. What
// it cannot read is zero.
func parseStop(rest string) (asker graph.UserID, replyTo graph.MessageID) {
	who, to, _ := strings.Cut(rest, ":")
	if asker.UnmarshalText([]byte(who)) != nil || replyTo.UnmarshalText([]byte(to)) != nil {
		return 0, 0
	}
	return asker, replyTo
}

// stops knows the answers that grow in this process, by the messages that they reply to, so
// that people can stop them. The zero stops knows none. Its methods may be called from any
// goroutine.
//
// mu guards growing; it is never held over I/O.
type stops struct {
	mu      sync.Mutex
	growing map[graph.MessageID]func()
}

// begin has stop called when somebody stops an answer that begins to grow. The caller must
// call end.
func (s *stops) begin(replyTo graph.MessageID, stop func()) (end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.growing == nil {
		s.growing = make(map[graph.MessageID]func())
	}
	s.growing[replyTo] = stop
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.growing, replyTo)
	}
}

// stop stops an answer and reports whether it grows in this process.
func (s *stops) stop(replyTo graph.MessageID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	stop, grows := s.growing[replyTo]
	if grows {
		stop()
	}
	return grows
}
