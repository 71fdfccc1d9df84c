package encrypted

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"hash"
	"sync"
	"sync/atomic"

	daead "github.com/tink-crypto/tink-go/v2/daead/subtle"
	"golang.org/x/crypto/chacha20poly1305"

	"heddle/store"
)

// key encrypts the entries of one scope, or those of the store's own scopes.
type key struct {
	scope   store.Scope
	wrapped string // the stored form of the key

	values  cipher.AEAD
	hashes  sync.Pool // of hash.Hash, for names
	ids     cipher.Block
	members *daead.AESSIV

	// until is the earliest expiry of the stored key, and checked when it was last seen
	// in the store, both in Unix milliseconds.
	until, checked atomic.Int64
}

// newKey returns a key with a random secret.
func newKey(m *Master, scope store.Scope) *key {
	secret := make([]byte, keySize)
	_, _ = rand.Read(secret) // it never fails
	return keyOf(scope, secret, m.wrapped(scope, secret))
}

// readKey returns the key whose stored form is wrapped.
func readKey(m *Master, scope store.Scope, wrapped []byte) (*key, error) {
	secret, err := m.unwrap(scope, wrapped)
	if err != nil {
		return nil, err
	}
	return keyOf(scope, secret, string(wrapped)), nil
}

// keyOf derives the keys of a scope from its secret. wrapped is the secret as it is
// stored.
func keyOf(scope store.Scope, secret []byte, wrapped string) *key {
	names := derive(secret, "names", keySize)
	ids, err := aes.NewCipher(derive(secret, "ids", keySize))
	if err != nil {
		panic(err) // never: the key has the right size
	}
	members, err := daead.NewAESSIV(derive(secret, "members", daead.AESSIVKeySize))
	if err != nil {
		panic(err) // never: the key has the right size
	}
	return &key{
		scope: scope, wrapped: wrapped,
		values:  aead(derive(secret, "values", keySize)),
		hashes:  sync.Pool{New: func() any { return hmac.New(sha256.New, names) }},
		ids:     ids,
		members: members,
	}
}

// The first letter of a name is its kind. In an encrypted name it is in upper case, so
// that the engine recognises records. Names of both forms can exist side by side.

// upper returns the letter of a kind as it begins an encrypted name.
func upper(kind byte) byte { return kind &^ 0x20 }

// nameSize is the length of an encrypted name: a letter and 16 bytes.
const nameSize = 1 + aes.BlockSize

// recordSize is the length of a record's name: a letter and its id.
const recordSize = 1 + aes.BlockSize

// name returns the encrypted form of a name in a scope.
func (k *key) name(scope store.Scope, name string) string {
	if isRecord(name) {
		b := append([]byte{upper(name[0])}, name[1:]...)
		k.ids.Encrypt(b[1:], b[1:])
		return string(b)
	}
	h, _ := k.hashes.Get().(hash.Hash)
	defer k.hashes.Put(h)
	h.Reset()
	_, _ = h.Write([]byte(string(scope) + "\x00" + name)) // it never fails
	var sum [sha256.Size]byte
	h.Sum(sum[:0])
	return string(append([]byte{upper(name[0])}, sum[:nameSize-1]...))
}

// isRecord reports whether a name is a record's. An id is one block of the cipher, so
// its encrypted form has the same length.
func isRecord(name string) bool { return len(name) == recordSize && name[:1] == store.RecordPrefix }

// memberMark begins an encrypted member that is not a record's name.
const memberMark = "="

// member returns the encrypted form of a member of a set.
func (k *key) member(set, member string) string {
	if isRecord(member) {
		return k.name(k.scope, member)
	}
	sealed, err := k.members.EncryptDeterministically([]byte(member), []byte(set))
	if err != nil {
		panic(err) // never: a member is short
	}
	return memberMark + string(sealed)
}

// readMember decrypts what member returned. It reports false if that is not possible.
func (k *key) readMember(set, sealed string) (string, bool) {
	switch {
	case len(sealed) == recordSize && sealed[0] == upper(store.RecordPrefix[0]):
		b := append([]byte(store.RecordPrefix), sealed[1:]...)
		k.ids.Decrypt(b[1:], b[1:])
		return string(b), true
	case len(sealed) > 0 && sealed[:1] == memberMark:
		member, err := k.members.DecryptDeterministically([]byte(sealed[1:]), []byte(set))
		return string(member), err == nil
	default:
		return "", false
	}
}

// A value begins with valueMark and, at the same place as a record, the encrypted name
// of the entry that it links to. A nonce and the ciphertext follow.

// valueMark begins an encrypted value. No other value begins with it: it is not the
// number of a schema and does not occur in UTF-8.
const valueMark = 0xFE

// linkAt is the offset of the length of the linked name.
const linkAt = 5

// value returns the encrypted form of a value.
func (k *key) value(at store.Key, value string) string {
	header := make([]byte, linkAt, linkAt+1+nameSize+chacha20poly1305.NonceSizeX+len(value)+chacha20poly1305.Overhead)
	header[0] = valueMark
	link := ""
	if isRecord(at.Name) {
		if to := store.Link([]byte(value)); to != "" {
			link = k.name(at.Scope, to)
		}
	}
	header = append(append(header, byte(len(link))), link...) //nolint:gosec // nameSize at most
	data := associated(at, header)
	nonce := header[len(header) : len(header)+chacha20poly1305.NonceSizeX]
	_, _ = rand.Read(nonce) // it never fails
	return string(k.values.Seal(header[:len(header)+len(nonce)], nonce, []byte(value), data))
}

// errSealed means that a value does not decrypt.
var errSealed = fmt.Errorf("%w: it does not decrypt", store.ErrCorrupt)

// readValue decrypts what value returned.
func (k *key) readValue(at store.Key, sealed []byte) ([]byte, error) {
	if len(sealed) <= linkAt || sealed[0] != valueMark {
		return nil, errSealed
	}
	header, rest := split(sealed, linkAt+1+int(sealed[linkAt]))
	nonce, rest := split(rest, chacha20poly1305.NonceSizeX)
	value, err := k.values.Open(nil, nonce, rest, associated(at, header))
	if err != nil {
		return nil, errSealed
	}
	return value, nil
}

// associated returns the associated data of a value. A scope holds no zero byte.
func associated(at store.Key, header []byte) []byte {
	b := append([]byte(at.Scope), 0, byte(len(at.Name))) //nolint:gosec // 200 at most
	return append(append(b, at.Name...), header...)
}
