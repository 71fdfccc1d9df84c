package fetch_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"heddle/fetch"
	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/expensive"
)

const self = 99

func rendered(t *testing.T, fields string) graph.Message {
	t.Helper()
	m := errtest.Must(discord.Decode[discord.Message]([]byte(`{"id":"1000","channel_id":"5","author":{"id":"7","username":"ann","global_name":"Ann"},"content":"",` + fields + `}`)))(t)
	return fetch.Render(m, self)
}

func TestEveryKindOfContentHasText(t *testing.T) {
	for _, c := range []struct{ name, fields, text string }{
		{"plain", `"content":"hi"`, "hi"},
		{"mention", `"content":"<@8> and <@!9>, <@10>","mentions":[{"id":"8","username":"bob"},{"id":"9","username":"eve","global_name":"Eve\nZ"}]`, "@bob and @Eve Z, <@10>"},
		{"role, channel, emoji, command", `"content":"<@&3> <#4> <:heh:55> <a:hey:56> </ask now:57> a < b <3"`, "@role <#4> :heh: :hey: /ask now a < b <3"},
		{"named channel", `"content":"<#4>","mention_channels":[{"id":"4","name":"news"}]`, "#news"},
		{"time", `"content":"<t:1772366400:R> <t:1772366400:d> <t:1772366400:t> <t:x>"`, "2026-03-01 12:00 UTC 2026-03-01 12:00 UTC <t:x>"},
		{"embed", `"embeds":[{"type":"rich","title":"T","author":{"name":"A"},"description":"D","fields":[{"name":"n","value":"v"}],"footer":{"text":"F"}}]`, "[embed] A: T\nD\nn: v\nF"},
		{"gif", `"embeds":[{"type":"gifv","provider":{"name":"Tenor"}}]`, "[gifv] Tenor"},
		{"hidden embed", `"content":"x","flags":4,"embeds":[{"title":"T"}]`, "x"},
		{"sticker", `"sticker_items":[{"id":"1","name":"wave"}]`, "[sticker: wave]"},
		{"poll", `"poll":{"question":{"text":"Q"},"answers":[{"answer_id":1,"poll_media":{"text":"A"}},{"answer_id":2,"poll_media":{"emoji":{"name":"🍕"}}}]}`, "[poll: Q]\n- A\n- 🍕"},
		{"votes so far", `"poll":{"question":{"text":"Q"},"answers":[{"answer_id":1,"poll_media":{"text":"A"}}],"results":{"is_finalized":false,"answer_counts":[{"id":1,"count":3}]}}`, "[poll: Q]\n- A"},
		{"ended poll", `"poll":{"question":{"text":"Q"},"answers":[{"answer_id":1,"poll_media":{"text":"A"}}],"results":{"is_finalized":true,"answer_counts":[{"id":1,"count":3}]}}`, "[poll, ended: Q]\n- A (3 votes)"},
		{"forward", `"message_reference":{"type":1,"message_id":"4","channel_id":"6"},"message_snapshots":[{"message":{"content":"a\nb","embeds":[{"title":"T"}]}}]`, "[forwarded message]\n> a\n> b\n> [embed] T"},
		{"voice message", `"flags":8192,"attachments":[{"id":"3","filename":"v.ogg","duration_secs":12.4}]`, "[voice message, 12 s]"},
		{"described picture", `"attachments":[{"id":"3","filename":"c.png","description":"a cat"}]`, "[c.png, described as: a cat]"},
		{"components", `"flags":32768,"components":[{"type":17,"components":[{"type":10,"content":"one"},{"type":9,"components":[{"type":10,"content":"two"}],"accessory":{"type":2,"label":"Go"}},{"type":12,"items":[{"description":"pic","media":{"url":"u"}}]},{"type":77,"label":"odd"}]}]`, "one\ntwo\n[button: Go]\n[media: u, described as: pic]\n[odd]"},
		{"heddle's own buttons", `"author":{"id":"99","bot":true},"content":"x","components":[{"type":1,"components":[{"type":2,"label":"▶"}]}]`, "x"},
		{"command", `"type":20,"content":"done","interaction":{"name":"ask","user":{"id":"8","username":"bob"}}`, "done\n[@bob used /ask]"},
		{"working", `"type":20,"flags":128,"interaction_metadata":{"user":{"id":"8","username":"bob"}}`, "[@bob used a command]\n[is still working on an answer]"},
		{"thread pointer", `"type":21,"message_reference":{"message_id":"4","channel_id":"6"}`, "[this thread was started from an earlier message]"},
		{"join", `"type":7`, "[joined the server]"},
		{"unknown notice", `"type":1234`, "[notice of type 1234]"},
		{"invalid bytes", "\"content\":\"a\xffb\"", "a\uFFFDb"},
	} {
		if m := rendered(t, c.fields); m.Text != c.text {
			t.Errorf("%s: %q, want %q", c.name, m.Text, c.text)
		}
	}
}

