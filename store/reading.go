package store

import (
	"crypto/sha256"
	"encoding/binary"
	"time"

	"heddle/graph"
	"heddle/graph/path"
)

// reading decodes a record. If the record ends too early, short is set and everything
// read from then on is zero.
type reading struct {
	rest  []byte
	short bool
}

func (r *reading) take(n int) []byte {
	if r.short || n < 0 || n > len(r.rest) {
		r.short = true
		return nil
	}
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}

func (r *reading) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reading) hash() (h path.Hash) {
	copy(h[:], r.take(sha256.Size))
	return h
}

func (r *reading) uvarint() uint64 {
	n, size := binary.Uvarint(r.rest)
	r.take(max(size, 0))
	r.short = r.short || size <= 0
	return n
}

// text reads a length and a text of that length.
func (r *reading) text() string { return string(r.take(r.count(1))) }

func (r *reading) varint() int64 {
	n, size := binary.Varint(r.rest)
	r.take(max(size, 0))
	r.short = r.short || size <= 0
	return n
}

// numbersOfSource is the number of numbers in a source. Each takes at least one byte.
const numbersOfSource = 5

// sources reads what appendSources wrote. The channel of a source is 0 if it is that of the
// response; see settle.
func (r *reading) sources() []SourceRef {
	n := r.count(numbersOfSource)
	if n == 0 {
		return nil
	}
	sources := make([]SourceRef, n)
	for i := range sources {
		source := &sources[i]
		source.Message = graph.MessageID(r.uvarint())
		source.Channel = graph.ChannelID(r.uvarint())
		source.Author = graph.UserID(r.uvarint())
		if edited := r.varint(); edited != 0 {
			source.Edited = time.UnixMicro(edited).UTC()
		}
		source.Position = int(r.uvarint()) //nolint:gosec // as it was written
	}
	return sources
}

// settle sets the channel of those sources that are in the channel of their response.
func settle(sources []SourceRef, channel graph.ChannelID) {
	for i := range sources {
		if sources[i].Channel == 0 {
			sources[i].Channel = channel
		}
	}
}

// count reads a number of things, each of which takes at least the given number of
// bytes. A number that cannot be true sets short.
func (r *reading) count(bytes int) int {
	n := r.uvarint()
	if n > uint64(len(r.rest)/bytes) { //nolint:gosec // a length
		r.short = true
		return 0
	}
	return int(n) //nolint:gosec // at most len(r.rest)
}
