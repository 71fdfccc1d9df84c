package seal

import (
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// keySize is the length of a master key, in bytes.
const keySize = 32

// Key is a master key. It is never stored with what it encrypts.
type Key struct{ secret [keySize]byte }

// errKey describes what a master key must look like.
var errKey = errors.New(`it must be 32 random bytes in base64 or hexadecimal, such as "openssl rand -base64 32" prints`)

// NewKey returns a new random master key.
func NewKey() *Key {
	k := new(Key)
	_, _ = rand.Read(k.secret[:]) // it never fails
	return k
}

// ParseKey reads a master key from text. The error does not contain the text.
func ParseKey(text string) (*Key, error) {
	text = strings.TrimSpace(text)
	plain := strings.TrimRight(strings.NewReplacer("-", "+", "_", "/").Replace(text), "=")
	secret, err := hex.DecodeString(text)
	if err != nil {
		secret, err = base64.RawStdEncoding.DecodeString(plain)
	}
	if err != nil || len(secret) != keySize {
		return nil, errKey
	}
	return &Key{[keySize]byte(secret)}, nil
}

// Text returns the master key as ParseKey reads it.
func (k *Key) Text() string { return base64.StdEncoding.EncodeToString(k.secret[:]) }

// Print returns a fingerprint of the key, by which a wrong key is told from damage.
func (k *Key) Print() string {
	const size = 8 // bytes
	return hex.EncodeToString(k.derive("fingerprint", size))
}

// derive derives a key for one purpose from the master key. Keys for different purposes
// are independent.
func (k *Key) derive(purpose string, size int) []byte {
	key, err := hkdf.Key(sha256.New, k.secret[:], nil, "heddle/2/"+purpose, size)
	if err != nil {
		panic(err) // never: the size is a small constant
	}
	return key
}

// ErrCut means that the file of a key is empty or cut, as a full disk or a loss of power leaves it.
var ErrCut = errors.New("it is empty or cut off")

// ReadFile returns the master key in a file. The error for a missing file wraps
// fs.ErrNotExist, and that for a part of a key ErrCut.
func ReadFile(name string) (*Key, error) {
	text, err := os.ReadFile(name) //nolint:gosec // the operator names the file
	if err != nil {
		return nil, fmt.Errorf("read the store's key: %w", err)
	}
	m, err := ParseKey(string(text))
	if err != nil && isCut(string(text)) {
		err = fmt.Errorf("%w: %w", ErrCut, err)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// isCut reports whether a text is less than a key, and nothing but a part of one.
func isCut(text string) bool {
	text = strings.Trim(text, "\x00 \r\n") // a loss of power may leave zeros
	whole := base64.RawStdEncoding.EncodedLen(keySize)
	return len(text) < whole && strings.Trim(text, "+/0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") == ""
}

// MakeFile returns the master key in a file. If the file does not exist, or holds a part of a key
// alone, MakeFile creates it with a new key, readable by its owner only, and sets made. The file
// appears whole or not at all, whenever the process ends.
func MakeFile(name string) (m *Key, made bool, err error) {
	m, err = ReadFile(name)
	switch {
	case errors.Is(err, ErrCut):
		err = os.Remove(name)
	case !errors.Is(err, fs.ErrNotExist):
		return m, false, err
	default:
		err = nil
	}
	m = NewKey()
	if err == nil {
		err = publish(name, m.Text()+"\n")
	}
	switch {
	case errors.Is(err, fs.ErrExist): // another process was faster
		m, err = ReadFile(name)
		return m, false, err
	case err != nil:
		return nil, false, fmt.Errorf("create a key for the store: %w", err)
	}
	return m, true, nil
}

// publish creates a file with a text, which is on the disk before the file has its name. The
// error wraps fs.ErrExist if the file exists.
func publish(name, text string) error {
	draft, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.new")
	if err != nil {
		return fmt.Errorf("create a file: %w", err)
	}
	_, err = draft.WriteString(text)
	if err = errors.Join(err, draft.Sync(), draft.Close()); err == nil {
		err = named(draft.Name(), name)
	}
	if gone := os.Remove(draft.Name()); !errors.Is(gone, fs.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	if err != nil {
		return fmt.Errorf("write it: %w", err)
	}
	return syncDir(filepath.Dir(name))
}

// named moves a file to its name. The error wraps fs.ErrExist if another file has the name. Where
// the file system has no links, the lock of the store keeps others away.
func named(draft, name string) error {
	err := os.Link(draft, name)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	return os.Rename(draft, name)
}

// syncDir syncs a directory, so that the creation of its files survives a loss of power.
func syncDir(name string) error {
	dir, err := os.Open(name) //nolint:gosec // the operator names it
	if err != nil {
		return fmt.Errorf("open a directory: %w", err)
	}
	if err := errors.Join(dir.Sync(), dir.Close()); err != nil {
		return fmt.Errorf("sync a directory: %w", err)
	}
	return nil
}
