package split

import (
	"regexp"
	"strings"

	"heddle/internal/markdown"
)

// rewriter rewrites what Discord does not show as it was meant. It takes a text in pieces, and
// what it returns depends only on the whole.
type rewriter struct {
	markup markup
	tables tables
}

// add takes more of the text and returns what can be shown.
func (r *rewriter) add(text string) string { return r.tables.add(r.markup.add(text)) }

// rest returns what was held back, at the end of the text.
func (r *rewriter) rest() string { return r.tables.add(r.markup.rest()) + r.tables.rest() }

// stream is a text that comes in pieces and is rewritten.
type stream struct {
	held  string // what cannot be decided before more of the text is known
	whole bool   // no text follows
}

// pour takes more of the text and returns what can be shown. next returns the size of the text's
// first piece and what is shown for it. The size is 0 if more text must be known.
func (s *stream) pour(text string, next func(text string) (size int, shown string)) string {
	text = s.held + text
	var out strings.Builder
	for text != "" {
		size, shown := next(text)
		if size == 0 {
			break
		}
		out.WriteString(shown)
		text = text[size:]
	}
	s.held = text
	return out.String()
}

const (
	mostHidden = 16_384 // bytes of a line of a block that are waited for
	harmless   = "``\u200b`"
	mathFence  = markdown.Fence + "tex\n"
)

// markup rewrites Markdown that Discord shows raw (openclaw#38597, pollinations#10639):
//
//	#### title           **title**
//	---                  an empty line
//	- [ ] a, - [x] b     - ☐ a, - ☑ b
//	a<br>b               a, a line break, b
//	~~~ and ```` blocks  blocks between three backticks; three of them inside end nothing
//	$$x$$, \[x\]         a block of code
//	$x$, \(x\)           code within a line; a dollar before a number is money
//	![a](u)              [a](u)
//
// Code and blocks between three backticks stay as they are.
type markup struct {
	stream

	inLine bool   // the next byte does not begin a line
	row    bool   // the line begins with a pipe
	indent string // what a line break of the line is followed by
	empty  bool   // the line before is empty
	ruled  bool   // the line before was a rule: empty lines are left out
	ends   string // what ends the block that is open; "" for none
	last   byte   // the byte before, in the line
}

// add takes more of the text and returns what can be shown.
func (m *markup) add(text string) string { return m.pour(text, m.next) }

// rest returns what was held back, at the end of the text.
func (m *markup) rest() string {
	m.whole = true
	return m.add("")
}

// next rewrites the first piece of a text.
func (m *markup) next(text string) (size int, shown string) {
	switch {
	case m.ends == markdown.Fence:
		size, shown = m.code(text)
	case m.ends != "":
		size, shown = m.block(text)
	case m.inLine:
		size, shown = m.inline(text)
	default:
		size, shown = m.begin(text)
	}
	if size > 0 {
		m.last = text[size-1]
	}
	return size, shown
}

// code reads a block between three backticks, at most to its end.
func (m *markup) code(text string) (size int, shown string) {
	switch at := strings.IndexByte(text, '`'); {
	case at < 0:
		return len(text), text
	case at > 0:
		return at, text[:at]
	}
	n := markdown.Ticks(text)
	if n == len(text) && n < mostRow && !m.whole {
		return 0, ""
	}
	if n >= len(markdown.Fence) {
		m.ends, m.inLine = "", true
	}
	return n, text[:n]
}

// block reads a line of a block that Discord does not know.
func (m *markup) block(text string) (size int, shown string) {
	line, _, ended := strings.Cut(text[:min(len(text), mostHidden)], "\n")
	if !ended && !m.whole && len(line) < mostHidden {
		return 0, ""
	}
	at, trimmed := strings.Index(line, m.ends), strings.TrimSpace(line)
	fence := m.ends[0] == '`' || m.ends[0] == '~'
	switch {
	case fence && at >= 0 && strings.Trim(trimmed, m.ends[:1]) == "":
		m.ends, m.inLine = "", true
		return len(line), line[:at] + markdown.Fence
	case !fence && at >= 0:
		size = at + len(m.ends)
		m.ends, m.inLine = "", true
		if before := strings.TrimSpace(line[:at]); before != "" {
			shown = before + "\n"
		}
		if strings.TrimSpace(line[size:]) == "" {
			return size, shown + markdown.Fence
		}
		return size, shown + markdown.Fence + "\n"
	case ended:
		line += "\n"
	}
	return len(line), strings.ReplaceAll(line, markdown.Fence, harmless)
}

