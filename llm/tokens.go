package llm

import (
	"bytes"
	"compress/flate"
	_ "embed" // the vocabulary
	"io"
	"math"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// o200k is OpenAI's vocabulary o200k_base, which its models use since GPT-4o: the tokens
// in the order of their ranks, each after its length in a byte, deflated.
//
//go:embed o200k.flate
var o200k []byte

// o200kTokens is the number of tokens of o200k_base without the special ones.
const o200kTokens = 199_998

// vocabulary returns the rank of each token. It loads them once, in some fifty milliseconds.
//
//nolint:gochecknoglobals // it holds what is embedded and never changes
var vocabulary = sync.OnceValue(func() map[string]uint32 {
	var unpacked strings.Builder
	if _, err := io.Copy(&unpacked, flate.NewReader(bytes.NewReader(o200k))); err != nil {
		panic("the vocabulary that is compiled in is damaged: " + err.Error())
	}
	ranks := make(map[string]uint32, o200kTokens)
	for rest := unpacked.String(); rest != ""; {
		end := 1 + int(rest[0])
		ranks[rest[1:end]] = uint32(len(ranks))
		rest = rest[end:]
	}
	return ranks
})

// words matches the pieces of a text that no token spans, as tiktoken's pattern for
// o200k_base does, except that a run of spaces before a word ends before its last one,
// which nextWord sees to as RE2 cannot look ahead.
//
//nolint:gochecknoglobals // it never changes
var words = sync.OnceValue(func() *regexp.Regexp {
	const (
		space   = `\s\v\x{85}\pZ`
		upper   = `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\pM]`
		lower   = `[\p{Ll}\p{Lm}\p{Lo}\pM]`
		leading = `[^\r\n\pL\pN]?`
		ending  = `(?i:'s|'t|'re|'ve|'m|'ll|'d)?`
	)
	return regexp.MustCompile(`^(?:` + strings.Join([]string{
		leading + upper + `*` + lower + `+` + ending,
		leading + upper + `+` + lower + `*` + ending,
		`\pN{1,3}`,
		` ?[^` + space + `\pL\pN]+[\r\n/]*`,
		`[` + space + `]*[\r\n]+`,
		`[` + space + `]+`,
	}, `|`) + `)`)
})

// longestWord is the size in bytes of the longest piece whose tokens are found at once, as
// that takes time quadratic in its length. A longer one takes at most four tokens more for
// each such part.
const longestWord = 1 << 8

// nextWord returns the size in bytes of the first piece of a text.
func nextWord(text string) int {
	text = text[:min(len(text), longestWord)]
	end := words().FindStringIndex(text)
	if end == nil { // there is no such text
		return len(text)
	}
	last, size := utf8.DecodeLastRuneInString(text[:end[1]])
	if size < end[1] && end[1] < len(text) && unicode.IsSpace(last) && last != '\r' && last != '\n' &&
		strings.TrimSpace(text[:end[1]]) == "" {
		return end[1] - size
	}
	return end[1]
}

// countTokens returns the number of tokens of a piece of a text: the two neighbours that
// make the token of the lowest rank become one, until no two of them make a token.
func countTokens(word string) int {
	ranks := vocabulary()
	if _, ok := ranks[word]; ok {
		return 1
	}
	rankOf := func(part string) uint32 {
		if rank, ok := ranks[part]; ok {
			return rank
		}
		return math.MaxUint32
	}
	type part struct {
		start int
		rank  uint32 // of this and the next one together
	}
	parts := make([]part, 0, len(word)+1)
	for i := range len(word) {
		parts = append(parts, part{i, rankOf(word[i:min(i+2, len(word))])})
	}
	parts[len(parts)-1].rank = math.MaxUint32
	parts = append(parts, part{len(word), math.MaxUint32})
	for {
		lowest := 0
		for i := range parts {
			if parts[i].rank < parts[lowest].rank {
				lowest = i
			}
		}
		if parts[lowest].rank == math.MaxUint32 {
			return len(parts) - 1
		}
		parts = append(parts[:lowest+1], parts[lowest+2:]...)
		for i := max(0, lowest-1); i <= lowest; i++ {
			parts[i].rank = math.MaxUint32
			if i+2 < len(parts) {
				parts[i].rank = rankOf(word[parts[i].start:parts[i+2].start])
			}
		}
	}
}

// Rarity returns how rare a word is in what people write, in any language, in bits: the
// logarithm of its rank in the vocabulary, from 8 or so for "the" to 17. A word of several
// tokens, such as most names and identifiers, has more.
func Rarity(word string) float64 {
	ranks, least := vocabulary(), uint32(math.MaxUint32)
	for _, written := range [...]string{" " + word, " " + strings.ToLower(word), word} {
		if rank, ok := ranks[written]; ok {
			least = min(least, rank)
		}
	}
	if least < math.MaxUint32 {
		return math.Log2(1 + float64(least))
	}
	return math.Log2(float64(o200kTokens * countTokens(" "+word)))
}
