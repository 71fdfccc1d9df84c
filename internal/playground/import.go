package playground

import (
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/discordtest"
	"heddle/internal/export"
	"heddle/internal/terminal"
)

// samples are exports made for this project.
//
//go:embed sample/*.json
var samples embed.FS

// sampleNames returns the names of the samples in the order in which they are opened: a
// thread after its channel.
func sampleNames() []string { return []string{"commons", "garden", "thread"} }

// sampleChannel is the id of the first sample's channel.
const sampleChannel graph.ChannelID = 1090000000000000010

// mostUploaded bounds an export that is dropped on the page, in bytes.
const mostUploaded = 4 << 30

// Import is the result of an import.
type Import struct {
	Channel  graph.ChannelID `json:"channel"`
	Name     string          `json:"name"`
	Messages int             `json:"messages"`
	// LeftOut is the number of entries that were not imported: those that are not
	// messages, messages with a time in the future, and the oldest of too many.
	LeftOut int `json:"leftOut"`
}

// exports makes channels of exports, and says what they hold.
type exports struct{ page *page }

// importExport makes a channel of the export that is the request's body.
func (e exports) importExport(w http.ResponseWriter, r *http.Request) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/octet-stream" {
		refuse(w, http.StatusUnsupportedMediaType, "an export has to be sent as it is")
		return
	}
	name := strings.TrimSpace(r.URL.Query().Get("name"))
	if name == "" {
		name = "the file"
	}
	c, err := export.Load(http.MaxBytesReader(w, r.Body, mostUploaded), name, now(), export.Mostly)
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	made, err := e.page.world.adopt(c, name)
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	respond(w, http.StatusOK, made)
}

// now returns the greatest id that a message can have so far.
func now() graph.MessageID { return graph.FirstMessageID(time.Now()) }

// loadFiles makes channels from export files, which name channels before their threads.
func (w *world) loadFiles(ctx context.Context, paths []string) error {
	all, err := export.LoadFiles(ctx, paths, now())
	if err != nil {
		return err
	}
	for i := range all {
		made, err := w.adopt(all[i], all[i].File)
		if err != nil {
			return err
		}
		w.opened = cmp.Or(w.opened, made.Channel)
	}
	return nil
}

// openSamples makes channels from the samples, unless that was done before.
func (e exports) openSamples(struct{}) (any, error) {
	e.page.world.mu.RLock()
	opened := e.page.world.imported[sampleChannel]
	e.page.world.mu.RUnlock()
	if c, there := e.page.world.channel(opened); there {
		return Import{Channel: c.ID, Name: c.Name}, nil
	}
	var first Import
	for _, name := range sampleNames() {
		file, err := samples.Open("sample/" + name + ".json")
		if err != nil {
			return nil, refusedError("the samples are not part of this heddle")
		}
		c, err := export.Load(file, name, now(), export.Mostly)
		_ = file.Close() // nothing was written
		if err != nil {
			return nil, err
		}
		made, err := e.page.world.adopt(c, name)
		if err != nil {
			return nil, err
		}
		if first.Channel == 0 {
			first = made
		}
	}
	return first, nil
}

// adopt makes a channel of an exported one, with the original times of its messages. A
// thread whose channel was imported before becomes a thread. Another part of a channel goes to
// the first, unless somebody has spoken there: heddle then holds what it has read of it.
func (w *world) adopt(exported export.Channel, file string) (Import, error) {
	drafts := make([]discordtest.Draft, 0, len(exported.Messages))
	for i := range exported.Messages {
		if m := &exported.Messages[i]; m.Type >= 0 {
			drafts = append(drafts, w.draft(m))
		}
	}
	if len(drafts) == 0 {
		return Import{}, terminal.Errorf("%s holds no message; export the channel again, without a range of dates or with another", file)
	}
	name := exported.Name
	if strings.TrimSpace(name) == "" {
		name = "export"
	}
	c, begun := w.unspoken(exported.ID)
	if !begun {
		var err error
		if c, err = w.open(&exported, name, drafts[0].Author); err != nil {
			return Import{}, err
		}
	}
	fresh := slices.DeleteFunc(slices.Clone(drafts), func(d discordtest.Draft) bool {
		_, there := w.discord.Chat.Message(c.ID, d.ID)
		return there
	})
	if _, err := w.discord.Chat.Backfill(c.ID, fresh); err != nil {
		return Import{}, fmt.Errorf("fill #%s: %w", name, err)
	}
	w.arrange(func() {
		w.imported[exported.ID] = c.ID
		if !begun {
			w.insertLocked(c)
		}
	})
	return Import{c.ID, name, len(drafts), exported.Left + len(exported.Messages) - len(drafts)}, nil
}

