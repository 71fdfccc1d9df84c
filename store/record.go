package store

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"strings"

	"heddle/graph"
	"heddle/graph/path"
)

// Schema is the version of the stored form. A store with a newer version is refused.
const Schema = 1

// SchemaEncrypted is the version of an encrypted store. The entries that it contains in
// encrypted form are of version Schema.
const SchemaEncrypted = 2

// SchemaName is the name of the entry in ScopeMeta that holds the schema of a store, or
// SchemaRestoring while a backup is restored into it.
const (
	SchemaName      = "schema"
	SchemaRestoring = "restoring"
)

// headerSize is the size of what seal prepends, in bytes: one for the schema and four
// for the checksum.
const headerSize = linkAt

// seal prepends the schema and a checksum to a payload. The checksum also covers the
// scope and the name, so that an entry that was moved to another place is refused.
func seal(key Key, payload []byte) string {
	b := make([]byte, headerSize, headerSize+len(payload))
	b[0] = Schema
	binary.BigEndian.PutUint32(b[1:], checksum(key, payload))
	return string(append(b, payload...))
}

// unseal returns the payload that was passed to seal. It fails with ErrCorrupt or
// ErrSchema.
func unseal(key Key, value []byte) ([]byte, error) {
	if len(value) < headerSize {
		return nil, fmt.Errorf("%w: it has only %d bytes", ErrCorrupt, len(value))
	}
	if value[0] > Schema {
		return nil, fmt.Errorf("%w: it has schema %d, and this version knows up to %d", ErrSchema, value[0], Schema)
	}
	payload := value[headerSize:]
	if value[0] != Schema || binary.BigEndian.Uint32(value[1:]) != checksum(key, payload) {
		return nil, fmt.Errorf("%w: its checksum is wrong", ErrCorrupt)
	}
	return payload, nil
}

func checksum(key Key, payload []byte) uint32 {
	table := crc32.MakeTable(crc32.Castagnoli)
	sum := ^uint32(0)
	for _, name := range [...]string{string(key.Scope), "\x00", key.Name} { // by hand, because package crc32 would move the names to the heap
		for i := range len(name) {
			sum = table[byte(sum)^name[i]] ^ sum>>8 //nolint:gosec // its low byte
		}
	}
	return crc32.Update(^sum, table, payload)
}

// A record consists of the name of the turn with its text, the root, the prompt hashes,
// the sources, the head (see appendHead), and everything else as JSON.

const hashSize = sha256.Size

// fields is a Response without its methods.
type fields Response

// storedFields is the JSON part of a record. Its own fields shadow those of Response
// that are stored elsewhere.
type storedFields struct {
	*fields

	Text    string        `json:"text,omitempty"`
	Sources []SourceRef   `json:"sources,omitempty"`
	Replies []storedReply `json:"replies,omitempty"`
}

// storedReply is the stored form of a Reply. Its text is a range of the answer's text
// or, if it is not contained there, Text.
type storedReply struct {
	ID   graph.MessageID `json:"id"`
	From int             `json:"from,omitempty"` // bytes
	Size int             `json:"size,omitempty"` // bytes
	Text string          `json:"text,omitempty"`
}

// answer returns the turn with the response's text. Later paths contain the same turn,
// so the text is stored once.
func (r *Response) answer() path.Turn {
	return path.Turn{Role: path.RoleAssistant, Parts: []path.Part{path.Text(r.Text)}}
}

// encode returns the record of the response.
func (r *Response) encode() (string, error) {
	b := []byte{0} // no link
	if r.Text != "" {
		link := turnName(r.answer().Hash())
		b = append([]byte{byte(len(link))}, link...) //nolint:gosec // a letter and a hash
	}
	b = append(b, r.Root[:]...)
	b = binary.AppendUvarint(b, uint64(len(r.Prompts)))
	for _, prompt := range r.Prompts {
		b = append(b, prompt[:]...)
	}
	b = r.appendHead(r.appendSources(b))
	stored := storedFields{fields: (*fields)(r)}
	for _, reply := range r.Replies {
		s := storedReply{ID: reply.ID, Text: reply.Text}
		if at := strings.Index(r.Text, reply.Text); at >= 0 {
			s = storedReply{ID: reply.ID, From: at, Size: len(reply.Text)}
		}
		stored.Replies = append(stored.Replies, s)
	}
	rest, err := json.Marshal(stored)
	if err != nil {
		return "", fmt.Errorf("encode a response: %w", err)
	}
	return seal(Key{r.Scope, recordName(r.ID)}, append(b, rest...)), nil
}

