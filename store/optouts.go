package store

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"slices"

	"heddle/graph"
)

// OptOuts stores the ids of people who opted out. Nothing that they write may be used
// until they opt in. The ids do not expire.
type OptOuts struct{ base *base }

// OptedOut is the sorted list of people who opted out. Version is different after every
// change.
type OptedOut struct {
	Version string
	People  []graph.UserID
}

// The entries of scopePeople.
const (
	optedOutName = "out"     // set: who opted out
	versionName  = "version" // value: the version of that set
	erasingName  = "erasing" // set: the people and guilds that are being erased
)

// Add records that a person opted out.
func (o *OptOuts) Add(ctx context.Context, person graph.UserID) error {
	return o.base.apply(ctx, "record that a person opted out", Change{scopePeople, optingOut(person)})
}

// Remove records that a person opted in.
func (o *OptOuts) Remove(ctx context.Context, person graph.UserID) error {
	return o.base.apply(ctx, "record that a person opted in", Change{scopePeople, []Op{
		{Kind: OpRemove, Name: optedOutName, Value: idBytes(person)}, newVersion(),
	}})
}

// optingOut returns the steps that opt a person out.
func optingOut(person graph.UserID) []Op {
	return []Op{{Kind: OpAdd, Name: optedOutName, Value: idBytes(person), TTL: forever}, newVersion()}
}

func newVersion() Op { return Op{Kind: OpPut, Name: versionName, Value: rand.Text(), TTL: forever} }

// Version returns the version of the list; "" if nobody ever opted out.
func (o *OptOuts) Version(ctx context.Context) (string, error) {
	values, err := o.base.get(ctx, Key{scopePeople, versionName})
	if err != nil {
		return "", fmt.Errorf("look for people who opted out: %w", err)
	}
	return string(values[0]), nil
}

// All returns the list. If it changes during the call, the version returned is that
// before the change.
func (o *OptOuts) All(ctx context.Context) (OptedOut, error) {
	version, err := o.Version(ctx)
	if err != nil {
		return OptedOut{}, err
	}
	members, err := o.base.members(ctx, scopePeople, Query{Set: optedOutName, Names: true})
	if err != nil {
		return OptedOut{}, fmt.Errorf("list who opted out: %w", err)
	}
	all := OptedOut{Version: version}
	for _, member := range members[0] {
		if len(member.Name) != idSize {
			o.base.reject(ctx, fmt.Errorf("%w: a person who opted out in %d bytes", ErrCorrupt, len(member.Name)))
			continue
		}
		all.People = append(all.People, graph.UserID(binary.BigEndian.Uint64([]byte(member.Name))))
	}
	slices.Sort(all.People)
	return all, nil
}
