package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"heddle/graph"
)

// Claims makes sure that things are done once, across processes. A claim is a lease; a
// done-mark outlives it.
type Claims struct{ base *base }

var (
	// ErrHeld is returned when somebody else holds the claim.
	ErrHeld = errors.New("somebody else has claimed it")
	// ErrDone is returned when the work to be claimed is already done.
	ErrDone = errors.New("it is already done")
	// ErrLost is returned when a lease ended before it was renewed.
	ErrLost = errors.New("the claim was lost")
)

// ClaimKey names something that is to be done once, by whichever process claims it
// first. Keys that different constructors return are never equal.
type ClaimKey struct {
	scope   Scope
	version int64
}

// At returns the key for doing the same as it is since a time, such as that of an edit. What
// was done as it was before that does not count as done.
func (k ClaimKey) At(version time.Time) ClaimKey {
	if !version.IsZero() {
		k.version = version.UnixMicro()
	}
	return k
}

// TriggerClaim returns the key for answering a trigger.
func TriggerClaim(trigger graph.MessageID) ClaimKey {
	return ClaimKey{scope: Scope("_t" + trigger.String())}
}

// NoticeClaim returns the key for saying why a message is not answered.
func NoticeClaim(message graph.MessageID) ClaimKey {
	return ClaimKey{scope: Scope("_n" + message.String())}
}

// WelcomeClaim returns the key for greeting a guild that was joined at a time.
func WelcomeClaim(guild graph.GuildID, joined time.Time) ClaimKey {
	return ClaimKey{scope: Scope("_w" + guild.String() + "." + strconv.FormatInt(joined.UnixMicro(), 10))}
}

// IdentifyClaim returns the key for identifying with Discord with a rate limit key.
func IdentifyClaim(key int) ClaimKey { return ClaimKey{scope: Scope("_i" + strconv.Itoa(key))} }

// CheckClaim returns the key for checking the sources of a guild's answers against Discord;
// without a guild, those of direct messages.
func CheckClaim(guild graph.GuildID) ClaimKey { return ClaimKey{scope: Scope("_c" + guild.String())} }

// String returns the key as it is stored.
func (k ClaimKey) String() string { return string(k.scope) }

const (
	doneName  = "done"
	claimName = leasePrefix
	stopName  = leasePrefix + "stop" // the owner of the lease whose work somebody stopped
)

// Lease is the right to do the claimed work until the lease ends.
type Lease struct {
	Until time.Time // the earliest end of the lease, by the caller's clock
	// Version is that of what Finish marks as done, in Unix microseconds. Claim sets it to
	// the key's; see ClaimKey.At.
	Version int64
	// Mark is the done-mark that was found when the lease was taken.
	Mark Mark

	key   ClaimKey
	owner string
}

// Mark is a done-mark: what was done, and to which version. The zero Mark says that
// nothing was done.
type Mark struct {
	Version time.Time // zero for the first version
	Outcome string

	known bool
}

// Withdrawn is the outcome of a question whose asker deleted its answer.
const Withdrawn = "withdrawn"

// Known reports whether something was done.
func (m Mark) Known() bool { return m.known }

// Covers reports whether a version, or a newer one, is done.
func (m Mark) Covers(version time.Time) bool {
	return m.known && ClaimKey{}.At(m.Version).version >= ClaimKey{}.At(version).version
}

// readMark reads a done-mark, which is stored after the owner of the lease.
func readMark(stored []byte) Mark {
	_, mark, known := strings.Cut(string(stored), " ")
	version, outcome, _ := strings.Cut(mark, " ")
	at, _ := strconv.ParseInt(version, 10, 64) // of what heddle wrote itself
	done := Mark{Outcome: outcome, known: known}
	if at != 0 {
		done.Version = time.UnixMicro(at).UTC()
	}
	return done
}

// Claim claims a key for at least ttl. One caller gets the lease, all others get
// ErrHeld, and everybody gets ErrDone once that version or a newer one is done. A lease ends
// by itself. The lease of an embedded store also ends with its process.
func (c *Claims) Claim(ctx context.Context, key ClaimKey, ttl time.Duration) (Lease, error) {
	return c.hold(ctx, Lease{Version: key.version, key: key, owner: rand.Text()}, ttl, func(_ string, done Mark) error {
		if done.Covers(time.UnixMicro(key.version)) {
			return ErrDone
		}
		return nil
	})
}

// Reclaim is like Claim but ignores a done-mark, which the lease then holds. It is for
// checking finished work and doing it again.
func (c *Claims) Reclaim(ctx context.Context, key ClaimKey, ttl time.Duration) (Lease, error) {
	return c.hold(ctx, Lease{Version: key.version, key: key, owner: rand.Text()}, ttl, func(string, Mark) error { return nil })
}

// hold takes or prolongs a lease, unless somebody else holds it or the condition on its
// owner and the done-mark fails.
func (c *Claims) hold(ctx context.Context, lease Lease, ttl time.Duration, condition func(owner string, done Mark) error) (Lease, error) {
	lease.Until = c.base.now().Add(ttl)
	err := c.base.update(ctx, "take a claim", lease.key.scope, func(t *tx) error {
		values := t.get(claimName, doneName)
		owner := string(values[0])
		lease.Mark = readMark(values[1])
		if err := condition(owner, lease.Mark); err != nil {
			return err
		}
		if values[0] != nil && owner != lease.owner {
			return ErrHeld
		}
		t.put(claimName, lease.owner, ttl)
		return nil
	})
	if err != nil {
		return Lease{}, err
	}
	return lease, nil
}

