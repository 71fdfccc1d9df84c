package graph

// tree connects every chosen message with the trigger by its likeliest chain of links.
type tree struct {
	numbers []int // of the messages; the trigger first
	from    []int // index of the message that it was reached from
	link    []float64
	depth   []int
	order   []int // in which messages were added, the trigger first
}

// growTree grows the tree from the trigger, the likeliest chain first. Of two equally
// likely messages it adds the newer one first. A message that no link leads to is
// attached to the trigger with probability 0.
func growTree(b *belief, trigger int, chosen []int) *tree {
	n := len(chosen) + 1
	t := &tree{
		numbers: append([]int{trigger}, chosen...),
		from:    make([]int, n), depth: make([]int, n), link: make([]float64, n),
		order: make([]int, 0, n),
	}
	chain := make([]float64, n) // the highest product of links found so far
	grown := make([]bool, n)
	chain[0] = 1
	for range n {
		next := -1
		for k := range n {
			if !grown[k] && (next < 0 || chain[k] >= chain[next]) {
				next = k
			}
		}
		grown[next] = true
		t.order = append(t.order, next)
		if next != 0 {
			t.depth[next] = t.depth[t.from[next]] + 1
		}
		for k := range n {
			link := b.between(t.numbers[next], t.numbers[k])
			if !grown[k] && chain[next]*link > chain[k] {
				chain[k], t.from[k], t.link[k] = chain[next]*link, next, link
			}
		}
	}
	return t
}
