package catchup

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/bwmarrin/discordgo"

	"heddle/bot/commands"
	"heddle/bot/outbox"
	"heddle/bot/phrases"
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

// telling writes what was said for one person to read.
type telling struct {
	language phrases.Language
	guild    graph.GuildID
	stretch  *stretch
	query    query
	found    bool // the talks are search results
}

func (t *telling) say(id phrases.ID, values phrases.Values) string {
	return t.language.Text(id, values)
}

// page returns a page of the list of talks. The first page is 0, and numbers beyond the
// last page mean the last. trouble is why the model could not describe some of the
// talks, or nil.
func (t *telling) page(page int, trouble *phrases.Phrase) commands.Reply {
	pages := t.pages()
	page = min(page, len(pages)-1)
	of := pages[page]
	lines := []string{t.head()}
	var numbers []discordgo.Button
	for i, one := range t.stretch.talks[of.from:of.to] {
		lines = append(lines, t.entry(of.from+i, one))
		if !one.isAside() {
			numbers = append(numbers, outbox.Button(t.query.name(showTalk, uint64(one.from().ID)), strconv.Itoa(of.from+i+1)))
		}
	}
	if trouble != nil {
		lines = append(lines, "-# "+t.language.Say(*trouble))
	}
	if t.stretch.cut {
		lines = append(lines, "-# "+t.say(phrases.CatchUpCut, phrases.Values{"When": phrases.On(t.stretch.since)}))
	}
	var buttons outbox.Rows
	if len(numbers) > 0 {
		buttons = append(buttons, numbers)
	}
	if len(pages) > 1 {
		buttons = append(buttons, commands.Pager(buttonPrefix, page, len(pages), func(page int) string {
			return t.query.name(showList, uint64(max(page, 0)))
		}))
	}
	return commands.Reply{Text: strings.Join(lines, "\n"), Buttons: buttons}
}

// span is a range of talks.
type span struct{ from, to int }

// pages divides the talks among pages, by the number of buttons and by length.
func (t *telling) pages() []span {
	pages := []span{{}}
	room, buttons := pageRoom, 0
	for i, one := range t.stretch.talks {
		last := &pages[len(pages)-1]
		size := utf8.RuneCountInString(t.entry(i, one)) + 1
		if last.to > last.from && (size > room || buttons == perPage) {
			pages = append(pages, span{i, i})
			last, room, buttons = &pages[len(pages)-1], pageRoom, 0
		}
		last.to = i + 1
		room -= size
		if !one.isAside() {
			buttons++
		}
	}
	return pages
}

// head returns the first line of the list: how many talks, where and since when.
func (t *telling) head() string {
	where := make([]string, len(t.query.channels))
	for i, channel := range t.query.channels {
		where[i] = discord.Mention(channel)
	}
	id := phrases.CatchUpHead
	if t.found {
		id = phrases.FindHead
	}
	return t.language.Count(id, len(t.stretch.talks), phrases.Values{
		"Messages": t.language.Count(phrases.CatchUpMessages, t.stretch.messages, nil),
		"When":     phrases.On(t.stretch.since), "Where": strings.Join(where, ", "),
	})
}

// entry returns the entry of a talk in the list.
func (t *telling) entry(at int, one *talk) string {
	m := one.from()
	if one.isAside() {
		return fmt.Sprintf("%d. %s — %s", at+1, t.linked(commands.Excerpt(m, wordsSize), m), commands.Quoted(m.Name, nameSize))
	}
	messages := one.messagesNew()
	if t.found { // the link leads to the match, the talk is shown whole
		messages = len(one.Messages)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "**%d. %s** — %s · %s", at+1, t.linked(t.title(one), m), t.people(one), t.language.Count(phrases.CatchUpMessages, messages, nil))
	if one.About != "" {
		b.WriteString("\n" + commands.Quoted(one.About, aboutSize))
	} else if last := one.Last(); last != m {
		b.WriteString("\n-# … " + commands.Quoted(last.Name, nameSize) + ": " + commands.Excerpt(last, wordsSize))
	}
	if one.Open != "" {
		b.WriteString("\n-# " + t.say(phrases.CatchUpOpen, phrases.Values{"Open": commands.Quoted(one.Open, openSize)}))
	}
	if one.concerns {
		b.WriteString("\n-# " + t.say(phrases.CatchUpForYou, nil))
	}
	return b.String()
}

// title returns the title of a talk: the model's, or else its first words.
func (t *telling) title(one *talk) string {
	if one.Title != "" {
		return commands.Quoted(one.Title, titleSize)
	}
	return commands.Excerpt(one.from(), titleSize)
}

// people names who took part in a talk.
func (t *telling) people(one *talk) string {
	names := one.names()
	more := len(names) - shownNames
	names = names[:min(len(names), shownNames)]
	for i := range names {
		names[i] = commands.Quoted(names[i], nameSize)
	}
	if more > 0 {
		names = append(names, t.language.Count(phrases.CatchUpOthers, more, nil))
	}
	return strings.Join(names, ", ")
}

