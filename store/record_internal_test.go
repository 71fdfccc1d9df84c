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

// FuzzRecord sees to it that no bytes behind a right checksum are more than an error.
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
			t.Errorf("it ends with %v", err)
		}
		_ = Link(payload)
		if _, _, err := decodeRecalled(key, Member{Name: key.Name, Value: []byte(seal(key, payload))}); err != nil && !errors.Is(err, ErrCorrupt) {
			t.Errorf("recalling ends with %v", err)
		}
	})
}
