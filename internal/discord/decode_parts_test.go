package discord_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/errtest"
)

// part is a part of a message's payload, with what is read of it.
type part struct {
	raw  string
	of   func(discord.Message) any
	want any
}

func checkParts(t *testing.T, parts map[string]part) {
	t.Helper()
	for name, p := range parts {
		if got := p.of(decode(t, `{"id":"1","channel_id":"3",`+p.raw+`}`)); !reflect.DeepEqual(got, p.want) {
			t.Errorf("%s reads as %+v, want %+v", name, got, p.want)
		}
	}
}

func TestWhatHangsOnAMessageIsRead(t *testing.T) {
	checkParts(t, map[string]part{
		"an attachment": {
			`"attachments":[{"id":"9","filename":"a.png","title":"A","description":"a cat","content_type":"image/png","size":12,"url":"u","proxy_url":"p","duration_secs":1.5}]`,
			func(m discord.Message) any { return m.Attachments },
			[]discord.Attachment{{ID: 9, Name: "a.png", Title: "A", Description: "a cat", Type: "image/png", Size: 12, URL: "u", ProxyURL: "p", Seconds: 1.5}},
		},
		"a size that cannot be": {
			`"attachments":[{"id":"9","size":-3}]`,
			func(m discord.Message) any { return m.Attachments[0].Size }, int64(0),
		},
		"an embed": {
			`"embeds":[{"type":"rich","title":"T","description":"D","provider":{"name":"P"},"author":{"name":"A"},"footer":{"text":"F"},"fields":[{"name":"n","value":"v"},7]}]`,
			func(m discord.Message) any { return m.Embeds },
			[]discord.Embed{{Type: "rich", Title: "T", Description: "D", Provider: "P", Author: "A", Footer: "F", Fields: []discord.EmbedField{{Name: "n", Value: "v"}}}},
		},
		"a sticker": {
			`"sticker_items":[{"id":"1","name":"wave","format_type":1}]`,
			func(m discord.Message) any { return m.Stickers },
			[]discord.Sticker{{Name: "wave"}},
		},
		"a sticker as it once was": {
			`"stickers":[{"id":"1","name":"wave"}]`,
			func(m discord.Message) any { return m.Stickers },
			[]discord.Sticker{{Name: "wave"}},
		},
		"a poll": {
			`"poll":{"question":{"text":"Tea?"},"answers":[{"answer_id":1,"poll_media":{"text":"yes"}},{"answer_id":2,"poll_media":{"emoji":{"name":"🍵"}}}],
				"results":{"is_finalized":true,"answer_counts":[{"id":1,"count":3}]}}`,
			func(m discord.Message) any { return *m.Poll },
			discord.Poll{Question: "Tea?", Final: true, Answers: []discord.PollAnswer{{ID: 1, Text: "yes", Votes: 3}, {ID: 2, Text: "🍵", Votes: 0}}},
		},
		"a poll without results": {
			`"poll":{"question":{"text":"Tea?"},"answers":[{"answer_id":1,"poll_media":{"text":"yes"}}]}`,
			func(m discord.Message) any { return m.Poll.Answers[0].Votes }, int64(-1),
		},
	})
}

