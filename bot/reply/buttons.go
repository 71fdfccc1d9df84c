package reply

import (
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/bwmarrin/discordgo"

	"heddle/bot/phrases"
)

// Button returns a button for an answer. Discord allows 5 in a row, labels of 80
// characters, ids of 100 characters, and each id once in a message.
func Button(id, label string) discordgo.Button {
	return discordgo.Button{CustomID: id, Label: label, Style: discordgo.SecondaryButton}
}

// LinkButton returns a button that opens an address.
func LinkButton(address, label string) discordgo.Button {
	return discordgo.Button{URL: address, Label: label, Style: discordgo.LinkButton}
}

// DisabledButton returns a button that cannot be pressed.
func DisabledButton(id, label string) discordgo.Button {
	b := Button(id, label)
	b.Disabled = true
	return b
}

// Pager returns a row of buttons that turns pages, of which page, counted from 0, is shown:
// back, which one is shown, and on. name returns the name of the button that leads to a
// page. It is also called for -1 and pages, whose buttons are disabled. shown is the name
// of the button in the middle, which is disabled, too.
func Pager(shown string, page, pages int, name func(page int) string) []discordgo.Button {
	turnTo := func(page int, label string) discordgo.Button {
		if page < 0 || page >= pages {
			return DisabledButton(name(page), label)
		}
		return Button(name(page), label)
	}
	return []discordgo.Button{
		turnTo(page-1, phrases.LabelBack),
		DisabledButton(shown, strconv.Itoa(page+1)+"/"+strconv.Itoa(pages)),
		turnTo(page+1, phrases.LabelOn),
	}
}

// Rows are the buttons below a message, from top to bottom. Discord allows 5 rows.
type Rows [][]discordgo.Button

// equal reports whether two messages have the same buttons.
func (r Rows) equal(other Rows) bool {
	return slices.EqualFunc(r, other, slices.Equal)
}

// components returns the rows in Discord's form. Without rows it returns an empty
// list, which removes the buttons of a message; nil would leave them.
func (r Rows) components() []discordgo.MessageComponent {
	all := make([]discordgo.MessageComponent, len(r))
	for i, buttons := range r {
		var row discordgo.ActionsRow
		for _, b := range buttons {
			row.Components = append(row.Components, b)
		}
		all[i] = row
	}
	return all
}

// NoChecksum is the placeholder for the checksum of an answer in the name of a button. Sending
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

// withChecksum returns the buttons for the message being written, which is to show text. In
// their names it replaces NoChecksum with the checksum of the answer so far.
func (d *draft) withChecksum(buttons Rows, text string) Rows {
	const place = ":" + NoChecksum + ":"
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
