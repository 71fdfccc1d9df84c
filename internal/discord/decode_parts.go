package discord

import (
	"heddle/graph"
)

func decodeUser(o object) User {
	return User{
		ID:     graph.UserID(o.bits("id")),
		Name:   o.text("username"),
		Global: o.text("global_name"),
		Bot:    o.boolean("bot"),
		System: o.boolean("system"),
	}
}

func decodeAttachment(o object) Attachment {
	return Attachment{
		ID:          graph.AttachmentID(o.bits("id")),
		Name:        o.text("filename"),
		Title:       o.text("title"),
		Description: o.text("description"),
		Type:        o.text("content_type"),
		Size:        max(o.integer("size"), 0),
		URL:         o.text("url"),
		ProxyURL:    o.text("proxy_url"),
		Seconds:     o.float("duration_secs"),
	}
}

func decodeEmbed(o object) Embed {
	return Embed{
		Type:        o.text("type"),
		Title:       o.text("title"),
		Description: o.text("description"),
		Provider:    o.object("provider").text("name"),
		Author:      o.object("author").text("name"),
		Footer:      o.object("footer").text("text"),
		Fields: eachOf(o, "fields", func(f object) EmbedField {
			return EmbedField{Name: f.text("name"), Value: f.text("value")}
		}),
	}
}

func decodeSticker(o object) Sticker {
	return Sticker{Name: o.text("name")}
}

// decodePoll reads a poll with the votes counted so far.
func decodePoll(o object) *Poll {
	poll := &Poll{
		Question: o.object("question").text("text"),
	}
	results := o.object("results")
	poll.Final = results.boolean("is_finalized")
	votes := make(map[int64]int64)
	for _, count := range results.objects("answer_counts") {
		votes[count.integer("id")] = count.integer("count")
	}
	for _, item := range o.objects("answers") {
		answer := PollAnswer{ID: item.integer("answer_id"), Text: pollText(item.object("poll_media")), Votes: -1}
		if count, ok := votes[answer.ID]; ok || results != nil {
			answer.Votes = count // an answer nobody chose is left out of the counts
		}
		poll.Answers = append(poll.Answers, answer)
	}
	return poll
}

func pollText(media object) string {
	if text := media.text("text"); text != "" {
		return text
	}
	return media.object("emoji").text("name")
}

func decodeComponents(items []object, depth int) []Component {
	if depth >= maxDepth || len(items) == 0 {
		return nil
	}
	components := make([]Component, len(items))
	for i, item := range items {
		components[i] = decodeComponent(item, depth)
	}
	return components
}

// decodeComponent reads a component of a message. Components below depth maxDepth are left
// out.
func decodeComponent(o object, depth int) Component {
	c := Component{
		Type:        o.integer("type"),
		Label:       o.text("label"),
		Text:        o.text("content"),
		Description: o.text("description"),
		Name:        o.text("name"),
		CustomID:    o.text("custom_id"),
		Children:    decodeComponents(o.objects("components"), depth+1),
	}
	if c.Text == "" {
		c.Text = o.text("placeholder")
	}
	for _, name := range [...]string{"accessory", "component"} {
		if inner := o.object(name); inner != nil && depth < maxDepth {
			c.Children = append(c.Children, decodeComponent(inner, depth+1))
		}
	}
	for _, item := range o.objects("items") {
		c.Children = append(c.Children, Component{
			Type: ComponentThumbnail, Description: item.text("description"),
		})
	}
	return c
}
