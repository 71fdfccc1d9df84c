package store

import (
	"fmt"
	"strings"
	"testing"
)

// TestEachTroubleIsLoggedOnceUntilItIsOver records the results of calls, one after
// another.
func TestEachTroubleIsLoggedOnceUntilItIsOver(t *testing.T) {
	t.Parallel()
	small, large := Op{Kind: OpPut, Name: "a", Value: "b"}, Op{Kind: OpPut, Name: "a", Value: strings.Repeat("b", 2*leastRefused)}
	of := func(err error, ops ...Op) call {
		if err != nil {
			err = fmt.Errorf("call: %w", err)
		}
		return changed([]Change{{"g1", ops}}, []int{Applied}, err)
	}
	done := of(nil, small)
	kept := of(nil, large)
	refused := of(ErrFull, large)
	down := of(ErrUnavailable, small)
	untried := of(ErrUntried, small)
	unmet := changed([]Change{{"g1", []Op{small}}}, []int{0}, nil)
	freed := of(nil, Op{Kind: OpFree, Name: "a"})
	for name, test := range map[string]struct {
		calls  []call
		logged string // the trouble that begins, or "over" when it ends
	}{
		"nothing":                             {[]call{done, kept, {}, freed}, ""},
		"down, and back by a read":            {[]call{{err: ErrUnavailable}, {err: ErrUnavailable}, {}, {}}, "away over"},
		"up, and one that was not tried":      {[]call{down, untried, done, untried, {err: ErrUntried}, done}, "away over"},
		"reads alone":                         {[]call{down, {}, {}, down}, "away"},
		"reads, as a deletion failed":         {[]call{of(ErrUnavailable, Op{Kind: OpFree, Name: "a"}), {}, freed, down, done}, "away over"},
		"reads, and conditions that fail":     {[]call{down, unmet, freed, down, done, done}, "away over"},
		"full, while what is small fits":      {[]call{refused, done, {}, refused, done, done, refused, freed, unmet}, "full"},
		"full, and room again":                {append([]call{refused, done}, repeated(kept, severalTimes)...), "full over"},
		"full, and room by small ones":        {append([]call{of(ErrFull, small)}, repeated(done, severalTimes*leastRefused)...), "full over"},
		"full of what was to be let go":       {[]call{of(ErrFull, Op{Kind: OpDelete, Name: "a"}), {}, done, refused, done}, "full"},
		"full, and less is refused then":      {[]call{refused, of(ErrFull, small), of(nil, Op{Kind: OpPut, Value: strings.Repeat("b", leastRefused)})}, "full"},
		"full, down and up":                   {append([]call{refused, kept, down, refused, done}, repeated(kept, severalTimes)...), "full away over over"},
		"alternately":                         {append([]call{refused, done, refused, kept, kept, {}, refused, done}, repeated(kept, severalTimes+1)...), "full over"},
		"down, then full as soon as it is up": {[]call{down, refused, refused}, "away over full"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var o outage
			var logged []string
			for _, c := range test.calls {
				before, now := o.turn(o.begins(), c)
				logged = append(logged, telling(before.away, now.away, "away")...)
				logged = append(logged, telling(before.full, now.full, "full")...)
			}
			if logged := strings.Join(logged, " "); logged != test.logged {
				t.Errorf("logged is %q, want %q", logged, test.logged)
			}
		})
	}
}

func telling(before, now bool, begins string) []string {
	switch {
	case now && !before:
		return []string{begins}
	case before && !now:
		return []string{"over"}
	default:
		return nil
	}
}

func repeated(c call, times int) []call {
	all := make([]call, times)
	for i := range all {
		all[i] = c
	}
	return all
}

// TestASuccessFromBeforeAnOutageDoesNotEndIt records a success after another call's
// failure. The successful call had begun before the failure.
func TestASuccessFromBeforeAnOutageDoesNotEndIt(t *testing.T) {
	t.Parallel()
	var o outage
	early, late := o.begins(), o.begins()
	o.turn(late, call{err: ErrUnavailable})
	if _, now := o.turn(early, call{write: true}); !now.away {
		t.Error("a call that began before the failure ends the outage, want it to go on")
	}
	if _, now := o.turn(o.begins(), call{write: true}); now.away {
		t.Error("a call that began after the failure does not end the outage")
	}
}
