package store

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"sync"
)

// packer compresses values before they are sealed. A value is stored behind its length as a
// uvarint if it is compressed, and otherwise behind 0.
type packer struct {
	writer  chan *flate.Writer // the one that is kept, as it takes 0.6 MB
	readers sync.Pool
}

func newPacker() *packer { return &packer{writer: make(chan *flate.Writer, 1)} }

const (
	leastPacked = 256      // bytes; below them there is little to gain
	mostPacked  = 64 << 20 // bytes; larger values are not compressed, and compressed ones that claim to be larger are damaged
	mostGain    = 1032     // how often DEFLATE makes a text shorter at most
)

// pack returns the stored form of a value.
func (p *packer) pack(value string) string {
	if len(value) < leastPacked || len(value) > mostPacked {
		return "\x00" + value
	}
	var w *flate.Writer
	select {
	case w = <-p.writer:
	default:
		w, _ = flate.NewWriter(nil, flate.BestSpeed) // it never fails: the level is one
	}
	var b strings.Builder
	b.Grow(len(value) / 2) //nolint:mnd // most of what is stored becomes a third
	b.Write(binary.AppendUvarint(nil, uint64(len(value))))
	w.Reset(&b)
	_, err := io.WriteString(w, value)
	if err = errors.Join(err, w.Close()); err != nil {
		panic(err) // never: a Builder takes everything
	}
	select {
	case p.writer <- w:
	default:
	}
	return b.String()
}

// errPacked means that the stored form of a value is damaged.
var errPacked = errors.New("it does not decompress")

// unpack returns the value with this stored form. It allocates no more than DEFLATE can make of
// the form, whatever length that claims.
func (p *packer) unpack(stored []byte) ([]byte, error) {
	length, begin := binary.Uvarint(stored)
	packed := stored[max(begin, 0):]
	switch {
	case begin <= 0 || length > mostPacked || length > mostGain*uint64(len(packed)):
		return nil, errPacked
	case length == 0:
		return packed, nil
	}
	r, _ := p.readers.Get().(io.ReadCloser)
	if r == nil {
		r = flate.NewReader(nil)
	}
	defer p.readers.Put(r)
	from := bytes.NewReader(packed)
	_ = r.(flate.Resetter).Reset(from, nil) //nolint:forcetypeassert // as flate documents; it never fails
	value := make([]byte, length+1)
	if _, err := io.ReadFull(r, value[:length]); err != nil {
		return nil, errPacked
	}
	if n, err := r.Read(value[length:]); n > 0 || !errors.Is(err, io.EOF) || from.Len() > 0 {
		return nil, errPacked
	}
	return value[:length:length], nil
}

// seal returns the form in which a value is stored.
func (s *vault) seal(scope Scope, name, value string) string {
	return s.sealer.Value(string(scope), name, s.packer.pack(value))
}

// open opens a value that is stored under a hidden name. It returns the plain name, too.
func (s *vault) open(scope Scope, hidden string, sealed []byte) (name string, value []byte, err error) {
	name, stored, err := s.sealer.OpenValue(string(scope), hidden, sealed)
	if err == nil {
		value, err = s.packer.unpack(stored)
	}
	return name, value, err
}
