package inspect

import (
	"fmt"
	"strings"
)

// Withheld counts the responses that are not exported, each under the first reason that
// applies.
type Withheld struct {
	Reused   int // a reuse of another response, not a new sample
	Same     int // the same text as another response to the same request, whose row counts it
	Partial  int // the answer was interrupted, refused or empty
	Private  int // made from the words of somebody who did not consent
	Forwards int // the request holds a forward, which does not name who wrote it
	Quotes   int // the request contains words of heddle's that may quote somebody who did not consent
	Changed  int // the request cannot be rebuilt as it was sent
	Pictures int // the request showed pictures, whose bytes are not stored
	Unpaired int // for formats with pairs: no alternative for the same path is rated differently
	Ratings  int // ratings by people who did not consent, which are in no row
}

// String returns in sentences what was withheld, and why.
func (w Withheld) String() string {
	withheld := counted(
		count{w.Private, "without the consent of everybody whose words they were made from"},
		count{w.Forwards, "with a message that was forwarded"},
		count{w.Quotes, "with an answer that may quote somebody without consent"},
		count{w.Changed, "whose request cannot be made again as it was sent"},
		count{w.Pictures, "whose request showed pictures, which are not kept"},
		count{w.Partial, "not whole"},
		count{w.Unpaired, "without an alternative that people rated otherwise"})
	beside := counted(
		count{w.Reused, "answers given again are no samples of their own"},
		count{w.Same, "that say the same to the same request are counted in one row"},
		count{w.Ratings, "ratings of people without consent are left out"})
	text := "Nothing was withheld."
	if withheld != "" {
		text = "Withheld: " + withheld + "."
	}
	if beside != "" {
		text += "\n" + beside + "."
	}
	return text
}

// count is how many there are of something.
type count struct {
	n    int
	what string
}

// counted lists what there is any of, one a line.
func counted(all ...count) string {
	var there []string
	for _, c := range all {
		if c.n > 0 {
			there = append(there, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	return strings.Join(there, ",\n  ")
}
