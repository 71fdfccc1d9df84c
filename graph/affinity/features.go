package affinity

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"heddle/graph"
)

// features are the features of one message's text.
type features struct {
	words  []term // ascending, each once
	grams  []term // its strings of four characters, in order
	shape  shape
	length float32 // log2 of the characters and 1
}

// shape is a set of marks that a text carries.
type shape uint16

const (
	shapeQuestion    shape = 1 << iota // holds a question mark
	shapeLink                          // holds a web address
	shapeCode                          // holds code, a path or an option
	shapeNumber                        // holds a digit
	shapeLowerStart                    // begins with a small letter
	shapeOpenEnd                       // ends without punctuation
	shapeSymbolStart                   // begins with neither letter nor digit
	shapeTrailing                      // ends as if more followed
	shapeEmphasis                      // holds an exclamation mark or ends a word as a smiley does
	shapeShort                         // one or two words
	shapes           = iota
)

const (
	// maxWords bounds the words of one message that are compared.
	maxWords = 64
	// stem is the number of characters by which words are compared. Endings lie beyond.
	stem = 6
	// maxText is the number of bytes of a text that are read. Discord allows 4,000
	// characters, of at most four bytes each.
	maxText = 16 << 10
)

// analyze returns the features of a message's text.
func analyze(m *graph.Message) features {
	text := m.Text[:min(len(m.Text), maxText)]
	s := scanner{grams: make([]term, 0, min(len(text), maxGrams))}
	characters := 0
	for _, r := range text {
		characters++
		s.next(r)
	}
	s.endWord()
	s.endPiece()
	slices.Sort(s.words)
	return features{words: slices.Compact(s.words), grams: s.grams, shape: s.marks(), length: log2(float32(characters + 1))}
}

// scanner reads a text character by character. A piece is a run of characters between
// spaces, and a word is a run of letters and digits within a piece.
type scanner struct {
	words []term

	shape       shape
	pieces      int  // that are not mentions
	first, last rune // of the pieces that are not mentions

	piece      int  // characters of this piece so far
	name       bool // this piece is a mention: people are compared by id
	link       bool // this piece is a web address
	head, tail rune // its first and last character
	slashes    int  // how much of :// was seen last
	pieceShape shape
	word       uint64
	size       int  // characters of this word
	before     rune // the character before, in a script without spaces

	grams  []term
	passed [gramLength - 1]rune // the characters before, in lower case
}

// next reads the next character of the text. Whitespace ends a word and a piece. A mention
// is a piece whose characters do not count.
func (s *scanner) next(r rune) {
	if r == ' ' || r == '\n' || r > utf8.RuneSelf && unicode.IsSpace(r) || r == '\t' {
		s.endWord()
		s.endPiece()
		s.gram(' ')
		return
	}
	switch s.piece {
	case 0:
		s.head, s.name = r, r == '@'
	case 1:
		s.name = s.name || r == '@' && s.head == '<'
	}
	s.piece++
	if s.name {
		return
	}
	s.tail = r
	s.pieceShape |= markOf(r)
	s.slash(r)
	s.letter(r)
	s.gram(r)
}

// gram adds the gram that ends with a character. Spaces in a row count as one.
func (s *scanner) gram(r rune) {
	switch {
	case 'A' <= r && r <= 'Z':
		r += 'a' - 'A'
	case r >= utf8.RuneSelf:
		r = unicode.ToLower(r)
	case r == ' ' && s.passed[gramLength-2] == ' ':
		return
	}
	p := &s.passed
	if p[0] != 0 && len(s.grams) < maxGrams {
		h := ((term(p[0])*31+term(p[1]))*31+term(p[2]))*31 + term(r) //nolint:gosec // a character is not negative
		s.grams = append(s.grams, h)
	}
	p[0], p[1], p[2] = p[1], p[2], r
}

// slash recognises a web address by its "://".
func (s *scanner) slash(r rune) {
	switch {
	case r == ':':
		s.slashes = 1
	case r == '/' && s.slashes > 0:
		s.slashes++
		s.link = s.link || s.slashes == 3
	default:
		s.slashes = 0
	}
}

// letter adds a character to the word, or ends the word. In scripts without spaces between
// words, every two characters in a row are a word.
func (s *scanner) letter(r rune) {
	switch {
	case 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
		s.grow(r)
	case 'A' <= r && r <= 'Z':
		s.grow(r + 'a' - 'A')
	case r < utf8.RuneSelf:
		s.endWord()
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai):
		before := s.before
		s.endWord()
		if before != 0 {
			s.add(hash(hash(0, before), r))
		}
		s.before = r
	case unicode.IsLetter(r) || unicode.IsDigit(r):
		s.grow(unicode.ToLower(r))
	default:
		s.endWord()
	}
}

func (s *scanner) grow(r rune) {
	if s.size < stem {
		s.word = hash(s.word, r)
	}
	s.size++
	s.before = 0
}

func (s *scanner) endWord() {
	if s.size > 1 {
		s.add(s.word)
	}
	s.word, s.size, s.before = 0, 0, 0
}

func (s *scanner) add(word uint64) {
	if len(s.words) < maxWords {
		s.words = append(s.words, term(word>>32))
	}
}

// endPiece adds the marks of the piece that ends here, unless it is a mention, and begins
// another piece.
func (s *scanner) endPiece() {
	if s.piece > 0 && !s.name {
		if s.pieces == 0 {
			s.first = s.head
		}
		s.pieces++
		s.last = s.tail
		switch {
		case s.link:
			s.shape |= shapeLink
		case s.head == '-':
			s.shape |= shapeCode | s.pieceShape
		default:
			s.shape |= s.pieceShape
		}
	}
	s.piece, s.name, s.link, s.pieceShape, s.slashes = 0, false, false, 0, 0
}

// marks returns the shape of the whole text.
func (s *scanner) marks() shape {
	marks := s.shape
	switch {
	case unicode.IsLower(s.first):
		marks |= shapeLowerStart
	case !unicode.IsLetter(s.first) && !unicode.IsDigit(s.first):
		marks |= shapeSymbolStart
	}
	switch s.last {
	case '.', '?', '!', '。', '？', '！':
	case ',', ':', '…', '、':
		marks |= shapeTrailing
	default:
		marks |= shapeOpenEnd
	}
	if s.pieces <= 2 {
		marks |= shapeShort
	}
	return marks
}

func markOf(r rune) shape {
	switch r {
	case '?', '？', '؟':
		return shapeQuestion
	case '`', '/', '\\', '_', '=', '$', '|', '~', '{', '}', '[', ']':
		return shapeCode
	case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return shapeNumber
	case '!', '！', ')':
		return shapeEmphasis
	}
	return 0
}

// hash mixes one character into a word's hash (FNV-1a over characters).
func hash(h uint64, r rune) uint64 {
	if h == 0 {
		h = 14695981039346656037
	}
	return (h ^ uint64(r)) * 1099511628211 //nolint:gosec // a character is not negative
}
