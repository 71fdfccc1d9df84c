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

// hidden is the number of hidden units. All but unit 0 are rectified (ReLU). Unit 0 is a
// linear model beside them, whose weight in the score is 1.
const hidden = 32

// Units holds a value for each hidden unit.
type Units [hidden]float32

// Network holds the weights of a link model, a network with one hidden layer. The score of
// a candidate with the inputs x is
//
//	u₀ + Σₕ out[h] · max(0, uₕ), for h from 1, where u = bias + Σᵢ x[i] · in[i].
//
// The softmax of the scores of all candidates and of "none" is a row of links. A Network
// never changes, and may be used by many goroutines.
type Network struct {
	In   [inputs]Units
	Bias Units
	Out  Units
}

// Read returns the score for the values of the hidden units.
func (net *Network) Read(u *Units) float32 {
	score := u[0]
	for h := 1; h < hidden; h++ {
		if x := u[h]; x > 0 {
			score += float32(net.Out[h] * x)
		}
	}
	return score
}

// Add adds the weighted active inputs to the hidden units, eight of these at a time, so that the
// sums stay in registers. Without the conversions, a compiler may fuse product and sum, which
// rounds once instead of twice.
func (net *Network) Add(u *Units, a *Inputs) {
	const lanes = 8
	for at := 0; at < hidden; at += lanes {
		to := (*[lanes]float32)(u[at:])
		s0, s1, s2, s3, s4, s5, s6, s7 := to[0], to[1], to[2], to[3], to[4], to[5], to[6], to[7]
		for k := range a.N {
			x, from := a.Value[k], (*[lanes]float32)(net.In[a.Index[k]][at:])
			s0 += float32(x * from[0])
			s1 += float32(x * from[1])
			s2 += float32(x * from[2])
			s3 += float32(x * from[3])
			s4 += float32(x * from[4])
			s5 += float32(x * from[5])
			s6 += float32(x * from[6])
			s7 += float32(x * from[7])
		}
		*to = [lanes]float32{s0, s1, s2, s3, s4, s5, s6, s7}
	}
}

// addTimes adds x times from to to. It rounds as Add does.
func addTimes(to, from []float32, x float32) {
	from = from[:len(to)]
	for k := range to {
		to[k] += float32(x * from[k])
	}
}

// hopeless is the distance from the highest score beyond which a probability, less than
// 4e-11, counts as 0.
const hopeless = -24

// unjudged is the score of a message that is no candidate. Its probability is 0.
const unjudged = -1e30

// Softmax replaces scores by probabilities, which are proportional to their exponentials.
// A score whose distance from the highest one is at most floor, which is negative, gets 0.
func Softmax(scores []float32, floor float32) {
	top := scores[0]
	for _, s := range scores {
		top = max(top, s)
	}
	sum := float32(0)
	for i, s := range scores {
		var p float32
		if s -= top; s > floor {
			p = float32(math.Exp(float64(s)))
		}
		scores[i] = p
		sum += p
	}
	for i := range scores {
		scores[i] /= sum
	}
}

// learnt are the weights that heddle ships with. `lab train` writes them from the logs
// that docs/context-quality.md names.
//
//go:embed weights.bin
var learnt []byte

// magic is the beginning of a file of weights. The number is the version of the inputs.
const magic = "heddle affinity 5\n"

// Weights are the two networks of a link model, and the one that judges what questions
// need. Busy judges links where people write often, and where a window is too short to
// show its pace. Elsewhere Quiet does. Weights never change.
type Weights struct {
	Quiet, Busy *Network
	Needs       *Needs
}

var errWeights = errors.New("these are no weights for this version; train them again")

// Default returns the model that heddle ships with.
func Default() (*Model, error) { return Read(bytes.NewReader(learnt)) }

// Read returns the model with the weights that Write wrote.
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
		*net = new(Network)
		(*net).each(func(u *Units) {
			for h := range u {
				u[h] = math.Float32frombits(uint32(binary.LittleEndian.Uint16(body)) << 16)
				body = body[2:]
			}
		})
	}
	s.Needs = new(Needs)
	if err := binary.Read(r, binary.LittleEndian, s.Needs); err != nil {
		return nil, fmt.Errorf("%w: %w", errWeights, err)
	}
	return NewModel(s), nil
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
