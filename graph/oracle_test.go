package graph_test

import (
	"cmp"
	"slices"
	"time"

	"heddle/graph"
)

// oracle chooses a conversation by a literal reading of the rules: it sees the
// whole world at once, keeps no lines and reads nothing ahead.
type oracle struct {
	*world
	trigger  graph.Message
	options  graph.Options
	in       []graph.MessageID // the trigger first
	followed map[graph.MessageID]bool
	sealed   map[oracleSide]bool
}

type oracleSide struct {
	id        graph.MessageID
	direction graph.Direction
}

type oracleWay struct {
	to  graph.MessageID
	gap time.Duration
}

func choose(w *world, trigger graph.Message, options graph.Options) []graph.MessageID {
	o := &oracle{
		world: w, trigger: trigger, options: options, in: []graph.MessageID{trigger.ID},
		followed: map[graph.MessageID]bool{}, sealed: map[oracleSide]bool{},
	}
	at := trigger
	for range min(options.MinLinear, options.MaxTotal) {
		older, ok := o.beside(at, graph.Older)
		if !ok {
			break
		}
		o.in = append(o.in, older.ID)
		o.sealed[oracleSide{at.ID, graph.Older}] = true
		o.sealed[oracleSide{older.ID, graph.Newer}] = true
		at = older
	}
	for {
		before := len(o.in)
		o.admit(o.tik())
		o.admit(o.tok())
		if len(o.in) == before {
			break
		}
	}
	chosen := o.in[1:]
	slices.SortFunc(chosen, func(a, b graph.MessageID) int {
		x, y := o.byID[a], o.byID[b]
		return x.Position().Compare(y.Position())
	})
	return chosen
}

func (o *oracle) beside(m graph.Message, direction graph.Direction) (graph.Message, bool) {
	channel := o.channels[m.Channel]
	at := slices.IndexFunc(channel, func(n graph.Message) bool { return n.ID == m.ID })
	if direction == graph.Older {
		at--
	} else {
		at++
	}
	if at < 0 || at >= len(channel) || channel[at].Position().Compare(o.trigger.Position()) >= 0 {
		return graph.Message{}, false
	}
	return channel[at], true
}

func (o *oracle) tik() []oracleWay {
	var ways []oracleWay
	for _, id := range o.in {
		m := o.byID[id]
		if o.followed[id] {
			continue
		}
		o.followed[id] = true
		for _, r := range append(slices.Clip(m.References), graph.Reference{Channel: m.Channel, Message: m.Answers}) {
			to, held := o.byID[r.Message]
			inScope := r.Channel == o.trigger.Channel || r.Channel == o.options.Parent || r.Channel == m.Channel || r.Kind == graph.ReferenceLink || r.Kind == graph.ReferenceStarter
			if held && !to.System && to.Channel == r.Channel && inScope && to.Position().Compare(o.trigger.Position()) < 0 {
				ways = append(ways, oracleWay{to.ID, m.Time.Sub(to.Time).Abs()})
			}
		}
	}
	return ways
}

func (o *oracle) tok() []oracleWay {
	var ways []oracleWay
	for _, id := range o.in {
		for _, direction := range []graph.Direction{graph.Older, graph.Newer} {
			m := o.byID[id]
			next, ok := o.beside(m, direction)
			if !ok || o.sealed[oracleSide{id, direction}] {
				continue
			}
			gap := gapOf(m, next)
			if gap > o.options.TimeThreshold {
				o.sealed[oracleSide{id, direction}] = true
				continue
			}
			ways = append(ways, oracleWay{next.ID, gap})
		}
	}
	return ways
}

// gapOf is the time between two neighbours, given in any order.
func gapOf(older, newer graph.Message) time.Duration {
	if older.Position().Compare(newer.Position()) > 0 {
		older, newer = newer, older
	}
	if newer.Answers != 0 && newer.Answers == older.ID {
		return 0
	}
	return max(newer.Time.Sub(older.Time), 0)
}

func (o *oracle) admit(ways []oracleWay) {
	slices.SortFunc(ways, func(a, b oracleWay) int {
		return cmp.Or(cmp.Compare(a.gap, b.gap), cmp.Compare(b.to, a.to))
	})
	for _, w := range ways {
		if len(o.in) <= o.options.MaxTotal && !slices.Contains(o.in, w.to) {
			o.in = append(o.in, w.to)
		}
	}
}