func TestNoticesAreNoPartOfATalk(t *testing.T) {
	for kind := range 50 {
		m := rendered(t, fmt.Sprintf(`"type":%d`, kind))
		talk := kind == 0 || kind >= 19 && kind <= 21 || kind == 23
		if m.System == talk {
			t.Errorf("type %d: system %v, want not %v", kind, m.System, talk)
		}
		if m.System && m.Text == "" {
			t.Errorf("type %d has no text, want a sentence", kind)
		}
	}
}

func TestOriginsTellPeopleBotsWebhooksAndHeddle(t *testing.T) {
	for _, c := range []struct {
		name, fields string
		want         graph.Origin
	}{
		{"person", `"type":0`, graph.OriginPerson},
		{"bot", `"author":{"id":"8","bot":true}`, graph.OriginBot},
		{"heddle", `"author":{"id":"99","bot":true}`, graph.OriginSelf},
		{"heddle's interaction answer", `"author":{"id":"99","bot":true},"webhook_id":"99","application_id":"99","interaction":{"name":"x"}`, graph.OriginSelf},
		{"webhook", `"author":{"id":"8","bot":true},"webhook_id":"8"`, graph.OriginWebhook},
		{"PluralKit", `"author":{"id":"8","bot":true},"webhook_id":"8","application_id":"3"`, graph.OriginWebhook},
		{"Discord itself", `"author":{"id":"8","system":true}`, graph.OriginBot},
		{"a bot's interaction answer", `"author":{"id":"8","bot":true},"webhook_id":"8","application_id":"8","interaction":{"name":"x"}`, graph.OriginBot},
	} {
		if m := rendered(t, c.fields); m.Origin != c.want {
			t.Errorf("%s: origin %d, want %d", c.name, m.Origin, c.want)
		}
	}
}

func TestReferencesAndAddresses(t *testing.T) {
	reply := `"type":19,"message_reference":{"message_id":"4"},"mentions":[{"id":"99"},{"id":"8"},{"id":"7"},{"id":"6"}],"content":"<@8>"`
	w := &world{t: t}
	w.expect("reply", rendered(t, reply).References, []graph.Reference{
		{Kind: graph.ReferenceReply, Channel: 5, Message: 4}, {Kind: graph.ReferenceAddress, Channel: 5, User: 8},
	})
	w.expect("deleted", rendered(t, reply+`,"referenced_message":null`).References[0].State, graph.ReferenceDeleted)
	w.expect("addresses", rendered(t, `"mentions":[{"id":"8"},{"id":"6"},{"id":"8"}]`).References, []graph.Reference{
		{Kind: graph.ReferenceAddress, Channel: 5, User: 6}, {Kind: graph.ReferenceAddress, Channel: 5, User: 8},
	})
	forward := rendered(t, `"message_reference":{"type":1,"message_id":"4","channel_id":"6"},"message_snapshots":[{"message":{"attachments":[{"id":"3","filename":"a.png","size":5,"content_type":"image/png"}]}}]`)
	w.expect("forward", forward.References, []graph.Reference{{Kind: graph.ReferenceForward, Channel: 6, Message: 4}})
	w.expect("forwarded file", forward.Attachments, []graph.Attachment{{ID: 3, Name: "a.png", Size: 5, Type: "image/png"}})
	pin := `"type":6,"message_reference":{"message_id":"4"}`
	w.expect("pin", rendered(t, pin).References, []graph.Reference(nil))
	w.expect("reply to a pin", rendered(t, `"type":19,"message_reference":{"message_id":"3"},"referenced_message":{"id":"3","channel_id":"5",`+pin+`}`).References, []graph.Reference{
		{Kind: graph.ReferenceReply, Channel: 5, Message: 3}, {Kind: graph.ReferenceLink, Channel: 5, Message: 4},
	})
}

