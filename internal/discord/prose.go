package discord

import "strings"

// escapable is the characters that can be escaped with a backslash.
const escapable = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"

// Prose returns the content of a message without the parts that Discord shows as they
// were typed: code blocks, inline code, and characters after a backslash. Mentions in
// these parts ping nobody. Each part is replaced by a space.
func Prose(content string) string {
	if !strings.ContainsAny(content, "`\\") {
		return content
	}
	p := prose{rest: content, fences: true, last: lastRuns(content)}
	for p.rest != "" {
		plain := strings.IndexAny(p.rest, "`\\")
		if plain < 0 {
			plain = len(p.rest)
		}
		p.out.WriteString(p.rest[:plain])
		p.skip(plain)
		switch {
		case p.rest == "":
		case p.rest[0] == '\\':
			p.escape()
		default:
			p.ticks()
		}
	}
	return p.out.String()
}

// prose is the state of a call of Prose.
type prose struct {
	out    strings.Builder
	rest   string
	at     int // offset of rest in the content
	fences bool
	last   map[int]int // offset of the last run of backticks, by its length
}

func (p *prose) skip(n int) {
	p.rest = p.rest[n:]
	p.at += n
}

// leaveOut replaces the next n bytes by a space.
func (p *prose) leaveOut(n int) {
	p.out.WriteByte(' ')
	p.skip(n)
}

// escape handles a backslash and the character that it escapes.
func (p *prose) escape() {
	if len(p.rest) > 1 && strings.IndexByte(escapable, p.rest[1]) >= 0 {
		p.leaveOut(2)
		return
	}
	p.out.WriteByte('\\')
	p.skip(1)
}

// ticks handles a run of backticks, together with the code after it if the code ends.
func (p *prose) ticks() {
	const fence = "```"
	if p.fences && strings.HasPrefix(p.rest, fence) {
		inner := strings.TrimLeft(p.rest[len(fence):], "\n")
		opening := len(p.rest) - len(inner)
		// Discord requires at least one character inside.
		if end := strings.Index(inner[min(1, len(inner)):], fence); end >= 0 {
			p.leaveOut(opening + 1 + end + len(fence))
			return
		}
		p.fences = false // later fences are not closed either
	}
	run := tickRun(p.rest)
	if p.last[run] > p.at {
		for at := run; ; {
			at += strings.IndexByte(p.rest[at:], '`')
			next := tickRun(p.rest[at:])
			if at += next; next == run {
				p.leaveOut(at)
				return
			}
		}
	}
	p.out.WriteString(p.rest[:run])
	p.skip(run)
}

// tickRun returns how many backticks a text begins with.
func tickRun(text string) int { return len(text) - len(strings.TrimLeft(text, "`")) }

// lastRuns returns where the last run of backticks of each length begins.
func lastRuns(text string) map[int]int {
	last := make(map[int]int)
	for at := 0; at < len(text); {
		next := strings.IndexByte(text[at:], '`')
		if next < 0 {
			break
		}
		at += next
		run := tickRun(text[at:])
		last[run] = at
		at += run
	}
	return last
}
