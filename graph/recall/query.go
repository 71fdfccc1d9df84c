package recall

import (
	"math/bits"
	"strings"
	"unicode"

	"heddle/graph"
)

// Word is a word of a question as it is written, with its pieces that signs join. In a script
// without spaces it is two characters.
type Word struct {
	Text string
	Held int // the compared exchanges that hold a part of it
}

// Words returns the words of the question of a search, as far as they are compared. It leaves
// out whom and what it mentions, as messages hold only their ids.
func (s *Search) Words(question *graph.Message) (words []Word) {
	known := make(map[string]bool)
	for _, text := range pieces(question.Text) {
		if lower := strings.ToLower(text); !known[lower] {
			known[lower] = true
			if held := s.words.In(text); held != 0 {
				words = append(words, Word{text, s.holding(held)})
			}
		}
	}
	return words
}

// Shared returns the words of a message that are words of the question, as they are written, and
// its author's name if it is one.
func (v Words) Shared(m *graph.Message) (shared []string) {
	known := make(map[string]bool)
	for _, text := range append(pieces(m.Text), m.Name) {
		if lower := strings.ToLower(text); !known[lower] && v.In(text) != 0 {
			known[lower] = true
			shared = append(shared, text)
		}
	}
	return shared
}

// holding returns the number of exchanges that hold one of some words of the question.
func (s *Search) holding(some uint64) (n int) {
	for i := range s.exchanges {
		n += min(1, bits.OnesCount64(s.exchanges[i].shared&some))
	}
	return n
}

// pieces returns the pieces of a text that scan reads, without mentions.
func pieces(text string) (all []string) {
	begin, before := -1, ' '
	mention := false
	end := func(at int) {
		if begin >= 0 && !mention {
			all = append(all, strings.TrimRight(text[begin:at], joints))
		}
		begin = -1
	}
	for at, r := range text[:min(len(text), maxText)] {
		letter := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
		switch {
		case letter && isPaired(r):
			end(at)
			if isPaired(before) {
				all = append(all, string(before)+string(r))
			}
		case letter && begin < 0:
			begin, mention = at, before == '@' || before == '#'
		case letter, begin >= 0 && strings.ContainsRune(joints, r):
		default:
			end(at)
		}
		before = r
	}
	end(min(len(text), maxText))
	return all
}
