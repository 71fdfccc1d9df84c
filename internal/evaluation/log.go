package evaluation

import (
	"strconv"

	"heddle/fetch"
	"heddle/graph"
	"heddle/internal/export"
	"heddle/internal/terminal"
)

// Log is the messages of a channel, oldest first. The message at index i has the id
// MessageID(i), and all are in LogChannel.
type Log struct {
	Name     string
	Path     string // path of the file that it was read from
	Messages []graph.Message
	IDs      []string                // ids of the messages in the file
	Replies  int                     // number of replies to messages in the log
	Authors  map[string]graph.UserID // by the names that the file calls them
}

// LogChannel is the one channel of every log.
const LogChannel graph.ChannelID = 1

// MessageID returns the id of the message at an index. Ids ascend and are never zero.
func MessageID(index int) graph.MessageID { return graph.MessageID(index+1) << 22 } //nolint:gosec // an index is not negative

// Index is the inverse of MessageID.
func Index(id graph.MessageID) int { return int(id>>22) - 1 }

// NewLog makes a log from an export. Messages are renumbered by their position, and replies
// to messages that are not in the export are removed.
func NewLog(name, file string, c export.Channel) (*Log, error) {
	if len(c.Messages) == 0 {
		return nil, terminal.Errorf("%s holds no message; export the channel again, or leave the file out", file)
	}
	messages := make([]graph.Message, len(c.Messages))
	index := make(map[graph.MessageID]int, len(messages))
	for i := range c.Messages {
		messages[i] = fetch.Render(c.Messages[i], 0)
		index[messages[i].ID] = i
	}
	log := &Log{Name: name, Path: file, Messages: messages, IDs: make([]string, len(messages)), Authors: map[string]graph.UserID{}}
	for i := range messages {
		m := &messages[i]
		log.IDs[i] = strconv.FormatUint(uint64(m.ID), 10)
		m.ID, m.Channel = MessageID(i), LogChannel
		log.Authors[c.Messages[i].Author.Name], log.Authors[m.Name] = m.Author, m.Author
		kept := m.References[:0]
		for _, r := range m.References {
			to, held := index[r.Message]
			switch {
			case r.Kind == graph.ReferenceAddress:
			case r.Kind == graph.ReferenceReply && held && to < i:
				r.Message, r.State = MessageID(to), graph.ReferenceResolved
				log.Replies++
			default:
				continue
			}
			r.Channel = LogChannel
			kept = append(kept, r)
		}
		m.References = kept
	}
	return log, nil
}
