package storetest

import (
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// TestACallThatWasSentTwiceMayHaveTakenTheLease lets one process release its claim, and
// mark it as done later. In between another process is told that the claim is held. That
// is right only if the call of a third, whose answer comes last, was sent twice.
func TestACallThatWasSentTwiceMayHaveTakenTheLease(t *testing.T) {
	t.Parallel()
	for repeats, want := range map[time.Duration]bool{0: false, 20 * time.Millisecond: true, 40 * time.Millisecond: false} {
		r := &recorder{repeats: repeats}
		for _, o := range []struct {
			process, call, returned int
			in                      asked
			out                     reply
		}{
			{process: 1, call: 1, returned: 2, in: asked{kind: askClaim, lease: 1}, out: outYes},
			{process: 1, call: 3, returned: 4, in: asked{kind: askRelease, lease: 1}, out: outYes},
			{process: 2, call: 7, returned: 8, in: asked{kind: askClaim, lease: 2}, out: outHeld},
			{process: 1, call: 9, returned: 10, in: asked{kind: askDone, lease: 1}, out: outYes},
			{process: 3, call: 5, returned: 35, in: asked{kind: askClaim, lease: 3}, out: outDone},
		} {
			const ms = int64(time.Millisecond)
			r.record(o.process, int64(o.call)*ms, int64(o.returned)*ms, o.in, o.out)
		}
		if got := porcupine.CheckOperations(leaseModel(), r.history); got != want {
			t.Errorf("the results are linearizable: %v, want %v, if a call that takes %v may be sent twice (0: never): %s", got, want, repeats, told(r.history))
		}
	}
}
