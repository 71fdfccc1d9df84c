package bbolt

import (
	"net"
	"os"
	"sync"
	"syscall"
)

// test is the connection to the test that may stop this process.
var test struct {
	sync.Mutex
	net.Conn
}

// fdatasync replaces bbolt's function of this name. It writes the file to the disk,
// reports that to the test, and waits until the test lets it continue.
func fdatasync(db *DB) (err error) {
	if err := syscall.Fdatasync(int(db.file.Fd())); err != nil {
		return err
	}
	test.Lock()
	defer test.Unlock()
	if test.Conn == nil {
		if test.Conn, err = net.Dial("unix", os.Getenv("CHAOS_DISK")); err != nil {
			return err
		}
	}
	if _, err := test.Write([]byte{0}); err != nil {
		return err
	}
	_, err = test.Read(make([]byte, 1))
	return err
}
