package storetest

import (
	"testing"

	"heddle/store/encrypted"
)

// Encrypted returns what opens the same engines with encryption over them.
func Encrypted(open func(t *testing.T) Subject) func(t *testing.T) Subject {
	return func(t *testing.T) Subject {
		t.Helper()
		s := open(t)
		s.Engine = encrypted.New(s.inner(t), encrypted.Options{Master: encrypted.NewMaster(), Now: s.Now})
		s.Readable = false
		return s
	}
}

// inner returns the engine as encryption needs it.
func (s *Subject) inner(t *testing.T) encrypted.Inner {
	t.Helper()
	inner, ok := s.Engine.(encrypted.Inner)
	if !ok {
		t.Fatalf("%T cannot be encrypted", s.Engine)
	}
	return inner
}
