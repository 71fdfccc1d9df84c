package conversation

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"heddle/bot/phrases"
	"heddle/fetch"
	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/telemetry"
	"heddle/llm"
	"heddle/store"
)

// The bounds of voice messages.
const (
	mostVoices  = 3 // that are transcribed for one question
	mostVoice   = 4 << 20
	heardFor    = 2 * time.Minute
	hearTimeout = 30 * time.Second // for all voice messages of a question
	// deafFor is how long a voice message is not tried again that is not the question's: it would
	// delay each answer.
	deafFor      = 10 * time.Minute
	mostDeaf     = 1 << 12
	longestHeard = 4000 // characters
)

// voice is a voice message of a conversation.
type voice struct {
	file

	chosen bool // else it is in the background
}

// voices hears voice messages. Its methods may be called from any goroutine.
type voices struct {
	deps  Deps
	model *llm.Transcriber                          // nil: nobody hears them
	deaf  *lru.Cache[graph.AttachmentID, time.Time] // those that could not be transcribed, and when
}

func newVoices(deps Deps, model *llm.Transcriber) *voices {
	deaf, _ := lru.New[graph.AttachmentID, time.Time](mostDeaf) // the size is positive
	return &voices{deps: deps, model: model, deaf: deaf}
}

// hear writes into the messages of a question what is said in their voice messages, as far as
// that is stored or, of the conversation, can be transcribed. It is stored with the message, so
// that later paths hold the same. A preview has nothing transcribed.
func (r *voices) hear(ctx context.Context, p *Prepared) {
	all := voicesOf(p.Graph)
	if len(all) == 0 {
		return
	}
	heard := r.heard(ctx, p, all)
	written := make(map[*graph.Message]int) // up to where the text of a message is done
	for i := range all {
		v, m := &all[i], all[i].message
		line, label, said := v.attachment().VoiceLine(), v.attachment().VoiceLine(), ""
		if record := heard[i]; record != nil {
			said = ": " + cmp.Or(graph.OneLine(record.Text, longestHeard), phrases.ModelSilence)
			if record.FinishReason == llm.FinishLength {
				label, v.why = label+", the first 120 s", "unread_rest"
			}
		}
		if v.asked && v.why != "" {
			p.NotRead = append(p.NotRead, phrases.Unread{Name: v.attachment().Name, Why: v.why})
		}
		from := max(written[m], len(m.Text)-m.Added)
		before, after, found := strings.Cut(m.Text[from:], line+"]")
		if !found {
			continue // the text was too long for it
		}
		label += "]" + said
		m.Text, m.Added, written[m] = m.Text[:from]+before+label+after, m.Added+len(label)-len(line)-1, from+len(before)+len(label)
	}
}

// voicesOf returns the voice messages of a conversation: the question's, those of what it replies
// to, the others from the newest on, and then those in the background.
func voicesOf(g *graph.Graph) (all []voice) {
	add := func(m *graph.Message, asked, chosen bool) {
		for at := range m.Attachments {
			if m.Attachments[at].Seconds > 0 && m.Attachments[at].ID != 0 && m.Origin != graph.OriginSelf {
				all = append(all, voice{file{message: m, at: at, asked: asked}, chosen})
			}
		}
	}
	add(&g.Trigger, true, true)
	for _, replied := range []int{1, 0} {
		for i := range slices.Backward(g.Conversation) {
			if m := g.Conversation[i].Message; repliedTo(g, m) == replied {
				add(m, replied == 1, true)
			}
		}
	}
	for i := range g.Background {
		add(g.Background[i].Message, false, false)
	}
	return all
}

