package cli

import (
	"errors"

	"heddle/bot/gateway"
)

// permanent marks as misuse what Discord will refuse again however often heddle is
// started, such as a wrong token.
func permanent(err error) error {
	for _, cause := range []error{gateway.ErrToken, gateway.ErrIntents, gateway.ErrShard, gateway.ErrRefused, gateway.ErrAddress} {
		if errors.Is(err, cause) {
			return misuseError{err}
		}
	}
	return err
}
