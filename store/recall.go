package store

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"heddle/graph"
	"heddle/graph/path"
)

// Recalled is what a later mention needs to know about an answer in its conversation.
type Recalled struct {
	ID           ResponseID
	Channel      graph.ChannelID
	Trigger      graph.MessageID
	Text         string
	FinishReason string
	Confidence   *float64  // Confidence.Comparable; nil if unknown
	Root         path.Hash // root of its path
	Cut          int
	Checkpoint   int
	Dropped      int
	Summary      SummaryID
	CacheKey     string
	Shown        []graph.AttachmentID
	Artifacts    []Artifact // only attachment, message and name of each
	Files        []Artifact // likewise
	Transcript   Turns
	Sources      []SourceRef // all messages that the answer's request was made from

	created time.Time
	prompts []byte // concatenated
}

// Prompts returns the prompt hashes of the turns of the answer's path.
func (r *Recalled) Prompts() []path.Hash {
	prompts := make([]path.Hash, len(r.prompts)/hashSize)
	for i := range prompts {
		prompts[i] = path.Hash(r.prompts[i*hashSize:])
	}
	return prompts
}

// Recall returns the same responses as ByReplies, in one round trip and without
// decoding whole records, because every mention waits for it.
func (s *Responses) Recall(ctx context.Context, scope Scope, replies []graph.MessageID) (map[graph.MessageID]Recalled, error) {
	recollected, err := s.Recollect(ctx, scope, replies)
	return recollected.Found, err
}

// Recollected is what Recollect found for some messages.
type Recollected struct {
	Found map[graph.MessageID]Recalled
	// Erased holds the messages for which nothing is stored any more, because a
	// deletion reached the response that they show.
	Erased map[graph.MessageID]bool
}

// Recollect is like Recall, and also reports for which messages the response was
// erased.
func (s *Responses) Recollect(ctx context.Context, scope Scope, replies []graph.MessageID) (Recollected, error) {
	known := Recollected{make(map[graph.MessageID]Recalled, len(replies)), make(map[graph.MessageID]bool)}
	if len(replies) == 0 {
		return known, nil
	}
	members, err := s.base.members(ctx, scope, shownBy(replies)...)
	if err != nil {
		return Recollected{}, fmt.Errorf("recall the answers behind replies: %w", err)
	}
	for i, reply := range replies {
		erased := false
		for _, set := range members[2*i : 2*i+2] {
			newest, found, gone := s.base.newest(ctx, scope, set)
			erased = erased || gone
			if found {
				known.Found[reply] = newest
				break
			}
		}
		if _, found := known.Found[reply]; erased && !found {
			known.Erased[reply] = true
		}
	}
	return known, nil
}

// shownBy returns two queries for each reply: for the response that was chosen for it,
// and for the responses that were sent as it.
func shownBy(replies []graph.MessageID) []Query {
	queries := make([]Query, 0, 2*len(replies))
	for _, reply := range replies {
		queries = append(queries, Query{Set: shownName(reply)}, Query{Set: replyName(reply)})
	}
	return queries
}

// newest returns the newest response among the members of a set. found reports whether
// there is one, and erased whether a deletion reached any.
func (s *base) newest(ctx context.Context, scope Scope, members []Member) (newest Recalled, found, erased bool) {
	for _, member := range members {
		if member.Value == nil {
			continue
		}
		r, gone, err := decodeRecalled(Key{scope, member.Name}, member)
		switch {
		case err != nil:
			s.reject(ctx, err)
		case gone:
			erased = true
		case !found || r.newer(&newest):
			newest, found = r, true
		}
	}
	return newest, found, erased
}

func (r *Recalled) newer(other *Recalled) bool {
	return cmp.Or(r.created.Compare(other.created), bytes.Compare(r.ID[:], other.ID[:])) > 0
}

// headMark begins a record's head.
const headMark = 1

// The flags of a head.
const (
	headGone       = 1 << iota // a deletion reached the response
	headTools                  // the JSON holds a transcript
	headConfidence             // a comparable confidence follows
	headDropped                // messages were left out
)

