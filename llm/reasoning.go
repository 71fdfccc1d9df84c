package llm

import (
	"strings"
	"unicode/utf8"
)

// reasoning removes what a model reasons from its output: what stands between the tags of the
// usual families at the beginning of the answer, or where a line of it begins, and in the
// channels of gpt-oss. Anywhere else, and in code, tags are text, as people may ask about them.
//
// Some templates write the opening tag into the prompt, so that only the closing one comes
// (qwen-code#6007). Then everything before it was reasoning. Such a tag counts once in an
// answer. From then on held is to be set for that model's answers.
type reasoning struct {
	held bool // nothing is shown before a tag has ended the reasoning, or the answer has ended

	out    strings.Builder // to be shown next; while held, all text so far
	again  bool            // what was returned before was reasoning
	tail   string          // what is still to be read
	ended  bool            // nothing follows the tail
	spaces string          // before the answer
	begun  bool            // the answer has begun
	marked bool            // the model marks its reasoning
	bare   bool            // a closing tag without an opening one has come
	opened int             // opening tags in the text that have not been closed
	before rune            // the last of the text that is no space
	code   code

	block  string          // the name of the tags of the present block; "" outside
	end    string          // the words that end it, if it began with words
	doubt  bool            // it is text unless it ends
	plain  bool            // no block is opened in doubt: one was text
	raw    strings.Builder // the block, if it may be text, or a header
	header bool            // the output is within a header
	named  bool            // the header has begun, and not only a message ended before it
	name   string          // of its channel

	channels bool // the model has used them

	untagged bool // the answer has ended without a tag, while held
}

const spaces = " \t\r\n"

// mostHeld bounds the text that is held back, in bytes.
const mostHeld = 256 << 10

// channel is the name of the block of a channel of gpt-oss.
const channel = "|channel|"

// next returns what of a piece of the model's output is no reasoning.
func (r *reasoning) next(piece string) string {
	r.tail += piece
	for more := true; more; {
		more = r.step()
	}
	if r.held && r.out.Len() > mostHeld {
		r.held = false
	}
	return r.take()
}

// rest returns the text that was held back when the answer ended.
func (r *reasoning) rest() string {
	r.ended = true
	for more := true; more; {
		more = r.step() || r.release()
	}
	r.untagged = r.held && r.begun
	r.held = false
	return r.take()
}

func (r *reasoning) take() string {
	if r.held {
		return ""
	}
	text := r.out.String()
	r.out.Reset()
	return text
}

// tookBack reports whether everything that was returned before the last text was reasoning.
func (r *reasoning) tookBack() bool {
	again := r.again
	r.again = false
	return again
}

// withholds reports whether text was held back that may be shown later.
func (r *reasoning) withholds() bool {
	return r.tail != "" && r.block == "" || r.held || r.doubt || r.header
}

// release makes what was no block and no header after all text, and reports whether there is
// any.
func (r *reasoning) release() bool {
	if r.raw.Len() == 0 || !r.doubt && (!r.header || r.marked) {
		return false
	}
	raw, sure := r.raw.String(), r.raw.Len()
	if r.doubt { // its first character began no block
		sure, r.plain = 1, true
	}
	r.raw.Reset()
	r.block, r.end, r.doubt, r.header = "", "", false, false
	r.write(raw[:sure])
	r.tail = raw[sure:] + r.tail
	return true
}

// step reads a part of the tail. It reports whether there may be more to read.
func (r *reasoning) step() bool {
	switch {
	case r.tail == "":
		return false
	case r.header:
		return r.readHeader()
	case r.block != "":
		return r.readBlock()
	case !r.begun && r.readSpaces():
		return true
	case !r.begun && !r.marked && !r.plain:
		found, more := phraseAt(r.tail)
		switch {
		case more && !r.ended:
			return false
		case found != phrase{}:
			r.open(found.begin, true)
			r.end = found.end
			r.keep(len(found.begin))
			return true
		}
	}
	return r.readText()
}

// readSpaces reads the spaces before the answer.
func (r *reasoning) readSpaces() bool {
	rest := strings.TrimLeft(r.tail, spaces)
	read := len(rest) < len(r.tail)
	r.spaces += r.tail[:len(r.tail)-len(rest)]
	r.tail = rest
	return read
}

