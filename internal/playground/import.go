package playground

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
	"heddle/internal/export"
)

// mostImported bounds the messages of an export that are imported: the newest.
const mostImported = 300_000

// Import is the result of an import.
type Import struct {
	Channel  graph.ChannelID `json:"channel"`
	Name     string          `json:"name"`
	Messages int             `json:"messages"`
	// LeftOut is the number of entries that were not imported: those that are not
	// messages, messages with a time in the future, and the oldest of more than
	// 300,000.
	LeftOut int `json:"leftOut"`
}

// importer makes a channel from an export.
type importer struct {
	world   *world
	now     time.Time
	people  map[graph.UserID]graph.UserID // by their ids in the export
	mention *regexp.Regexp
	drafts  []discordtest.Draft
	left    int
}

// load imports a channel with the original times of its messages. A thread whose
// channel was imported before becomes a thread. If the file is not an export, load
// changes nothing and returns an error with a sentence for people.
func (w *world) load(r io.Reader, name string, now time.Time) (Import, error) {
	i := importer{world: w, now: now, people: map[graph.UserID]graph.UserID{}, mention: regexp.MustCompile(`<@!?(\d+)>`)}
	info, err := export.Read(r, name, func(m export.Message) error {
		i.add(m.Discord())
		return nil
	})
	switch {
	case errors.Is(err, export.ErrUnreadable):
		return Import{}, refusedError(err.Error())
	case err != nil:
		return Import{}, fmt.Errorf("read %s: %w", name, err)
	}
	i.tidy()
	if len(i.drafts) == 0 {
		return Import{}, refusedError(name + " holds no message; export the channel again, without a range of dates or with another")
	}
	return i.place(info)
}

// add adds a message of the export.
func (i *importer) add(m discord.Message) {
	if m.Type < 0 || m.ID.Time().After(i.now) {
		i.left++
		return
	}
	for _, u := range m.Mentions {
		i.person(u)
	}
	d := discordtest.Draft{
		ID: m.ID, Author: i.person(m.Author), Type: int(m.Type),
		Content: i.mentions(m.Content), Raw: map[string]any{}, // whatever its length
	}
	if m.Webhook != 0 {
		d.Webhook = m.Author.DisplayName()
	}
	for _, a := range m.Attachments {
		d.Attachments = append(d.Attachments, discordtest.Attachment{ID: a.ID, Name: a.Name, Type: a.Type, Size: a.Size})
	}
	d.Embeds, d.Stickers = embeds(m.Embeds), stickers(m.Stickers)
	switch ref := m.Reference; {
	case ref == nil:
	case ref.Forward:
		d.Raw["message_reference"] = map[string]any{"type": 1, "message_id": ref.Message, "channel_id": ref.Channel}
		for _, s := range m.Snapshots {
			d.Raw["message_snapshots"] = []any{map[string]any{"message": map[string]any{
				"content": i.mentions(s.Message.Content), "embeds": embeds(s.Message.Embeds), "attachments": fileNames(s.Message.Attachments),
			}}}
		}
	default:
		d.ReplyTo = ref.Message
	}
	i.drafts = append(i.drafts, d)
	if len(i.drafts) >= 2*mostImported {
		i.tidy()
	}
}

// tidy sorts the drafts by id, removes duplicates, and keeps only the newest.
func (i *importer) tidy() {
	slices.SortStableFunc(i.drafts, func(a, b discordtest.Draft) int { return cmp.Compare(a.ID, b.ID) })
	before := len(i.drafts)
	i.drafts = slices.CompactFunc(i.drafts, func(a, b discordtest.Draft) bool { return a.ID == b.ID })
	if over := len(i.drafts) - mostImported; over > 0 {
		i.drafts = slices.Delete(i.drafts, 0, over)
	}
	i.left += before - len(i.drafts)
}

// person returns the account of an exported author, which is the same for all exports.
func (i *importer) person(u discord.User) graph.UserID {
	if id, known := i.people[u.ID]; known {
		return id
	}
	id := i.world.adopt(u)
	i.people[u.ID] = id
	return id
}

// mentions returns content in which the ids in mentions are those of this world.
func (i *importer) mentions(content string) string {
	if !strings.Contains(content, "<@") {
		return content
	}
	return i.mention.ReplaceAllStringFunc(content, func(mention string) string {
		id, err := strconv.ParseUint(strings.Trim(mention, "<@!>"), 10, 64)
		if own, known := i.people[graph.UserID(id)]; err == nil && known {
			return "<@" + own.String() + ">"
		}
		return mention
	})
}

// place creates the channel or thread, and fills it with the messages.
func (i *importer) place(info export.Info) (Import, error) {
	name := info.Name
	if strings.TrimSpace(name) == "" {
		name = "export"
	}
	c, err := i.world.open(info, name, i.drafts[0].Author)
	if err != nil {
		return Import{}, err
	}
	if _, err := i.world.discord.Chat.Backfill(c.ID, i.drafts); err != nil {
		return Import{}, fmt.Errorf("fill #%s: %w", name, err)
	}
	i.world.show(c, info)
	return Import{c.ID, name, len(i.drafts), i.left + info.Odd}, nil
}

// embeds returns the embeds as Discord writes them, nil for none.
func embeds(all []discord.Embed) json.RawMessage {
	if len(all) == 0 {
		return nil
	}
	type object = map[string]any
	list := make([]object, len(all))
	for k, e := range all {
		fields := make([]object, len(e.Fields))
		for n, f := range e.Fields {
			fields[n] = object{"name": f.Name, "value": f.Value}
		}
		list[k] = object{
			"title": e.Title, "description": e.Description, "fields": fields,
			"author": object{"name": e.Author}, "footer": object{"text": e.Footer},
		}
	}
	text, err := json.Marshal(list)
	if err != nil {
		return nil // texts cannot fail
	}
	return text
}

// fileNames returns the files of a forwarded message as Discord writes them. Their content
// is not part of an export.
func fileNames(all []discord.Attachment) []map[string]any {
	list := make([]map[string]any, len(all))
	for k, a := range all {
		list[k] = map[string]any{"id": a.ID.String(), "filename": a.Name, "size": a.Size, "content_type": a.Type}
	}
	return list
}

// stickers returns the stickers as Discord writes them, nil for none.
func stickers(all []discord.Sticker) json.RawMessage {
	if len(all) == 0 {
		return nil
	}
	type sticker struct {
		ID     string `json:"id"`
		Name   string `json:"name"`
		Format int    `json:"format_type"`
	}
	list := make([]sticker, len(all))
	for k, s := range all {
		list[k] = sticker{"1", s.Name, 1}
	}
	text, err := json.Marshal(list)
	if err != nil {
		return nil // texts cannot fail
	}
	return text
}
