package drawing

import (
	"fmt"
	"io"
	"net/http"
)

// Page is a page that draws. All of it stands in the program, nothing comes from people.
type Page struct {
	Title   string
	Modules string // where the scripts and styles are that pages share; "" beside the page
	Style   string // a further style; "" for none
	Script  string
	Body    string
}

// head begins every page, up to its body.
const head = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>%s</title>
<link rel="icon" href="%[2]sicon.svg">
<link rel="stylesheet" href="%[2]sapp.css">
<link rel="stylesheet" href="%[2]spanel.css">
%[3]s<script src="%[4]s" type="module"></script>
</head>
<body>
`

// ServeHTTP serves the page.
func (p Page) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	style := p.Style
	if style != "" {
		style = fmt.Sprintf("<link rel=\"stylesheet\" href=%q>\n", style)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	// Writing fails only if the page is gone.
	_, _ = fmt.Fprintf(w, head, p.Title, p.Modules, style, p.Script)
	_, _ = io.WriteString(w, p.Body+"</body>\n</html>\n")
}
