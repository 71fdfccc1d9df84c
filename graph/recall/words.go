package recall

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"heddle/graph"
)

// The bounds of what is read of a message, and of its words.
const (
	maxText  = 16 << 10 // bytes; Discord takes 4000 characters
	maxWords = 64       // of a question; they are numbered by the bits of a word
	// stem is the number of characters by which words are compared. Endings lie beyond.
	stem = 5
	// shortest is the number of characters of the shortest word that is compared. Shorter
	// ones are mostly grammar, in most languages with letters. Numbers may be shorter.
	shortest = 3
)

// term is the hash of a word, of its beginning, or of a piece.
type term uint64

// Words are the words of a question, numbered.
type Words map[term]int

// WordsOf returns the words of a question, without its author's name, and without the
// mention that it begins with, as nearly every question begins with heddle's name.
func WordsOf(m *graph.Message) Words {
	v := make(Words)
	add := func(t term) {
		if _, known := v[t]; !known && len(v) < maxWords {
			v[t] = len(v)
		}
	}
	text := m.Text
	if strings.HasPrefix(text, "@") {
		_, text, _ = strings.Cut(text, " ")
	}
	scan(text, add)
	for i := range m.Attachments {
		scan(m.Attachments[i].Name, add)
	}
	return v
}

// In returns which of the words a text holds, as the bits of a word.
func (v Words) In(text string) (held uint64) {
	scan(text, func(t term) {
		if n, ok := v[t]; ok {
			held |= 1 << n
		}
	})
	return held
}

// read calls each with the words of a message, those of its author's name and of its files'
// names included, and returns their number, without the author's name.
func read(m *graph.Message, each func(term)) (length int) {
	said := func(t term) {
		length++
		each(t)
	}
	scan(m.Text, said)
	for i := range m.Attachments {
		scan(m.Attachments[i].Name, said)
	}
	if m.Origin != graph.OriginSelf {
		scan(m.Name, each)
	}
	return length
}

// scan calls each with the terms of a text.
func scan(text string, each func(term)) {
	s := scanner{each: each}
	for _, r := range text[:min(len(text), maxText)] {
		s.next(r)
	}
	s.endPiece()
}

// scanner reads a text character by character. A piece is a run of characters between
// spaces and brackets; a word is a run of letters and digits within a piece.
type scanner struct {
	each func(term)

	word   term // all of it
	begin  term // its first characters
	size   int  // characters of it
	digit  bool // it holds one
	before rune // the character before, in a script without spaces

	piece  term
	words  int  // of this piece
	joint  term // what stands between two words, until the next one comes
	joints bool // the piece holds a joint
}

// next reads one more character. ASCII comes first, as looking up every character in the
// tables of Unicode would be slow.
func (s *scanner) next(r rune) {
	switch {
	case 'a' <= r && r <= 'z':
		s.grow(r)
	case '0' <= r && r <= '9':
		s.digit = true
		s.grow(r)
	case 'A' <= r && r <= 'Z':
		s.grow(r + 'a' - 'A')
	case r < utf8.RuneSelf:
		s.ascii(r)
	case isPaired(r):
		s.pair(r)
	case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
		s.grow(unicode.ToLower(r))
	default:
		s.endPiece()
	}
}

// ascii reads a sign or a space. A sign between two words joins them to a piece, such as a
// path, a version or an identifier.
func (s *scanner) ascii(r rune) {
	switch {
	case strings.ContainsRune(joints, r):
		s.endWord()
		if s.words > 0 {
			s.joint = mix(s.joint, r)
		}
	case r == '\'':
		s.endWord()
	default:
		s.endPiece()
	}
}

// joints are the signs that join words.
const joints = "._-/:\\#=+"

// isPaired reports whether a character is of a script without spaces between words.
func isPaired(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}

// pair reads a character of a script without spaces between words: two in a row are a term.
func (s *scanner) pair(r rune) {
	before := s.before
	s.endPiece()
	if before != 0 {
		s.each(mix(mix(0, before), r))
	}
	s.before = r
}

func (s *scanner) grow(r rune) {
	if s.size == 0 && s.joint != 0 {
		s.piece, s.joints = mix(s.piece, rune(s.joint%unicode.MaxRune)), true
		s.joint = 0
	}
	s.word = mix(s.word, r)
	s.size++
	if s.size == stem {
		s.begin = s.word
	}
	s.piece = mix(s.piece, r)
	s.before = 0
}

func (s *scanner) endWord() {
	if s.size >= shortest || s.digit && s.size > 1 {
		if s.size > stem {
			s.each(s.begin)
		}
		s.each(s.word)
	}
	if s.size > 0 {
		s.words++
	}
	s.word, s.begin, s.size, s.digit, s.before = 0, 0, 0, false, 0
}

func (s *scanner) endPiece() {
	s.endWord()
	if s.joints {
		s.each(mix(s.piece, pieceMark))
	}
	s.piece, s.words, s.joint, s.joints = 0, 0, 0, false
}

// pieceMark distinguishes a piece from a word of the same characters.
const pieceMark = -1

// mix adds a character to a hash (FNV-1a over characters).
func mix(h term, r rune) term {
	if h == 0 {
		h = 14695981039346656037
	}
	return (h ^ term(uint32(r))) * 1099511628211 //nolint:gosec // a hash, not a number
}
