// Package shared lets other processes on the same machine use an engine that one process
// alone can open, through a socket that only their user can reach. So commands can look
// into an embedded store, and erase from it, while heddle runs.
//
// A call is a connection: a request goes in, answers come out until the last, and a
// connection that is closed early cancels the call.
package shared
