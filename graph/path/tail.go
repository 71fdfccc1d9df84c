package path

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"heddle/graph"
)

// Tail holds what changes from mention to mention. It stands in one more turn of the user
// right before the trigger, so that the question is the last thing that the model reads, the
// path itself contains no clock, and the next one can extend it byte for byte.
type Tail struct {
	Now        time.Time       // of the mention, in the zone in which the model reads times
	Messages   []graph.Message // of the path, the trigger last
	Background []Turn
	Beside     []graph.UserID // who said each turn of Background
	Files      []string       // names of the files that earlier answers made, oldest first
	Notices    []string       // what was left out, in sentences
	Recalled   []Recalled
	// Excerpts are the lines around words of the trigger that the path leaves out of long
	// files, one turn for each place.
	Excerpts []Turn
}

// Facts returns the hash of everything but the path that must be equal to give a stored
// answer again: the day, but not the time, the files made, the notices, the contents of the background,
// of the recalled messages and of the excerpts from files, the identities of the speakers, which are only names in the
// path, and the temperature, as the path only shows whether it is 0. Ages are left out, as
// they change all the time, and so are the times and links of recalled messages, but not the names
// of other channels.
func (t Tail) Facts(options Options) Hash {
	b := appendTexts(appendText(nil, t.day()), slices.Sorted(slices.Values(t.Files)))
	b = appendTexts(b, t.Notices)
	b = binary.AppendUvarint(b, uint64(len(t.Background)))
	for _, turn := range t.Background {
		hash := turn.Hash()
		b = append(b, hash[:]...)
	}
	if options.Temperature == nil {
		b = append(b, 0)
	} else {
		b = binary.BigEndian.AppendUint64(append(b, 1), math.Float64bits(*options.Temperature))
	}
	speakers := make([]graph.UserID, len(t.Messages))
	for i := range t.Messages {
		speakers[i] = t.Messages[i].Author
	}
	b = appendMet(appendMet(b, speakers), t.Beside)
	b = binary.AppendUvarint(b, uint64(len(t.Recalled)))
	authors := make([]graph.UserID, len(t.Recalled))
	for i, r := range t.Recalled {
		hash := r.Turn.Hash()
		b = append(b, hash[:]...)
		authors[i] = r.Author
		if r.Where != "" {
			b = appendText(b, r.Where)
		}
	}
	b = appendMet(b, authors)
	for _, excerpt := range t.Excerpts {
		hash := excerpt.Hash()
		b = append(b, hash[:]...)
	}
	return sum(domainFacts, b)
}

// appendMet appends each of speakers once, in the order in which they first spoke,
// which is the order in which names are numbered.
func appendMet(b []byte, speakers []graph.UserID) []byte {
	var order []graph.UserID
	for _, speaker := range speakers {
		if !slices.Contains(order, speaker) {
			order = append(order, speaker)
		}
	}
	b = binary.AppendUvarint(b, uint64(len(order)))
	for _, speaker := range order {
		b = binary.BigEndian.AppendUint64(b, uint64(speaker))
	}
	return b
}

func (t Tail) day() string { return t.Now.Format("Monday, 2 January 2006") }

// zone returns the name of the time zone and its offset, such as "Europe/Berlin, UTC+1".
func (t Tail) zone() string {
	abbreviation, offset := t.Now.Zone()
	name := t.Now.Location().String()
	if name == "Local" {
		name = abbreviation
	}
	if offset == 0 && name == "UTC" {
		return name
	}
	hours, minutes := offset/3600, max(offset, -offset)/60%60
	if minutes == 0 {
		return fmt.Sprintf("%s, UTC%+d", name, hours)
	}
	return fmt.Sprintf("%s, UTC%+d:%02d", name, hours, minutes)
}

