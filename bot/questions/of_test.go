package questions_test

import (
	"slices"
	"testing"
	"time"

	"heddle/bot/guilds"
	"heddle/bot/questions"
	"heddle/graph"
	"heddle/internal/discord"
)

// The ids of the table.
const (
	ann, bob, loom, stranger, bridge = 1, 2, 3, 4, 5 // loom, a bot, and bridge, a webhook, may ask
	heddle, managed                  = 100, 7
)

// row is a message of Ann's, and what it is.
type row struct {
	change func(*discord.Message)
	want   questions.Kind
	direct bool
	rules  questions.Rules // zero: loom and bridge may ask, and edits count for two minutes
}

// sent returns when the messages of the table were sent.
func sent() time.Time { return time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC) }

// both makes two changes.
func both(one, two func(*discord.Message)) func(*discord.Message) {
	return func(m *discord.Message) { one(m); two(m) }
}

func says(text string) func(*discord.Message) { return func(m *discord.Message) { m.Content = text } }

func by(author discord.User) func(*discord.Message) {
	return func(m *discord.Message) { m.Author = author }
}

// lists lists users as mentioned.
func lists(users ...graph.UserID) func(*discord.Message) {
	return func(m *discord.Message) {
		for _, id := range users {
			m.Mentions = append(m.Mentions, discord.User{ID: id})
		}
	}
}

// webhook makes a message one of a webhook, and of the application that owns it.
func webhook(id uint64, application graph.UserID) func(*discord.Message) {
	return func(m *discord.Message) {
		m.Webhook, m.Application, m.Author = id, application, discord.User{ID: graph.UserID(id), Name: "ann", Bot: true}
	}
}

func roles(roles ...graph.RoleID) func(*discord.Message) {
	return func(m *discord.Message) { m.MentionRoles = roles }
}

func replies(author graph.UserID) func(*discord.Message) {
	return func(m *discord.Message) {
		m.Type, m.Referenced = discord.TypeReply, &discord.Message{Author: discord.User{ID: author}}
		m.Reference = &discord.Reference{Message: 9}
	}
}

func edited(after time.Duration) func(*discord.Message) {
	return func(m *discord.Message) { m.Edited = sent().Add(after) }
}

