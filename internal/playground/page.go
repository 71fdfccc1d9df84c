package playground

import (
	"embed"
	"encoding/json"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"strings"

	"heddle/graph"
	"heddle/internal/discordtest"
)

//go:embed web
var web embed.FS

// page serves the page and what it asks for. It holds nothing that changes.
type page struct {
	world    *world
	contexts *contexts
	model    string
	offline  bool
	hosts    map[string]bool // the only names it answers to
}

func newPage(w *world, c *contexts, address, model string, offline bool) *page {
	p := &page{world: w, contexts: c, model: model, offline: offline, hosts: map[string]bool{address: true}}
	if _, port, err := net.SplitHostPort(address); err == nil {
		p.hosts["localhost:"+port] = true
	}
	return p
}

func (p *page) handler() http.Handler {
	files, err := fs.Sub(web, "web")
	if err != nil {
		panic(err) // the folder is part of the binary
	}
	mux := http.NewServeMux()
	mux.Handle("GET /", http.FileServerFS(files))
	mux.HandleFunc("GET /api/world", p.serveWorld)
	mux.HandleFunc("GET /api/events", p.serveEvents)
	mux.HandleFunc("GET /api/contexts/{channel}/{message}", p.serveContext)
	mux.HandleFunc("POST /api/post", change(p.post))
	mux.HandleFunc("POST /api/edit", change(p.edit))
	mux.HandleFunc("POST /api/delete", change(p.remove))
	mux.HandleFunc("POST /api/press", change(p.press))
	mux.HandleFunc("POST /api/react", change(p.react))
	mux.HandleFunc("POST /api/unreact", change(p.unreact))
	return p.guard(http.NewCrossOriginProtection().Handler(mux))
}

// guard turns away whoever reached this address under another name, as a page
// elsewhere can by pointing its own name here, and lets the page load only itself.
func (p *page) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !p.hosts[r.Host] {
			http.Error(w, "this page is served under its own address only", http.StatusMisdirectedRequest)
			return
		}
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

// refusedError is a change that the page should not have asked for; its text is for people.
type refusedError string

func (e refusedError) Error() string { return string(e) }

// change decodes what is to be done, does it and answers with its result.
func change[Request any](do func(Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
			tell(w, http.StatusUnsupportedMediaType, "changes are asked for in JSON")
			return
		}
		var request Request
		decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&request); err != nil {
			tell(w, http.StatusBadRequest, "that is not the JSON expected here")
			return
		}
		result, err := do(request)
		if err != nil {
			tell(w, http.StatusBadRequest, err.Error())
			return
		}
		answer(w, http.StatusOK, result)
	}
}

func tell(w http.ResponseWriter, status int, sentence string) {
	answer(w, status, map[string]string{"error": sentence})
}

func answer(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value) // the page that is gone need not know
}

type postRequest struct {
	Channel graph.ChannelID `json:"channel"`
	Author  graph.UserID    `json:"author"`
	Content string          `json:"content"`
	ReplyTo graph.MessageID `json:"replyTo"`
}

func (p *page) post(r postRequest) (any, error) {
	if !p.world.canWrite(r.Author, r.Channel) {
		return nil, refusedError("there is no such channel or person here")
	}
	if strings.TrimSpace(r.Content) == "" {
		return nil, refusedError("there is nothing to send yet")
	}
	id, err := p.world.discord.Chat.Post(r.Channel, r.Author, discordtest.Draft{Content: r.Content, ReplyTo: r.ReplyTo})
	if err != nil {
		return nil, refusedError("Discord would refuse this message: it takes up to 2,000 characters")
	}
	return map[string]graph.MessageID{"id": id}, nil
}

type changeRequest struct {
	Channel graph.ChannelID `json:"channel"`
	Message graph.MessageID `json:"message"`
	Author  graph.UserID    `json:"author"`
	Content string          `json:"content"`
}

func (p *page) edit(r changeRequest) (any, error) {
	if err := p.own(r); err != nil {
		return nil, err
	}
	if strings.TrimSpace(r.Content) == "" {
		return nil, refusedError("a message cannot be edited to nothing; delete it instead")
	}
	if err := p.world.discord.Chat.Edit(r.Channel, r.Message, r.Content); err != nil {
		return nil, refusedError("that message is gone")
	}
	return struct{}{}, nil
}

func (p *page) remove(r changeRequest) (any, error) {
	if err := p.own(r); err != nil {
		return nil, err
	}
	p.world.discord.Chat.Delete(r.Channel, r.Message)
	return struct{}{}, nil
}

type pressRequest struct {
	Channel graph.ChannelID `json:"channel"`
	Message graph.MessageID `json:"message"`
	Author  graph.UserID    `json:"author"`
	Button  string          `json:"button"`
}

// press presses a button of heddle's; what comes of it is told as anything that happens.
func (p *page) press(r pressRequest) (any, error) {
	if !p.world.canWrite(r.Author, r.Channel) {
		return nil, refusedError("there is no such channel or person here")
	}
	if _, err := p.world.discord.Chat.Press(r.Channel, r.Message, r.Author, r.Button); err != nil {
		return nil, refusedError("that button is no longer there")
	}
	return struct{}{}, nil
}

type reactRequest struct {
	Channel graph.ChannelID `json:"channel"`
	Message graph.MessageID `json:"message"`
	Author  graph.UserID    `json:"author"`
	Emoji   string          `json:"emoji"`
}

func (p *page) react(r reactRequest) (any, error) { return p.change(r, p.world.discord.Chat.React) }

func (p *page) unreact(r reactRequest) (any, error) { return p.change(r, p.world.discord.Chat.Unreact) }

// change changes the reactions to a message.
func (p *page) change(r reactRequest, do func(graph.ChannelID, graph.MessageID, graph.UserID, string) error) (any, error) {
	if !p.world.canWrite(r.Author, r.Channel) {
		return nil, refusedError("there is no such channel or person here")
	}
	if err := do(r.Channel, r.Message, r.Author, r.Emoji); err != nil {
		return nil, refusedError("Discord would refuse this reaction: the message is gone, or that is no emoji")
	}
	return struct{}{}, nil
}

// own demands that the message exists and is its author's.
func (p *page) own(r changeRequest) error {
	if !p.world.canWrite(r.Author, r.Channel) {
		return refusedError("there is no such channel or person here")
	}
	m, ok := p.world.discord.Chat.Message(r.Channel, r.Message)
	if !ok {
		return refusedError("that message is gone")
	}
	if m.Author != r.Author {
		return refusedError("people change only what they wrote themselves")
	}
	return nil
}

func (p *page) serveWorld(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, p.view())
}

// serveContext explains an answer as it reads now.
func (p *page) serveContext(w http.ResponseWriter, r *http.Request) {
	var channel graph.ChannelID
	var id graph.MessageID
	if errors.Join(channel.UnmarshalText([]byte(r.PathValue("channel"))), id.UnmarshalText([]byte(r.PathValue("message")))) != nil {
		tell(w, http.StatusBadRequest, "that is not the id of a message")
		return
	}
	g, ok := p.contexts.of(id, p.world.answered(channel, id))
	if !ok {
		tell(w, http.StatusNotFound, "nothing is known any more about what this answer was made from")
		return
	}
	answer(w, http.StatusOK, json.RawMessage(g.Explain(graph.FormatJSON)))
}
