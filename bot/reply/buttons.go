package reply

import (
	"crypto/sha256"
	"encoding/base64"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/bwmarrin/discordgo"

	"heddle/bot/phrases"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/store"
)

// Button returns a button for an answer. Discord allows 5 in a row, labels of 80
// characters, ids of 100 characters, and each id once in a message.
func Button(id, label string) discordgo.Button {
	return discordgo.Button{CustomID: id, Label: label, Style: discordgo.SecondaryButton}
}

// LinkButton returns a button that opens an address.
func LinkButton(address, label string) discordgo.Button {
	return discordgo.Button{URL: address, Label: label, Style: discordgo.LinkButton}
}

// DisabledButton returns a button that cannot be pressed.
func DisabledButton(id, label string) discordgo.Button {
	b := Button(id, label)
	b.Disabled = true
	return b
}

// Pager returns a row of buttons that turns pages, of which page, counted from 0, is shown:
// back, which one is shown, and on. name returns the name of the button that leads to a
// page. It is also called for -1 and pages, whose buttons are disabled. shown is the name
// of the button in the middle, which is disabled, too.
func Pager(shown string, page, pages int, name func(page int) string) []discordgo.Button {
	turnTo := func(page int, label string) discordgo.Button {
		if page < 0 || page >= pages {
			return DisabledButton(name(page), label)
		}
		return Button(name(page), label)
	}
	return []discordgo.Button{
		turnTo(page-1, phrases.LabelBack),
		DisabledButton(shown, strconv.Itoa(page+1)+"/"+strconv.Itoa(pages)),
		turnTo(page+1, phrases.LabelOn),
	}
}

// Rows are the buttons below a message, from top to bottom. Discord allows 5 rows.
type Rows [][]discordgo.Button

// equal reports whether two messages have the same buttons.
func (r Rows) equal(other Rows) bool {
	return slices.EqualFunc(r, other, slices.Equal)
}

// components returns the rows in Discord's form. Without rows it returns an empty
// list, which removes the buttons of a message; nil would leave them.
func (r Rows) components() []discordgo.MessageComponent {
	all := make([]discordgo.MessageComponent, len(r))
	for i, buttons := range r {
		var row discordgo.ActionsRow
		for _, b := range buttons {
			row.Components = append(row.Components, b)
		}
		all[i] = row
	}
	return all
}

// NoChecksum is the placeholder for the checksum of an answer in the name of a button. Sending
// the whole answer replaces it.
const NoChecksum = "~"

// Checksum returns the checksum of an answer, given the texts of its messages: 12 letters,
// digits, hyphens and underscores. It differs if a message is missing or belongs to another
// answer. Only letters and digits count, as Discord may change the rest.
func Checksum(texts []string) string {
	sum := sha256.New()
	for _, text := range texts {
		kept := strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return r
			}
			return -1
		}, text)
		sum.Write([]byte(kept + "\n"))
	}
	return base64.RawURLEncoding.EncodeToString(sum.Sum(nil)[:9])
}

// withChecksum returns the buttons for the message being written, which is to show text. In
// their names it replaces NoChecksum with the checksum of the answer so far.
func (d *draft) withChecksum(buttons Rows, text string) Rows {
	const place = ":" + NoChecksum + ":"
	before := d.sent
	if d.open {
		before = before[:len(before)-1]
	}
	texts := make([]string, 0, len(before)+1)
	for i := range before {
		texts = append(texts, before[i].Text)
	}
	sum := Checksum(append(texts, text))
	rows := make(Rows, len(buttons))
	for i, row := range buttons {
		rows[i] = slices.Clone(row)
		for j := range row {
			rows[i][j].CustomID = strings.Replace(row[j].CustomID, place, ":"+sum+":", 1)
		}
	}
	return rows
}

// The names of the buttons below answers. A name says what the button does and, if it is
// about a response, which one. Somebody who makes up a name reaches only the answers to
// the question that the pressed message answers.
const (
	buttonPrefix = "heddle:"
	ButtonShow   = buttonPrefix + "show:"  // shows the response
	ButtonAgain  = buttonPrefix + "again:" // asks the question once more while the response is shown
	ButtonMore   = buttonPrefix + "more"   // opens the menu of what else can be done with the answer
	// ButtonStop ends an answer that is growing. Behind it stand who asked for the answer, and
	// the message that it replies to; see QuestionOf.
	ButtonStop = buttonPrefix + "stop:"
	// ButtonWhy asks what the answer was made from.
	ButtonWhy = buttonPrefix + "why"
	whyPrefix = ButtonWhy + ":"
)

