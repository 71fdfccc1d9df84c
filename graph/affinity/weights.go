package affinity

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// learnt are the weights that heddle ships with. They are written by
// `lab train` from the logs that docs/context-quality.md names, never by hand.
//
//go:embed weights.bin
var learnt []byte

// magic is how a file of weights begins. The number is the version of the inputs.
const magic = "heddle affinity 5\n"

// Weights are the two networks of a link model, and the one that judges what questions
// need. Busy judges what answers what where people write often, and where a window is too
// short to show its pace. Elsewhere Quiet does. Weights never change.
type Weights struct {
	Quiet, Busy *Network
	Needs       *Needs
}

var errWeights = errors.New("these are no weights for this version; train them again")

// Default returns the model that heddle ships with.
func Default() (*Model, error) { return Read(bytes.NewReader(learnt)) }

// Read returns the model of weights that Write wrote.
func Read(r io.Reader) (*Model, error) {
	header := make([]byte, len(magic)+4)
	if _, err := io.ReadFull(r, header); err != nil {
		return nil, fmt.Errorf("%w: %w", errWeights, err)
	}
	sizes := header[len(magic):]
	if string(header[:len(magic)]) != magic || binary.LittleEndian.Uint16(sizes) != inputs || binary.LittleEndian.Uint16(sizes[2:]) != hidden {
		return nil, errWeights
	}
	var s Weights
	for _, net := range []**Network{&s.Quiet, &s.Busy} {
		body := make([]byte, 2*hidden*(inputs+2))
		if _, err := io.ReadFull(r, body); err != nil {
			return nil, fmt.Errorf("%w: %w", errWeights, err)
		}
		*net = decodeNetwork(body)
	}
	s.Needs = new(Needs)
	if err := binary.Read(r, binary.LittleEndian, s.Needs); err != nil {
		return nil, fmt.Errorf("%w: %w", errWeights, err)
	}
	return NewModel(s), nil
}

// decodeNetwork returns the network that appendTo appended to body.
func decodeNetwork(body []byte) *Network {
	net := new(Network)
	net.each(func(u *Units) {
		for h := range u {
			u[h] = math.Float32frombits(uint32(binary.LittleEndian.Uint16(body)) << 16)
			body = body[2:]
		}
	})
	return net
}

// Write writes the weights, those of the links rounded to 16 bits.
func (s Weights) Write(w io.Writer) error {
	b := append([]byte(nil), magic...)
	b = binary.LittleEndian.AppendUint16(b, inputs)
	b = binary.LittleEndian.AppendUint16(b, hidden)
	b, err := binary.Append(s.Busy.appendTo(s.Quiet.appendTo(b)), binary.LittleEndian, s.Needs)
	if err == nil {
		_, err = w.Write(b)
	}
	if err != nil {
		return fmt.Errorf("write weights: %w", err)
	}
	return nil
}

// appendTo appends the weights of a network, each rounded to 16 bits.
func (net *Network) appendTo(b []byte) []byte {
	net.each(func(u *Units) {
		for _, x := range u {
			bits := math.Float32bits(x)
			bits += 0x7fff + bits>>16&1 // to the nearest, ties to even
			b = binary.LittleEndian.AppendUint16(b, uint16(bits>>16))
		}
	})
	return b
}

// each visits all weights in the order of the file.
func (net *Network) each(visit func(*Units)) {
	for i := range net.In {
		visit(&net.In[i])
	}
	visit(&net.Bias)
	visit(&net.Out)
}
