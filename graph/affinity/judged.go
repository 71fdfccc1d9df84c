package affinity

import (
	"encoding/binary"
	"hash/maphash"

	"heddle/graph"
)

// mostJudged is how many channels' messages are kept judged. Those of one take about
// 300 kB.
const mostJudged = 128

// judgedAhead holds what was judged before anybody asked: of each channel the messages
// that stand before its next trigger. Whoever receives from the channel owns the table
// until it sends it back.
type judgedAhead struct {
	table chan *judgedTable
	seed  maphash.Seed
}

type judgedTable struct {
	channels map[graph.ChannelID]judged
	clock    uint64
}

// judged is a window that lacks its trigger.
type judged struct {
	fingerprint uint64 // of the messages
	room        *room
	since       uint64 // by the table's clock
}

func newJudgedAhead() judgedAhead {
	a := judgedAhead{table: make(chan *judgedTable, 1), seed: maphash.MakeSeed()}
	a.table <- &judgedTable{channels: make(map[graph.ChannelID]judged)}
	return a
}

// put keeps what was judged of a channel, and returns the room that it no longer needs.
func (a *judgedAhead) put(channel graph.ChannelID, fingerprint uint64, r *room) *room {
	t := <-a.table
	defer func() { a.table <- t }()
	old := t.channels[channel].room
	if old == nil && len(t.channels) >= mostJudged {
		idle := channel
		for other, j := range t.channels {
			if idle == channel || j.since < t.channels[idle].since {
				idle = other
			}
		}
		old = t.channels[idle].room
		delete(t.channels, idle)
	}
	t.clock++
	t.channels[channel] = judged{fingerprint, r, t.clock}
	return old
}

// take returns the room in which exactly these messages were judged, and keeps it no
// longer; nil if there is none.
func (a *judgedAhead) take(channel graph.ChannelID, before []*graph.Message) *room {
	t := <-a.table
	kept, is := t.channels[channel]
	a.table <- t
	if !is || kept.fingerprint != a.fingerprint(before) {
		return nil
	}
	return a.remove(channel, func(j judged) bool { return j.room == kept.room })
}

// remove takes out what is kept of a channel, if it is wanted, and returns its room.
func (a *judgedAhead) remove(channel graph.ChannelID, wanted func(judged) bool) *room {
	t := <-a.table
	defer func() { a.table <- t }()
	kept, is := t.channels[channel]
	if !is || !wanted(kept) {
		return nil
	}
	delete(t.channels, channel)
	return kept.room
}

// fingerprint returns a hash of all that a model reads of messages.
func (a *judgedAhead) fingerprint(messages []*graph.Message) uint64 {
	var h maphash.Hash
	h.SetSeed(a.seed)
	var buffer [96]byte
	for _, m := range messages {
		b := binary.LittleEndian.AppendUint64(buffer[:0], uint64(m.ID))
		b = binary.LittleEndian.AppendUint64(b, uint64(m.Author))
		b = binary.LittleEndian.AppendUint64(b, uint64(m.Answers))
		b = binary.LittleEndian.AppendUint64(b, uint64(m.Time.UnixNano()))
		for _, n := range [...]int{len(m.Text), min(len(m.Attachments), 1), len(m.References), len(m.Parts), int(m.Origin)} {
			b = binary.LittleEndian.AppendUint32(b, uint32(n)) //nolint:gosec // a message is short
		}
		_, _ = h.Write(b)
		_, _ = h.WriteString(m.Text)
		for i := range m.References {
			r := &m.References[i]
			b = binary.LittleEndian.AppendUint64(append(buffer[:0], byte(r.Kind)), uint64(r.Message))
			_, _ = h.Write(binary.LittleEndian.AppendUint64(b, uint64(r.User)))
		}
		for _, part := range m.Parts {
			_, _ = h.Write(binary.LittleEndian.AppendUint64(buffer[:0], uint64(part)))
		}
	}
	return h.Sum64()
}