// The beginnings of lines that are rewritten.
var (
	smallHeading = regexp.MustCompile(`^#{4,6}[ \t]+(.*?)[ \t]*#*[ \t\r]*$`)
	rule         = regexp.MustCompile(`^(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})\r?$`)
	task         = regexp.MustCompile(`^((?:[-*+]|\d{1,9}[.)])[ \t]+)\[([ xX])\][ \t]`)
	bullet       = regexp.MustCompile(`^(?:[-*+]|\d{1,9}[.)])[ \t]+`)
	foreignFence = regexp.MustCompile("^(`{4,}|~{3,})[ \t]*([^`~]*)$")
)

// begin reads the beginning of a line.
func (m *markup) begin(text string) (size int, shown string) {
	near := text[:min(len(text), mostIndent)]
	white := len(near) - len(strings.TrimLeft(near, " \t"))
	line, _, ended := strings.Cut(text[:min(len(text), mostRow)], "\n")
	rest := line[white:]
	if rest == "" || rest == "\r" {
		return m.nothing(text, line, ended)
	}
	long := len(line) == mostRow
	whole := !long && (ended || m.whole)
	if !whole && !long && waits(rest) {
		return 0, ""
	}
	indent := line[:white]
	m.row, m.indent, m.inLine = rest[0] == '|', indent+strings.Repeat(" ", len(bullet.FindString(rest))), true
	if whole && rule.MatchString(rest) {
		m.inLine, m.ruled = false, true
		if !m.empty && ended {
			shown = "\n"
		}
		m.empty = true
		return min(len(line)+1, len(text)), shown
	}
	m.empty, m.ruled = false, false
	if title := smallHeading.FindStringSubmatch(rest); whole && title != nil && title[1] != "" {
		return len(line), "**" + strings.ReplaceAll(title[1], "**", "") + "**"
	}
	if box := task.FindStringSubmatch(rest); box != nil {
		mark := "☑ "
		if box[2] == " " {
			mark = "☐ "
		}
		return white + len(box[0]), indent + box[1] + mark
	}
	if fence := foreignFence.FindStringSubmatch(rest); fence != nil && whole {
		m.ends, m.inLine = fence[1], false
		language := languageOf(fence[2])
		return min(len(line)+1, len(text)), indent + markdown.Fence + language + "\n"
	}
	if whole {
		if size, shown = m.display(rest, text[len(line):]); size > 0 {
			return white + size, indent + shown
		}
	}
	size, shown = m.inline(text[white:])
	if size == 0 {
		if m.inLine = false; white == 0 || m.whole {
			return 0, ""
		}
		m.inLine = true
		return white, indent
	}
	return white + size, indent + shown
}

// nothing reads a line without text, as far as it is known.
func (m *markup) nothing(text, line string, ended bool) (size int, shown string) {
	switch {
	case !ended && !m.whole:
		return 0, ""
	case !ended:
		m.inLine = true
		return len(text), text
	case m.ruled:
		return len(line) + 1, ""
	}
	m.empty = true
	return len(line) + 1, text[:len(line)+1]
}

// opening matches a line that may be rewritten once it is known whole.
var opening = regexp.MustCompile("^(?:#{1,6}(?:[ \t].*)?|(?:[-*_][ \t]*)+\r?|(?:[-*+]|\\d{1,9}[.)])(?:[ \t]+(?:\\[(?:[ xX]\\]?)?)?)?|\\d{1,9}|`+|`{4,}[^`]*|~{1,2}|~{3,}[^~]*|\\$\\$.*|\\\\\\[.*|\\$|\\\\)$")

// waits reports whether the beginning of a line must be known further. A heading of up to
// three marks does not wait.
func waits(rest string) bool {
	return opening.MatchString(rest) && (rest[0] != '#' || !isHeading(rest))
}