// readText reads a part of the text: up to a character that may begin a tag, or code.
func (r *reasoning) readText() bool {
	switch first := r.tail[0]; first {
	case '`', '~':
		run := len(r.tail) - len(strings.TrimLeft(r.tail, string(first)))
		if run == len(r.tail) && !r.ended {
			return false
		}
		r.write(r.tail[:run])
		r.tail = r.tail[run:]
		return true
	case '<', '[', "◁"[0]:
		found, size, more := tagAt(r.tail)
		switch {
		case more && !r.ended && !r.code.open():
			return false
		case size > 0 && !r.code.open() && r.meet(found, size):
			return true
		}
		_, width := utf8.DecodeRuneInString(r.tail)
		r.write(r.tail[:width])
		r.tail = r.tail[width:]
		return true
	}
	end := strings.IndexAny(r.tail, "`~<[◁")
	if end < 0 {
		end = len(r.tail)
	}
	r.write(r.tail[:end])
	r.tail = r.tail[end:]
	return true
}

// write adds text to the answer.
func (r *reasoning) write(text string) {
	if text == "" {
		return
	}
	if !r.begun && !r.marked && !r.bare {
		r.out.WriteString(r.spaces)
	}
	r.begun, r.spaces = true, ""
	r.out.WriteString(text)
	r.code.read(text)
	if shown := strings.TrimRight(text, " \t\r"); shown != "" {
		r.before, _ = utf8.DecodeLastRuneInString(shown)
	}
}

// meet reads a tag in the text, and reports whether it is more than text.
func (r *reasoning) meet(t tag, size int) bool {
	switch t.kind {
	case opens:
		if r.begun && (!r.atBoundary() || r.plain && !r.marked) {
			r.opened++
			return false
		}
		r.open(t.name, r.begun && !r.marked)
	case closes:
		if r.begun && (r.opened > 0 || r.bare) {
			r.opened = max(0, r.opened-1)
			return false
		}
		r.startOver()
	case answers:
		if r.begun && !r.marked {
			return false
		}
		r.tail, r.marked = r.tail[size:], true
		return true
	case message:
		if !r.marked {
			return false
		}
	case header, halts:
		r.beginHeader(t)
	}
	r.keep(size)
	return true
}

// beginHeader reads the first mark of a header, or the end of a message before it.
func (r *reasoning) beginHeader(t tag) { r.header, r.named, r.name = true, t.kind == header, "" }

// keep reads a part of the tail that is text only if the block or the header is.
func (r *reasoning) keep(size int) {
	if r.doubt || r.header {
		r.raw.WriteString(r.tail[:size])
	}
	r.tail = r.tail[size:]
}

// atBoundary reports whether a block may begin behind the text: where a line begins, or behind
// a sentence of a model that marks its reasoning.
func (r *reasoning) atBoundary() bool {
	return r.before == '\n' || r.marked && strings.ContainsRune(".!?…。！？", r.before)
}

// open begins a block, which is text unless it ends if there is doubt.
func (r *reasoning) open(name string, doubt bool) {
	r.block, r.doubt = name, doubt
	r.marked = r.marked || !doubt
}

// startOver takes back the text so far, because a tag has ended it as reasoning.
func (r *reasoning) startOver() {
	if r.begun {
		r.again, r.bare = !r.held, true
	}
	r.out.Reset()
	r.held, r.begun, r.opened, r.spaces, r.code = false, false, 0, "", code{}
	r.marked = true
}

// readBlock reads a part of a block of reasoning, which it drops.
func (r *reasoning) readBlock() bool {
	if r.raw.Len() > mostHeld {
		return r.release()
	}
	if r.end != "" {
		return r.readPhrase()
	}
	switch r.tail[0] {
	case '<', '[', "◁"[0]:
		found, size, more := tagAt(r.tail)
		if more && !r.ended {
			return false
		}
		isHarmony := r.block == channel
		switch {
		case isHarmony && (found.kind == header || found.kind == halts):
			r.close()
			r.beginHeader(found)
			r.keep(size)
			return true
		case !isHarmony && found.kind == closes && found.name == r.block, found.kind == answers && found.name == "final":
			r.close()
			r.tail = r.tail[size:]
			return true
		}
		_, width := utf8.DecodeRuneInString(r.tail)
		r.keep(width)
		return true
	}
	end := strings.IndexAny(r.tail, "<[◁")
	if end < 0 {
		end = len(r.tail)
	}
	r.keep(end)
	return true
}