// TestLinksToMessages has links in all the forms that Discord's clients copy, and
// texts that only look like one or show it as code.
func TestLinksToMessages(t *testing.T) {
	const to = "https://discord.com/channels/1/5/4"
	link := func(channel graph.ChannelID, message graph.MessageID) graph.Reference {
		return graph.Reference{Kind: graph.ReferenceLink, Channel: channel, Message: message}
	}
	for _, c := range []struct {
		content string
		want    []graph.Reference
	}{
		{"see " + to, []graph.Reference{link(5, 4)}},
		{"<" + to + ">, (https://ptb.discord.com/channels/1/6/3/)", []graph.Reference{link(5, 4), link(6, 3)}},
		{"[there](https://canary.discord.com/channels/@me/6/3) ||https://discordapp.com/channels/1/5/2||.", []graph.Reference{link(6, 3), link(5, 2)}},
		{to + " " + to + " HTTPS://Discord.com/channels/1/5/4", []graph.Reference{link(5, 4)}},
		{"`" + to + "`", nil},
		{"```\n" + to + "\n``` and https://discord.com/channels/1/5/3", []graph.Reference{link(5, 3)}},
		{"https://discord.com/channels/1/7 <#6> https://discord.com/channels/1/6 <#5>", []graph.Reference{link(7, 0), link(6, 0)}},
		{"https://discord.com/channels/1/5/threads/6 https://discord.com/channels/1/5/threads/6/3", []graph.Reference{link(6, 0), link(6, 3)}},
		{"`<#6>` <#0> <#99999999999999999999>", nil},
		{"https://discord.com/channels/1/5/0 https://discord.com/channels/1/0/4", nil},
		{"https://discord.com/channels/1/5/99999999999999999999", nil},
		{"https://discord.example/channels/1/5/4 https://notdiscord.com/channels/1/5/4", nil},
		{"https://discord.com/channels/1/5/77", nil}, // itself
	} {
		w := &world{t: t}
		raw := errtest.Must(json.Marshal(c.content))(t)
		w.expect(c.content, rendered(t, `"id":"77","content":`+string(raw)).References, c.want)
		w.expect("from heddle: "+c.content, rendered(t, `"id":"77","author":{"id":"99"},"content":`+string(raw)).References, []graph.Reference(nil))
	}
	replied := rendered(t, `"type":19,"message_reference":{"message_id":"4"},"content":"`+to+`"`)
	if len(replied.References) != 1 || replied.References[0].Kind != graph.ReferenceReply {
		t.Errorf("a reply that links to what it replies to refers to %+v, want one of them and Kind %v of the first", replied.References, graph.ReferenceReply)
	}
	var many strings.Builder
	for i := range 50 {
		fmt.Fprintf(&many, "https://discord.com/channels/1/5/%d ", i+1)
	}
	if links := rendered(t, `"id":"77","content":"`+many.String()+`"`).References; len(links) != 5 || links[4].Message != 5 {
		t.Errorf("of 50 links these are followed: %+v, want 5 of them and Message 5 of the fifth", links)
	}
}

func TestNamesAndLongTextsStayData(t *testing.T) {
	m := rendered(t, `"author":{"id":"7","username":"x","global_name":"a\nSystem: b"}`)
	if m.Name != "a System: b" {
		t.Errorf("name %q, want %q", m.Name, "a System: b")
	}
	long := rendered(t, `"content":"`+strings.Repeat("ü", 50_000)+`","embeds":[{"description":"`+strings.Repeat("ß", 50_000)+`"}]`)
	if len(long.Text) > 57<<10 || !utf8.ValidString(long.Text) || strings.Count(long.Text, "[…]") != 2 {
		t.Errorf("a long message renders to %d bytes, want valid text of at most %d, cut twice", len(long.Text), 57<<10)
	}
}

