package path_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"heddle/graph/path"
)

func turn(role path.Role, text string) path.Turn {
	return path.Turn{Role: role, Parts: []path.Part{path.Text(text)}}
}

func question(text string) path.Turn { return turn(path.RoleUser, text) }
func reply(text string) path.Turn    { return turn(path.RoleAssistant, text) }

func equal(a, b []path.Turn) bool {
	return slices.EqualFunc(a, b, func(a, b path.Turn) bool { return a.Hash() == b.Hash() })
}

// change is a change of a list.
type change struct {
	make func(*path.List)
	want []path.Turn
	at   []int // where the versions differ, newest first
}

func changes(system path.Turn, start []path.Turn) map[string]change {
	return map[string]change{
		"equal content": {func(l *path.List) { l.Set(1, question("1")) }, start, nil},
		"a turn before an answer": {
			func(l *path.List) { l.Set(1, question("one")) },
			[]path.Turn{system, question("one"), reply("a"), question("2"), reply("b"), question("3")},
			[]int{1},
		},
		"a turn behind the last answer": {
			func(l *path.List) { l.Set(5, question("three")) },
			[]path.Turn{system, question("1"), reply("a"), question("2"), reply("b"), question("three")},
			nil,
		},
		"an answer": {
			func(l *path.List) { l.Set(4, reply("B")) },
			[]path.Turn{system, question("1"), reply("a"), question("2"), reply("B"), question("3")},
			[]int{4},
		},
		"another system prompt": {
			func(l *path.List) { l.Set(0, turn(path.RoleSystem, "Be brief.")) },
			[]path.Turn{turn(path.RoleSystem, "Be brief."), question("1"), reply("a"), question("2"), reply("b"), question("3")},
			[]int{0},
		},
		"a summary for a stretch": {
			func(l *path.List) { l.Replace(1, 4, question("1 and 2")) },
			[]path.Turn{system, question("1 and 2"), reply("b"), question("3")},
			[]int{1},
		},
		"a stretch of which the end stays": {
			func(l *path.List) { l.Replace(1, 5, question("one"), question("2"), reply("b")) },
			[]path.Turn{system, question("one"), question("2"), reply("b"), question("3")},
			[]int{1},
		},
		"one that is edited back": {
			func(l *path.List) { l.Set(3, question("two")); l.Set(3, question("2")) },
			start,
			[]int{3, 3},
		},
		"a trailing turn taken away, another said": {
			func(l *path.List) { l.Replace(5, 6); l.Append(question("4")) },
			[]path.Turn{system, question("1"), reply("a"), question("2"), reply("b"), question("4")},
			nil,
		},
	}
}

func TestAListKeepsWhatAnAnswerDependsOn(t *testing.T) {
	t.Parallel()
	system := turn(path.RoleSystem, "Be kind.")
	start := []path.Turn{system, question("1"), reply("a"), question("2"), reply("b"), question("3")}
	for name, test := range changes(system, start) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := path.NewList(start...)
			test.make(&l)
			if !equal(l.Turns(), test.want) {
				t.Errorf("the list is %v, want %v", l.Turns(), test.want)
			}
			var at []int
			for v := range l.Versions() {
				at = append(at, v.At)
			}
			if !slices.Equal(at, test.at) {
				t.Errorf("the versions differ at %v, want %v", at, test.at)
			}
		})
	}
}

// mirror is a list as simple as can be, which copies everything.
type mirror struct {
	turns    []path.Turn
	versions [][]path.Turn // oldest first
}

func (m *mirror) replace(from, to int, turns []path.Turn) {
	next := slices.Concat(m.turns[:from], turns, m.turns[to:])
	differ := 0
	for differ < min(len(next), len(m.turns)) && next[differ].Hash() == m.turns[differ].Hash() {
		differ++
	}
	if equal(next, m.turns) {
		return
	}
	later := m.turns[min(differ, len(m.turns)):]
	if slices.ContainsFunc(later, func(t path.Turn) bool { return t.Role == path.RoleAssistant }) {
		m.versions = append(m.versions, m.turns)
	}
	m.turns = next
}

func TestAListAndItsVersionsAreWhatPlainCopiesAre(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 1))
		some := func(most int) []path.Turn {
			turns := make([]path.Turn, random.IntN(most+1))
			for i := range turns {
				turns[i] = turn(path.RoleUser+path.Role(random.IntN(2)), strconv.Itoa(random.IntN(3)))
			}
			return turns
		}
		start := some(300)
		l, m := path.NewList(start...), mirror{turns: start}
		for range 60 {
			from := random.IntN(l.Len() + 1)
			to := from + random.IntN(min(l.Len()-from, 5)+1)
			turns := some(4)
			if random.IntN(2) == 0 && from < l.Len() {
				to, turns = from+1, []path.Turn{question(strconv.Itoa(random.IntN(3)))}
			}
			l.Replace(from, to, turns...)
			m.replace(from, to, turns)
		}
		if !equal(l.Turns(), m.turns) {
			t.Fatalf("seed %d: the turns are %v, want %v", seed, l.Turns(), m.turns)
		}
		i := len(m.versions)
		for v := range l.Versions() {
			i--
			if i < 0 || !equal(v.List.Turns(), m.versions[i]) {
				t.Fatalf("seed %d: version %d is not what it was", seed, i)
			}
		}
		if i != 0 {
			t.Fatalf("seed %d: %d versions are missing", seed, i)
		}
	}
}

func TestAVersionCostsNoCopyOfTheList(t *testing.T) {
	for _, size := range []int{100, 10_000, 100_000} {
		turns := slices.Repeat([]path.Turn{question("x"), reply("y")}, size/2)
		l := path.NewList(turns...)
		i := 0
		edit := question("z")
		got := testing.AllocsPerRun(100, func() {
			changed := l
			changed.Set(2*i%size, edit)
			i++
		})
		if got > 20 {
			t.Errorf("a version of %d turns takes %.0f allocations", size, got)
		}
	}
}

func TestAListHasBoundsAsASliceHas(t *testing.T) {
	t.Parallel()
	l := path.NewList(question("1"))
	for name, beyond := range map[string]func(){
		"At":      func() { l.At(1) },
		"Set":     func() { l.Set(-1, question("2")) },
		"Replace": func() { l.Replace(1, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			defer func() {
				if recover() == nil {
					t.Error("it does not panic")
				}
			}()
			beyond()
		})
	}
}
