package fetch

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"heddle/graph"
	"heddle/internal/discord"
)

type exportedGuild struct {
	ID exportedID `json:"id"`
}

// UnmarshalJSON reads nothing from what is no object.
func (g *exportedGuild) UnmarshalJSON(data []byte) error {
	type plain exportedGuild
	_ = json.Unmarshal(data, (*plain)(g)) // what is odd stays empty
	return nil
}

// exportedChannel is the channel of an export, which calls a parent category.
type exportedChannel struct {
	ID     exportedID `json:"id"`
	Type   string     `json:"type"`
	Parent exportedID `json:"categoryId"`
	Name   string     `json:"name"`
}

// UnmarshalJSON reads nothing from what is no object.
func (c *exportedChannel) UnmarshalJSON(data []byte) error {
	type plain exportedChannel
	_ = json.Unmarshal(data, (*plain)(c)) // what is odd stays empty
	return nil
}

// exportedMessage is a message as DiscordChatExporter writes it. Reactions, emoji
// and pictures are passed over: nothing of them is read from Discord either.
type exportedMessage struct {
	exportedBody
	ID     exportedID   `json:"id"`
	Type   string       `json:"type"`
	Time   string       `json:"timestamp"`
	Edited string       `json:"timestampEdited"`
	Author exportedUser `json:"author"`

	Mentions    []exportedUser     `json:"mentions"`
	Reference   *exportedReference `json:"reference"`
	Forwarded   *exportedBody      `json:"forwardedMessage"`
	Interaction *struct {
		Name string       `json:"name"`
		User exportedUser `json:"user"`
	} `json:"interaction"`
}

// exportedBody is what a message and the copy in a forward both have.
type exportedBody struct {
	Content     string `json:"content"`
	Attachments []struct {
		ID   exportedID `json:"id"`
		URL  string     `json:"url"`
		Name string     `json:"fileName"`
		Size int64      `json:"fileSizeBytes"`
	} `json:"attachments"`
	Embeds   []exportedEmbed `json:"embeds"`
	Stickers []struct {
		Name string `json:"name"`
	} `json:"stickers"`
	Components []exportedComponent `json:"components"`
}

// exportedComponent is a control of a message; only buttons are written with words.
type exportedComponent struct {
	Label      string              `json:"label"`
	Components []exportedComponent `json:"components"`
}

type exportedReference struct {
	Message exportedID `json:"messageId"`
	Channel exportedID `json:"channelId"`
	Type    string     `json:"type"`
}

type exportedUser struct {
	ID   exportedID `json:"id"`
	Name string     `json:"name"`
	Nick string     `json:"nickname"`
	Bot  bool       `json:"isBot"`
	// Tag is "0000" for people, who have none any more, and for webhooks. Bots have one.
	Tag string `json:"discriminator"`
}

type exportedEmbed struct {
	Title       string `json:"title"`
	Description string `json:"description"`
	URL         string `json:"url"`
	Author      *struct {
		Name string `json:"name"`
	} `json:"author"`
	Footer *struct {
		Text string `json:"text"`
	} `json:"footer"`
	Fields []struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"fields"`
}

func (u exportedUser) user() discord.User {
	return discord.User{ID: graph.UserID(u.ID), Name: u.Name, Bot: u.Bot}
}

// webhook is the id of the webhook that an author is, 0 for none.
func (u exportedUser) webhook() uint64 {
	if u.Bot && u.Tag == "0000" {
		return uint64(u.ID)
	}
	return 0
}

// message makes of m what Discord would have sent.
func (m *exportedMessage) message(channel graph.ChannelID) discord.Message {
	out := m.body()
	out.ID, out.Channel, out.Author = graph.MessageID(m.ID), channel, m.Author.user()
	out.Type, out.Webhook = exportedType(m.Type), m.Author.webhook()
	out.Content = m.unformatted()
	out.Time, out.Edited = exportedTime(m.Time), exportedTime(m.Edited)
	out.Present = discord.HasAuthor | discord.HasContent
	if out.Time.IsZero() {
		out.Time = out.ID.Time().UTC()
	}
	for _, u := range m.Mentions {
		out.Mentions = append(out.Mentions, u.user())
	}
	if i := m.Interaction; i != nil {
		out.Interaction = &discord.Interaction{Name: i.Name, User: i.User.user()}
	}
	m.refer(&out)
	return out
}

// body is a message with nothing but its body.
func (b *exportedBody) body() discord.Message {
	out := discord.Message{Content: b.Content}
	for _, a := range b.Attachments {
		out.Attachments = append(out.Attachments, discord.Attachment{
			ID: graph.AttachmentID(a.ID), Name: a.Name, Size: max(a.Size, 0), URL: a.URL, Type: typeByName(a.Name),
		})
	}
	for i := range b.Embeds {
		out.Embeds = append(out.Embeds, b.Embeds[i].embed())
	}
	for _, s := range b.Stickers {
		out.Stickers = append(out.Stickers, discord.Sticker{Name: s.Name})
	}
	for i := range b.Components {
		out.Components = append(out.Components, b.Components[i].component())
	}
	return out
}

func (c *exportedComponent) component() discord.Component {
	out := discord.Component{Type: discord.ComponentButton, Label: c.Label}
	for i := range c.Components {
		out.Children = append(out.Children, c.Components[i].component())
	}
	return out
}

func (m *exportedMessage) refer(out *discord.Message) {
	if r := m.Reference; r != nil {
		out.Reference = &discord.Reference{
			Forward: m.Forwarded != nil || strings.EqualFold(r.Type, "forward"),
			Message: graph.MessageID(r.Message), Channel: graph.ChannelID(r.Channel),
		}
	}
	if m.Forwarded != nil {
		out.Snapshots = []discord.Snapshot{{Message: m.Forwarded.body()}}
	}
}

// unformatted turns the names that the exporter wrote for mentions back into
// mentions, so that they read as they do on Discord's own messages. Longer names
// go first: one may begin as another does.
func (m *exportedMessage) unformatted() string {
	named := slices.DeleteFunc(slices.Clone(m.Mentions), func(u exportedUser) bool { return u.Nick == "" || u.ID == 0 })
	slices.SortStableFunc(named, func(a, b exportedUser) int { return cmp.Compare(len(b.Nick), len(a.Nick)) })
	pairs := make([]string, 0, 2*len(named))
	for _, u := range named {
		pairs = append(pairs, "@"+u.Nick, "<@"+strconv.FormatUint(uint64(u.ID), 10)+">")
	}
	return strings.NewReplacer(pairs...).Replace(m.Content)
}

func (e *exportedEmbed) embed() discord.Embed {
	embed := discord.Embed{Title: e.Title, Description: e.Description, URL: e.URL}
	if e.Author != nil {
		embed.Author = e.Author.Name
	}
	if e.Footer != nil {
		embed.Footer = e.Footer.Text
	}
	for _, f := range e.Fields {
		embed.Fields = append(embed.Fields, discord.EmbedField{Name: f.Name, Value: f.Value})
	}
	return embed
}
