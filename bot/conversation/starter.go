package conversation

import (
	"fmt"

	"heddle/fetch"
	"heddle/graph"
)

// starter returns a reference to the message that started a question's thread. On
// Discord that message has the thread's id. On other servers it may have another, and
// only the first message of the thread points at it, which may be too old to be read
// with the conversation. Therefore, if no message has the thread's id, starter reads
// the oldest messages of the thread.
func starter(reading *fetch.Mention, source graph.Source, q *Question) ([]graph.Reference, error) {
	if q.Place.Starter == 0 {
		return nil, nil
	}
	usual := graph.Reference{Kind: graph.ReferenceStarter, Channel: q.Place.Starter, Message: graph.MessageID(q.Channel)}
	absent, err := isAbsent(source, usual.Channel, usual.Message)
	if err != nil || !absent || q.Place.NoHistory {
		return []graph.Reference{usual}, err
	}
	if _, err := isAbsent(source, q.Channel, usual.Message); err != nil { // this also reads what is around it
		return nil, err
	}
	if found, ok := reading.Starter(); ok {
		return []graph.Reference{found}, nil
	}
	return []graph.Reference{usual}, nil // the graph shows it as deleted
}

// isAbsent looks a message up and reports whether it does not exist.
func isAbsent(source graph.Source, channel graph.ChannelID, message graph.MessageID) (bool, error) {
	reading, err := source.Read(graph.Batch{Lookups: []graph.Lookup{{Channel: channel, Message: message}}})
	if err != nil {
		return false, fmt.Errorf("look for what a thread started from: %w", err)
	}
	return reading.Found[0].State == graph.ReferenceDeleted, nil
}
