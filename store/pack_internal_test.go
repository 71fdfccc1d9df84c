package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"runtime"
	"strings"
	"testing"
)

// TestWhatClaimsToBeLongIsRefused unpacks what was packed, and forms that are damaged or claim
// lengths that they cannot have.
func TestWhatClaimsToBeLongIsRefused(t *testing.T) {
	p := newPacker()
	for _, value := range []string{"", "x", strings.Repeat("ab", leastPacked), strings.Repeat("\x00", 1<<20)} {
		packed := p.pack(value)
		if back, err := p.unpack([]byte(packed)); err != nil || string(back) != value {
			t.Errorf("%d bytes are unpacked as %d, %v", len(value), len(back), err)
		}
		if len(value) >= leastPacked && len(packed) > len(value)/10 {
			t.Errorf("%d bytes that repeat are packed as %d", len(value), len(packed))
		}
	}
	deflated := p.pack(strings.Repeat("ab", leastPacked))
	_, begin := binary.Uvarint([]byte(deflated))
	claiming := func(length uint64) []byte {
		return append(binary.AppendUvarint(nil, length), deflated[begin:]...)
	}
	for what, form := range map[string][]byte{
		"nothing":                        nil,
		"a length that goes on":          bytes.Repeat([]byte{0xff}, 20),
		"a length without a value":       {5},
		"a length above the bound":       append(binary.AppendUvarint(nil, mostPacked+1), make([]byte, mostPacked/mostGain+1)...),
		"a length above what it can":     claiming(mostPacked),
		"a length that is short":         claiming(2*leastPacked - 1),
		"a length that is long":          claiming(2*leastPacked + 1),
		"a value that is cut":            []byte(deflated[:len(deflated)-1]),
		"a value that something follows": append([]byte(deflated), 0),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		value, err := p.unpack(form)
		runtime.ReadMemStats(&after)
		if !errors.Is(err, errPacked) {
			t.Errorf("%s is unpacked as %d bytes, %v, want %v", what, len(value), err, errPacked)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 4<<20 {
			t.Errorf("%s takes %d bytes of memory, want few", what, took)
		}
	}
}

// FuzzUnpack checks that arbitrary bytes are unpacked within bounds, and without a panic.
func FuzzUnpack(f *testing.F) {
	p := newPacker()
	f.Add([]byte(p.pack("short")))
	f.Add([]byte(p.pack(strings.Repeat("long ", leastPacked))))
	f.Fuzz(func(t *testing.T, form []byte) {
		if value, err := p.unpack(form); err == nil && len(value) > mostGain*len(form) {
			t.Errorf("%d bytes are unpacked as %d", len(form), len(value))
		}
	})
}