// The names of what can be chosen in the menu of an answer. A name ends with the message
// that the menu belongs to. It may be made up, so the person who chooses is checked
// again.
const (
	ItemDelete = buttonPrefix + "delete:" // deletes the answer
	ItemThread = buttonPrefix + "thread:" // starts a thread from the answer
	ItemFile   = buttonPrefix + "file:"   // shows the answer as a file, to the person alone
)

// whyName returns the name of the button that shows what the answer to a question was made
// from. The question in it is for QuestionOf, and the version of it that was answered, which
// an edit made, is for AnswersVersion. The checksum, which replaces NoChecksum when the
// answer is whole, is for IsComplete.
func whyName(question graph.MessageID, edited time.Time) string {
	return whyPrefix + NoChecksum + versionOf(edited) + ":" + question.String()
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
		if rest, is := strings.CutPrefix(name, whyPrefix); is {
			if sum, answered, named = strings.Cut(rest, ":"); named {
				return sum, answered, true
			}
		}
	}
	return "", "", false
}

// Below returns the buttons below an answer that shows one of its alternatives. The first row asks
// why, asks once more and opens the menu. The second row steps through the alternatives if there
// are several.
func (r *Replies) Below(l phrases.Language, all []store.Response, at int) Rows {
	if r.NoButtons {
		return nil
	}
	shown := &all[at]
	first := []discordgo.Button{Button(whyName(shown.Trigger, shown.Question().Edited), l.Text("label_why", nil))}
	if !shown.IsAside() {
		first = append(first, Button(ButtonAgain+shown.ID.String(), phrases.LabelAgain))
	}
	rows := Rows{append(first, Button(ButtonMore, phrases.LabelMore))}
	if len(all) < 2 {
		return rows
	}
	return append(rows, Pager(buttonPrefix+"at", at, len(all), func(to int) string {
		if to < 0 || to >= len(all) {
			return ButtonShow + strconv.Itoa(to)
		}
		return ButtonShow + all[to].ID.String()
	}))
}

// ParseResponse parses the response in the name of a button.
func ParseResponse(name string) (response store.ResponseID, ok bool) {
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
	return !named || sum == NoChecksum || sum == Checksum(texts)
}

// QuestionOf returns the question that a message of heddle's answers by the names of its
// buttons. People do not see the names, and Discord keeps them for as long as the
// message. They are needed where Discord refuses replies, because heddle may not read a
// channel's history. QuestionOf reports false if the message has no such button.
func QuestionOf(m *discord.Message) (question graph.MessageID, ok bool) {
	for name := range buttonNames(m) {
		if !strings.HasPrefix(name, ButtonStop) && !strings.HasPrefix(name, whyPrefix) {
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

// StopName returns the name of the button that ends the answer in reply to a message.
func StopName(asker graph.UserID, replyTo graph.MessageID) string {
	return ButtonStop + asker.String() + ":" + replyTo.String()
}

// ParseStop parses what follows ButtonStop in the name of the button that ends an answer. What
// it cannot read is zero.
func ParseStop(rest string) (asker graph.UserID, replyTo graph.MessageID) {
	who, to, _ := strings.Cut(rest, ":")
	if asker.UnmarshalText([]byte(who)) != nil || replyTo.UnmarshalText([]byte(to)) != nil {
		return 0, 0
	}
	return asker, replyTo
}

// Named returns the response among some that the buttons of a message name as the one that it
// shows; nil for none.
func Named(m *discord.Message, among []store.Response) *store.Response {
	for name := range buttonNames(m) {
		if rest, is := strings.CutPrefix(name, ButtonAgain); is {
			shown, _ := ParseResponse(rest)
			if i := slices.IndexFunc(among, func(r store.Response) bool { return r.ID == shown }); i >= 0 {
				return &among[i]
			}
		}
	}
	return nil
}
