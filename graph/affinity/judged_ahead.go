package affinity

import (
	"encoding/binary"
	"hash/maphash"

	"heddle/graph"
)

// mostJudged is the number of channels for which judged messages are kept. Those of one
// channel take about 300 kB.
const mostJudged = 128

// judgedAhead holds, for each channel, the messages before its next trigger as they were
// judged. Whoever receives the table owns it until sending it back.
type judgedAhead struct {
	table chan *judgedTable
	seed  maphash.Seed
}

type judgedTable struct {
	channels map[graph.ChannelID]judged
	clock    uint64
}

// judged is a window without its trigger.
type judged struct {
	fingerprint uint64 // of the messages
	workspace   *workspace
	since       uint64 // when it was put, by the table's clock
}

func newJudgedAhead() judgedAhead {
	a := judgedAhead{table: make(chan *judgedTable, 1), seed: maphash.MakeSeed()}
	a.table <- &judgedTable{channels: make(map[graph.ChannelID]judged)}
	return a
}

// put keeps what was judged of a channel. It returns a workspace that is free because of
// that: the channel's earlier one, or that of the channel judged longest ago. It returns
// nil if there is none.
func (a *judgedAhead) put(channel graph.ChannelID, fingerprint uint64, r *workspace) *workspace {
	t := <-a.table
	defer func() { a.table <- t }()
	old := t.channels[channel].workspace
	if old == nil && len(t.channels) >= mostJudged {
		idle := channel
		for other, j := range t.channels {
			if idle == channel || j.since < t.channels[idle].since {
				idle = other
			}
		}
		old = t.channels[idle].workspace
		delete(t.channels, idle)
	}
	t.clock++
	t.channels[channel] = judged{fingerprint, r, t.clock}
	return old
}

// take removes and returns the workspace in which exactly these messages were judged. It
// returns nil if there is none.
func (a *judgedAhead) take(channel graph.ChannelID, before []*graph.Message) *workspace {
	t := <-a.table
	kept, is := t.channels[channel]
	a.table <- t
	if !is || kept.fingerprint != a.fingerprint(before) {
		return nil
	}
	return a.remove(channel, func(j judged) bool { return j.workspace == kept.workspace })
}

// remove removes what is kept of a channel, if it is wanted, and returns its workspace.
func (a *judgedAhead) remove(channel graph.ChannelID, wanted func(judged) bool) *workspace {
	t := <-a.table
	defer func() { a.table <- t }()
	kept, is := t.channels[channel]
	if !is || !wanted(kept) {
		return nil
	}
	delete(t.channels, channel)
	return kept.workspace
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
