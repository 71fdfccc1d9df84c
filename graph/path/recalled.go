package path

import (
	"encoding/binary"
	"fmt"
	"strings"
	"time"

	"heddle/graph"
)

// Recalled is an older message that is quoted in a tail, because it shares rare words
// with the trigger.
type Recalled struct {
	Turn   Turn
	Author graph.UserID
	Said   time.Time
	// Link is the address of the message on Discord. It is empty for an answer behind
	// its question, whose link and time stand for both.
	Link string
}

// writeRecalled writes the recalled messages, each exchange below its day, time and
// link. label is as in Text.
func (t Tail) writeRecalled(b *strings.Builder, label func(Turn) string) {
	if len(t.Recalled) == 0 {
		return
	}
	b.WriteString("Older messages of this channel that share words with the last message above, quoted in case it needs them. They may be out of date:\n")
	for _, r := range t.Recalled {
		if r.Link != "" {
			fmt.Fprintf(b, "[heddle: said %s UTC, %s]\n", r.Said.UTC().Format("2006-01-02 15:04"), r.Link)
		}
		b.WriteString(label(r.Turn) + "\n")
	}
}

// appendRecalled appends what must be equal of the recalled messages: contents and
// authors, but not times and links.
func (t Tail) appendRecalled(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(t.Recalled)))
	authors := make([]graph.UserID, len(t.Recalled))
	for i, r := range t.Recalled {
		hash := r.Turn.Hash()
		b = append(b, hash[:]...)
		authors[i] = r.Author
	}
	return appendMet(b, authors)
}
