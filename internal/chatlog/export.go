package chatlog

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"unicode/utf8"

	"heddle/fetch"
	"heddle/graph"
	"heddle/internal/export"
)

// ReadExport reads an export of DiscordChatExporter as a log. Messages are sorted by
// id, without duplicates. Only the newest most messages are kept; 0 keeps all.
func ReadExport(name, file string, r io.Reader, most int) (*Log, error) {
	var messages []graph.Message
	_, err := export.Read(r, file, func(m export.Message) error {
		messages = append(messages, fetch.Render(m.Discord(), 0))
		if most > 0 && len(messages) >= 2*most {
			messages = newestOf(messages, most)
		}
		return nil
	})
	if errors.Is(err, export.ErrUnreadable) {
		return nil, Errorf("%w", err)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	if len(messages) == 0 {
		return nil, Errorf("%s holds no message; export the channel again, or leave the file out", file)
	}
	return exportedLog(name, file, newestOf(messages, most)), nil
}

// newestOf sorts messages by id, removes duplicates, and returns the newest most of
// them; 0 returns all.
func newestOf(messages []graph.Message, most int) []graph.Message {
	slices.SortStableFunc(messages, func(a, b graph.Message) int { return cmp.Compare(a.ID, b.ID) })
	messages = slices.CompactFunc(messages, func(a, b graph.Message) bool { return a.ID == b.ID })
	if most > 0 && len(messages) > most {
		messages = append(messages[:0], messages[len(messages)-most:]...)
	}
	return messages
}

// exportedLog makes a log from exported messages. Messages are renumbered by their
// position, and replies to messages that are not in the export are removed.
func exportedLog(name, file string, messages []graph.Message) *Log {
	log := &Log{Name: name, Path: file, Messages: messages, Gold: make([]Gold, len(messages)), IDs: make([]string, len(messages))}
	index := make(map[graph.MessageID]int, len(messages))
	for i := range messages {
		index[messages[i].ID] = i
	}
	for i := range messages {
		m := &messages[i]
		log.IDs[i] = strconv.FormatUint(uint64(m.ID), 10)
		log.Gold[i].Characters = utf8.RuneCountInString(m.Text)
		m.ID, m.Channel = MessageID(i), Channel
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
			r.Channel = Channel
			kept = append(kept, r)
		}
		m.References = kept
	}
	return log
}
