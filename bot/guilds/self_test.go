package guilds_test

import (
	"testing"

	"heddle/bot/guilds"
	"heddle/graph"
	"heddle/internal/discord"
)

func TestWhatAsksHeddle(t *testing.T) {
	heddle := guilds.Self{User: 100, Role: 7}
	ann := discord.User{ID: 1, Name: "ann"}
	from := func(author discord.User, change func(*discord.Message)) *discord.Message {
		m := &discord.Message{ID: 5, Author: author, Content: "hello"}
		if change != nil {
			change(m)
		}
		return m
	}
	mention := func(m *discord.Message) { m.Mentions = []discord.User{{ID: 100}} }
	replyTo := func(author graph.UserID) func(*discord.Message) {
		return func(m *discord.Message) {
			m.Type, m.Referenced = discord.TypeReply, &discord.Message{Author: discord.User{ID: author}}
		}
	}
	for name, test := range map[string]struct {
		message *discord.Message
		direct  bool
		want    bool
	}{
		"a plain message":                  {from(ann, nil), false, false},
		"a mention":                        {from(ann, mention), false, true},
		"a mention only in the text":       {from(ann, func(m *discord.Message) { m.Content = "hi <@100>" }), false, true},
		"a mention in code":                {from(ann, func(m *discord.Message) { mention(m); m.Content = "write `<@100>`" }), false, false},
		"a mention in a code block":        {from(ann, func(m *discord.Message) { mention(m); m.Content = "```\n<@100>\n```" }), false, false},
		"an escaped mention":               {from(ann, func(m *discord.Message) { mention(m); m.Content = `\<@!100> is its id` }), false, false},
		"a mention behind code":            {from(ann, func(m *discord.Message) { mention(m); m.Content = "`x` <@100> `<@100>`" }), false, true},
		"a listed mention beside code":     {from(ann, func(m *discord.Message) { mention(m); m.Content = "`x`" }), false, true},
		"the role's mention in code":       {from(ann, func(m *discord.Message) { m.MentionRoles, m.Content = []graph.RoleID{7}, "`<@&7>`" }), false, false},
		"a reply with a mention in code":   {from(ann, func(m *discord.Message) { replyTo(100)(m); m.Content = "`<@100>`" }), false, true},
		"the old form of a mention":        {from(ann, func(m *discord.Message) { m.Content = "hi <@!100>" }), false, true},
		"somebody else's mention":          {from(ann, func(m *discord.Message) { m.Content = "hi <@1001>" }), false, false},
		"the managed role":                 {from(ann, func(m *discord.Message) { m.MentionRoles = []graph.RoleID{7} }), false, true},
		"another role":                     {from(ann, func(m *discord.Message) { m.MentionRoles = []graph.RoleID{8} }), false, false},
		"everyone":                         {from(ann, func(m *discord.Message) { m.Content = "@everyone hi" }), false, false},
		"a reply to heddle":                {from(ann, replyTo(100)), false, true},
		"a reply to somebody else":         {from(ann, replyTo(2)), false, false},
		"a forward of a message of heddle": {from(ann, func(m *discord.Message) { m.Referenced = &discord.Message{Author: discord.User{ID: 100}} }), false, false},
		"a direct message":                 {from(ann, nil), true, true},
		"heddle's own direct message":      {from(discord.User{ID: 100, Bot: true}, nil), true, false},
		"another bot's mention":            {from(discord.User{ID: 3, Bot: true}, mention), false, false},
		"a webhook's mention":              {from(ann, func(m *discord.Message) { mention(m); m.Webhook = 9 }), false, false},
		"a pin notice that names heddle":   {from(ann, func(m *discord.Message) { mention(m); m.Type = 6 }), false, false},
	} {
		if got := (&guilds.Place{Self: heddle, Direct: test.direct}).IsAsked(test.message); got != test.want {
			t.Errorf("%s asks heddle: %t, want %t", name, got, test.want)
		}
	}
	if (&guilds.Place{Self: guilds.Self{User: 100}}).IsAsked(from(ann, func(m *discord.Message) { m.MentionRoles = []graph.RoleID{0} })) {
		t.Error("a mentioned role counts as heddle's own in a guild in which heddle has none, want it not to ask")
	}
}
