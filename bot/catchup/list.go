package catchup

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/bwmarrin/discordgo"

	"heddle/bot/phrases"
	"heddle/bot/reply"
	"heddle/graph"
	"heddle/internal/discord"
)

// The bounds of lists, in characters.
const (
	messageRoom = 1900 // a message, with some to spare
	pageRoom    = 1500 // the talks of a page; the rest is for the text around them
	perPage     = 5    // the talks with a button each, in one row
	shownNames  = 4
	wordsSize   = 70 // of a message
	shownLines  = 12 // the messages of a talk
)

// MostAsked is the length in characters of the longest question about a talk.
const MostAsked = 300

// Shown is what a person reads.
type Shown struct {
	Text    string
	Buttons reply.Rows
	Trouble error // why the model could not describe some of the talks; nil: it could
}

func (s *stretch) say(id phrases.ID, values phrases.Values) string {
	return s.Language.Text(id, values)
}

// page returns a page of the list of talks. The first page is 0, and numbers beyond the
// last page mean the last.
func (s *stretch) page(page int) Shown {
	begins := s.pages()
	pages := len(begins) - 1
	page = min(page, pages-1)
	from, to := begins[page], begins[page+1]
	lines := s.lines(from, to)
	if s.cut {
		lines = append(lines, "-# "+s.say("catchup_cut", phrases.Values{"When": phrases.On(s.began)}))
	}
	var numbers []discordgo.Button
	for i, t := range s.talks[from:to] {
		if !t.isAside() {
			numbers = append(numbers, reply.Button(s.Name(ButtonTalk, uint64(t.from().ID)), strconv.Itoa(from+i+1)))
		}
	}
	var buttons reply.Rows
	if len(numbers) > 0 {
		buttons = append(buttons, numbers)
	}
	if pages > 1 {
		buttons = append(buttons, reply.Pager(buttonPrefix, page, pages, func(page int) string {
			return s.Name(ButtonList, uint64(max(page, 0)))
		}))
	}
	return Shown{strings.Join(lines, "\n"), buttons, s.trouble}
}

// lines returns the lines of a list of some of the talks.
func (s *stretch) lines(from, to int) []string {
	lines := []string{s.head()}
	for i := from; i < to; i++ {
		lines = append(lines, s.entry(i))
	}
	if s.lacks {
		lines = append(lines, s.say("notice_no_records", nil))
	}
	return lines
}

// pages divides the talks among pages, by the number of buttons and by length. It returns
// the index of the first talk of each page, and the number of all talks.
func (s *stretch) pages() []int {
	begins := []int{0}
	room, buttons := pageRoom, 0
	for i, t := range s.talks {
		size := utf8.RuneCountInString(s.entry(i)) + 1
		if i > begins[len(begins)-1] && (size > room || buttons == perPage) {
			begins, room, buttons = append(begins, i), pageRoom, 0
		}
		room -= size
		if !t.isAside() {
			buttons++
		}
	}
	return append(begins, len(s.talks))
}

// head returns the first line of the list: how many talks, where and since when.
func (s *stretch) head() string {
	where := make([]string, len(s.Channels))
	for i, channel := range s.Channels {
		where[i] = discord.Mention(channel)
	}
	id := phrases.ID("catchup_head")
	if s.found {
		id = "find_head"
	}
	return s.Language.Count(id, len(s.talks), phrases.Values{
		"Messages": s.Language.Count("catchup_messages", s.messages, nil),
		"When":     phrases.On(s.began), "Where": strings.Join(where, ", "),
	})
}

// entry returns the entry of the talk at an index in the list.
func (s *stretch) entry(at int) string {
	t := s.talks[at]
	m := t.from()
	if t.isAside() {
		return fmt.Sprintf("%d. %s — %s", at+1, s.linked(phrases.Excerpt(m, wordsSize), m), phrases.Quoted(m.Name, nameSize))
	}
	messages := t.messagesNew()
	if s.found { // the link leads to the match, the talk is shown whole
		messages = len(t.Messages)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "**%d. %s** — %s · %s", at+1, s.linked(t.title(), m), s.people(t), s.Language.Count("catchup_messages", messages, nil))
	if t.About != "" {
		b.WriteString("\n" + phrases.Quoted(t.About, aboutSize))
	} else if last := &t.Messages[len(t.Messages)-1]; last != m {
		b.WriteString("\n-# … " + phrases.Quoted(last.Name, nameSize) + ": " + phrases.Excerpt(last, wordsSize))
	}
	if t.Open != "" {
		b.WriteString("\n-# " + s.say("catchup_open", phrases.Values{"Open": phrases.Quoted(t.Open, openSize)}))
	}
	if t.concerns {
		b.WriteString("\n-# " + s.say("catchup_for_you", nil))
	}
	return b.String()
}

// title returns the title of a talk: the model's, or else its first words.
func (t *talk) title() string {
	if t.Title != "" {
		return phrases.Quoted(t.Title, titleSize)
	}
	return phrases.Excerpt(t.from(), titleSize)
}

// people names who took part in a talk, in the order of their first messages.
func (s *stretch) people(t *talk) string {
	var names []string
	named := make(map[graph.UserID]bool)
	for i := range t.Messages {
		if m := &t.Messages[i]; !named[m.Author] {
			named[m.Author], names = true, append(names, phrases.Quoted(m.Name, nameSize))
		}
	}
	if more := len(names) - shownNames; more > 0 {
		names = append(names[:shownNames], s.Language.Count("catchup_others", more, nil))
	}
	return strings.Join(names, ", ")
}