// table returns the rows by what the message is.
func table() map[string]row {
	bot := by(discord.User{ID: loom, Bot: true})
	return map[string]row{
		"a plain message":                   {change: says("hello")},
		"a mention":                         {change: lists(heddle), want: questions.Asks},
		"a mention only in the text":        {change: says("hi <@100>"), want: questions.Asks},
		"a mention in code":                 {change: both(lists(heddle), says("write `<@100>`"))},
		"a mention in a code block":         {change: both(lists(heddle), says("```\n<@100>\n```"))},
		"an escaped mention":                {change: both(lists(heddle), says(`\<@!100> is its id`))},
		"a mention behind code":             {change: both(lists(heddle), says("`x` <@100> `<@100>`")), want: questions.Asks},
		"a listed mention beside code":      {change: both(lists(heddle), says("`x`")), want: questions.Asks},
		"the role's mention in code":        {change: both(roles(managed), says("`<@&7>`"))},
		"a reply with a mention in code":    {change: both(replies(heddle), says("`<@100>`")), want: questions.Asks},
		"the old form of a mention":         {change: says("hi <@!100>"), want: questions.Asks},
		"somebody else's mention":           {change: says("hi <@1001>")},
		"the managed role":                  {change: roles(managed), want: questions.Asks},
		"another role":                      {change: roles(8)},
		"everyone":                          {change: says("@everyone hi")},
		"a reply to heddle":                 {change: replies(heddle), want: questions.Asks},
		"a reply for somebody else":         {change: both(replies(heddle), both(says("<@2> look"), lists(bob)))},
		"a reply for a role":                {change: both(replies(heddle), both(says("<@&8> look"), roles(8)))},
		"a reply that names its author":     {change: both(replies(heddle), both(says("I am <@1>"), lists(ann))), want: questions.Asks},
		"a reply that names others in code": {change: both(replies(heddle), both(says("what is `<@2>`?"), lists(bob))), want: questions.Asks},
		"a reply that pings both":           {change: both(replies(heddle), both(says("<@2> look"), lists(bob, heddle))), want: questions.Asks},
		"a mention of both":                 {change: both(says("<@2> <@100> help"), lists(bob, heddle)), want: questions.Asks},
		"a direct reply that names others":  {change: both(replies(heddle), both(says("tell <@2>"), lists(bob))), direct: true, want: questions.Asks},
		"a reply to somebody else":          {change: replies(bob)},
		"a forward of a message of heddle":  {change: func(m *discord.Message) { m.Referenced = &discord.Message{Author: discord.User{ID: heddle}} }},
		"a direct message":                  {change: says("hello"), direct: true, want: questions.Asks},
		"heddle's own direct message":       {change: by(discord.User{ID: heddle, Bot: true}), direct: true},
		"a pin notice that names heddle":    {change: both(lists(heddle), func(m *discord.Message) { m.Type = discord.TypePin })},
		"an ephemeral mention":              {change: both(lists(heddle), func(m *discord.Message) { m.Flags = discord.FlagEphemeral })},
		"a strange webhook's mention":       {change: both(lists(heddle), webhook(9, 0))},
		"a named webhook's mention":         {change: both(lists(heddle), webhook(bridge, 0)), want: questions.Asks},
		"a named webhook's plain message":   {change: both(says("hello"), webhook(bridge, 0))},
		"a named application's webhook":     {change: both(says("<@100> hi"), webhook(9, loom)), want: questions.Asks},
		"a strange application's webhook":   {change: both(says("<@100> hi"), webhook(9, stranger))},

		"a strange bot's mention":        {change: both(by(discord.User{ID: stranger, Bot: true}), says("<@100> hi"))},
		"a named bot's mention":          {change: both(bot, says("<@100> hi")), want: questions.Asks},
		"a named bot's reply":            {change: both(bot, replies(heddle))},
		"a named bot's reply that pings": {change: both(bot, both(replies(heddle), lists(heddle)))},

		"what a named bot answers to a press": {change: both(bot, both(says("<@100> hi"), func(m *discord.Message) { m.Webhook, m.Application = loom, loom })), want: questions.Asks},
		"a named webhook's edit":              {change: both(lists(heddle), both(webhook(bridge, 0), edited(time.Second))), want: questions.Asks},

		"an edit in time":             {change: both(lists(heddle), edited(2*time.Minute)), want: questions.Asks},
		"an edit that comes too late": {change: both(lists(heddle), edited(2*time.Minute+1)), want: questions.Changed},
		"an edit where none counts":   {change: both(lists(heddle), edited(time.Second)), want: questions.Changed, rules: questions.Rules{Bots: []graph.UserID{loom, bridge}}},
		"a named bot's edit":          {change: both(bot, both(says("<@100> hi"), edited(time.Minute))), want: questions.Asks},
		"an edit of no question":      {change: both(says("hello"), edited(time.Second))},
	}
}

func TestWhatAQuestionIs(t *testing.T) {
	for name, test := range table() {
		m := &discord.Message{ID: graph.FirstMessageID(sent()), Channel: 5, Author: discord.User{ID: ann, Name: "ann"}, Content: "what is a warp?"}
		test.change(m)
		if test.rules.Bots == nil {
			test.rules = questions.Rules{Bots: []graph.UserID{loom, bridge}, Edits: 2 * time.Minute}
		}
		got := questions.Of(m, nil, &guilds.Place{Self: guilds.Self{User: heddle, Role: managed}, Direct: test.direct}, &test.rules)
		if got.Kind != test.want || (got.Question != nil) != (test.want != questions.Nothing) {
			t.Errorf("%s is %d with the question %v, want %d", name, got.Kind, got.Question, test.want)
		}
	}
	nameless := &discord.Message{Author: discord.User{ID: ann}, MentionRoles: []graph.RoleID{0}}
	if got := questions.Of(nameless, nil, &guilds.Place{Self: guilds.Self{User: heddle}}, &questions.Rules{}); got.Kind != questions.Nothing {
		t.Error("a mentioned role counts as heddle's own in a guild in which heddle has none, want it not to ask")
	}
}

