package seal

import (
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"hash"
	"sync"

	daead "github.com/tink-crypto/tink-go/v2/daead/subtle"
)

// Sealer hides names, values and members of sets. Its methods may be used by several
// goroutines at once.
type Sealer struct {
	fingerprint string
	hashes      sync.Pool
	siv         *daead.AESSIV
}

// New returns a Sealer with a key, or, if that is nil, with one that everybody knows.
func New(key *Key) *Sealer {
	s := &Sealer{}
	if key != nil {
		s.fingerprint = key.Print()
	} else {
		key = new(Key)
	}
	names := key.derive("names", sha256.Size)
	s.hashes.New = func() any { return hmac.New(sha256.New, names) }
	siv, err := daead.NewAESSIV(key.derive("entries", daead.AESSIVKeySize))
	if err != nil {
		panic(err) // never: the key has the right size
	}
	s.siv = siv
	return s
}

// Print returns the fingerprint of the key, or "" if everybody knows it.
func (s *Sealer) Print() string { return s.fingerprint }

// errSeal means that something does not open.
var errSeal = errors.New("it does not open")

// nameSize is the number of bytes of a hidden name that follow its letter.
const nameSize = 16

// Name returns the hidden form of a name in a scope. Its first letter, which is the
// kind of the entry, stays.
func (s *Sealer) Name(scope, name string) string {
	h, _ := s.hashes.Get().(hash.Hash)
	defer s.hashes.Put(h)
	h.Reset()
	_, _ = h.Write([]byte(scope + "\x00" + name)) // it never fails
	var sum [sha256.Size]byte
	h.Sum(sum[:0])
	return name[:1] + string(sum[:nameSize])
}

// Value seals a value that is stored in a scope under a name.
func (s *Sealer) Value(scope, name, value string) string {
	return s.seal(scope+"\x00"+s.Name(scope, name), name, value)
}

// OpenValue opens a value that is stored in a scope under a hidden name. It returns the
// plain name, too.
func (s *Sealer) OpenValue(scope, hidden string, sealed []byte) (name string, value []byte, err error) {
	return s.open(scope+"\x00"+hidden, sealed)
}

// Member seals a member of a set. Equal members of one set are equal when sealed.
func (s *Sealer) Member(scope, set, member string) string {
	return s.seal(scope+"\x00"+s.Name(scope, set)+"\x00", set, member)
}

// OpenMember opens a member of a set that is stored in a scope under a hidden name. It
// returns the plain name of the set, too.
func (s *Sealer) OpenMember(scope, hidden, sealed string) (set, member string, err error) {
	set, opened, err := s.open(scope+"\x00"+hidden+"\x00", []byte(sealed))
	return set, string(opened), err
}

// seal seals a name, behind its length in one byte, with what it names.
func (s *Sealer) seal(place, name, content string) string {
	b := append(make([]byte, 0, 1+len(name)+len(content)), byte(len(name))) //nolint:gosec // 200 at most
	sealed, err := s.siv.EncryptDeterministically(append(append(b, name...), content...), []byte(place))
	if err != nil {
		panic(err) // never: it is far below 2 GB
	}
	return string(sealed)
}

func (s *Sealer) open(place string, sealed []byte) (name string, content []byte, err error) {
	b, err := s.siv.DecryptDeterministically(sealed, []byte(place))
	if err != nil || len(b) == 0 || len(b) < 1+int(b[0]) {
		return "", nil, errSeal
	}
	return string(b[1 : 1+int(b[0])]), b[1+int(b[0]):], nil
}
