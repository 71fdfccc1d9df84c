package encrypted

import (
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/chacha20poly1305"

	"heddle/store"
)

// keySize is the length of every key, in bytes.
const keySize = 32

// Master is a master key. It encrypts the keys of scopes, and is never stored with
// them.
type Master struct {
	secret [keySize]byte
	wrap   cipher.AEAD
	print  string
}

// printSize is the length of a master key's fingerprint, in bytes.
const printSize = 8

// errMaster describes what a master key must look like.
var errMaster = errors.New(`it must be 32 random bytes in base64 or hexadecimal, such as "openssl rand -base64 32" prints`)

// NewMaster returns a new random master key.
func NewMaster() *Master {
	var secret [keySize]byte
	_, _ = rand.Read(secret[:]) // it never fails
	return master(secret)
}

// ParseMaster reads a master key from text. The error does not contain the text.
func ParseMaster(text string) (*Master, error) {
	text = strings.TrimSpace(text)
	plain := strings.TrimRight(strings.NewReplacer("-", "+", "_", "/").Replace(text), "=")
	secret, err := hex.DecodeString(text)
	if err != nil {
		secret, err = base64.RawStdEncoding.DecodeString(plain)
	}
	if err != nil || len(secret) != keySize {
		return nil, errMaster
	}
	return master([keySize]byte(secret)), nil
}

func master(secret [keySize]byte) *Master {
	return &Master{secret: secret, wrap: aead(derive(secret[:], "wrap", keySize)), print: string(derive(secret[:], "fingerprint", printSize))}
}

// Text returns the master key as ParseMaster reads it.
func (m *Master) Text() string { return base64.StdEncoding.EncodeToString(m.secret[:]) }

// derive derives a key for one purpose from a secret. Keys for different purposes are
// independent.
func derive(secret []byte, purpose string, size int) []byte {
	key, err := hkdf.Key(sha256.New, secret, nil, "heddle/1/"+purpose, size)
	if err != nil {
		panic(err) // never: the size is a small constant
	}
	return key
}

func aead(key []byte) cipher.AEAD {
	a, err := chacha20poly1305.NewX(key)
	if err != nil {
		panic(err) // never: the key has the right size
	}
	return a
}

// A wrapped key consists of the fingerprint of its master key, a nonce, and the
// encrypted key. The scope is associated data.

// wrapped returns the stored form of a scope's key.
func (m *Master) wrapped(scope store.Scope, secret []byte) string {
	nonce := make([]byte, chacha20poly1305.NonceSizeX)
	_, _ = rand.Read(nonce) // it never fails
	b := append([]byte(m.print), nonce...)
	return string(m.wrap.Seal(b, nonce, secret, []byte(scope)))
}

// unwrap decrypts what wrapped returned. It fails with store.ErrKey if another master
// key was used.
func (m *Master) unwrap(scope store.Scope, wrapped []byte) ([]byte, error) {
	by, rest := split(wrapped, printSize)
	nonce, sealed := split(rest, chacha20poly1305.NonceSizeX)
	if string(by) != m.print {
		return nil, fmt.Errorf("%w: it was encrypted with the key %x, and this one is %x", store.ErrKey, by, m.print)
	}
	secret, err := m.wrap.Open(nil, nonce, sealed, []byte(scope))
	if err != nil || len(secret) != keySize {
		return nil, fmt.Errorf("%w: the key of a scope", store.ErrCorrupt)
	}
	return secret, nil
}

// split returns the first n bytes of b and the rest. If b is shorter, it returns n
// zeros.
func split(b []byte, n int) (first, rest []byte) {
	if len(b) < n {
		return make([]byte, n), nil
	}
	return b[:n], b[n:]
}