// readPhrase reads a block that ends with words.
func (r *reasoning) readPhrase() bool {
	at := strings.Index(lowerASCII(r.tail), r.end)
	if at < 0 {
		if most := len(r.tail) - len(r.end); most > 0 {
			for !utf8.RuneStart(r.tail[most]) {
				most--
			}
			r.keep(most)
		}
		return false
	}
	r.tail = r.tail[at+len(r.end):]
	r.close()
	return true
}

// lowerASCII returns a text of the same length, with its letters A to Z in lower case.
func lowerASCII(text string) string {
	lower := []byte(text)
	for i, c := range lower {
		if 'A' <= c && c <= 'Z' {
			lower[i] += 'a' - 'A'
		}
	}
	return string(lower)
}

// close ends a block.
func (r *reasoning) close() {
	r.raw.Reset()
	r.block, r.end, r.doubt, r.marked = "", "", false, true
	if r.held {
		r.held = false
		r.out.Reset()
		r.begun = false
	}
}

// mostHeader bounds a header, in bytes.
const mostHeader = 200

// readHeader reads a part of the header of a channel, such as
// <|start|>assistant<|channel|>final<|message|>. The text behind it is the answer if the
// channel is final.
func (r *reasoning) readHeader() bool {
	found, size, more := tag{}, 0, false
	if r.tail[0] == '<' {
		found, size, more = tagAt(r.tail)
	}
	switch {
	case more && !r.ended:
		return false
	case found.kind == header, found.kind == halts:
		r.beginHeader(found)
		r.keep(size)
		return true
	case found.kind == message && r.named:
		r.enter(size)
		return true
	case r.raw.Len() > mostHeader, r.tail[0] == '<', r.tail[0] == '\n' && r.name != "", !r.named && strings.IndexByte(spaces, r.tail[0]) < 0:
		return r.noHeader()
	}
	_, width := utf8.DecodeRuneInString(r.tail)
	if r.named {
		r.name += r.tail[:width]
	}
	r.keep(width)
	return true
}

// enter reads what follows a header.
func (r *reasoning) enter(size int) {
	name, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(r.name)), " ")
	isAnswer := name == "final" || name == "" || name == "assistant"
	r.tail, r.header = r.tail[size:], false
	r.raw.Reset()
	switch {
	case !isAnswer:
		r.open(channel, false)
	case (r.begun || r.held) && !r.channels && !r.bare: // the first header was in the prompt
		r.startOver()
	}
	r.marked, r.channels = true, true
}

// noHeader ends what looked like a header. Marks alone are dropped if the model uses them.
func (r *reasoning) noHeader() bool {
	if !r.marked {
		return r.release()
	}
	r.raw.Reset()
	r.header = false
	r.tail = r.name + r.tail
	return true
}

// code is the state of a text as to code: within back-ticks in a line, or in a fence.
type code struct {
	fence  string // with which the code block began
	ticks  int    // with which the code in the line began
	inLine bool   // the line has begun
}

func (c *code) open() bool { return c.fence != "" || c.ticks > 0 }

// read reads more of the text, with every run of back-ticks and tildes in one piece.
func (c *code) read(text string) {
	for text != "" {
		first, run := text[0], 1
		if first == '`' || first == '~' {
			run = len(text) - len(strings.TrimLeft(text, string(first)))
		}
		switch {
		case first == '\n':
			c.ticks, c.inLine = 0, false
		case (first == '`' || first == '~') && !c.inLine && run >= 3 && c.ticks == 0:
			c.turn(text[:run])
		case first == '`' && c.fence == "":
			c.inLine = true
			switch c.ticks {
			case 0:
				c.ticks = run
			case run:
				c.ticks = 0
			}
		case first != ' ' && first != '>' && first != '\t':
			c.inLine = true
		}
		text = text[run:]
	}
}

// turn begins a code block, or ends it.
func (c *code) turn(run string) {
	c.inLine = true
	switch {
	case c.fence == "":
		c.fence = run
	case c.fence[0] == run[0] && len(run) >= len(c.fence):
		c.fence = ""
	}
}
