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

// ReadFile returns the master key in a file. The error for a missing file wraps
// fs.ErrNotExist.
func ReadFile(name string) (*Key, error) {
	text, err := os.ReadFile(name) //nolint:gosec // the operator names the file
	if err != nil {
		return nil, fmt.Errorf("read the store's key: %w", err)
	}
	m, err := ParseKey(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// MakeFile returns the master key in a file. If the file does not exist, MakeFile
// creates it with a new key, readable by its owner only, and sets made.
func MakeFile(name string) (m *Key, made bool, err error) {
	m, err = ReadFile(name)
	if !errors.Is(err, fs.ErrNotExist) {
		return m, false, err
	}
	m = NewKey()
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) //nolint:gosec // the operator names it
	if err == nil {
		_, err = file.WriteString(m.Text() + "\n")
		err = errors.Join(err, file.Sync(), file.Close(), syncDir(filepath.Dir(name)))
		if err != nil {
			err = errors.Join(err, os.Remove(name)) // half a key is none
		}
	}
	if err != nil {
		return nil, false, fmt.Errorf("create a key for the store: %w", err)
	}
	return m, true, nil
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