// TestWhatAMentionWithoutWordsAsks has Ann mention heddle after what was said before, of which the
// ids of those messages that she asks are told.
func TestWhatAMentionWithoutWordsAsks(t *testing.T) {
	said := func(ago time.Duration, change func(*discord.Message)) discord.Message {
		m := discord.Message{ID: graph.FirstMessageID(sent().Add(-ago)), Author: discord.User{ID: ann}, Content: "what is a warp?"}
		change(&m)
		return m
	}
	plain := says("what is a weft?")
	notice := func(m *discord.Message) { m.Type = discord.TypePin }
	for name, test := range map[string]struct {
		mention func(*discord.Message)
		before  []discord.Message
		asks    int // of before, -1: itself
	}{
		"her own message":                {says("<@100>"), []discord.Message{said(time.Second, plain)}, 0},
		"the role, with a sign":          {both(says("<@&7> ?"), roles(managed)), []discord.Message{said(time.Second, plain)}, 0},
		"two minutes later":              {says("<@!100> ^^"), []discord.Message{said(2*time.Minute, plain)}, 0},
		"even later":                     {says("<@100>"), []discord.Message{said(2*time.Minute+time.Second, plain)}, -1},
		"the last of several":            {says("<@100>"), []discord.Message{said(3*time.Second, plain), said(time.Second, plain)}, 1},
		"her own behind a notice":        {says("<@100>"), []discord.Message{said(2*time.Second, plain), said(time.Second, notice)}, 0},
		"her own edited message":         {says("<@100>"), []discord.Message{said(time.Second, edited(time.Hour))}, 0},
		"somebody else's in between":     {says("<@100>"), []discord.Message{said(2*time.Second, plain), said(time.Second, by(discord.User{ID: bob}))}, -1},
		"heddle's in between":            {says("<@100>"), []discord.Message{said(2*time.Second, plain), said(time.Second, by(discord.User{ID: heddle, Bot: true}))}, -1},
		"nothing before":                 {says("<@100>"), nil, -1},
		"words":                          {says("<@100> why"), []discord.Message{said(time.Second, plain)}, -1},
		"a file":                         {both(says("<@100>"), func(m *discord.Message) { m.Attachments = make([]discord.Attachment, 1) }), []discord.Message{said(time.Second, plain)}, -1},
		"a reply":                        {both(lists(heddle), replies(heddle)), []discord.Message{said(time.Second, plain)}, -1},
		"an edit that takes words away":  {both(says("<@100>"), edited(time.Minute)), []discord.Message{said(time.Second, plain)}, 0},
		"her own before a mention":       {says("<@100>"), []discord.Message{said(2*time.Second, plain), said(time.Second, says("<@100>"))}, 0},
		"mentions alone":                 {says("<@100>"), []discord.Message{said(2*time.Second, by(discord.User{ID: bob})), said(time.Second, says("<@100>"))}, 1},
		"through her webhook":            {both(says("<@100>"), webhook(bridge, 0)), []discord.Message{said(time.Second, webhook(bridge, 0))}, 0},
		"somebody else's through it":     {both(says("<@100>"), webhook(bridge, 0)), []discord.Message{said(time.Second, both(webhook(bridge, 0), func(m *discord.Message) { m.Author.Name = "bob" }))}, -1},
		"what was said after it, by her": {says("<@100>"), []discord.Message{said(time.Second, plain), said(-time.Second, plain)}, 0},
	} {
		m := &discord.Message{ID: graph.FirstMessageID(sent()), Author: discord.User{ID: ann}}
		test.mention(m)
		got := questions.Of(m, test.before, &guilds.Place{Self: guilds.Self{User: heddle, Role: managed}}, &questions.Rules{Bots: []graph.UserID{bridge}, Edits: 2 * time.Minute})
		asks := slices.IndexFunc(test.before, func(b discord.Message) bool { return got.Question != nil && b.ID == got.Question.ID })
		if got.Kind != questions.Asks || asks != test.asks {
			t.Errorf("%s: the mention is %d and asks %d, want %d and %d", name, got.Kind, asks, questions.Asks, test.asks)
		}
	}
}