// linked returns a link to a message.
func (s *stretch) linked(label string, m *graph.Message) string {
	return discord.Linked(label, discord.LinkTo(s.Guild, m))
}

// talk returns a talk with its messages.
func (s *stretch) talk(t *talk) Shown {
	lines := []string{"**" + t.title() + "** — " + s.people(t)}
	if t.About != "" {
		lines = append(lines, phrases.Quoted(t.About, aboutSize))
	}
	fresh := t.Messages[t.fresh:]
	shown := fresh
	if len(fresh) > shownLines {
		shown = slices.Concat(fresh[:2], fresh[len(fresh)-shownLines+2:])
	}
	room := messageRoom - utf8.RuneCountInString(strings.Join(lines, "\n"))
	for i := range shown {
		m := &shown[i]
		line := s.linked(phrases.Quoted(m.Name, nameSize), m) + " " + phrases.Excerpt(m, wordsSize)
		if room -= utf8.RuneCountInString(line) + 1; room < 0 {
			lines = append(lines, "…")
			break
		}
		lines = append(lines, line)
		if i == 1 && len(fresh) > len(shown) {
			lines = append(lines, "-# "+s.Language.Count("catchup_between", len(fresh)-len(shown), nil))
		}
	}
	return Shown{Text: strings.Join(lines, "\n"), Buttons: s.below(t)}
}

// account returns the model's report on a talk, or its answer to a question about it.
func (s *stretch) account(t *talk, question, text string) Shown {
	head := "**" + s.linked(t.title(), t.from()) + "**\n"
	if question != "" {
		head += "> " + phrases.Quoted(question, MostAsked) + "\n"
	}
	return Shown{Text: head + text, Buttons: s.below(t)}
}

// says returns a phrase above the buttons of a talk.
func (s *stretch) says(t *talk, id phrases.ID, values phrases.Values) Shown {
	return Shown{Text: s.say(id, values), Buttons: s.below(t)}
}

// below returns the buttons below a talk. If it has a thread, one of them leads there.
func (s *stretch) below(t *talk) reply.Rows {
	id := uint64(t.from().ID)
	thread := s.button(ButtonMove, id, "label_thread")
	if t.thread != 0 {
		thread = reply.LinkButton(discord.ChannelLink(s.Guild, t.thread), s.say("label_to_thread", nil))
	}
	return reply.Rows{{
		s.button(ButtonTell, id, "label_ask"), s.button(ButtonAsk, id, "label_ask_own"), thread, s.button(ButtonList, 0, "label_all_talks"),
	}}
}

// button returns a button that does something with what was read.
func (s *stretch) button(does string, about uint64, label phrases.ID) discordgo.Button {
	return reply.Button(s.Name(does, about), s.say(label, nil))
}

// The beginnings of the names of the buttons below a list of talks, by what they do. Behind
// them stand the query, and the page or the first message of the talk that the button is about.
// Anybody can make up such a name, so what it leads to is read with the rights of the person
// who presses.
const (
	buttonPrefix = "heddle:talks:"
	ButtonList   = buttonPrefix + "l:"
	ButtonTalk   = buttonPrefix + "t:"
	ButtonTell   = buttonPrefix + "a:"
	ButtonAsk    = buttonPrefix + "q:" // opens a form for a question, and answers it
	ButtonMove   = buttonPrefix + "m:" // to a thread
)

// mostChannels bounds the channels of one query. Discord allows 100 characters in the
// name of a button.
const mostChannels = 3

const base = 36

// Name returns the name of a button, of at most 100 characters.
func (q *Query) Name(does string, about uint64) string {
	since := int64(0)
	if !q.Since.IsZero() {
		since = q.Since.Unix()
	}
	parts := []string{strconv.FormatInt(since, base), strconv.FormatUint(uint64(q.Until), base)}
	for _, channel := range q.Channels {
		parts = append(parts, strconv.FormatUint(uint64(channel), base))
	}
	return does + strings.Join(parts, ".") + ":" + strconv.FormatUint(about, base)
}

// Parse sets the query that stands in the name of a button, behind what the button does, and
// returns what it is about. It reports false if there is none.
func (q *Query) Parse(rest string) (about uint64, ok bool) {
	parts := strings.FieldsFunc(rest, func(r rune) bool { return r == ':' || r == '.' })
	if len(parts) < 4 || len(parts) > 3+mostChannels {
		return 0, false
	}
	numbers := make([]uint64, len(parts))
	for i := range parts {
		n, err := strconv.ParseUint(parts[i], base, 64)
		if err != nil {
			return 0, false
		}
		numbers[i] = n
	}
	since, ids := numbers[0], numbers[1:len(numbers)-1]
	if since > 1<<40 || slices.Contains(ids, 0) {
		return 0, false
	}
	if since > 0 {
		q.Since = time.Unix(int64(since), 0)
	}
	q.Until = graph.MessageID(ids[0])
	for _, channel := range ids[1:] {
		q.Channels = append(q.Channels, graph.ChannelID(channel))
	}
	return numbers[len(numbers)-1], true
}
