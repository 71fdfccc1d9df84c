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

// The verdicts of continuing that are no index of a message.
const itself, nothing = -1, -2

// continuing is what Ann says after what was said before, and the question among before, as an index,
// of which it is the given part.
type continuing struct {
	change func(*discord.Message)
	before []discord.Message
	direct bool
	want   int
	part   int
}

// said returns a message of Ann's that was sent so long before the one of the table.
func said(ago time.Duration, changes ...func(*discord.Message)) discord.Message {
	m := discord.Message{ID: graph.FirstMessageID(sent().Add(-ago)), Author: discord.User{ID: ann, Name: "ann"}}
	for _, change := range changes {
		change(&m)
	}
	return m
}

// continued returns the rows by what Ann says.
func continued() map[string]continuing {
	asks, talk := says("<@100> what is this?"), says("look")
	file := func(m *discord.Message) { m.Attachments = make([]discord.Attachment, 1) }
	forward := func(m *discord.Message) { m.Reference = &discord.Reference{Message: 9, Forward: true} }
	bridged := webhook(bridge, 0)
	six := []discord.Message{said(6*time.Second, asks)}
	for i := range 5 {
		six = append(six, said(time.Duration(5-i)*time.Second, file))
	}
	return map[string]continuing{
		"a file":                               {file, []discord.Message{said(2*time.Second, asks)}, false, 0, 1},
		"a file with words":                    {both(file, talk), []discord.Message{said(10*time.Second, asks)}, false, 0, 1},
		"a file eleven seconds later":          {file, []discord.Message{said(11*time.Second, asks)}, false, nothing, 0},
		"a file of another file":               {file, []discord.Message{said(12*time.Second, asks), said(4*time.Second, file)}, false, 0, 2},
		"a file after talk":                    {file, []discord.Message{said(12*time.Second, asks), said(2*time.Second, talk)}, false, nothing, 0},
		"a file behind a notice":               {file, []discord.Message{said(2*time.Second, asks), said(time.Second, func(m *discord.Message) { m.Type = discord.TypePin })}, false, 0, 1},
		"a file behind Bob's message":          {file, []discord.Message{said(2*time.Second, asks), said(time.Second, by(discord.User{ID: bob}))}, false, nothing, 0},
		"a file behind heddle's answer":        {file, []discord.Message{said(2*time.Second, asks), said(time.Second, by(discord.User{ID: heddle, Bot: true}))}, false, nothing, 0},
		"a file for Bob":                       {both(file, both(says("<@2> look"), lists(bob))), []discord.Message{said(2*time.Second, asks)}, false, nothing, 0},
		"a file in reply to Bob":               {both(file, replies(bob)), []discord.Message{said(2*time.Second, asks)}, false, nothing, 0},
		"a file with a mention":                {both(file, says("<@100> and this?")), []discord.Message{said(2*time.Second, asks)}, false, itself, 0},
		"the sixth file":                       {file, six, false, nothing, 0},
		"the fifth file":                       {file, six[:5], false, 0, 5},
		"a forward":                            {forward, []discord.Message{said(2*time.Second, asks)}, false, 0, 1},
		"a forward after no question":          {forward, []discord.Message{said(2*time.Second, talk)}, false, nothing, 0},
		"plain words":                          {talk, []discord.Message{said(2*time.Second, asks)}, false, nothing, 0},
		"a second mention":                     {says("<@100> and why?"), []discord.Message{said(2*time.Second, asks)}, false, itself, 0},
		"a mention without words":              {says("<@100>"), []discord.Message{said(2*time.Second, asks)}, false, 0, 1},
		"a mention behind a file":              {says("<@100>"), []discord.Message{said(20*time.Second, asks), said(15*time.Second, file)}, false, 0, 2},
		"a file behind a mention":              {file, []discord.Message{said(time.Minute, talk), said(2*time.Second, says("<@100>"))}, false, 0, 2},
		"a file behind a mention alone":        {file, []discord.Message{said(2*time.Second, says("<@100>"))}, false, 0, 1},
		"words in direct messages":             {talk, []discord.Message{said(4*time.Second, talk), said(2*time.Second, talk)}, true, 0, 2},
		"words eleven seconds later":           {talk, []discord.Message{said(11*time.Second, talk)}, true, itself, 0},
		"words behind heddle's":                {talk, []discord.Message{said(2*time.Second, talk), said(time.Second, by(discord.User{ID: heddle, Bot: true}))}, true, itself, 0},
		"a reply to heddle":                    {replies(heddle), []discord.Message{said(2*time.Second, talk)}, true, itself, 0},
		"the sixth of direct messages":         {talk, []discord.Message{said(6*time.Second, talk), said(5*time.Second, talk), said(4*time.Second, talk), said(3*time.Second, talk), said(2*time.Second, talk), said(time.Second, talk)}, true, itself, 0},
		"a file through her webhook":           {both(bridged, file), []discord.Message{said(2*time.Second, bridged, asks)}, false, 0, 1},
		"a file of another, through it":        {both(file, bridged), []discord.Message{said(2*time.Second, asks, bridged, func(m *discord.Message) { m.Author.Name = "bob" })}, false, nothing, 0},
		"a bot's file":                         {both(file, by(discord.User{ID: loom, Bot: true})), []discord.Message{said(2*time.Second, asks, by(discord.User{ID: loom, Bot: true}))}, false, nothing, 0},
		"a file after an edit into a question": {file, []discord.Message{said(2*time.Second, asks, edited(time.Minute))}, false, 0, 1},
	}
}

