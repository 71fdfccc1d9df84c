package catchup

import (
	"strconv"
	"strings"
	"time"

	"heddle/graph"
)

// buttonPrefix begins the names of the buttons below a list of talks. It is followed by
// what the button does, the query, and the page or the first message of the talk that
// the button is about. Anybody can make up such a name, so what it leads to is read
// with the rights of the person who presses.
const buttonPrefix = "heddle:talks:"

// action is what a button does.
type action string

const (
	showList action = "l"
	showTalk action = "t"
	askModel action = "a"
	askOwn   action = "q" // opens a form for a question, and answers it
	toThread action = "m"
)

// mostChannels bounds the channels of one query. Discord allows 100 characters in the
// name of a button.
const mostChannels = 3

const base = 36

// name returns the name of a button, of at most 100 characters.
func (q *query) name(does action, about uint64) string {
	since := int64(0)
	if !q.since.IsZero() {
		since = q.since.Unix()
	}
	parts := []string{strconv.FormatInt(since, base), strconv.FormatUint(uint64(q.until), base)}
	for _, channel := range q.channels {
		parts = append(parts, strconv.FormatUint(uint64(channel), base))
	}
	return buttonPrefix + string(does) + ":" + strings.Join(parts, ".") + ":" + strconv.FormatUint(about, base)
}

// parseButton parses what follows buttonPrefix in the name of a button.
func parseButton(rest string) (does action, q query, about uint64, ok bool) {
	parts := strings.Split(rest, ":")
	if len(parts) != 3 {
		return "", q, 0, false
	}
	about, err := strconv.ParseUint(parts[2], base, 64)
	ids := strings.Split(parts[1], ".")
	if err != nil || len(ids) < 3 || len(ids) > 2+mostChannels {
		return "", q, 0, false
	}
	since, err := strconv.ParseInt(ids[0], base, 64)
	if err != nil || since < 0 || since > 1<<40 {
		return "", q, 0, false
	}
	if since > 0 {
		q.since = time.Unix(since, 0)
	}
	for i, text := range ids[1:] {
		id, err := strconv.ParseUint(text, base, 64)
		if err != nil || id == 0 {
			return "", q, 0, false
		}
		if i == 0 {
			q.until = graph.MessageID(id)
		} else {
			q.channels = append(q.channels, graph.ChannelID(id))
		}
	}
	does = action(parts[0])
	return does, q, about, does == showList || does == showTalk || does == askModel || does == askOwn || does == toThread
}
