package outbox

import (
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"
	"unicode"

	"github.com/bwmarrin/discordgo"
)

// NoChecksum stands in the name of a button where the checksum of an answer belongs. Sending
// the whole answer replaces it.
const NoChecksum = "~"

// Checksum returns the checksum of an answer, given the texts of its messages: 12 letters,
// digits, hyphens and underscores. It differs if a message is missing or belongs to another
// answer. Only letters and digits count, as Discord may change the rest.
func Checksum(texts []string) string {
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

// withChecksum returns buttons for the message being written, which is to show text. Their
// names hold the checksum of the answer up to there, where they have a place for it.
func (d *draft) withChecksum(buttons Rows, text string) Rows {
	const place = ":" + NoChecksum + ":"
	has := func(b discordgo.Button) bool { return strings.Contains(b.CustomID, place) }
	if !slices.ContainsFunc(buttons, func(row []discordgo.Button) bool { return slices.ContainsFunc(row, has) }) {
		return buttons
	}
	before := d.sent
	if d.open {
		before = before[:len(before)-1]
	}
	texts := make([]string, 0, len(before)+1)
	for i := range before {
		texts = append(texts, before[i].Text)
	}
	sum := Checksum(append(texts, text))
	rows := make(Rows, len(buttons))
	for i, row := range buttons {
		rows[i] = slices.Clone(row)
		for j := range row {
			rows[i][j].CustomID = strings.Replace(row[j].CustomID, place, ":"+sum+":", 1)
		}
	}
	return rows
}
