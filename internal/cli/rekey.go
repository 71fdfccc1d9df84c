package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"heddle/config"
	"heddle/store"
	"heddle/store/encrypted"
)

// errNextKey is returned if nobody says where the new key goes.
var errNextKey = errors.New("the key is in STORE_KEY, which heddle cannot change: name a file for the new one, like heddle rekey store.key")

// errNoKeyYet is returned if the embedded store is not encrypted.
var errNoKeyYet = errors.New("what is stored is not encrypted yet, so there is no key to change; heddle makes one when it starts")

// rekey brings the store to another key. A new key is in a file before the first step,
// so that an interrupted run can be completed by another.
func rekey(ctx context.Context, args []string, p Process) (err error) {
	rest, err := parseFlags(new(flag.FlagSet), "rekey", args, 1, p)
	if err != nil {
		return err
	}
	c, err := p.load()
	if err != nil {
		return err
	}
	if err := needStore(c); err != nil {
		return err
	}
	from, err := givenMaster(c)
	switch {
	case err != nil:
		return err
	case from == nil && c.RedisURL != "":
		return misuseError{errors.New("STORE_KEY is not set, so there is no key to change; set it, and heddle encrypts what is stored when it starts")}
	case from != nil && len(rest) == 0:
		return misuseError{errNextKey}
	case from == nil && len(rest) == 1:
		return misuseError{fmt.Errorf("the key is in %s, where the new one replaces it: name no file", keyFile(c))}
	}
	engine, err := openEngine(c, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, engine.Close()) }()
	if from == nil {
		return replaceKey(ctx, c, engine, p)
	}
	if err := rekeyTo(ctx, c, engine, from, rest[0]); err != nil {
		return err
	}
	fmt.Fprintf(p.Stdout, "The store has a new key, which is in %s. Give it to heddle before it starts: remove STORE_KEY and set STORE_KEY_FILE=%s.\n", rest[0], rest[0])
	return nil
}

// replaceKey replaces the key that heddle made by a new one.
func replaceKey(ctx context.Context, c config.Config, engine encrypted.Inner, p Process) error {
	there, err := encrypted.IsEncrypted(ctx, engine)
	if err != nil {
		return storeFailure(storeSetting(c), err)
	}
	if !there {
		return misuseError{errNoKeyYet}
	}
	from, err := readKeyFile(c)
	if err != nil {
		return err
	}
	if err := rekeyTo(ctx, c, engine, from, nextKeyFile(c)); err != nil {
		return err
	}
	if err := encrypted.ReplaceFile(keyFile(c), nextKeyFile(c)); err != nil {
		return err
	}
	fmt.Fprintf(p.Stdout, "The store has a new key, which is in %s. Keep a copy of it, apart from copies of the store.\n", keyFile(c))
	return nil
}

// rekeyTo brings a store to the key in a file, and makes the key if there is no such
// file.
func rekeyTo(ctx context.Context, c config.Config, engine encrypted.Inner, from *encrypted.Master, file string) error {
	alone := func(ctx context.Context) error { return nobodyElse(ctx, engine) }
	if err := alone(ctx); err != nil {
		return storeFailure(storeSetting(c), err)
	}
	to, made, err := encrypted.MakeFile(file)
	if err != nil {
		return misuseError{err}
	}
	if err := encrypted.Rekey(ctx, engine, from, to, alone); err != nil {
		if made && errors.Is(err, store.ErrKey) { // nothing has been done with it
			err = errors.Join(err, os.Remove(file))
		}
		return storeFailure(storeSetting(c), err)
	}
	return nil
}

// inUseError means that other processes of heddle use the store.
type inUseError struct{ processes []string }

func (e *inUseError) Error() string {
	return fmt.Sprintf("heddle uses the store: end %s and run this again; a process that died is forgotten after CLAIM_LEASE", strings.Join(e.processes, " and "))
}

// nobodyElse fails if other processes use a store. An embedded store belongs to whoever
// opened it.
func nobodyElse(ctx context.Context, engine store.Engine) error {
	names, err := store.Peers(ctx, engine)
	if err != nil || len(names) == 0 {
		return err
	}
	slices.Sort(names)
	for i, name := range names {
		host, rest, _ := strings.Cut(name, "/")
		number, _, _ := strings.Cut(rest, "/")
		names[i] = fmt.Sprintf("process %s on %s", number, host)
	}
	return &inUseError{names}
}
