package conversation

import (
	"bytes"
	"mime"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"

	"heddle/bot/phrases"
)

// decoded returns the text in a file's bytes, and whether they are text. Its encoding is told
// by a byte-order mark, by NULs in every other byte, which only UTF-16 has, by being valid
// UTF-8, by the charset that was declared and, failing all that, it is Windows-1252. Valid
// UTF-8 comes before what is declared, as Discord guesses that and is often wrong
// (discord-api-docs#2763, #6823).
func decoded(data []byte, declared string) (string, bool) {
	if text, ok := marked(data); ok {
		return tidy(text), isText(text)
	}
	if order, ok := wide(data); ok {
		text := decode(unicode.UTF16(order, unicode.IgnoreBOM), data)
		return tidy(text), isText(text)
	}
	if bytes.IndexByte(data, 0) >= 0 {
		return "", false
	}
	charset := charsetOf(declared)
	if utf8.Valid(data) && charset != "iso-2022-jp" {
		return tidy(string(data)), isText(string(data))
	}
	if named, err := htmlindex.Get(charset); err == nil && named != unicode.UTF8 {
		if text := decode(named, data); isText(text) {
			return tidy(text), true
		}
	}
	text := decode(charmap.Windows1252, data)
	return tidy(text), isText(text)
}

// marked returns the text of data that begin with a byte-order mark.
func marked(data []byte) (string, bool) {
	for _, with := range []struct {
		mark string
		in   encoding.Encoding
	}{ // the mark of UTF-32 begins with that of UTF-16
		{"\xff\xfe\x00\x00", utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)},
		{"\x00\x00\xfe\xff", utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)},
		{"\xff\xfe", unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)},
		{"\xfe\xff", unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)},
		{"\xef\xbb\xbf", unicode.UTF8},
	} {
		if rest, ok := bytes.CutPrefix(data, []byte(with.mark)); ok {
			return decode(with.in, rest), true
		}
	}
	return "", false
}

// wide reports whether data are UTF-16 without a mark: every other byte of some of the
// characters is NUL, and none of the bytes between is. It returns their order.
func wide(data []byte) (order unicode.Endianness, ok bool) {
	sample := data[:min(len(data), 4<<10)&^1]
	var nuls [2]int // at even and odd places
	for i, b := range sample {
		if b == 0 {
			nuls[i%2]++
		}
	}
	some := max(1, len(sample)/2/16)
	switch {
	case nuls[0] == 0 && nuls[1] >= some:
		return unicode.LittleEndian, true
	case nuls[1] == 0 && nuls[0] >= some:
		return unicode.BigEndian, true
	}
	return unicode.LittleEndian, false
}

func decode(in encoding.Encoding, data []byte) string {
	text, err := in.NewDecoder().Bytes(data)
	if err != nil {
		return "\x00" // no text
	}
	return strings.ToValidUTF8(string(text), string(utf8.RuneError))
}

func charsetOf(declared string) string {
	_, parameters, _ := mime.ParseMediaType(declared)
	return strings.ToLower(parameters["charset"])
}

// isText reports whether a text has few control characters, of which compressed and encrypted
// data have many, and no NUL.
func isText(text string) bool {
	odd := 0
	for _, r := range text {
		switch {
		case r == 0:
			return false
		case r == '\n', r == '\r', r == '\t', r == '\f', r == '\b', r == '\x1b': // terminals write these
		case r < ' ', r >= 0x7f && r < 0xa0, r == utf8.RuneError:
			odd++
		}
	}
	return odd*50 <= len(text)
}

// tidy returns a text with one kind of line break.
func tidy(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// looksLikeText reports whether what begins with head may be a text.
func looksLikeText(head []byte, declared string) bool {
	for cut := 0; len(head) > 512 && cut < utf8.UTFMax-1; cut++ { // the last character may be
		if last, size := utf8.DecodeLastRune(head); last != utf8.RuneError || size != 1 {
			break
		}
		head = head[:len(head)-1]
	}
	_, ok := decoded(head, declared)
	return ok
}

// passage is what the model is shown of a text.
type passage struct {
	head, gap, end string // gap stands for the part between the others; "" if there is none
}

// longToken is more bytes than the tokens of a text have on average.
const longToken = 8

// leastPassage is the smallest part of a text that is shown, in bytes.
const leastPassage = 64

// passageOf returns what of a text fits into room tokens: all of it, or its beginning and its
// end. It depends on nothing else, so that it stays from question to question. It is empty if
// the room is too small.
func passageOf(text string, room int, count func(string) int) passage {
	if len(text) <= room*longToken && count(text) <= room {
		return passage{head: text}
	}
	if room -= gapTokens; room <= 0 {
		return passage{}
	}
	for size := min(len(text)-1, room*longToken/2); size >= leastPassage; {
		p := cut(text, size)
		took := count(p.head) + count(p.end)
		if took <= room {
			return p
		}
		size = min(size*9/10, size*room/took)
	}
	return passage{}
}

// gapTokens is what the line between a beginning and an end takes at most.
const gapTokens = 24

// cut returns the beginning and the end of a text, about size bytes together, in whole lines
// where these are short.
func cut(text string, size int) passage {
	from, to := size/2, len(text)-size/2
	for from > 0 && !utf8.RuneStart(text[from]) {
		from--
	}
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to++
	}
	if at := strings.LastIndexByte(text[:from], '\n') + 1; at > from/2 {
		from = at
	}
	if at := strings.IndexByte(text[to:], '\n') + 1; at > 0 && at < (len(text)-to)/2 {
		to += at
	}
	p := passage{head: strings.TrimSuffix(text[:from], "\n"), end: text[to:]}
	if strings.HasSuffix(text[:from], "\n") && strings.HasSuffix(text[:to], "\n") {
		all := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
		p.gap = phrases.ModelGap(strings.Count(text[:from], "\n")+1, strings.Count(text[:to], "\n"), all)
	} else {
		p.gap = phrases.ModelGapOf(utf8.RuneCountInString(text[from:to]), utf8.RuneCountInString(text))
	}
	return p
}