// appendSources appends the sources of a response. The response's own channel is written
// as 0.
func (r *Response) appendSources(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(r.Sources)))
	for _, source := range r.Sources {
		channel, edited := source.Channel, int64(0)
		if channel == r.Channel {
			channel = 0
		}
		if !source.Edited.IsZero() {
			edited = source.Edited.UnixMicro()
		}
		b = binary.AppendUvarint(b, uint64(source.Message))
		b = binary.AppendUvarint(b, uint64(channel))
		b = binary.AppendUvarint(b, uint64(source.Author))
		b = binary.AppendVarint(b, edited)
		b = binary.AppendUvarint(b, uint64(source.Position)) //nolint:gosec // not negative
	}
	return b
}

// record is a response as it was read, before its text is resolved.
type record struct {
	Response

	link    string // name of the entry with the text
	replies []storedReply
}

// decodeResponse decodes what encode wrote, with the text that it links to.
func decodeResponse(key Key, member Member) (Response, error) {
	r, err := decodeRecord(key, member.Value)
	if err != nil || r.link == "" {
		return r.Response, err
	}
	if r.Text, err = linkedText(key.Scope, r.link, member.Linked); err != nil {
		return Response{}, err
	}
	for i, reply := range r.replies {
		if reply.Size > 0 && reply.From >= 0 && reply.From+reply.Size <= len(r.Text) {
			r.Replies[i].Text = r.Text[reply.From : reply.From+reply.Size]
		}
	}
	return r.Response, nil
}

// linkedText returns the text of the turn that a record links to, or "" if it links to
// none.
func linkedText(scope Scope, link string, value []byte) (string, error) {
	if link == "" {
		return "", nil
	}
	if len(link) != len(turnName(path.Hash{})) {
		return "", fmt.Errorf("%w: it does not decode", ErrCorrupt)
	}
	turn, err := decodeTurn(Key{scope, link}, path.Hash([]byte(link[1:])), value)
	if err != nil || len(turn.Parts) == 0 {
		return "", err
	}
	text, _ := turn.Parts[0].(path.Text)
	return string(text), nil
}

// decodeRecord decodes what encode wrote. It fails with ErrCorrupt if the record
// belongs to another key or does not match its own hashes.
func decodeRecord(key Key, value []byte) (record, error) {
	payload, err := unseal(key, value)
	if err != nil {
		return record{}, err
	}
	in := reading{rest: payload}
	r := record{link: string(in.take(int(in.byte())))}
	r.Root = in.hash()
	r.Prompts = make([]path.Hash, in.count(hashSize))
	for i := range r.Prompts {
		r.Prompts[i] = in.hash()
	}
	sources := in.sources()
	in.head()
	stored := storedFields{fields: (*fields)(&r.Response)}
	if in.short || json.Unmarshal(in.rest, &stored) != nil || r.link != "" && len(r.link) != len(turnName(path.Hash{})) {
		return record{}, fmt.Errorf("%w: it does not decode", ErrCorrupt)
	}
	settle(sources, r.Channel)
	r.replies, r.Sources = stored.Replies, sources
	for _, reply := range stored.Replies {
		r.Replies = append(r.Replies, Reply{ID: reply.ID, Text: reply.Text})
	}
	return r, r.checkKey(key)
}

func (r *Response) checkKey(key Key) error {
	if r.Scope != key.Scope || recordName(r.ID) != key.Name {
		return fmt.Errorf("%w: it belongs to another key", ErrCorrupt)
	}
	if nodes := r.nodes(); !r.Gone() && nodes[len(nodes)-1] != r.PathHash {
		return fmt.Errorf("%w: its path does not match its path_hash", ErrCorrupt)
	}
	return nil
}

// nodes returns the nodes of the response's path: the root, then one for each turn.
func (r *Response) nodes() []path.Hash {
	nodes := make([]path.Hash, 1, len(r.Prompts)+1)
	nodes[0] = r.Root
	for i, prompt := range r.Prompts {
		nodes = append(nodes, path.Extend(nodes[i], prompt))
	}
	return nodes
}
