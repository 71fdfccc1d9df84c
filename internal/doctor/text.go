package doctor

import (
	"errors"
	"net"
	"net/url"
	"strings"
	"unicode"
)

// isNetwork reports whether err comes from the network and not from the server.
func isNetwork(err error) bool {
	if _, ok := errors.AsType[*url.Error](err); ok {
		return true
	}
	_, ok := errors.AsType[net.Error](err)
	return ok
}

// innermost returns the error at the end of err's chain, which says the most: no such
// host, connection refused.
func innermost(err error) error {
	for {
		var inner error
		switch x := err.(type) { //nolint:errorlint // it walks the chain itself
		case interface{ Unwrap() error }:
			inner = x.Unwrap()
		case interface{ Unwrap() []error }:
			if all := x.Unwrap(); len(all) > 0 {
				inner = all[len(all)-1]
			}
		}
		if inner == nil {
			return err
		}
		err = inner
	}
}

// printable returns a name that people chose without characters that would disturb a
// terminal.
func printable(name string) string {
	name = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, name)
	if name == "" {
		return "(no name)"
	}
	return name
}
