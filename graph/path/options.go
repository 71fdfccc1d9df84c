package path

import "encoding/binary"

// Options are the options of a request. Those that make an answer deterministic belong
// to the path (see Root): a temperature of exactly 0, the token limit, the stop
// sequences and the seed.
type Options struct {
	Temperature *float64 `json:"temperature,omitempty"` // nil: the provider's default
	MaxTokens   int      `json:"max_tokens,omitempty"`  // of the answer; 0: the provider's default
	Stop        []string `json:"stop,omitempty"`
	Seed        *int     `json:"seed,omitempty"`
}

// Tool is a tool that the model may call.
type Tool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Schema      string `json:"schema"` // JSON schema of the arguments

	// canonical is the hashed form of the schema; canonicalOf is the schema that it was
	// made of.
	canonical, canonicalOf string
}

// Prepared returns an equal tool that hashes faster. A caller that uses the same tools
// repeatedly prepares them once.
func (t Tool) Prepared() Tool {
	t.canonical, t.canonicalOf = string(t.canonicalSchema()), t.Schema
	return t
}

func (t Tool) canonicalSchema() []byte {
	schema := []byte(t.Schema)
	if canonical, err := CanonicalJSON(schema); err == nil {
		return canonical
	}
	return schema
}

func (t Tool) appendCanonical(b []byte) []byte {
	b = appendText(b, t.Name)
	b = appendText(b, t.Description)
	if t.canonicalOf == t.Schema && t.Schema != "" {
		b = binary.AppendUvarint(b, uint64(len(t.canonical)))
		return append(b, t.canonical...)
	}
	return appendField(b, t.canonicalSchema())
}