// heard returns what is said in voice messages, nil for those of which that is not known. It sets
// why of those of the question.
func (r *voices) heard(ctx context.Context, p *Prepared, all []voice) []*store.Response {
	heard := make([]*store.Response, len(all))
	if r.model == nil {
		for i := range all {
			all[i].why = "unread_audio"
		}
		return heard
	}
	known, err := r.deps.Store.Responses.Heard(ctx, p.q.Place.Scope, idsOfVoices(all))
	if err != nil {
		r.deps.Log.DebugContext(ctx, "what is said in voice messages could not be looked up, they are heard again", "error", err)
	}
	var missing []int
	for i := range all {
		v := &all[i]
		if record, ok := known[v.attachment().ID]; ok {
			heard[i] = &record
			continue
		}
		failed, deaf := r.deaf.Get(v.attachment().ID)
		switch {
		case !v.chosen, p.Account == nil, r.deps.Files.downloads == nil:
		case !v.asked && deaf && time.Since(failed) < deafFor:
		case len(missing) == mostVoices:
			v.why = "unread_many"
		default:
			missing = append(missing, i)
		}
	}
	if len(missing) == 0 {
		return heard
	}
	defer telemetry.Stage(ctx, telemetry.Transcribe)()
	defer r.deps.Replies.Typing(ctx, p.q.Channel)()
	bounded, cancel := context.WithTimeout(ctx, hearTimeout)
	defer cancel()
	var group sync.WaitGroup
	for _, i := range missing {
		group.Go(func() {
			if heard[i], all[i].why = r.transcribe(bounded, p, &all[i]); heard[i] == nil && ctx.Err() == nil {
				r.deaf.Add(all[i].attachment().ID, time.Now())
			}
		})
	}
	group.Wait()
	return heard
}

func idsOfVoices(all []voice) []graph.AttachmentID {
	ids := make([]graph.AttachmentID, len(all))
	for i := range all {
		ids[i] = all[i].attachment().ID
	}
	return ids
}

// transcribe has a voice message transcribed and stores what is said in it, or returns why that
// failed.
func (r *voices) transcribe(ctx context.Context, p *Prepared, v *voice) (*store.Response, phrases.ID) {
	a := v.attachment()
	data, err := r.deps.Files.downloads.Head(ctx, fetch.Attached{Attachment: *a, Channel: v.message.Channel, Message: cmp.Or(a.On, v.message.ID)}, mostVoice)
	if err != nil {
		return nil, r.deps.Files.unread(ctx, &v.file, err)
	}
	recording, whole, ok := recordingOf(data, time.Duration(a.Seconds)*time.Second)
	switch {
	case recording.Ending == "":
		return nil, "unread_damaged"
	case !ok:
		return nil, "unread_long"
	}
	said, err := r.model.Transcribe(ctx, recording)
	if err != nil {
		r.deps.Log.WarnContext(ctx, "a voice message could not be transcribed, the answer goes without", "trigger", p.q.ID, "attachment", a.ID, "error", err)
		return nil, "unread_unheard"
	}
	record := store.Response{
		Standing: store.Standing{Scope: p.q.Place.Scope, Channel: v.message.Channel, Trigger: v.message.ID, Self: p.self, Hears: a.ID, Created: time.Now()},
		Input: store.Input{
			Model: r.model.Model(), Sources: Inherit(nil, p.Past.Of(*v.message)),
			Path: []path.Turn{{Role: path.RoleUser, Parts: path.Parts{path.File{Content: path.Content{Attachment: a.ID, Size: a.Size}, Name: a.Name, Type: a.Type}}}},
		},
		Output: store.Output{Text: said.Text, FinishReason: llm.FinishStop, Usage: store.Usage(said.Usage)},
	}
	if !whole {
		record.FinishReason = llm.FinishLength
	}
	record.PathHash, record.ResponseHash = path.Path{Turns: record.Path}.Hash(), path.ResponseHash(record.Text, record.FinishReason)
	_, _ = rand.Read(record.ID[:]) // it never fails
	switch err := r.deps.Store.Responses.Save(ctx, record); {
	case errors.Is(err, store.ErrForgotten):
		return nil, "unread_gone"
	case err != nil:
		r.deps.Log.Log(ctx, store.LogLevel(err), "what is said in a voice message could not be stored, it is heard again for the next question", "error", err)
	}
	return &record, ""
}
