// Heddletest is the program with the timings that a test puts into its environment.
package main

import (
	"os"

	"heddle/internal/cli"
	"heddle/internal/clitest"
)

func main() { os.Exit(cli.Main(clitest.Process(os.Environ(), os.Stdout, os.Stderr))) }
