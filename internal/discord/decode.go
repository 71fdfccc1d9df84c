package discord

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
)

// ErrMalformed means that a payload cannot be decoded. Unexpected fields inside a
// payload do not cause it; they are treated as absent.
var ErrMalformed = errors.New("malformed payload")

// Decodable is a pointer to what Decode reads.
type Decodable[T any] interface {
	*T
	// identified reports whether what was read says what it is about.
	identified() bool
}

// Decode reads the payload of an event or of a response. Unexpected fields inside it are
// treated as absent. Decode fails only if raw is not an object, or does not say what it is
// about.
func Decode[T any, P Decodable[T]](raw json.RawMessage) (decoded T, err error) { //nolint:ireturn // T is a struct
	o := parseObject(raw)
	if o != nil {
		setFields(fieldOf(&decoded), o, 0)
	}
	if o == nil || !P(&decoded).identified() {
		return decoded, fmt.Errorf("%w: %T", ErrMalformed, decoded)
	}
	return decoded, nil
}

func (*Ready) identified() bool          { return true }
func (*Member) identified() bool         { return true }
func (m *Message) identified() bool      { return m.ID != 0 }
func (u User) identified() bool          { return u.ID != 0 }
func (c *Channel) identified() bool      { return c.ID != 0 }
func (g *Guild) identified() bool        { return g.ID != 0 }
func (m *MemberUpdate) identified() bool { return m.Guild != 0 }
func (c *MembersChunk) identified() bool { return c.Guild != 0 }
func (r *RateLimited) identified() bool  { return true }
func (r *RoleUpdate) identified() bool   { return r.Guild != 0 && r.Role.ID != 0 }
func (s *ThreadSync) identified() bool   { return s.Guild != 0 }
func (d *Delete) identified() bool       { return d.Channel != 0 && len(d.Messages) > 0 }
func (r *Reaction) identified() bool     { return r.Channel != 0 && r.Message != 0 }
func (i *Interaction) identified() bool  { return i.Token != "" && i.ID != 0 && i.Channel != 0 }

// PageSize is the greatest number of messages that Discord returns in one read.
const PageSize = 100

// Page is a list of messages from REST.
type Page struct {
	Messages []Message // in the order of the payload
	// Count is the number of entries, including unreadable ones.
	Count int
}

// decodePage reads a list of messages and skips entries that cannot be read. It fails
// only if raw is not a list.
func decodePage(raw json.RawMessage) (Page, error) {
	items := itemsOf(raw)
	if items == nil && string(raw) != "null" {
		return Page{}, fmt.Errorf("%w: a page of messages is not a list", ErrMalformed)
	}
	page := Page{Messages: make([]Message, 0, len(items)), Count: len(items)}
	for _, item := range items {
		if m, err := Decode[Message](item); err == nil {
			page.Messages = append(page.Messages, m)
		}
	}
	return page, nil
}

// complete implements completer.
func (m *Message) complete(o object, depth int) {
	if m.Time.IsZero() && m.ID != 0 {
		m.Time = m.ID.Time().UTC()
	}
	if len(m.Stickers) == 0 {
		set(fieldOf(&m.Stickers), o["stickers"], depth)
	}
	if older := decode[CommandUse](o["interaction"]); m.Interaction == nil && o.given("interaction") {
		m.Interaction = &older
	} else if m.Interaction != nil {
		m.Interaction.Name = cmp.Or(m.Interaction.Name, older.Name)
		if m.Interaction.User.ID == 0 {
			m.Interaction.User = older.User
		}
	}
	if r := m.Reference; r != nil && m.Type == TypeDefault && !r.Forward && r.Message != 0 && (r.Channel == 0 || r.Channel == m.Channel) {
		m.Type = TypeReply // Discord sets the type of replies; other servers may not
	}
	switch {
	case string(o["referenced_message"]) == "null":
		m.ReferencedState = ReferencedNull
	case m.Referenced != nil && m.Referenced.ID != 0:
		m.ReferencedState = ReferencedGiven
	default:
		m.Referenced = nil
	}
	if m.Member != nil {
		m.Author.Nick = m.Member.Nick
	}
	m.Whole = m.Author.ID != 0 && o["content"] != nil
}

// complete implements completer.
func (u *User) complete(o object, _ int) { u.IsMember = o.given("member") }

// complete implements completer. It reads the votes counted so far.
func (p *Poll) complete(o object, _ int) {
	votes := make(map[int64]int64)
	for _, raw := range itemsOf(o.field("results/answer_counts")) {
		count := parseObject(raw)
		votes[integerOf(count["id"])] = integerOf(count["count"])
	}
	for i := range p.Answers {
		a := &p.Answers[i]
		a.Votes = -1
		if count, ok := votes[a.ID]; ok || o.given("results") {
			a.Votes = count // an answer nobody chose is left out of the counts
		}
	}
}

// complete implements completer. An answer may be an emoji alone.
func (a *PollAnswer) complete(o object, _ int) {
	if a.Text == "" {
		a.Text = textOf(o.field("poll_media/emoji/name"))
	}
}

// complete implements completer. Components stand in several fields of others.
func (c *Component) complete(o object, depth int) {
	if c.Text == "" {
		c.Text = textOf(o["placeholder"])
	}
	for _, name := range [...]string{"accessory", "component"} {
		var inner *Component
		if set(fieldOf(&inner), o[name], depth); inner != nil {
			c.Children = append(c.Children, *inner)
		}
	}
	if o.given("file") {
		set(fieldOf(&c.Media), o["file"], depth)
	}
	for _, raw := range itemsOf(o["items"]) {
		if item := parseObject(raw); item != nil {
			shown := Component{}
			setFields(fieldOf(&shown), item, depth+1)
			shown.Type = ComponentThumbnail
			c.Children = append(c.Children, shown)
		}
	}
}

// complete implements completer.
func (a *Attachment) complete(object, int) { a.Size = max(a.Size, 0) }
