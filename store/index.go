package store

import (
	"context"
	"fmt"
	"slices"

	"heddle/graph"
)

// index is an entry of a set that leads to a response. The member is the name of its record.
// Only the sources of a response are not in a set each, which were most of what a response
// wrote: all that Discord created within the same 70 minutes share the set of that time, with
// a member that is the name of the record, followed by their ids.
type index struct{ set, member string }

// bucketBits are the lower bits in which ids of the same 70 minutes differ: 22 below the
// milliseconds, and as many of these.
const bucketBits = 44

// bucketName returns the name of the set in which the index with this name is stored.
func bucketName(set string) string {
	if !isSource(set) {
		return set
	}
	return sourceName(graph.MessageID(idOf(set[1:]) >> bucketBits))
}

// isSource reports whether sourceName returned the name.
func isSource(set string) bool { return set[:1] == sourceName(0)[:1] }

// indexes returns the indexes that lead to a response, each once.
func (r *Response) indexes() []index {
	name := recordName(r.ID)
	names := []string{responsesName, channelName(r.Channel)}
	if r.Original() == r.ID { // what is given again is the original
		names = append(names, answersName(r.PathHash))
	}
	switch {
	case r.IsSummary():
		names = append(names, summaryName(r.SummaryID()))
	case r.Hears != 0:
		names = append(names, heardName(r.Hears))
	default:
		names = append(names, askedName(r.Trigger))
		names = append(names, each(r.Asked, askedName)...)
	}
	if r.Summary != 0 {
		names = append(names, condensedName(r.Summary))
	}
	for _, reply := range r.Replies {
		names = append(names, replyName(reply.ID))
	}
	var sources []string // sorted, those of one bucket thus follow each other
	for _, source := range r.Sources {
		if source.Message != 0 {
			sources = append(sources, sourceName(source.Message))
		}
		names = append(names, authorName(source.Author), channelName(source.Channel))
	}
	slices.Sort(names)
	var all []index
	for _, set := range slices.Compact(names) {
		all = append(all, index{set, name})
	}
	slices.Sort(sources)
	for _, source := range slices.Compact(sources) {
		if set := bucketName(source); all[len(all)-1].set != set {
			all = append(all, index{set, name})
		}
		all[len(all)-1].member += source[1:]
	}
	return all
}

// leading returns, for each of some indexes, the names of the records that it leads to.
func (s *base) leading(ctx context.Context, scope Scope, sets ...string) (records [][]string, err error) {
	names := each(sets, bucketName)
	stored := slices.Compact(slices.Sorted(slices.Values(names)))
	members, err := s.members(ctx, scope, stored...)
	if err != nil {
		return nil, fmt.Errorf("read indexes: %w", err)
	}
	records = make([][]string, len(sets))
	for i, set := range sets {
		at, _ := slices.BinarySearch(stored, names[i])
		if records[i] = members[at]; isSource(set) {
			records[i] = withSource(members[at], set[1:])
		}
	}
	return records, nil
}

// withSource returns the names of the records to which members of a bucket lead from an id.
func withSource(members []string, id string) (records []string) {
	const name = len(recordPrefix) + len(ResponseID{})
	for _, member := range members {
		for ids := member[min(name, len(member)):]; len(ids) >= idSize; ids = ids[idSize:] {
			if ids[:idSize] == id {
				records = append(records, member[:name])
			}
		}
	}
	return records
}
