package path

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

	// encoded is the hashed form of the tool, and encodedOf are the fields that it was made
	// of.
	encoded   string
	encodedOf [3]string
}

// Prepared returns an equal tool that hashes faster. A caller that uses the same tools
// repeatedly prepares them once.
func (t Tool) Prepared() Tool {
	t.encoded, t.encodedOf = string(t.encode(nil)), t.fields()
	return t
}

func (t Tool) fields() [3]string { return [...]string{t.Name, t.Description, t.Schema} }

// appendCanonical appends the encoding of the parts of a tool that are hashed.
func (t Tool) appendCanonical(b []byte) []byte {
	if t.encoded != "" && t.encodedOf == t.fields() {
		return append(b, t.encoded...)
	}
	return t.encode(b)
}

// encode is appendCanonical without what Prepared keeps.
func (t Tool) encode(b []byte) []byte {
	schema := []byte(t.Schema)
	if canonical, err := CanonicalJSON(schema); err == nil {
		schema = canonical
	}
	return appendField(appendText(appendText(b, t.Name), t.Description), schema)
}
