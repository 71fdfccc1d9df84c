package path

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
)

// Hash is a SHA-256 over a canonical encoding. The zero Hash means "unknown".
type Hash [sha256.Size]byte

// String returns the hash in hexadecimal.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// MarshalText returns the hexadecimal form.
func (h Hash) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, h[:]), nil }

// UnmarshalText reads what MarshalText wrote.
func (h *Hash) UnmarshalText(text []byte) error {
	if want := hex.EncodedLen(len(h)); len(text) != want {
		return fmt.Errorf("a hash has %d hexadecimal digits, this one has %d", want, len(text))
	}
	if _, err := hex.Decode(h[:], text); err != nil {
		return fmt.Errorf("read a hash: %w", err)
	}
	return nil
}

// A domain separates the hashes of different kinds of things. Its version separates
// different encodings.
const (
	domainPrompt   = "heddle/1/prompt"
	domainRoot     = "heddle/1/root"
	domainPath     = "heddle/1/path"
	domainResponse = "heddle/1/response"
	domainRequest  = "heddle/1/request"
	domainFacts    = "heddle/4/facts"
)

func sum(domain string, encoded []byte) Hash {
	h := sha256.New()
	_, _ = h.Write(appendText(nil, domain)) // it never fails
	_, _ = h.Write(encoded)
	return Hash(h.Sum(nil))
}

// Hash returns the turn's prompt_hash, over its role, speaker and parts.
func (t Turn) Hash() Hash {
	b := appendText(make([]byte, 0, 512), domainPrompt)
	if plain, is := t.appendPlain(b); is {
		return sha256.Sum256(plain)
	}
	return sha256.Sum256(t.appendCanonical(appendText(nil, domainPrompt)))
}

// Root returns the hash that a path's first turn is chained with. Different tools or
// deterministic options make different trees.
func Root(tools []Tool, options Options) Hash {
	room := 64 // for the number of tools and the options
	for i := range tools {
		room += len(tools[i].encoded)
	}
	b := binary.AppendUvarint(make([]byte, 0, room), uint64(len(tools)))
	for i := range tools {
		b = tools[i].appendCanonical(b)
	}
	return sum(domainRoot, options.appendCanonical(b))
}

// Extend returns the path_hash of a turn: its prompt_hash, chained with the path_hash
// of the turn before, or with the Root for the first turn.
func Extend(parent, prompt Hash) Hash {
	b := appendText(make([]byte, 0, len(domainPath)+1+2*sha256.Size), domainPath)
	return sha256.Sum256(append(append(b, parent[:]...), prompt[:]...))
}

// ResponseHash returns the hash of an answer's text and finish reason.
func ResponseHash(text, finishReason string) Hash {
	return sum(domainResponse, appendText(appendText(nil, text), finishReason))
}

// RequestHash returns the hash of the bytes that were sent to a provider.
func RequestHash(body []byte) Hash { return sum(domainRequest, body) }

// appendCanonical appends the encoding of the options that make an answer
// deterministic. A temperature is one of them only if it is exactly 0.
func (o Options) appendCanonical(b []byte) []byte {
	var cold byte
	if o.Temperature != nil && *o.Temperature == 0 {
		cold = 1
	}
	b = append(b, cold)
	b = binary.AppendVarint(b, int64(o.MaxTokens))
	b = binary.AppendUvarint(b, uint64(len(o.Stop)))
	for _, stop := range o.Stop {
		b = appendText(b, stop)
	}
	seed := int64(math.MinInt64) // no seed
	if o.Seed != nil {
		seed = int64(*o.Seed)
	}
	return binary.AppendVarint(b, seed)
}