// goBack sets the time in a channel of an export to one minute after one of its messages, or after
// the newest one for zero. A question typed today would fit nothing that was said there (finding
// 5), and its answer would come months after it. Catching up finds no question of that time, so
// goBack waits until the bot is connected.
func (w *world) goBack(id graph.ChannelID, after graph.MessageID) {
	c, known := w.channel(id)
	w.mu.Lock()
	goesOn := after != 0 && w.asked[id] == after // one who writes twice in one place writes one after the other
	w.asked[id] = after
	w.mu.Unlock()
	if !known || !c.Imported || goesOn {
		return
	}
	if _, there := w.discord.Chat.Message(id, after); !there {
		newest, _, _ := w.discord.Chat.Near(id, newestID, 1, 0)
		if len(newest) == 0 {
			return
		}
		after = newest[0].ID
	}
	ctx, cancel := context.WithTimeout(context.Background(), answerWithin)
	defer cancel()
	_ = w.discord.Gateway.Await(ctx, func(s discordtest.GatewayState) bool { return s.Ready > 0 }) // otherwise the question stands without an answer
	w.discord.World.SetTime(id, after.Time().Add(time.Minute))
}

// unspoken returns the channel that was made of an exported one, if there is one in which
// nobody has spoken since.
func (w *world) unspoken(exported graph.ChannelID) (channel, bool) {
	w.mu.RLock()
	id := w.imported[exported]
	w.mu.RUnlock()
	c, known := w.channel(id)
	if !known {
		return channel{}, false
	}
	guests := w.guestNames()
	return c, !slices.ContainsFunc(w.discord.Chat.Messages(id), func(m discordtest.Message) bool {
		_, guest := guests[m.Author]
		return !guest
	})
}

// open creates the channel or the thread of an export.
func (w *world) open(exported *export.Channel, name string, owner graph.UserID) (channel, error) {
	w.mu.RLock()
	parent := w.imported[exported.Parent]
	w.mu.RUnlock()
	c := channel{Name: name, Topic: "from an export", Imported: true}
	if !exported.Thread || parent == 0 {
		c.ID = w.discord.World.AddChannel(w.home, discordtest.ChannelDraft{Name: name})
		return c, nil
	}
	draft := discordtest.ThreadDraft{Name: name}
	if _, started := w.discord.Chat.Message(parent, graph.MessageID(exported.ID)); started {
		if _, taken := w.channel(exported.ID); !taken {
			draft.Starter = graph.MessageID(exported.ID)
		}
	}
	id, err := w.discord.World.AddThread(parent, owner, draft)
	if err != nil {
		return channel{}, fmt.Errorf("start the thread %s: %w", name, err)
	}
	c.ID, c.Parent = id, parent
	return c, nil
}

// admit makes somebody from an export a member of the guild here, once for all exports.
func (w *world) admit(u discord.User) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, known := w.guests[u.ID]; !known {
		w.guests[u.ID] = u.DisplayName()
		w.discord.People.Adopt(discordtest.Stranger{ID: u.ID, Name: w.guests[u.ID], Bot: u.Bot}, w.home)
	}
}

// object is an object as Discord writes it.
type object = map[string]any

// draft returns an exported message as it is posted here.
func (w *world) draft(m *discord.Message) discordtest.Draft {
	for _, u := range append(m.Mentions, m.Author) {
		w.admit(u)
	}
	d := discordtest.Draft{
		ID: m.ID, Author: m.Author.ID, Type: int(m.Type),
		Content: m.Content, Raw: object{}, // whatever its length
		Embeds: list(m.Embeds, embedded), Stickers: list(m.Stickers, sticker),
	}
	if m.Webhook != 0 {
		d.Webhook = m.Author.DisplayName()
	}
	for _, a := range m.Attachments {
		d.Attachments = append(d.Attachments, discordtest.Attachment{ID: a.ID, Name: a.Name, Type: a.Type, Size: a.Size})
	}
	switch ref := m.Reference; {
	case ref == nil:
	case ref.Forward:
		d.Raw["message_reference"] = object{"type": 1, "message_id": ref.Message, "channel_id": ref.Channel}
		for _, s := range m.Snapshots {
			d.Raw["message_snapshots"] = []any{object{"message": object{
				"content": s.Message.Content, "embeds": list(s.Message.Embeds, embedded), "attachments": list(s.Message.Attachments, file),
			}}}
		}
	default:
		d.ReplyTo = ref.Message
	}
	return d
}

// list returns values as Discord writes them, nil for none.
func list[T any](all []T, one func(T) object) json.RawMessage {
	if len(all) == 0 {
		return nil
	}
	objects := make([]object, len(all))
	for i := range all {
		objects[i] = one(all[i])
	}
	text, err := json.Marshal(objects)
	if err != nil {
		return nil // texts and numbers cannot fail
	}
	return text
}

func embedded(e discord.Embed) object {
	fields := make([]object, len(e.Fields))
	for i, f := range e.Fields {
		fields[i] = object{"name": f.Name, "value": f.Value}
	}
	return object{"title": e.Title, "description": e.Description, "fields": fields, "author": object{"name": e.Author}, "footer": object{"text": e.Footer}}
}

// file returns a file of a forwarded message, whose content is not part of an export.
func file(a discord.Attachment) object {
	return object{"id": a.ID.String(), "filename": a.Name, "size": a.Size, "content_type": a.Type}
}

func sticker(s discord.Sticker) object { return object{"id": "1", "name": s.Name, "format_type": 1} }