// display reads mathematics that begins a line, if it is the whole line or goes on below it.
func (m *markup) display(line, below string) (size int, shown string) {
	ends := map[string]string{"$$": "$$", `\[`: `\]`}[line[:min(len(line), len("$$"))]]
	if ends == "" || strings.HasPrefix(line, "$$$") {
		return 0, ""
	}
	inside, after, closed := strings.Cut(line[len("$$"):], ends)
	switch inside = strings.TrimSpace(inside); {
	case closed && strings.TrimSpace(after) == "" && inside != "":
		return len(line), mathFence + inside + "\n" + markdown.Fence
	case closed || below == "" || inside != "" && !strings.Contains(inside, `\`):
		return 0, ""
	}
	m.ends, m.inLine = ends, false
	if inside != "" {
		inside += "\n"
	}
	return len(line) + 1, mathFence + inside
}

// inline reads text within a line.
func (m *markup) inline(text string) (size int, shown string) {
	size = strings.IndexAny(text, "`\n<!$\\")
	switch {
	case size < 0:
		return len(text), text
	case size > 0:
		return size, text[:size]
	}
	switch text[0] {
	case '\n':
		m.inLine = false
		return 1, "\n"
	case '`':
		return m.ticks(text)
	case '<':
		return m.lineBreak(text)
	case '!':
		return m.picture(text)
	}
	return m.formula(text)
}

// within returns the text before an end in the same line. It reports false if there is none,
// and that it is undecided if more text must be known.
func (m *markup) within(text, end string) (inside string, found, decided bool) {
	inside, _, found = strings.Cut(text[:min(len(text), mostLabel)], end)
	if line, _, ended := strings.Cut(inside, "\n"); ended {
		return line, false, true
	}
	return inside, found, found || m.whole || len(text) >= mostLabel
}

// ticks reads a run of backticks, and code within a line as a whole.
func (m *markup) ticks(text string) (size int, shown string) {
	n := markdown.Ticks(text)
	if n == len(text) && n < mostRow && !m.whole {
		return 0, ""
	}
	if n >= len(markdown.Fence) {
		m.ends = markdown.Fence
		return n, text[:n]
	}
	for at := n; ; {
		inside, found, decided := m.within(text[at:], text[:n])
		switch {
		case !decided:
			return 0, ""
		case !found:
			return n, text[:n]
		}
		at += len(inside)
		run := markdown.Ticks(text[at:])
		if at+run == len(text) && !m.whole {
			return 0, ""
		}
		if at += run; run == n {
			return at, text[:at]
		}
		if at > mostLabel {
			return n, text[:n]
		}
	}
}

var breaks = regexp.MustCompile(`(?i)^<br ?/?>`)

// lineBreak reads what may be a line break of HTML's. A cell of a table keeps it.
func (m *markup) lineBreak(text string) (size int, shown string) {
	const longest = "<br />"
	near := text[:min(len(text), len(longest))]
	if tag := breaks.FindString(near); tag != "" && !m.row {
		return len(tag), "\n" + m.indent
	}
	if !m.whole && len(text) < len(longest) && (strings.EqualFold(longest[:len(text)], text) || strings.EqualFold(text, "<br/")) {
		return 0, ""
	}
	return 1, "<"
}

// picture reads what may be a picture: a link is left of it.
func (m *markup) picture(text string) (size int, shown string) {
	if len(text) == 1 && !m.whole {
		return 0, ""
	}
	if !strings.HasPrefix(text, "![") {
		return 1, "!"
	}
	label, found, decided := m.within(text[len("!["):], "](")
	switch {
	case !decided:
		return 0, ""
	case !found:
		return 1, "!"
	case label != "":
		return 1, ""
	}
	begin := len("![](")
	address, found, decided := m.within(text[begin:], ")")
	switch {
	case !decided:
		return 0, ""
	case !found:
		return 1, "!"
	}
	return begin + len(address) + 1, address
}

// formula reads what may be mathematics within a line, behind a dollar or a backslash.
func (m *markup) formula(text string) (size int, shown string) {
	if len(text) == 1 && !m.whole {
		return 0, ""
	}
	if text[0] == '\\' {
		ends := map[string]string{`\(`: `\)`, `\[`: `\]`}[text[:min(len(text), len(`\(`))]]
		if ends == "" {
			size = 1
			if len(text) > 1 && strings.IndexByte("$<!\\", text[1]) >= 0 {
				size = 2
			}
			return size, text[:size]
		}
		return m.asCode(text, ends, ends, func(string) bool { return true })
	}
	if strings.HasPrefix(text, "$$") {
		return m.asCode(text, "$$", "$$", func(inside string) bool { return inside[0] != '$' })
	}
	if isWord(m.last) {
		return 1, "$"
	}
	return m.asCode(text, "$", "$", isFormula)
}

// asCode returns what stands between two marks as code within a line, if it is mathematics.
func (m *markup) asCode(text, begins, ends string, is func(inside string) bool) (size int, shown string) {
	n := len(begins)
	inside, found, decided := m.within(text[n:], ends)
	after := n + len(inside) + len(ends)
	switch code := strings.TrimSpace(inside); {
	case !decided, found && after == len(text) && !m.whole:
		return 0, ""
	case !found, code == "", strings.Contains(code, "`"), ends == "$" && after < len(text) && isWord(text[after]), !is(inside):
		return n, text[:n]
	default:
		return after, "`" + code + "`"
	}
}

var shortFormula = regexp.MustCompile(`^[A-Za-z](?:'|[A-Za-z]|\([^()]*\))?$`)

// isFormula reports whether what stands between two dollars is mathematics, and not two prices
// or names of variables.
func isFormula(inside string) bool {
	first, last := inside[0], inside[len(inside)-1]
	if first == ' ' || last == ' ' || first >= '0' && first <= '9' {
		return false
	}
	return strings.ContainsAny(inside, `\^_{}=+<>`) || shortFormula.MatchString(inside)
}

func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$'
}