// appendHead appends what Recall needs of a response. The JSON part of the record
// contains the same, but decoding it would take longer.
func (r *Response) appendHead(b []byte) []byte {
	var flags byte
	confidence := r.Confidence.Comparable()
	if confidence != nil {
		flags |= headConfidence
	}
	if r.Gone() {
		flags |= headGone
	}
	if len(r.Transcript) > 0 {
		flags |= headTools
	}
	if r.Dropped > 0 {
		flags |= headDropped
	}
	head := binary.AppendUvarint([]byte{flags}, uint64(r.Channel))
	head = binary.AppendUvarint(head, uint64(r.Trigger))
	head = binary.AppendVarint(head, r.Created.Unix())
	head = binary.AppendUvarint(head, uint64(r.Created.Nanosecond())) //nolint:gosec // not negative
	head = binary.AppendVarint(head, int64(r.Cut))
	head = binary.AppendVarint(head, int64(r.Checkpoint))
	if r.Dropped > 0 {
		head = binary.AppendVarint(head, int64(r.Dropped))
	}
	head = binary.AppendUvarint(head, uint64(r.Summary))
	head = append(binary.AppendUvarint(head, uint64(len(r.CacheKey))), r.CacheKey...)
	head = binary.AppendUvarint(head, uint64(len(r.Shown)))
	for _, id := range r.Shown {
		head = binary.AppendUvarint(head, uint64(id))
	}
	if confidence != nil {
		head = binary.BigEndian.AppendUint64(head, math.Float64bits(*confidence))
	}
	head = appendArtifacts(appendArtifacts(head, r.Artifacts), r.Files)
	head = append(head, r.FinishReason...)
	b = binary.AppendUvarint(append(b, headMark), uint64(len(head)))
	return append(b, head...)
}

func appendArtifacts(b []byte, artifacts []Artifact) []byte {
	b = binary.AppendUvarint(b, uint64(len(artifacts)))
	for _, a := range artifacts {
		b = binary.AppendUvarint(b, uint64(a.Attachment))
		b = binary.AppendUvarint(b, uint64(a.Message))
		b = append(binary.AppendUvarint(b, uint64(len(a.Name))), a.Name...)
	}
	return b
}

// artifacts reads what appendArtifacts wrote.
func (r *reading) artifacts() []Artifact {
	const shortest = 3 // bytes
	var artifacts []Artifact
	for range r.count(shortest) {
		artifacts = append(artifacts, Artifact{
			Attachment: graph.AttachmentID(r.uvarint()), Message: graph.MessageID(r.uvarint()), Name: r.text(),
		})
	}
	return artifacts
}

// head reads a record's head.
func (r *reading) head() []byte {
	if r.byte() != headMark {
		r.short = true
	}
	return r.take(r.count(1))
}

// readHead reads what appendHead wrote and returns its flags.
func (r *Recalled) readHead(head []byte) (flags byte, ok bool) {
	in := reading{rest: head}
	flags = in.byte()
	r.Channel, r.Trigger = graph.ChannelID(in.uvarint()), graph.MessageID(in.uvarint())
	r.created = time.Unix(in.varint(), int64(in.uvarint())) //nolint:gosec // as it was written
	r.Cut, r.Checkpoint = int(in.varint()), int(in.varint())
	if flags&headDropped != 0 {
		r.Dropped = int(in.varint())
	}
	r.Summary, r.CacheKey = SummaryID(in.uvarint()), in.text()
	for range in.count(1) {
		r.Shown = append(r.Shown, graph.AttachmentID(in.uvarint()))
	}
	if flags&headConfidence != 0 {
		if b := in.take(8); b != nil {
			confidence := math.Float64frombits(binary.BigEndian.Uint64(b))
			r.Confidence = &confidence
		}
	}
	r.Artifacts, r.Files = in.artifacts(), in.artifacts()
	r.FinishReason = string(in.rest)
	return flags, !in.short
}

// decodeRecalled decodes what Recall needs of a record. gone reports whether a deletion
// reached the response. It does not check that the record matches its own hashes;
// Verify does.
func decodeRecalled(key Key, member Member) (r Recalled, gone bool, err error) {
	payload, err := unseal(key, member.Value)
	if err != nil {
		return Recalled{}, false, err
	}
	in := reading{rest: payload}
	link := string(in.take(int(in.byte())))
	r.Root = in.hash()
	r.prompts = in.take(hashSize * in.count(hashSize))
	r.Sources = in.sources()
	head := in.head()
	copy(r.ID[:], strings.TrimPrefix(key.Name, RecordPrefix))
	flags, ok := r.readHead(head)
	if !ok || in.short {
		return Recalled{}, false, fmt.Errorf("%w: it does not decode", ErrCorrupt)
	}
	settle(r.Sources, r.Channel)
	if flags&headTools != 0 {
		if err := r.readTranscript(in.rest); err != nil {
			return Recalled{}, false, err
		}
	}
	r.Text, err = linkedText(key.Scope, link, member.Linked)
	return r, flags&headGone != 0, err
}

// readTranscript decodes the transcript in a record's JSON. Few answers have one.
func (r *Recalled) readTranscript(data []byte) error {
	var stored struct {
		Transcript Turns `json:"transcript"`
	}
	if err := json.Unmarshal(data, &stored); err != nil {
		return fmt.Errorf("%w: it does not decode: %w", ErrCorrupt, err)
	}
	r.Transcript = stored.Transcript
	return nil
}
