package drawing

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"
)

// Parts is what a page consists of. All of it is part of the program; nothing comes
// from people.
type Parts struct {
	Title  string
	Shared fs.FS  // the modules, styles and icon that pages share
	Prefix string // prefix of the addresses of shared files; "" if they are beside the page
	Style  string // style sheet of this page only
	Script string // the module that the page begins with
	Body   string
}

// Page is a page that shows drawings. Its style is inlined, so that the page can be
// painted as soon as it has arrived. Its modules are not preloaded, which would delay that.
type Page struct {
	html   string
	policy string
}

// head begins every page, up to its body.
const head = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>%s</title>
<link rel="icon" href="%sicon.svg">
<style>%s</style>
<script src="%s" type="module"></script>
</head>
<body>
`

// policy lets a page load only its own files, run only their scripts, use only the
// inlined style, and not create nodes from text.
const policy = "default-src 'none'; script-src 'self'; style-src 'sha256-%s'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// NewPage assembles a page. It fails if a shared file cannot be read.
func NewPage(p Parts) (*Page, error) {
	var styles strings.Builder
	for _, name := range []string{"app.css", "panel.css"} {
		text, err := fs.ReadFile(p.Shared, name)
		if err != nil {
			return nil, fmt.Errorf("read the style of a page: %w", err)
		}
		styles.Write(text)
	}
	styles.WriteString(p.Style)
	style := styles.String()
	hash := sha256.Sum256([]byte(style))
	return &Page{
		html:   fmt.Sprintf(head, p.Title, p.Prefix, style, p.Script) + p.Body + "</body>\n</html>\n",
		policy: fmt.Sprintf(policy, base64.StdEncoding.EncodeToString(hash[:])),
	}, nil
}

// Policy returns the Content-Security-Policy of the page.
func (p *Page) Policy() string { return p.policy }

// ServeHTTP serves the page.
func (p *Page) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = io.WriteString(w, p.html) // fails only if the page is gone
}
