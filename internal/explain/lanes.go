package explain

import (
	"cmp"
	"slices"

	"heddle/graph"
)

// Loose is the lane of messages that belong to no talk.
const Loose = -1

const (
	// mostParted is how many of the newest messages are parted by who answers whom; older
	// ones by replies alone.
	mostParted = 300
	// sameTalk is the probability from which on a message counts as an answer to another.
	sameTalk = 0.5
)

// Lanes parts the messages of a graph into talks, one beside the other. The trigger's
// conversation is lane 0. Each other talk has the first lane that is free for all its time,
// and a message that belongs to no talk has the lane Loose. Without an affinity replies
// alone part the talks.
func Lanes(g *graph.Graph, affinity graph.Affinity) map[graph.MessageID]int {
	t := talks{at: map[graph.MessageID]int{}}
	for _, n := range slices.Concat(g.Conversation, []graph.Node{{Message: g.Trigger}}) {
		t.messages, t.inside = append(t.messages, &n.Message), append(t.inside, true)
	}
	for _, n := range slices.Concat(g.Background, g.Explored) {
		t.messages, t.inside = append(t.messages, &n.Message), append(t.inside, false)
	}
	t.sort()
	t.replies()
	if affinity != nil {
		t.answers(affinity)
	}
	return t.lanes()
}

// talks is messages that are joined to talks.
type talks struct {
	messages []*graph.Message // by position
	inside   []bool           // in the trigger's conversation
	at       map[graph.MessageID]int
	first    []int // an older message of the same talk, or the message itself
}

func (t *talks) sort() {
	order := make([]int, len(t.messages))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return t.messages[a].Position().Compare(t.messages[b].Position()) })
	messages, inside := t.messages, t.inside
	t.messages, t.inside, t.first = make([]*graph.Message, len(order)), make([]bool, len(order)), make([]int, len(order))
	for i, from := range order {
		t.messages[i], t.inside[i], t.first[i] = messages[from], inside[from], i
		t.at[messages[from].ID] = i
	}
}

func (t *talks) find(i int) int {
	for t.first[i] != i {
		i = t.first[i]
	}
	return i
}

// join makes one talk of those of two messages, unless one is inside and the other not.
func (t *talks) join(i, j int) {
	a, b := t.find(i), t.find(j)
	if t.inside[i] == t.inside[j] {
		t.first[max(a, b)] = min(a, b)
	}
}

func (t *talks) replies() {
	for i, m := range t.messages {
		for _, r := range m.References {
			if to, held := t.at[r.Message]; held && r.Kind == graph.ReferenceReply {
				t.join(i, to)
			}
		}
		if to, held := t.at[m.Answers]; held && m.Answers != 0 {
			t.join(i, to)
		}
	}
}

func (t *talks) answers(affinity graph.Affinity) {
	from := max(len(t.messages)-mostParted, 0)
	links := affinity.Links(t.messages[from:])
	for j := 1; j < links.Size(); j++ {
		row := links.Row(j)
		best := 0
		for i := range row {
			if row[i] > row[best] {
				best = i
			}
		}
		if row[best] >= sameTalk {
			t.join(from+j, from+best)
		}
	}
}

// talk is a talk from its first message to its last.
type talk struct{ root, from, to, size int }

func (t *talks) lanes() map[graph.MessageID]int {
	lanes := make(map[graph.MessageID]int, len(t.messages))
	all := map[int]*talk{}
	for i, m := range t.messages {
		if t.inside[i] {
			lanes[m.ID] = 0
			continue
		}
		root := t.find(i)
		if all[root] == nil {
			all[root] = &talk{root: root, from: i}
		}
		all[root].to = i
		all[root].size++
	}
	var ordered []*talk
	for _, one := range all {
		if one.size > 1 {
			ordered = append(ordered, one)
		}
	}
	slices.SortFunc(ordered, func(a, b *talk) int { return cmp.Compare(a.from, b.from) })
	lane, until := map[int]int{}, []int{}
	for _, one := range ordered {
		free := slices.IndexFunc(until, func(to int) bool { return to < one.from })
		if free < 0 {
			free, until = len(until), append(until, 0)
		}
		until[free], lane[one.root] = one.to, free+1
	}
	for i, m := range t.messages {
		if !t.inside[i] {
			lanes[m.ID] = cmp.Or(lane[t.find(i)], Loose)
		}
	}
	return lanes
}
