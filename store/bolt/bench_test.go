package bolt_test

import (
	"os"
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"

	"heddle/store"
	"heddle/store/bolt"
	"heddle/store/storetest"
)

func BenchmarkStore(b *testing.B) { storetest.Bench(b, measured) }

func BenchmarkEncryptedStore(b *testing.B) { storetest.BenchEncrypted(b, measured) }

// measured opens an empty store. It returns the store and a function that returns its
// size in bytes.
func measured(b *testing.B) (store.Engine, func() int) { //nolint:ireturn // as benchmarks take it
	b.Helper()
	dir := b.TempDir()
	return open(b, bolt.Options{Dir: dir}), func() int { return inUse(b, dir) }
}

// inUse returns how many bytes of the file are in use. It opens a copy of the file.
func inUse(b *testing.B, dir string) int {
	b.Helper()
	content, err := os.ReadFile(filepath.Join(dir, bolt.FileName))
	must(b, err)
	file := filepath.Join(b.TempDir(), "copy")
	must(b, os.WriteFile(file, content, 0o600))
	db, err := bbolt.Open(file, 0o600, &bbolt.Options{ReadOnly: true})
	must(b, err)
	used := 0
	must(b, db.View(func(tx *bbolt.Tx) error {
		return tx.ForEach(func(_ []byte, bucket *bbolt.Bucket) error {
			stats := bucket.Stats()
			used += stats.LeafInuse + stats.BranchInuse
			return nil
		})
	}))
	must(b, db.Close())
	return used
}
