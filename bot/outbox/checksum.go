package outbox

import (
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"
	"unicode"
)

// Unsealed stands in the name of a button where the seal of an answer is to stand. Whatever
// sends a whole answer replaces it.
const Unsealed = "~"

// Seal returns the seal of an answer, given the texts of its messages: 12 letters, digits,
// hyphens and underscores. Texts have another seal if one is missing or of another answer.
// Letters and digits alone count, as Discord may change the rest.
func Seal(texts []string) string {
	sum := sha256.New()
	for _, text := range texts {
		kept := strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return r
			}
			return -1
		}, text)
		sum.Write([]byte(kept + "\n"))
	}
	return base64.RawURLEncoding.EncodeToString(sum.Sum(nil)[:9])
}

// sealed returns buttons for the message being written, which is to show text. Their names
// hold the seal of the answer up to there.
func sealed(d *draft, buttons Rows, text string) Rows {
	before := d.sent
	if d.open {
		before = before[:len(before)-1]
	}
	texts := make([]string, 0, len(before)+1)
	for i := range before {
		texts = append(texts, before[i].Text)
	}
	seal := Seal(append(texts, text))
	rows := make(Rows, len(buttons))
	for i, row := range buttons {
		rows[i] = slices.Clone(row)
		for j := range row {
			rows[i][j].CustomID = strings.Replace(row[j].CustomID, ":"+Unsealed+":", ":"+seal+":", 1)
		}
	}
	return rows
}