// linked returns a link to a message.
func (t *telling) linked(label string, m *graph.Message) string {
	return discord.Linked(label, discord.LinkTo(t.guild, m))
}

// talk returns a talk with its messages.
func (t *telling) talk(one *talk) commands.Reply {
	lines := []string{"**" + t.title(one) + "** — " + t.people(one)}
	if one.About != "" {
		lines = append(lines, commands.Quoted(one.About, aboutSize))
	}
	fresh := one.Messages[one.fresh:]
	shown := fresh
	if len(fresh) > shownLines {
		shown = slices.Concat(fresh[:2], fresh[len(fresh)-shownLines+2:])
	}
	room := messageRoom - utf8.RuneCountInString(strings.Join(lines, "\n"))
	for i := range shown {
		m := &shown[i]
		line := t.linked(commands.Quoted(m.Name, nameSize), m) + " " + commands.Excerpt(m, wordsSize)
		if room -= utf8.RuneCountInString(line) + 1; room < 0 {
			lines = append(lines, "…")
			break
		}
		lines = append(lines, line)
		if i == 1 && len(fresh) > len(shown) {
			lines = append(lines, "-# "+t.language.Count(phrases.CatchUpBetween, len(fresh)-len(shown), nil))
		}
	}
	return commands.Reply{Text: strings.Join(lines, "\n"), Buttons: t.below(one)}
}

// account returns the model's report on a talk, or its answer to a question about it.
func (t *telling) account(one *talk, question, text string) commands.Reply {
	head := "**" + t.linked(t.title(one), one.from()) + "**\n"
	if question != "" {
		head += "> " + commands.Quoted(question, mostAsked) + "\n"
	}
	return commands.Reply{Text: head + text, Buttons: t.below(one)}
}

// says returns a phrase above the buttons of a talk.
func (t *telling) says(one *talk, id phrases.ID, values phrases.Values) commands.Reply {
	return commands.Reply{Text: t.say(id, values), Buttons: t.below(one)}
}

// below returns the buttons below a talk. If it has a thread, one of them leads there.
func (t *telling) below(one *talk) outbox.Rows {
	id := uint64(one.from().ID)
	thread := outbox.Button(t.query.name(toThread, id), t.say(phrases.LabelThread, nil))
	if one.thread != 0 {
		thread = outbox.LinkButton(discord.ChannelLink(t.guild, one.thread), t.say(phrases.LabelToThread, nil))
	}
	return outbox.Rows{{
		outbox.Button(t.query.name(askModel, id), t.say(phrases.LabelAsk, nil)),
		outbox.Button(t.query.name(askOwn, id), t.say(phrases.LabelAskOwn, nil)),
		thread,
		outbox.Button(t.query.name(showList, 0), t.say(phrases.LabelAllTalks, nil)),
	}}
}

// buttonPrefix begins the names of the buttons below a list of talks. It is followed by
// what the button does, the query, and the page or the first message of the talk that
// the button is about. Anybody can make up such a name, so what it leads to is read
// with the rights of the person who presses.
const buttonPrefix = "heddle:talks:"

// action is what a button does.
type action string

const (
	showList action = "l"
	showTalk action = "t"
	askModel action = "a"
	askOwn   action = "q" // opens a form for a question, and answers it
	toThread action = "m"
)

// mostChannels bounds the channels of one query. Discord allows 100 characters in the
// name of a button.
const mostChannels = 3

const base = 36

// name returns the name of a button, of at most 100 characters.
func (q *query) name(does action, about uint64) string {
	since := int64(0)
	if !q.since.IsZero() {
		since = q.since.Unix()
	}
	parts := []string{strconv.FormatInt(since, base), strconv.FormatUint(uint64(q.until), base)}
	for _, channel := range q.channels {
		parts = append(parts, strconv.FormatUint(uint64(channel), base))
	}
	return buttonPrefix + string(does) + ":" + strings.Join(parts, ".") + ":" + strconv.FormatUint(about, base)
}

// parseButton parses what follows buttonPrefix in the name of a button.
func parseButton(rest string) (does action, q query, about uint64, ok bool) {
	parts := strings.FieldsFunc(rest, func(r rune) bool { return r == ':' || r == '.' })
	if len(parts) < 5 || len(parts) > 4+mostChannels {
		return "", q, 0, false
	}
	numbers := make([]uint64, len(parts)-1)
	for i := range numbers {
		n, err := strconv.ParseUint(parts[i+1], base, 64)
		if err != nil {
			return "", q, 0, false
		}
		numbers[i] = n
	}
	since, ids, about := numbers[0], numbers[1:len(numbers)-1], numbers[len(numbers)-1]
	if since > 1<<40 || slices.Contains(ids, 0) {
		return "", q, 0, false
	}
	if since > 0 {
		q.since = time.Unix(int64(since), 0)
	}
	q.until = graph.MessageID(ids[0])
	for _, channel := range ids[1:] {
		q.channels = append(q.channels, graph.ChannelID(channel))
	}
	does = action(parts[0])
	return does, q, about, slices.Contains([]action{showList, showTalk, askModel, askOwn, toThread}, does)
}
