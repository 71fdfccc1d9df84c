package store

import (
	"context"
	"fmt"
	"strconv"
	"time"
)

// checkedName is the name of the entry that holds when the last complete check of
// sources began.
const checkedName = "checked"

// CheckClaim returns the key that a process claims to check sources against Discord.
func CheckClaim() ClaimKey { return ClaimKey{"_check"} }

// Checked returns the time at which the last complete check of all sources against
// Discord began. It is zero if there was none.
func (b *Backlog) Checked(ctx context.Context) (time.Time, error) {
	values, err := b.base.get(ctx, Key{ScopeMeta, checkedName})
	if err != nil {
		return time.Time{}, fmt.Errorf("read when sources were checked: %w", err)
	}
	if values[0] == nil {
		return time.Time{}, nil
	}
	at, err := strconv.ParseInt(string(values[0]), 10, 64)
	if err != nil {
		b.base.reject(ctx, fmt.Errorf("%w: when sources were checked: %w", ErrCorrupt, err))
		return time.Time{}, nil
	}
	return time.UnixMilli(at), nil
}

// SetChecked records that a check was completed, and when it began.
func (b *Backlog) SetChecked(ctx context.Context, began time.Time) error {
	return b.base.apply(ctx, "note that sources were checked", Change{ScopeMeta, []Op{
		{Kind: OpPut, Name: checkedName, Value: strconv.FormatInt(began.UnixMilli(), 10), TTL: forever},
	}})
}
