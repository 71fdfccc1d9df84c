package graph

import (
	"encoding/binary"
	"hash/maphash"
	"math"
	"slices"
)

// foreseenChannels is the number of channels for which drawn turns are kept. Each takes
// about 20 kB.
const foreseenChannels = 128

// Foreseen keeps, for some channels, how the turns before the next trigger are drawn,
// so that only the trigger's own turns remain to be drawn when it arrives. The result
// is the same bit for bit. Foreseen holds who spoke in which order, but nothing of what
// was said. It may be used by any goroutine.
type Foreseen struct {
	seed  maphash.Seed
	table chan *foreseenTable // whoever receives the table owns it until sending it back
}

type foreseenTable struct {
	channels map[ChannelID]*foreseen
	clock    uint64
}

// foreseen is how the turns before the next trigger of a channel were drawn.
type foreseen struct {
	key     uint64         // a hash of everything that they were drawn from
	roots   [][draws]uint8 // by message; see forests
	weights [draws]float64
	talks   []foreseenTalk
	since   uint64
}

// foreseenTalk is who speaks in a talk of one draw.
type foreseenTalk struct {
	first, draw uint8
	turnOrder
}

// mostForeseen bounds the messages of a channel for which turns are kept.
const mostForeseen = math.MaxUint8

// NewForeseen returns a Foreseen that keeps nothing yet.
func NewForeseen() *Foreseen {
	f := &Foreseen{seed: maphash.MakeSeed(), table: make(chan *foreseenTable, 1)}
	f.table <- &foreseenTable{channels: make(map[ChannelID]*foreseen)}
	return f
}

// Forget drops what is kept for a channel.
func (f *Foreseen) Forget(channel ChannelID) {
	if f == nil {
		return
	}
	t := <-f.table
	defer func() { f.table <- t }()
	delete(t.channels, channel)
}

// Foresee judges the messages that an expansion would judge together with trigger if it
// arrived now, and keeps in options.Foreseen how their turns are drawn. judge receives
// the messages, oldest first, and returns their links; further rows of these are
// ignored. judge is not called if there are no messages. Every error is one of the
// source.
func Foresee(source Source, trigger Message, options Options, judge func(before []*Message) Links) error {
	memory := options.Scratch.take()
	defer options.Scratch.put(memory)
	l := newLine(source, &trigger, options.bounded(), memory)
	if err := l.readBack(l.options.recent()); err != nil {
		return err
	}
	l.longest = l.threshold(l.options.TimeThreshold)
	w := newWeighing(l, newReferences(l))
	defer memory.keepWeighing(w)
	x, j := w.exploration, &w.judging
	x.exploreRecent()
	x.number()
	j.belief.begin(len(x.explored))
	j.gather(x.explored[0])
	before := j.window[:len(j.window)-1] // without the trigger
	if len(before) == 0 {
		return nil
	}
	j.numbers = j.numbers[:len(before)]
	links := judge(before)
	if options.Foreseen == nil {
		return nil
	}
	j.belief.fill(j.numbers, links)
	j.settleAll()
	if weight := w.turnWeight(); weight > 0 {
		w.belief.linkCertain()
		w.belief.beginTurns(x.spoken(), w.longest, weight)
		options.Foreseen.foresee(trigger.Channel, w.belief)
	}
	return nil
}

// foresee draws the turns of all messages but the last, and keeps them for a channel.
func (f *Foreseen) foresee(channel ChannelID, b *belief) {
	last := b.size - 1
	if last > mostForeseen {
		return
	}
	key := f.key(b)
	if kept := f.of(channel); kept != nil && kept.key == key {
		return
	}
	for j := range last {
		b.turns.draw(b, j)
	}
	f.put(channel, b.keep(key))
}

// resume restores what is kept for a channel if the same would be drawn again. It
// returns the number of the first message whose turns remain to be drawn.
func (f *Foreseen) resume(channel ChannelID, b *belief) (from int) {
	if f == nil {
		return 0
	}
	kept := f.of(channel)
	if kept == nil || len(kept.roots) != b.size-1 || kept.key != f.key(b) {
		return 0
	}
	for i := range kept.roots {
		roots := &b.forests.roots[i]
		for d, root := range &kept.roots[i] {
			roots[d] = int32(root)
		}
	}
	for i := range kept.talks {
		begun := &kept.talks[i]
		b.turns.talks[begun.first][begun.draw] = talk{turnOrder: begun.turnOrder}
	}
	b.turns.weights = kept.weights
	return b.size - 1
}

// keep returns a copy of how the turns of all messages but the last were drawn.
func (b *belief) keep(key uint64) *foreseen {
	last := b.size - 1
	kept := &foreseen{key: key, roots: make([][draws]uint8, last), weights: b.turns.weights}
	begun := 0
	for i, roots := range b.forests.roots[:last] {
		for d, root := range roots {
			kept.roots[i][d] = uint8(root) //nolint:gosec // at most mostForeseen
			if int(root) == i {
				begun++
			}
		}
	}
	kept.talks = make([]foreseenTalk, 0, begun)
	for i, roots := range b.forests.roots[:last] {
		for d, root := range roots {
			if int(root) == i {
				kept.talks = append(kept.talks, foreseenTalk{uint8(i), uint8(d), b.turns.talks[i][d].turnOrder})
			}
		}
	}
	return kept
}

// key returns a hash of everything that the turns of all messages but the last are
// drawn from.
func (f *Foreseen) key(b *belief) uint64 {
	var h maphash.Hash
	h.SetSeed(f.seed)
	var buffer [4 << 10]byte // room for mostForeseen messages
	t, last, to := &b.turns, b.size-1, binary.LittleEndian
	held := to.AppendUint64(buffer[:0], uint64(last)) //nolint:gosec // not negative
	held = to.AppendUint64(held, math.Float64bits(t.weight))
	for j := range last {
		settled := uint32(0)
		if b.settled[j] {
			settled = 1
		}
		held = to.AppendUint32(held, uint32(t.speakers[j])<<1|settled)
		held = to.AppendUint32(held, uint32(t.known[j]))  //nolint:gosec // there are fewer messages
		held = to.AppendUint32(held, uint32(t.pauses[j])) //nolint:gosec // not negative
	}
	_, _ = h.Write(held)
	const size = 4 // of a link
	for links := range slices.Chunk(b.link[:last*(last-1)/2], len(buffer)/size) {
		for i, p := range links {
			to.PutUint32(buffer[size*i:], math.Float32bits(p))
		}
		_, _ = h.Write(buffer[:size*len(links)])
	}
	return h.Sum64()
}

// of returns what is kept for a channel, or nil.
func (f *Foreseen) of(channel ChannelID) *foreseen {
	t := <-f.table
	defer func() { f.table <- t }()
	return t.channels[channel]
}

// put keeps how turns were drawn in a channel. If there are too many channels, it drops
// the one that was drawn longest ago.
func (f *Foreseen) put(channel ChannelID, drawn *foreseen) {
	t := <-f.table
	defer func() { f.table <- t }()
	if _, is := t.channels[channel]; !is && len(t.channels) >= foreseenChannels {
		oldest := channel
		for other, kept := range t.channels {
			if oldest == channel || kept.since < t.channels[oldest].since {
				oldest = other
			}
		}
		delete(t.channels, oldest)
	}
	t.clock++
	drawn.since = t.clock
	t.channels[channel] = drawn
}
