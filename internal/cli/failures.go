package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"heddle/bot/gateway"
	"heddle/store"
)

// hopeless marks what keeps the bot from running, and will again, as a misuse:
// what Discord refuses for good.
func hopeless(err error) error {
	for _, cause := range []error{gateway.ErrToken, gateway.ErrIntents, gateway.ErrShard, gateway.ErrRefused, gateway.ErrAddress} {
		if errors.Is(err, cause) {
			return misuseError{err}
		}
	}
	return err
}

// storeFailure says why the store that a setting names cannot be used, and what to
// do where the store does not say that itself.
func storeFailure(setting string, err error) error {
	is := func(causes ...error) bool {
		for _, cause := range causes {
			if errors.Is(err, cause) {
				return true
			}
		}
		return false
	}
	switch {
	case is(fs.ErrPermission, syscall.EROFS, syscall.ENOTDIR, syscall.EISDIR):
		return misuseError{fmt.Errorf("%s: %w; name a folder that heddle may write in", setting, err)}
	case is(store.ErrSchema):
		return misuseError{fmt.Errorf("%s: %w; run that version, or name a store of its own for this one", setting, err)}
	case is(store.ErrCorrupt):
		return misuseError{fmt.Errorf("%s: %w", setting, err)}
	default: // locked, full, unreachable: it may pass
		return fmt.Errorf("%s: %w", setting, err)
	}
}
