package playground

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"

	"heddle/internal/why"
)

//go:embed web
var web embed.FS

//go:embed body.html
var body string

// head begins every page, up to its body. The style is inlined, so that the page can be
// painted as soon as it has arrived. Modules are not preloaded, which would delay that.
const head = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>heddle</title>
<link rel="icon" href="icon.svg">
<style>%s</style>
<script src="%s" type="module"></script>
</head>
<body>
%s</body>
</html>
`

// policy lets a page load only its own files, run only their scripts, use only the
// inlined style, and not create nodes from text.
const policy = "default-src 'none'; script-src 'self'; style-src 'sha256-%s'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// front returns a mux that serves a page, which begins with a script of web, and all files
// in web, and a handler around the mux. Styles are names of files in web. All of it is part of the program; nothing comes
// from people.
func front(body, script string, styles ...string) (mux *http.ServeMux, guarded http.Handler, err error) {
	files, err := fs.Sub(web, "web")
	if err != nil {
		return nil, nil, fmt.Errorf("open the page: %w", err)
	}
	var style strings.Builder
	for _, name := range styles {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, nil, fmt.Errorf("read the style of the page: %w", err)
		}
		style.Write(text)
	}
	hash := sha256.Sum256([]byte(style.String()))
	html, rules := fmt.Sprintf(head, style.String(), script, body), fmt.Sprintf(policy, base64.StdEncoding.EncodeToString(hash[:]))
	mux = http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, html) // fails only if the page is gone
	})
	mux.Handle("GET /", http.FileServerFS(files))
	checked := http.NewCrossOriginProtection().Handler(mux) // refuses changes that other sites make
	return mux, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", rules)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		checked.ServeHTTP(w, r)
	}), nil
}

// page serves the page of the playground and its API.
type page struct {
	world    *world
	contexts *contexts
	preview  why.Bot
	mind     *mind
}

// handler serves the page, what it shows, and the changes that people make on it.
func (p *page) handler() (http.Handler, error) {
	mux, guarded, err := front(body, "app.js", "app.css", "panel.css")
	if err != nil {
		return nil, err
	}
	mux.HandleFunc("GET /api/world", func(w http.ResponseWriter, _ *http.Request) { respond(w, http.StatusOK, p.view()) })
	mux.HandleFunc("GET /api/events", p.serveEvents)
	mux.HandleFunc("GET /api/graph/{channel}/{message}", p.serveGraph)
	mux.HandleFunc("GET /api/messages/{channel}/{message}", p.serveMessages)
	mux.HandleFunc("GET /api/files/{channel}/{message}/{file}", p.serveFile)
	mux.HandleFunc("GET /api/commands", func(w http.ResponseWriter, _ *http.Request) { respond(w, http.StatusOK, p.commands()) })
	mux.HandleFunc("GET /api/forms/{interaction}", p.serveForm)
	mux.HandleFunc("GET /api/model", p.mind.serveFound)
	mux.HandleFunc("POST /api/model", change(p.take))
	taken, made := exports{p}, places{p.world}
	mux.HandleFunc("POST /api/import", taken.importExport)
	mux.HandleFunc("POST /api/samples", change(taken.openSamples))
	mux.HandleFunc("GET /api/overview/{channel}", taken.serveOverview)
	mux.HandleFunc("GET /api/found/{channel}", taken.serveFound)
	mux.HandleFunc("POST /api/post", p.doing(p.post))
	mux.HandleFunc("POST /api/edit", p.doing(p.edit))
	mux.HandleFunc("POST /api/delete", p.doing(p.remove))
	mux.HandleFunc("POST /api/press", p.doing(p.press))
	mux.HandleFunc("POST /api/react", p.doing(p.react))
	mux.HandleFunc("POST /api/invoke", change(p.invoke))
	mux.HandleFunc("POST /api/submit", change(p.submit))
	mux.HandleFunc("POST /api/people", change(made.addPerson))
	mux.HandleFunc("POST /api/channels", change(made.addChannel))
	mux.HandleFunc("POST /api/threads", change(made.addThread))
	return guarded, nil
}

// refusedError is a sentence for people that says why something was refused.
type refusedError string

func (e refusedError) Error() string { return string(e) }

// refuse responds with an error whose text is a sentence for people.
func refuse(w http.ResponseWriter, status int, sentence string) {
	respond(w, status, map[string]string{"error": sentence})
}

// respond writes a value as JSON.
func respond(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value) // fails only if the page is gone
}
