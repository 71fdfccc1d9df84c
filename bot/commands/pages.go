package commands

import (
	"strconv"

	"github.com/bwmarrin/discordgo"

	"heddle/bot/outbox"
	"heddle/bot/phrases"
)

// Pager returns a row of buttons that turns pages, of which page, counted from 0, is shown:
// back, which one is shown, and on. name returns the name of the button that leads to a
// page. It is also called for -1 and pages, whose buttons are disabled. shown is the name
// of the button in the middle, which is disabled, too.
func Pager(shown string, page, pages int, name func(page int) string) []discordgo.Button {
	turnTo := func(page int, label string) discordgo.Button {
		if page < 0 || page >= pages {
			return outbox.DisabledButton(name(page), label)
		}
		return outbox.Button(name(page), label)
	}
	return []discordgo.Button{
		turnTo(page-1, phrases.LabelBack),
		outbox.DisabledButton(shown, strconv.Itoa(page+1)+"/"+strconv.Itoa(pages)),
		turnTo(page+1, phrases.LabelOn),
	}
}
