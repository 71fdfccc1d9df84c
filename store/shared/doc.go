// Package shared lets other processes on the same machine use an engine that only one
// process can open. They use it through a Unix socket that is accessible to the same
// user only. Commands can thereby inspect an embedded store, and erase from it, while
// heddle runs.
//
// Every call has a connection of its own. The client sends one request, and the server
// sends one or more answers. Closing the connection early cancels the call.
package shared
