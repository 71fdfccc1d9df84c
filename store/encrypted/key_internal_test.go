package encrypted

import (
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"heddle/store"
)

// counting returns consecutive bytes, beginning with first.
func counting(first byte) (b [keySize]byte) {
	for i := range b {
		b[i] = first + byte(i)
	}
	return b
}

// TestStoredFormsStayReadable compares with what an earlier version stored. If it
// fails, existing stores have become unreadable.
func TestStoredFormsStayReadable(t *testing.T) {
	t.Parallel()
	const (
		wrapped = "605012a0a34f75dfb3a104beb56d479a58b4a348f3859deab2e29fb5d53bd3f5e41ebde1e128c9d63e215681159800fa510b0bcd289b1ba0d384472a888e941784a229e5a0be2d28bbb74092ce42afa3"
		name    = "54212ba6eac057a6db60a7a5e414232c6e"
		record  = "527078e2ebdd6ac0041ffe869e55552241"
		member  = "3d780350d4bfd4ab156ee72ba9a90aea5e3ef7f4fc9f8c"
		value   = "fe000000001154212ba6eac057a6db60a7a5e414232c6e44a9d8b3b314c18b37349cbcb79dcbb514f6c9c575c1f34e4618025840c7b61fca40d46ad261e8964181410e34bfce8a47a200ff81d6a2d15c9228502006"
	)
	m := master(counting(1))
	if m.Text() != "AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA=" {
		t.Errorf("the master key is %s, want %q", m.Text(), "AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA=")
	}
	k, err := readKey(m, "g1", unhex(t, wrapped))
	if err != nil {
		t.Fatal(err)
	}
	at := store.Key{Scope: "g1", Name: "r0123456789abcdef"}
	if got := hex.EncodeToString([]byte(k.name("g1", "turn"))); got != name {
		t.Errorf("a name is %s, want %s", got, name)
	}
	if got := hex.EncodeToString([]byte(k.name("g1", at.Name))); got != record {
		t.Errorf("a record's name is %s, want %s", got, record)
	}
	if got := hex.EncodeToString([]byte(k.member("set", "member"))); got != member {
		t.Errorf("a member is %s, want %s", got, member)
	}
	got, err := k.readValue(at, unhex(t, value))
	if err != nil || string(got) != "\x01sum.\x04turnand the rest" {
		t.Errorf("a value is %q, %v, want %q", got, err, "\x01sum.\x04turnand the rest")
	}
	if link := store.Link(unhex(t, value)); link != k.name("g1", "turn") {
		t.Errorf("its link is %x, want %x", link, k.name("g1", "turn"))
	}
	for _, set := range []string{"set", "other"} {
		if read, ok := k.readMember(set, string(unhex(t, member))); ok != (set == "set") || ok && read != "member" {
			t.Errorf("a member of %q is read as %q, %t, want it read as %q in its own set alone", set, read, ok, "member")
		}
	}
}

func unhex(t *testing.T, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestAMasterKeyIsReadInEveryUsualForm(t *testing.T) {
	t.Parallel()
	m := master(counting(0xE0))
	secret := counting(0xE0)
	standard := m.Text()
	for _, text := range []string{
		standard, standard + "\n", strings.TrimRight(standard, "="), hex.EncodeToString(secret[:]),
		strings.NewReplacer("+", "-", "/", "_").Replace(standard),
	} {
		if read, err := ParseMaster(text); err != nil || read.secret != m.secret {
			t.Errorf("%q is read with %v, want the same key and no error", text, err)
		}
	}
	for _, text := range []string{"", "swordfish", standard[1:], standard + standard, strings.Repeat("0", 63)} {
		if _, err := ParseMaster(text); !errors.Is(err, errMaster) || text != "" && strings.Contains(err.Error(), text) {
			t.Errorf("%q is read with %v, want %v that does not repeat it", text, err, errMaster)
		}
	}
}

// FuzzStored checks that arbitrary bytes in a store are refused without a panic.
func FuzzStored(f *testing.F) {
	m := master(counting(1))
	secret := counting(7)
	k := keyOf("g1", secret[:], "")
	at := store.Key{Scope: "g1", Name: "turn"}
	f.Add([]byte(k.value(at, "value")))
	f.Add([]byte(k.member("set", "member")))
	f.Add([]byte(m.wrapped("g1", secret[:])))
	f.Add([]byte{valueMark, 0, 0, 0, 0, 255})
	f.Add([]byte(memberMark))
	f.Fuzz(func(t *testing.T, b []byte) {
		if value, err := k.readValue(at, b); err == nil && string(value) != "value" {
			t.Errorf("%x decrypts as a value, want an error", b)
		}
		if member, ok := k.readMember("set", string(b)); ok && len(b) != recordSize && member != "member" {
			t.Errorf("%x decrypts as a member, want none", b)
		}
		if _, err := m.unwrap("g1", b); err != nil && !errors.Is(err, store.ErrKey) && !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("unwrapping ends with %v, want %v or %v", err, store.ErrKey, store.ErrCorrupt)
		}
	})
}
