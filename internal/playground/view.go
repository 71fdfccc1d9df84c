package playground

import (
	"net/http"
	"time"

	"heddle/fetch"
	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/evaluation"
)

// worldView is everything that the page needs to start.
type worldView struct {
	// Run is different for each run of the playground. The page uses it to detect a
	// restart, because no messages survive one.
	Run      string        `json:"run"`
	Guild    string        `json:"guild"`
	Bot      person        `json:"bot"`
	People   []person      `json:"people"`
	Channels []channel     `json:"channels"`
	Messages []messageView `json:"messages"`
	// Guests is the names of people from exports.
	Guests map[graph.UserID]string `json:"guests,omitempty"`
	// Opened is the channel on which the page opens: the first one from an export that was
	// named on the command line; zero for none.
	Opened graph.ChannelID `json:"opened"`
	Model  string          `json:"model"`
	// Settings are those in effect, which are the initial positions of the page's sliders.
	Settings evaluation.Thresholds `json:"settings"`
	Offline  bool                  `json:"offline"`
}

// messageView is a message in the form that the page gets.
type messageView struct {
	ID      graph.MessageID `json:"id"`
	Channel graph.ChannelID `json:"channel"`
	Author  graph.UserID    `json:"author"`
	Name    string          `json:"name"`
	Content string          `json:"content"`
	Time    time.Time       `json:"time"`
	Edited  bool            `json:"edited"`
	ReplyTo graph.MessageID `json:"replyTo"`
	Files   []fileView      `json:"files,omitempty"`
	// Added is what heddle reads beside the content, such as embeds, polls and forwards.
	Added string `json:"added,omitempty"`
	// Thread is the thread that was started from the message; zero for none.
	Thread    graph.ChannelID        `json:"thread,omitempty"`
	Buttons   []discordtest.Button   `json:"buttons,omitempty"`
	Reactions []discordtest.Reaction `json:"reactions,omitempty"`
	Only      graph.UserID           `json:"only"` // the one person who sees it; zero for everybody
	// Written is set for an answer that was written beforehand, which no model gave.
	Written bool `json:"written,omitempty"`
}

// fileView is a file on a message. The page shows it if it is a picture.
type fileView struct {
	ID    graph.AttachmentID `json:"id"`
	Name  string             `json:"name"`
	About string             `json:"about,omitempty"`
	Size  int64              `json:"size"`
	// Absent is a file of an export, which holds its name alone.
	Absent  bool `json:"absent,omitempty"`
	Picture bool `json:"picture,omitempty"`
	Width   int  `json:"width,omitempty"`
	Height  int  `json:"height,omitempty"`
}

// view returns the world as the page shows it.
func (p *page) view() worldView {
	people, channels := p.world.listed()
	model := p.mind.name()
	v := worldView{
		Run:   p.world.bot.User.String(),
		Guild: p.world.guild, Bot: person{p.world.bot.User, botName},
		People: people, Channels: channels, Guests: p.world.guestNames(), Opened: p.world.opened, Settings: evaluation.NewThresholds(p.preview.Expand), Model: model, Offline: model == standInName,
	}
	for i := range channels {
		near, whole, _ := p.world.discord.Chat.Near(channels[i].ID, newestID, shownAtFirst, 0)
		channels[i].More = !whole
		if channels[i].Private {
			channels[i].Readers = p.world.readers(channels[i], people)
		}
		v.Messages = append(v.Messages, p.messages(near)...)
	}
	return v
}

const (
	// shownAtFirst is the number of messages of a channel that the page gets initially.
	shownAtFirst = 100
	// newestID is greater than the id of every message.
	newestID graph.MessageID = 1<<63 - 1
)

func (p *page) messages(all []discordtest.Message) []messageView {
	views := make([]messageView, len(all))
	for i, m := range all {
		views[i] = p.message(m)
	}
	return views
}

// message returns a message as the page shows it.
func (p *page) message(m discordtest.Message) messageView {
	v := messageView{
		ID: m.ID, Channel: m.Channel, Author: m.Author, Name: p.world.name(m.Author),
		Content: m.Content, Time: m.ID.Time(), Edited: !m.Edited.IsZero() && m.Author != p.world.bot.User,
	}
	if m.Reference != nil && !m.Reference.Forward {
		v.ReplyTo = m.Reference.Message
	}
	for _, file := range m.Attachments {
		absent := file.Data == nil
		v.Files = append(v.Files, fileView{
			ID: file.ID, Name: file.Name, About: file.Description, Size: file.Size, Absent: absent,
			Picture: !absent && picture(file.Type), Width: file.Width, Height: file.Height,
		})
	}
	v.Thread, v.Written, v.Buttons, v.Reactions = m.Thread, m.ID == p.world.written, m.Buttons(), m.Reactions
	read := fetch.Render(p.received(m), p.world.bot.User)
	v.Added = read.Text[len(read.Text)-read.Added:]
	return v
}

// pageOfMessages is the number of messages on either side of one that the page gets at a
// time.
const pageOfMessages = 100

// serveMessages returns the messages of a channel around one.
func (p *page) serveMessages(w http.ResponseWriter, r *http.Request) {
	channel, id, ok := p.named(w, r)
	if !ok {
		return
	}
	near, start, end := p.world.discord.Chat.Near(channel, id, pageOfMessages, pageOfMessages)
	respond(w, http.StatusOK, map[string]any{"messages": p.messages(near), "start": start, "end": end})
}

// named returns the channel and the message that a request names. If there is no such
// channel, it sends an error response and reports false.
func (p *page) named(to http.ResponseWriter, r *http.Request) (graph.ChannelID, graph.MessageID, bool) {
	var id graph.MessageID
	if id.UnmarshalText([]byte(r.PathValue("message"))) != nil {
		refuse(to, http.StatusBadRequest, "that is not the id of a message")
		return 0, 0, false
	}
	channel, known := p.channelNamed(to, r)
	return channel, id, known
}

// channelNamed returns the channel that a request names. If there is none, it sends an error
// response and reports false.
func (p *page) channelNamed(to http.ResponseWriter, r *http.Request) (graph.ChannelID, bool) {
	var channel graph.ChannelID
	if channel.UnmarshalText([]byte(r.PathValue("channel"))) != nil {
		refuse(to, http.StatusBadRequest, "that is not the id of a channel")
		return 0, false
	}
	if _, known := p.world.channel(channel); !known {
		refuse(to, http.StatusNotFound, "there is no such channel here")
		return 0, false
	}
	return channel, true
}