// Renew prolongs a lease to ttl from now. It returns ErrLost if the lease has ended,
// even if nobody has taken it since.
func (c *Claims) Renew(ctx context.Context, lease Lease, ttl time.Duration) (Lease, error) {
	renewed, err := c.hold(ctx, lease, ttl, func(owner string, _ Mark) error {
		if owner != lease.owner {
			return ErrLost
		}
		return nil
	})
	if err != nil {
		return lease, err
	}
	return renewed, nil
}

// Stop asks whoever holds a claim to end the work. It reports whether somebody holds it.
// The request ends with the lease that it is about, or after ttl.
func (c *Claims) Stop(ctx context.Context, key ClaimKey, ttl time.Duration) (held bool, err error) {
	err = c.base.write(ctx, "ask for an end", key.scope, func(t *tx) {
		owner := t.value(claimName)
		if held = owner != nil; held {
			t.put(stopName, string(owner), ttl)
		}
	})
	return held, err
}

// Stopped reports whether Stop was called while this lease was held.
func (c *Claims) Stopped(ctx context.Context, lease Lease) (bool, error) {
	values, err := c.base.values(ctx, lease.key.scope, stopName)
	if err != nil {
		return false, fmt.Errorf("ask whether somebody stopped it: %w", err)
	}
	return len(values[0]) > 0 && string(values[0]) == lease.owner, nil
}

// Release ends a lease, so that its key can be claimed again. A lease that was lost is left
// to its new owner.
func (c *Claims) Release(ctx context.Context, lease Lease) error {
	return c.base.write(ctx, "release a claim", lease.key.scope, func(t *tx) {
		if string(t.value(claimName)) == lease.owner {
			t.remove(claimName)
		}
	})
}

// Done marks the claimed work as done, with its outcome in one word, and ends the
// lease. It does so even if the lease is lost, because the answer has been sent.
func (c *Claims) Done(ctx context.Context, lease Lease, outcome string) error {
	_, err := c.Finish(ctx, lease, outcome)
	return err
}

// Finish is like Done, and reports whether the lease still held. If it did not, another
// process may have done the same work or may be doing it. A newer version that is done
// stays done.
func (c *Claims) Finish(ctx context.Context, lease Lease, outcome string) (held bool, err error) {
	err = c.base.write(ctx, "mark a claim as done", lease.key.scope, func(t *tx) {
		if held = t.finish(lease, outcome); string(t.value(claimName)) == lease.owner {
			t.remove(claimName)
		}
	})
	return held, err
}

// finish marks the claimed work as done, and reports whether the lease holds, or held at an
// earlier attempt.
func (t *tx) finish(lease Lease, outcome string) (held bool) {
	mark := lease.owner + " " + strconv.FormatInt(lease.Version, 10) + " " + outcome
	values := t.get(claimName, doneName)
	if !readMark(values[1]).Covers(time.UnixMicro(lease.Version + 1)) {
		t.put(doneName, mark, doneFor)
	}
	return string(values[0]) == lease.owner || string(values[1]) == mark
}

// Marks returns what Finish marks and what Backlog.Settle removes, both of which may be stored
// with the answer, if the lease still holds then. Finish and Settle are to be called all the
// same, but have nothing to write.
func (c *Claims) Marks(lease Lease, outcome string, taken Pending) []Also {
	held := false
	return []Also{
		{transaction{lease.key.scope, func(t *tx) error {
			if held = string(t.value(claimName)) == lease.owner; held {
				t.finish(lease, outcome)
			}
			return nil
		}}},
		{transaction{scopeTaken, func(t *tx) error {
			if held {
				t.take(setName, taken.encode())
			}
			return nil
		}}},
	}
}

// IsDone reports whether that version of a key, or a newer one, is done, and with what outcome.
func (c *Claims) IsDone(ctx context.Context, key ClaimKey) (outcome string, done bool, err error) {
	values, err := c.base.values(ctx, key.scope, doneName)
	if err != nil {
		return "", false, fmt.Errorf("ask whether %s is done: %w", key, err)
	}
	mark := readMark(values[0])
	return mark.Outcome, mark.Covers(time.UnixMicro(key.version)), nil
}

// withdraw returns the transaction that marks a lease's version, or a newer one that is
// done, as withdrawn. It keeps the lease, and fails with ErrLost if that has ended.
func (l Lease) withdraw() transaction {
	return transaction{l.key.scope, func(t *tx) error {
		values := t.get(claimName, doneName)
		if string(values[0]) != l.owner {
			return ErrLost
		}
		latest := l
		latest.Version = max(l.Version, ClaimKey{}.At(readMark(values[1]).Version).version)
		t.finish(latest, Withdrawn)
		return nil
	}}
}

// Join registers a process for at least ttl from now, and returns the number of other
// registered processes. It is always 0 for a store that only one process can use.
func (c *Claims) Join(ctx context.Context, process string, ttl time.Duration) (others int, err error) {
	if !c.base.shared {
		return 0, nil
	}
	err = c.base.write(ctx, "join the processes", scopePeers, func(t *tx) {
		others = 0
		for _, one := range t.members(setName)[0] {
			if one != process {
				others++
			}
		}
		t.add(setName, process, ttl)
	})
	return others, err
}

// Leave removes the registration of a process.
func (c *Claims) Leave(ctx context.Context, process string) error {
	if !c.base.shared {
		return nil
	}
	return c.base.write(ctx, "leave the processes", scopePeers, func(t *tx) { t.take(setName, process) })
}
