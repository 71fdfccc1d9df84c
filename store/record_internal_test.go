package store

import (
	"errors"
	"testing"
	"time"

	"heddle/graph/path"
)

func sample() Response {
	r := Response{
		Standing: Standing{
			Scope: "g1", Channel: 5, Trigger: 7, Created: time.Unix(1, 0).UTC(),
			Replies: []Reply{{ID: 8, Text: "two"}, {ID: 9, Text: "parts"}, {ID: 10, Text: "```\nelsewhere"}},
		},
		Input: Input{
			Path:    []path.Turn{{Role: path.RoleUser, Parts: []path.Part{path.Text("hi")}}},
			Sources: []SourceRef{{Message: 7, Channel: 5, Author: 3, Edited: time.UnixMicro(1234567).UTC()}, {Message: 6, Channel: 4, Author: 2}},
		},
		Output: Output{Text: "two\nparts"},
	}
	r.PathHash = path.Path{Turns: r.Path}.Hash()
	return r
}

// FuzzRecord checks that arbitrary bytes with a correct checksum are refused without a
// panic.
func FuzzRecord(f *testing.F) {
	r := sample()
	if err := r.complete(); err != nil {
		f.Fatal(err)
	}
	value, err := r.encode()
	if err != nil {
		f.Fatal(err)
	}
	key := Key{r.Scope, recordName(r.ID)}
	f.Add([]byte(value[headerSize:]))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, payload []byte) {
		_, err := decodeRecord(key, []byte(seal(key, payload)))
		if err != nil && !errors.Is(err, ErrCorrupt) {
			t.Errorf("decoding returns %v, want ErrCorrupt or none", err)
		}
		_ = Link(payload)
		if _, _, err := decodeRecalled(key, Member{Name: key.Name, Value: []byte(seal(key, payload))}); err != nil && !errors.Is(err, ErrCorrupt) {
			t.Errorf("recalling returns %v, want ErrCorrupt or none", err)
		}
	})
}

// TestAnEntryMovedElsewhereIsRefused moves a turn, whose payload does not contain its
// name, and a whole record.
func TestAnEntryMovedElsewhereIsRefused(t *testing.T) {
	t.Parallel()
	r := sample()
	if err := r.complete(); err != nil {
		t.Fatal(err)
	}
	record, err := r.encode()
	if err != nil {
		t.Fatal(err)
	}
	turn := Key{r.Scope, turnName(r.Prompts[0])}
	value := []byte(seal(turn, path.AppendTurn(nil, r.Path[0])))
	if _, err := decodeTurn(turn, r.Prompts[0], value); err != nil {
		t.Errorf("the turn does not open in its own place: %v", err)
	}
	for _, elsewhere := range []Key{{"g2", turn.Name}, {"", turn.Name}, {r.Scope, "x" + turn.Name[1:]}, {r.Scope + Scope(turn.Name[:1]), turn.Name[1:]}} {
		if _, err := decodeTurn(elsewhere, r.Prompts[0], value); !errors.Is(err, ErrCorrupt) {
			t.Errorf("the turn opens as %q: %v, want %v", elsewhere, err, ErrCorrupt)
		}
	}
	for _, elsewhere := range []Key{{"g2", recordName(r.ID)}, {r.Scope, recordName(ResponseID{1})}} {
		if _, err := unseal(elsewhere, []byte(record)); !errors.Is(err, ErrCorrupt) {
			t.Errorf("the record opens as %q: %v, want %v", elsewhere, err, ErrCorrupt)
		}
	}
}