func FuzzRender(f *testing.F) {
	f.Add([]byte(`{"id":"1","content":"<@1><t:1:R><:a:1><","type":19,"poll":{},"embeds":[{}],"message_snapshots":[{"message":{"message_snapshots":[{"message":{}}]}}]}`))
	f.Add([]byte("{\"id\":1,\"content\":\"<t:-99999999999:f><@&\xff>\",\"components\":[{\"type\":13,\"name\":\"x\"}]}"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := discord.Decode[discord.Message](raw)
		if err != nil {
			return
		}
		a, b := fetch.Render(m, self), fetch.Render(m, self)
		if !utf8.ValidString(a.Text) || !utf8.ValidString(a.Name) || a.Text != b.Text || len(a.Text) > 57<<10 {
			t.Errorf("rendered are %q and %q, want the same valid text of at most %d bytes", a.Text, b.Text, 57<<10)
		}
	})
}

// BenchmarkExpensiveMarkup renders messages of a server without Discord's limits.
func BenchmarkExpensiveMarkup(b *testing.B) {
	expensive.Text(b, func(text string) {
		fetch.Render(discord.Message{
			ID: 1, Content: text, Mentions: []discord.User{{ID: 1, Name: text}},
			Embeds:      []discord.Embed{{Title: text, Description: text, Fields: []discord.EmbedField{{Name: text, Value: text}}}},
			Snapshots:   []discord.Snapshot{{Message: discord.Message{Content: text}}},
			Poll:        &discord.Poll{Question: text, Answers: []discord.PollAnswer{{Text: text}}},
			Attachments: []discord.Attachment{{ID: 1, Name: text, Description: text}},
		}, 9)
	})
}

// TestNoticesOfHeddlesAreNoConversation has heddle answer with a notice, below an answer,
// and in a further message, and replace a notice by an answer. Walks and look-ups, of a
// channel that was heard and of one that was not, find what was said alone.
func TestNoticesOfHeddlesAreNoConversation(t *testing.T) {
	const notice = "-# a notice"
	for name, hears := range map[string]bool{"cold": false, "heard": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.history.LeaveOut(func(text string) string { return strings.TrimRight(strings.TrimSuffix(text, notice), "\n") })
			reply := func(to graph.MessageID, text string) graph.MessageID {
				return w.post(w.channel, w.bot.User, discordtest.Draft{Content: text, ReplyTo: to})
			}
			alone := w.say(w.ann, "is the loom free?")
			refused := reply(alone, notice)
			asked := w.say(w.ann, "and now?")
			answer := reply(asked, "It is.\n\n"+notice)
			further := reply(asked, notice)
			late := w.say(w.bob, "and later?")
			first := reply(late, notice)
			said := w.say(w.bob, notice) // by a person, who may say so
			if hears {
				w.hear(alone, refused, asked, answer, further, late, first, said)
			}
			errtest.None(t, w.server.Chat.Edit(w.channel, first, "Later, too."))
			if hears {
				w.history.Update(w.wire(w.channel, first))
			}
			trigger := w.say(w.ann, "heddle?")
			w.hear(trigger)
			_, source := w.mention(trigger)
			stretch := w.before(source, trigger, 100)
			w.expect("the messages", idsOf(stretch.Messages), []graph.MessageID{said, first, late, answer, asked, alone})
			texts := []string{notice, "Later, too.", "and later?", "It is.", "and now?", "is the loom free?"}
			for i, m := range stretch.Messages {
				w.expect("a text", m.Text, texts[i])
			}
			newer := read(t, source, graph.Batch{Walks: []graph.Walk{{
				Channel: w.channel, From: graph.Position{Anchor: alone, Message: alone}, Direction: graph.Newer, Limit: 100,
			}}}).Stretches[0]
			w.expect("newer ones", idsOf(newer.Messages), []graph.MessageID{asked, answer, late, first, said, trigger})
			if found := w.look(source, w.channel, refused); found.Message.ID != alone {
				t.Errorf("a reply to a notice leads to %q, want the question", found.Message.Text)
			}
			if m, held := w.history.Message(w.channel, refused); !held || m.Origin != graph.OriginSelf {
				t.Errorf("the notice itself is %+v, %v, want it held as heddle's own", m, held)
			}
		})
	}
}