func TestLayoutOriginAndTimesOfAMessageAreRead(t *testing.T) {
	checkParts(t, map[string]part{
		"a section with what stands beside it": {
			`"components":[{"type":9,"components":[{"type":10,"content":"text"}],"accessory":{"type":2,"label":"press"}}]`,
			func(m discord.Message) any { return m.Components },
			[]discord.Component{{Type: 9, Children: []discord.Component{{Type: 10, Text: "text"}, {Type: 2, Label: "press"}}}},
		},
		"a gallery": {
			`"components":[{"type":12,"items":[{"description":"a cat","media":{"url":"u"}}]}]`,
			func(m discord.Message) any { return m.Components },
			[]discord.Component{{Type: 12, Children: []discord.Component{{Type: discord.ComponentThumbnail, Description: "a cat", Media: discord.Media{URL: "u"}}}}},
		},
		"a menu": {
			`"components":[{"type":3,"placeholder":"choose"}]`,
			func(m discord.Message) any { return m.Components[0].Text }, "choose",
		},
		"what made an application answer": {
			`"interaction_metadata":{"user":{"id":"5","username":"ann"}},"interaction":{"name":"weather","user":{"id":"6"}}`,
			func(m discord.Message) any { return *m.Interaction },
			discord.CommandUse{Name: "weather", User: discord.User{ID: 5, Name: "ann"}},
		},
		"a forwarded message": {
			`"message_reference":{"type":1,"message_id":"2","channel_id":"3"},"message_snapshots":[{"message":{"content":"said elsewhere"}},{"message":7}]`,
			func(m discord.Message) any {
				return []any{m.Reference.Forward, len(m.Snapshots), m.Snapshots[0].Message.Content}
			},
			[]any{true, 1, "said elsewhere"},
		},
		"who is mentioned": {
			`"mentions":[{"id":"5"},{"id":6}],"mention_roles":["7",8,"x"],"mention_channels":[{"id":"9","name":"general"}]`,
			func(m discord.Message) any {
				return []any{m.Mentions[1].ID, m.MentionRoles, m.MentionChannels[0].Name}
			},
			[]any{graph.UserID(6), []graph.RoleID{7, 8}, "general"},
		},
		"a webhook's message": {
			`"webhook_id":"5","application_id":"6","author":{"id":"5","username":"relay","bot":true}`,
			func(m discord.Message) any { return []any{m.Webhook, m.Application, m.Author.Bot} },
			[]any{uint64(5), graph.UserID(6), true},
		},
	})
}

func TestDisplayNameFallsBackToUsernameAndID(t *testing.T) {
	for want, user := range map[string]discord.User{
		"Ann": {ID: 5, Name: "ann", Global: "Ann"}, "ann": {ID: 5, Name: "ann"}, "5": {ID: 5}, "somebody": {},
	} {
		if got := user.DisplayName(); got != want {
			t.Errorf("%+v is called %q, want %q", user, got, want)
		}
	}
}

// TestAGuildIsReadWithItsChannels reads a guild; bot/guilds reads what changes of it.
func TestAGuildIsReadWithItsChannels(t *testing.T) {
	guild := errtest.Must(discord.Decode[discord.Guild](json.RawMessage(`{"id":"5","properties":{"name":"weavers"},"owner_id":"9","members":[{"user":{"id":"8"},"roles":["6"]}],
		"roles":[{"id":"4","managed":true,"permissions":"66560","tags":{"bot_id":"77"}}],"channels":[{"id":"6","type":0,"name":"general","last_message_id":"77","permission_overwrites":[{"id":"5","type":0,"deny":"1024","allow":"0"},{"id":"8","type":"member","allow":1024}]}],
		"threads":[{"id":"7","type":12,"parent_id":"6"}]}`)))(t)
	general := discord.Channel{ID: 6, Guild: 5, Name: "general", Last: 77, Overwrites: []discord.Overwrite{{ID: 5, Deny: 1024}, {ID: 8, Member: true, Allow: 1024}}}
	if guild.Name != "weavers" || guild.Owner != 9 || !reflect.DeepEqual(guild.Channels, []discord.Channel{general}) {
		t.Errorf("the guild is %+v, want Name %q, Owner 9 and Channels %v", guild, "weavers", []discord.Channel{general})
	}
	if thread := guild.Threads[0]; !thread.Type.IsThread() || thread.Type.IsDirect() || thread.Guild != 5 || guild.Members[0].Roles[0] != 6 {
		t.Errorf("the thread is %+v, the members are %+v, want Type.IsThread() true, Type.IsDirect() false, Guild 5 and Roles[0] 6 of the first", thread, guild.Members)
	}
	if len(guild.Roles) != 1 || guild.Roles[0].Bot != 77 || !guild.Roles[0].Permissions.Has(discord.PermissionReadHistory) {
		t.Errorf("the roles are %+v, want one, of bot 77, that may read the history", guild.Roles)
	}
	if direct := discord.ChannelDM; !direct.IsDirect() || direct.IsThread() || !discord.ChannelGroupDM.IsDirect() {
		t.Error("a direct message counts as a thread, or a thread as a direct message")
	}
}
