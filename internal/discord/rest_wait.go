package discord

import (
	"context"
	"time"

	"heddle/internal/telemetry"
	"heddle/internal/wait"
)

// Delay returns how long a request to this route would have to wait now. It is 0 if the
// request may be sent or if no limit is known.
func (r *REST) Delay(method, path string) time.Duration {
	return r.pacer.delay(newLane(method, path), time.Now())
}

// AwaitRoom waits until less than half of the requests that all processes may make in a
// second have been made. Call it before a request that is not urgent. It waits no
// longer than most, and returns when ctx ends.
func (r *REST) AwaitRoom(ctx context.Context, most time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	for {
		pause := r.pacer.room(time.Now())
		if pause <= 0 && r.shared != nil {
			// TakeSpare counts as a request, so that requests that can wait use only
			// half of what is left.
			pause, _ = r.shared.TakeSpare(ctx, "") // without the others, this process has room
		}
		if pause <= 0 || wait.For(ctx, pause) != nil {
			return
		}
	}
}

// Spread returns the interval at which requests to this route should be made if they
// can wait. At that interval the requests of the current window last until its end, and
// one is always left for an urgent request. If only that one is left, Spread returns
// the time until the next window. It reports false if no limit is known.
func (r *REST) Spread(method, path string) (apart time.Duration, known bool) {
	return r.pacer.spread(newLane(method, path), time.Now())
}

// slot waits until the rate limits allow a request. The caller must release the slot.
func (r *REST) slot(ctx context.Context, l lane) (taken *slot, err error) {
	waiting := telemetry.Wait(ctx, telemetry.ForSend)
	defer func() {
		if err != nil {
			waiting.Left()
		} else {
			waiting.Over()
		}
	}()
	if delay := r.pacer.delay(l, time.Now()); r.shared != nil && delay > 0 && !l.expendable {
		if err := waitWithin(ctx, delay); err != nil { // wait before taking a slot, so that other requests can use it meanwhile
			return nil, err
		}
	}
	if err := r.awaitShared(ctx, l); err != nil {
		return nil, err
	}
	return r.pacer.acquire(ctx, l)
}
