package bolt

// Unsynced has d leave it to the operating system when to write to the disk.
func (d *DB) Unsynced() { d.db.NoSync = true }
