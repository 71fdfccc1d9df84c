package conversation

import (
	_ "embed"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// lookalikes holds, on each line, what letters and digits of ASCII are folded to and the
// characters that look like it, after a tab. It has what Unicode's confusables.txt
// (Unicode Technical Standard 39, version 15) says of characters that look like ASCII,
// and letters in boxes and circles, small capitals and flags.
//
//go:embed lookalikes.txt
var lookalikes string

// fold returns what a name looks like, in lower-case letters and digits, so that nobody can
// take another's name with letters of another script. Names that look alike fold alike;
// some that only resemble each other do too. What is not a letter or a
// digit, such as spaces, accents and invisible characters, is left out. The result is ""
// for a name of such characters alone.
func fold(name string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(name) {
		if r < unicode.MaxASCII { // as below, and much quicker
			if 'A' <= r && r <= 'Z' {
				r += 'a' - 'A'
			}
			if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '|' {
				b.WriteByte(byte(r)) //nolint:gosec // ASCII
			}
			continue
		}
		if r == utf8.RuneError || unicode.In(r, unicode.M) {
			continue
		}
		if seen := like(r); seen != "" {
			b.WriteString(seen)
			continue
		}
		for _, lower := range norm.NFKD.String(string(unicode.ToLower(r))) {
			if seen := like(lower); seen != "" {
				b.WriteString(seen)
			} else if unicode.In(lower, unicode.L, unicode.N) || lower == '|' {
				b.WriteRune(lower)
			}
		}
	}
	return likeInASCII.Replace(b.String())
}

// likeInASCII replaces what looks alike among lower-case ASCII characters. Building it takes
// longer than most names take to fold.
var likeInASCII = strings.NewReplacer("i", "l", "1", "l", "|", "l", "0", "o", "rn", "m", "vv", "w") //nolint:gochecknoglobals // a table, never written again

// like returns what a character looks like; "" if the table does not hold it.
func like(r rune) string {
	if r < unicode.MaxASCII {
		return ""
	}
	at := strings.IndexRune(lookalikes, r)
	if at < 0 {
		return ""
	}
	line := lookalikes[strings.LastIndexByte(lookalikes[:at], '\n')+1:]
	return line[:strings.IndexByte(line, '\t')]
}