func TestWhatContinuesAQuestion(t *testing.T) {
	rules := &questions.Rules{Bots: []graph.UserID{loom, bridge}, Edits: 2 * time.Minute}
	for name, test := range continued() {
		m, place := said(0, test.change), &guilds.Place{Self: guilds.Self{User: heddle}, Direct: test.direct}
		got := questions.Of(&m, test.before, place, rules)
		at := nothing
		if got.Question == &m {
			at = itself
		} else if got.Kind == questions.Asks {
			at = slices.IndexFunc(test.before, func(b discord.Message) bool { return b.ID == got.Question.ID })
		}
		if at != test.want || got.Part != test.part {
			t.Errorf("%s is part %d of message %d, want part %d of %d", name, got.Part, at, test.part, test.want)
		}
		if test.want >= 0 && !questions.MayFollow(&m, place, rules) {
			t.Errorf("%s follows nothing by itself, want that it depends on what was said before", name)
		}
	}
}

// TestWhatAProxyPostsIsACopy has a webhook say what Ann, or others, said before.
func TestWhatAProxyPostsIsACopy(t *testing.T) {
	said := func(ago time.Duration, changes ...func(*discord.Message)) discord.Message {
		return said(ago, append([]func(*discord.Message){says("L: <@100> what is a warp?")}, changes...)...)
	}
	posts := both(says("<@100> what is a warp? "), webhook(bridge, 0))
	answer := func(m *discord.Message) { m.Content = "L: why?"; replies(heddle)(m) }
	for name, test := range map[string]struct {
		change func(*discord.Message)
		before []discord.Message
		kind   questions.Kind
		copies int // the index of the original; -1: none
	}{
		"a copy":                         {posts, []discord.Message{said(time.Second)}, questions.Asks, 0},
		"a copy half a minute later":     {posts, []discord.Message{said(30 * time.Second)}, questions.Asks, 0},
		"later still":                    {posts, []discord.Message{said(31 * time.Second)}, questions.Asks, -1},
		"behind others and heddle":       {posts, []discord.Message{said(3 * time.Second), said(2*time.Second, by(discord.User{ID: bob}), says("hi")), said(time.Second, by(discord.User{ID: heddle, Bot: true}))}, questions.Asks, 0},
		"of two the later":               {posts, []discord.Message{said(3 * time.Second), said(2 * time.Second)}, questions.Asks, 1},
		"the original is gone":           {posts, nil, questions.Asks, -1},
		"copied already":                 {posts, []discord.Message{said(2 * time.Second), said(time.Second, posts)}, questions.Asks, -1},
		"of no question":                 {both(says("hello"), webhook(bridge, 0)), []discord.Message{said(time.Second, says("L: hello"))}, questions.Nothing, -1},
		"of a reply to heddle":           {both(says("why?"), webhook(bridge, 0)), []discord.Message{said(time.Second, answer)}, questions.Asks, 0},
		"of what a bot asks":             {posts, []discord.Message{said(time.Second, by(discord.User{ID: loom, Bot: true}))}, questions.Asks, -1},
		"other words":                    {both(says("<@100> what is a weft?"), webhook(bridge, 0)), []discord.Message{said(time.Second)}, questions.Asks, -1},
		"a strange webhook's":            {both(says("<@100> what is a warp?"), webhook(9, 0)), []discord.Message{said(time.Second)}, questions.Nothing, -1},
		"a person who repeats another":   {both(says("<@100> what is a warp?"), by(discord.User{ID: bob})), []discord.Message{said(time.Second)}, questions.Asks, -1},
		"a file without words by itself": {both(says(""), webhook(bridge, 0)), []discord.Message{said(time.Second)}, questions.Nothing, -1},
	} {
		m := said(0, test.change)
		got := questions.Of(&m, test.before, &guilds.Place{Self: guilds.Self{User: heddle}}, &questions.Rules{Bots: []graph.UserID{loom, bridge}, Edits: 2 * time.Minute})
		at := slices.IndexFunc(test.before, func(b discord.Message) bool { return b.ID == got.Copies })
		if got.Kind != test.kind || at != test.copies || got.Kind == questions.Asks && got.Question != &m {
			t.Errorf("%s is %d and copies %d, want %d and %d", name, got.Kind, at, test.kind, test.copies)
		}
	}
}