// Text returns the tail as the model reads it: recalled messages last, each exchange below
// its time and link. label renders a turn so that nothing in it can be mistaken for
// anything else.
func (t Tail) Text(label func(Turn) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Today is %s, and it is %s (%s).\n", t.day(), t.Now.Format("15:04"), t.zone())
	t.writeAges(&b)
	if len(t.Files) > 0 {
		fmt.Fprintf(&b, "Files already made in this conversation, not to be made again unless asked for: %s.\n", t.files())
	}
	for _, notice := range t.Notices {
		b.WriteString(notice + "\n")
	}
	if len(t.Background) > 0 {
		b.WriteString("Said around the messages above, as far as is known in other conversations. Use it only if the last message asks about it:\n")
		for _, turn := range t.Background {
			b.WriteString(label(turn) + "\n")
		}
	}
	if len(t.Excerpts) > 0 {
		b.WriteString("Lines of long files that share words with the last message and are left out where the files stand:\n")
	}
	for _, excerpt := range t.Excerpts {
		b.WriteString(label(excerpt) + "\n")
	}
	if len(t.Recalled) > 0 {
		b.WriteString("Older messages of this channel, or of one that is named, that share words with the last message, quoted in case it needs them. They may be out of date:\n")
	}
	for _, r := range t.Recalled {
		if r.Link != "" {
			where := ""
			if r.Where != "" {
				where = fmt.Sprintf("in %q, ", r.Where)
			}
			fmt.Fprintf(&b, "[heddle: said %s, %s%s]\n", r.Said.In(t.Now.Location()).Format("2006-01-02 15:04"), where, r.Link)
		}
		b.WriteString(label(r.Turn) + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// maxFiles bounds the files that are named. They are the newest ones.
const maxFiles = 50

// files lists the names of the files made, in quotes and with invisible characters escaped,
// so that no name can end its line or look like two.
func (t Tail) files() string {
	var names []string
	if more := len(t.Files) - maxFiles; more > 0 {
		names = append(names, fmt.Sprintf("%d older ones", more))
	}
	for _, name := range t.Files[max(len(t.Files)-maxFiles, 0):] {
		names = append(names, strconv.QuoteToGraphic(name))
	}
	return strings.Join(names, ", ")
}

// writeAges writes the ages of the messages before the trigger, oldest first, or nothing if all
// are recent.
func (t Tail) writeAges(b *strings.Builder) {
	var ages []string
	last := ""
	first := 0
	flush := func(end int) {
		switch {
		case last == "":
		case first == end:
			ages = append(ages, fmt.Sprintf("message %d %s", first, last))
		default:
			ages = append(ages, fmt.Sprintf("messages %d to %d %s", first, end, last))
		}
	}
	above := t.Messages[:max(0, len(t.Messages)-1)]
	for i, message := range above {
		if said := age(t.Now.Sub(message.Time)); said != last {
			flush(i)
			last, first = said, i+1
		}
	}
	flush(len(above))
	if len(ages) > 1 || last != "" && last != justNow {
		fmt.Fprintf(b, "When the messages above were said, counted from the oldest: %s.\n", strings.Join(ages, "; "))
	}
}

const justNow = "within the last minutes"

// age formats a duration as people say it, coarsely, so that it changes rarely.
func age(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < 10*time.Minute:
		return justNow
	case d < time.Hour:
		return "within the last hour"
	case d < day:
		return count(int(d/time.Hour), "hour")
	case d < 60*day:
		return count(int(d/day), "day")
	case d < 730*day:
		return count(int(d/(30*day)), "month")
	default:
		return count(int(d/(365*day)), "year")
	}
}

func count(n int, unit string) string {
	if n == 1 {
		return "1 " + unit + " ago"
	}
	return fmt.Sprintf("%d %ss ago", n, unit)
}

// Recalled is an older message that is quoted in a tail, because it shares rare words
// with the trigger.
type Recalled struct {
	Turn   Turn
	Author graph.UserID
	Said   time.Time
	Where  string // the name of its channel if that is not the trigger's
	// Link is the address of the message on Discord. It is empty for an answer behind
	// its question, whose link and time stand for both.
	Link string
}
