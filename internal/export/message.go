package export

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"heddle/graph"
	"heddle/internal/discord"
)

// channel is the exported channel. The exporter writes a thread's channel as its category.
type channel struct {
	ID     snowflake `json:"id"`
	Type   string    `json:"type"`
	Parent snowflake `json:"categoryId"`
	Above  string    `json:"category"`
	Name   string    `json:"name"`
	Topic  string    `json:"topic"`
}

// guild is the server of the exported channel. Its id is 0 for direct messages.
type guild struct {
	ID   snowflake `json:"id"`
	Name string    `json:"name"`
}

// message is a message as DiscordChatExporter writes it. Reactions, emoji and avatars
// are ignored, as they are in messages from Discord.
type message struct {
	body
	ID     snowflake `json:"id"`
	Type   string    `json:"type"`
	Time   string    `json:"timestamp"`
	Edited string    `json:"timestampEdited"`
	Author user      `json:"author"`

	Mentions    []user     `json:"mentions"`
	Reference   *reference `json:"reference"`
	Forwarded   *body      `json:"forwardedMessage"`
	Interaction *struct {
		Name string `json:"name"`
		User user   `json:"user"`
	} `json:"interaction"`
}

// body holds what a message and the copy in a forward have in common.
type body struct {
	Content     string `json:"content"`
	Attachments []struct {
		ID   snowflake `json:"id"`
		URL  string    `json:"url"`
		Name string    `json:"fileName"`
		Size int64     `json:"fileSizeBytes"`
	} `json:"attachments"`
	Embeds   json.RawMessage `json:"embeds"` // as Discord writes them, as far as they are read
	Stickers []struct {
		Name string `json:"name"`
	} `json:"stickers"`
	Components []component `json:"components"`
}

// component is a control of a message. The exporter writes the labels of buttons only.
type component struct {
	Label      string      `json:"label"`
	Components []component `json:"components"`
}

type reference struct {
	Message snowflake `json:"messageId"`
	Channel snowflake `json:"channelId"`
	Type    string    `json:"type"`
}

type user struct {
	ID   snowflake `json:"id"`
	Name string    `json:"name"`
	Nick string    `json:"nickname"`
	Bot  bool      `json:"isBot"`
	// Tag is "0000" for webhooks and for people, who no longer have one; bots do.
	Tag string `json:"discriminator"`
}

func (u user) discord() discord.User {
	return discord.User{ID: graph.UserID(u.ID), Name: u.Name, Nick: u.Nick, Bot: u.Bot}
}

// webhook returns the id of the webhook that posted as u, 0 if u is no webhook.
func (u user) webhook() uint64 {
	if u.Bot && u.Tag == "0000" {
		return uint64(u.ID)
	}
	return 0
}

// discord returns m as Discord would have sent it.
func (m *message) discord(channel graph.ChannelID) discord.Message {
	out := m.bare()
	out.ID, out.Channel, out.Author = graph.MessageID(m.ID), channel, m.Author.discord()
	out.Type, out.Webhook = messageType(m.Type), m.Author.webhook()
	out.Content = m.unformatted()
	out.Time, out.Edited = parseTime(m.Time), parseTime(m.Edited)
	out.Whole = true
	if out.Time.IsZero() {
		out.Time = out.ID.Time().UTC()
	}
	for _, u := range m.Mentions {
		out.Mentions = append(out.Mentions, u.discord())
	}
	if i := m.Interaction; i != nil {
		out.Interaction = &discord.CommandUse{Name: i.Name, User: i.User.discord()}
	}
	m.refer(&out)
	return out
}

// bare returns a message that consists of b alone.
func (b *body) bare() discord.Message {
	out := discord.Message{Content: b.Content, Embeds: discord.DecodeEmbeds(b.Embeds)}
	for _, a := range b.Attachments {
		out.Attachments = append(out.Attachments, discord.Attachment{
			ID: graph.AttachmentID(a.ID), Name: a.Name, Size: max(a.Size, 0), URL: a.URL, Type: mediaType(a.Name),
		})
	}
	for _, s := range b.Stickers {
		out.Stickers = append(out.Stickers, discord.Sticker{Name: s.Name})
	}
	for i := range b.Components {
		out.Components = append(out.Components, b.Components[i].discord())
	}
	return out
}

func (c *component) discord() discord.Component {
	out := discord.Component{Type: discord.ComponentButton, Label: c.Label}
	for i := range c.Components {
		out.Children = append(out.Children, c.Components[i].discord())
	}
	return out
}

func (m *message) refer(out *discord.Message) {
	if r := m.Reference; r != nil {
		out.Reference = &discord.Reference{
			Forward: m.Forwarded != nil || strings.EqualFold(r.Type, "forward"),
			Message: graph.MessageID(r.Message), Channel: graph.ChannelID(r.Channel),
		}
	}
	if m.Forwarded != nil {
		out.Snapshots = []discord.Snapshot{{Message: m.Forwarded.bare()}}
	}
}

// unformatted returns the content with mentions where the exporter wrote names, as in
// Discord's own messages. Longer names are replaced first, as one name may be the
// beginning of another.
func (m *message) unformatted() string {
	type named struct{ name, mention string }
	var all []named
	for _, u := range m.Mentions {
		if name := cmp.Or(u.Nick, u.Name); name != "" && u.ID != 0 {
			all = append(all, named{"@" + name, "<@" + strconv.FormatUint(uint64(u.ID), 10) + ">"})
		}
	}
	slices.SortStableFunc(all, func(a, b named) int { return cmp.Compare(len(b.name), len(a.name)) })
	pairs := make([]string, 0, 2*len(all))
	for _, n := range all {
		pairs = append(pairs, n.name, n.mention)
	}
	return strings.NewReplacer(pairs...).Replace(m.Content)
}
