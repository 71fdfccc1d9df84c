package playground

import (
	"embed"
	"encoding/json"
	"io/fs"
	"net"
	"net/http"

	"heddle/graph"
	"heddle/internal/drawing"
)

//go:embed web
var web embed.FS

//go:embed body.html
var body string

// page serves the page and its API. It has no mutable state.
type page struct {
	world   *world
	lens    *lens
	model   string
	offline bool
	hosts   map[string]bool // the only hosts it answers to
	front   *drawing.Page
}

func newPage(w *world, c *contexts, preview Preview, address, model string) (*page, error) {
	p := &page{world: w, lens: &lens{w, c, preview}, model: model, offline: model == standInName, hosts: map[string]bool{address: true}}
	if _, port, err := net.SplitHostPort(address); err == nil {
		p.hosts["localhost:"+port] = true
	}
	var err error
	p.front, err = drawing.NewPage(drawing.Parts{Title: botName, Shared: Web(), Script: "app.js", Body: body})
	return p, err
}

// Web returns the page's scripts and styles, which other pages may share.
func Web() fs.FS {
	files, err := fs.Sub(web, "web")
	if err != nil {
		panic(err) // the directory is embedded
	}
	return files
}

// handler serves the page, what it shows, and the changes that people make on it. It
// refuses requests that other sites make.
func (p *page) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /{$}", p.front)
	mux.Handle("GET /", http.FileServerFS(Web()))
	mux.HandleFunc("GET /api/world", p.serveWorld)
	mux.HandleFunc("GET /api/events", p.serveEvents)
	mux.HandleFunc("GET /api/contexts/{channel}/{message}", p.lens.serveContext)
	mux.HandleFunc("GET /api/graph/{channel}/{message}", p.lens.serveGraph)
	mux.HandleFunc("GET /api/messages/{channel}/{message}", p.serveMessages)
	mux.HandleFunc("GET /api/files/{channel}/{message}/{file}", p.world.serveFile)
	mux.HandleFunc("POST /api/import", p.importExport)
	mux.HandleFunc("POST /api/samples", change(p.openSamples))
	mux.HandleFunc("POST /api/post", change(p.post))
	mux.HandleFunc("POST /api/edit", change(p.edit))
	mux.HandleFunc("POST /api/delete", change(p.remove))
	mux.HandleFunc("POST /api/press", change(p.press))
	mux.HandleFunc("POST /api/react", change(p.react))
	mux.HandleFunc("POST /api/unreact", change(p.unreact))
	places{p.world}.handle(mux)
	apps{p.world}.handle(mux)
	forms{p.world}.handle(mux)
	return p.guard(http.NewCrossOriginProtection().Handler(mux))
}

// guard refuses requests for any other host, because another site could point its own
// name at this address. It also sets a policy by which the page can load only its own
// files.
func (p *page) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !p.hosts[r.Host] {
			http.Error(w, "this page is served under its own address only", http.StatusMisdirectedRequest)
			return
		}
		h := w.Header()
		h.Set("Content-Security-Policy", p.front.Policy())
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

func (p *page) serveWorld(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, p.view())
}

// serveContext explains an answer in its current version.
func (l *lens) serveContext(w http.ResponseWriter, r *http.Request) {
	channel, id, ok := l.world.named(w, r)
	if !ok {
		return
	}
	b, ok := l.contexts.of(id, l.world.answered(channel, id))
	if !ok {
		refuse(w, http.StatusNotFound, "what this answer was made from is no longer known")
		return
	}
	answer(w, http.StatusOK, json.RawMessage(b.graph.Explain(graph.FormatJSON)))
}

// refuse responds with an error whose text is a sentence for people.
func refuse(w http.ResponseWriter, status int, sentence string) {
	answer(w, status, map[string]string{"error": sentence})
}

// answer writes a value as JSON.
func answer(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value) // fails only if the page is gone
}
