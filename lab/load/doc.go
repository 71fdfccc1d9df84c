// Package load measures heddle under load. It runs heddle in a separate process, and test
// servers for Discord and the model in its own process.
//
//	lab load --channels 100 --mentions 2000
//
// It prints the time from when Discord sends a mention until the first byte of the
// request reaches the model's server, and heddle's memory. For comparison it prints the
// same time for a client that only forwards mentions (the wire). With --guilds it prints
// the memory and CPU time of heddle in that many guilds in which nobody asks it anything.
// With --burst it compares programs by mentions in many channels at once. With --feel it
// prints how soon people see the first word of an answer, and its end. With --way it counts
// the functions on the way of one mention.
package load
