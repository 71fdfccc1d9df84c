package chatlog

import (
	"bufio"
	"os"
	"strings"

	"heddle/internal/terminal"
)

// marksEnding is how the name of a file of marks ends.
const marksEnding = ".marks"

// begins is what stands in a file of marks for a message that answers nothing.
const begins = "-"

// marks holds what messages answer, by the ids of both. A line of a file of marks holds the
// id of a message, and that of the message it answers or a hyphen. Lines that begin with #
// are comments.
type marks map[string]string

// read adds the marks of a file.
func (m marks) read(file string) error {
	f, err := os.Open(file) //nolint:gosec // the file is the caller's choice
	if err != nil {
		return terminal.Errorf("%s cannot be opened: %w", file, err)
	}
	defer f.Close() //nolint:errcheck // nothing was written
	lines := bufio.NewScanner(f)
	for number := 1; lines.Scan(); number++ {
		fields := strings.Fields(lines.Text())
		switch {
		case len(fields) == 0 || strings.HasPrefix(fields[0], "#"):
		case len(fields) != 2:
			return terminal.Errorf("%s, line %d: a line holds the id of a message, and that of the message it answers, or a hyphen if it answers none", file, number)
		default:
			m[fields[0]] = fields[1]
		}
	}
	if err := lines.Err(); err != nil {
		return terminal.Errorf("%s cannot be read: %w", file, err)
	}
	return nil
}

// apply annotates the logs that are not annotated yet. A mark whose messages are not both in
// the log, in this order, is left out. It is an error if there are marks and all are.
func (m marks) apply(logs []*Log) error {
	if len(m) == 0 {
		return nil
	}
	applied := 0
	for _, log := range logs {
		if log.Annotated() == 0 {
			applied += m.annotate(log)
		}
	}
	if applied == 0 {
		return terminal.Errorf("the marks are of no message in these logs; name the logs whose messages they mark, too")
	}
	return nil
}

// annotate annotates a log, and returns the number of its messages that are marked.
func (m marks) annotate(log *Log) int {
	index := make(map[string]int, len(log.IDs))
	for i, id := range log.IDs {
		index[id] = i
	}
	marked := 0
	for i, id := range log.IDs {
		answered, is := m[id]
		if !is {
			continue
		}
		g := &log.Gold[i]
		if answered != begins {
			parent, held := index[answered]
			if !held || parent >= i {
				continue
			}
			g.Parents = []int{parent}
		}
		g.Annotated = true
		marked++
	}
	log.connect()
	return marked
}
