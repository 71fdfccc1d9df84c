package store

import (
	"context"
	"crypto/rand"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Schema is the version of the stored form. A store of another version is refused.
const Schema = 7

// The entry schemaName in ScopeMeta is never sealed, and is the same for every schema. It
// holds the schema of the store, followed by the fingerprint of its key if it is
// encrypted, or schemaRestoring while a backup is restored into it.
const (
	schemaName      = "schema"
	schemaRestoring = "restoring"
)

// schemaOf reads the entry that holds the schema; nil if the store is empty.
func schemaOf(ctx context.Context, engine Engine) (schema []byte, err error) {
	err = engine.Read(ctx, ScopeMeta, func(read Reader) error {
		values, err := read.Get(schemaName)
		if err == nil {
			schema = values[0]
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("look whose the store is: %w", err)
	}
	return schema, nil
}

// forever is the lifetime of what never expires.
const forever = 100 * 365 * 24 * time.Hour

// fitsFor is how long a store that was found to be this heddle's is taken for it without
// another look. Another process may have begun it anew with another key.
const fitsFor = time.Minute

// unusableError means that a store can be reached and not be used. It wraps
// ErrUnavailable, because nothing can be stored until somebody corrects that.
type unusableError struct{ err error }

func (e unusableError) Error() string   { return e.err.Error() }
func (e unusableError) Unwrap() []error { return []error{e.err, ErrUnavailable} }

// fit returns an error if the store is not one that this heddle may use: if it is of
// another version, or has another key, or is not restored yet.
func (s *vault) fit(ctx context.Context) error {
	_, err := s.looked(ctx)
	return err
}

// begun is like fit, and begins an empty store.
func (s *vault) begun(ctx context.Context) error {
	empty, err := s.looked(ctx)
	if err != nil || !empty {
		return err
	}
	return s.begin(ctx)
}

// looked reports whether the store is empty, and otherwise whether it fits.
func (s *vault) looked(ctx context.Context) (empty bool, err error) {
	now := s.now()
	if until := time.UnixMilli(s.fits.Load()); now.Before(until) && until.Sub(now) <= fitsFor {
		return false, nil
	}
	err = s.call(ctx, func() (bool, error) {
		schema, err := schemaOf(ctx, s.engine)
		if empty = err == nil && schema == nil; err != nil || empty {
			return false, err
		}
		return false, s.fitting(string(schema))
	})
	if err == nil && !empty {
		s.fits.Store(now.Add(fitsFor).UnixMilli())
	}
	return empty, err
}

// fitting returns an error unless the store has this heddle's schema and key.
func (s *vault) fitting(schema string) error {
	version, fingerprint, _ := strings.Cut(schema, " ")
	number, err := strconv.Atoi(version)
	switch {
	case schema == schemaRestoring:
		return unusableError{ErrRestoring}
	case err != nil || number > Schema:
		return unusableError{fmt.Errorf("%w: a newer one, with schema %.20q", ErrSchema, version)}
	case number < Schema:
		return unusableError{fmt.Errorf("%w: an earlier one, whose stores this version does not read", ErrSchema)}
	case fingerprint == s.sealer.Print():
		return nil
	case fingerprint == "":
		return unusableError{fmt.Errorf("%w: it is not encrypted; to encrypt it, back it up and restore it with the key", ErrKey)}
	case s.sealer.Print() == "":
		return unusableError{fmt.Errorf("%w: it is encrypted, and no key is given", ErrKey)}
	default:
		return unusableError{fmt.Errorf("%w: it was encrypted with the key %s, and this one is %s", ErrKey, fingerprint, s.sealer.Print())}
	}
}

// begin marks a new store with its schema and its key, and with the time at which it
// began.
func (s *vault) begin(ctx context.Context) error {
	since := strconv.FormatInt(s.clock().UnixMilli(), 10)
	begin := Change{ScopeMeta, func(read Reader) ([]Write, error) {
		values, err := read.Get(schemaName)
		switch {
		case err != nil:
			return nil, err
		case values[0] != nil:
			return nil, s.fitting(string(values[0]))
		}
		return []Write{
			{Kind: WritePut, Name: schemaName, Value: s.mark(), TTL: forever},
			{Kind: WritePut, Name: s.sealer.Name(string(ScopeMeta), sinceName), Value: s.seal(ScopeMeta, sinceName, since), TTL: forever},
		}, nil
	}}
	err := s.call(ctx, func() (bool, error) { return true, s.engine.Update(ctx, begin) })
	if err != nil {
		return fmt.Errorf("mark a new store: %w", err)
	}
	return nil
}

// IsEncrypted reports whether what an engine stores is encrypted.
func IsEncrypted(ctx context.Context, engine Engine) (bool, error) {
	schema, err := schemaOf(ctx, engine)
	_, fingerprint, _ := strings.Cut(string(schema), " ")
	return fingerprint != "", err
}

// Fits returns an error if the store cannot be reached, or is not one that this heddle
// may use. The log says nothing of it.
func (s *Store) Fits(ctx context.Context) error {
	schema, err := schemaOf(ctx, s.base.engine)
	if err != nil || schema == nil {
		return err
	}
	return s.base.fitting(string(schema))
}

// Ping is like Fits, and begins an empty store.
func (s *Store) Ping(ctx context.Context) error {
	s.base.fits.Store(0)
	return s.base.begun(ctx)
}

// Try writes a value, reads it back and removes it, each in a transaction, as everything is
// stored. It returns why that fails, and begins no store. The value expires if nothing removes it.
func (s *Store) Try(ctx context.Context) error {
	scope, content := string(ScopeMeta), rand.Text()
	name := s.base.sealer.Name(scope, "trial "+content)
	try := func(want string, write Write) error {
		return s.base.engine.Update(ctx, Change{ScopeMeta, func(read Reader) ([]Write, error) {
			values, err := read.Get(name)
			if err == nil && string(values[0]) != want && string(values[0]) != write.Value {
				err = fmt.Errorf("%w: what was written is not what is read", ErrUnavailable)
			}
			return []Write{write}, err
		}})
	}
	err := try("", Write{Kind: WritePut, Name: name, Value: content, TTL: time.Minute})
	if err == nil {
		err = try(content, Write{Kind: WriteDelete, Name: name})
	}
	if err != nil {
		return fmt.Errorf("try to write: %w", err)
	}
	return nil
}
