// Overseer steers coding agents: it runs as their hook command, judges what
// they are about to do and answers allow, ask or deny.
package main

import (
	"os"

	"github.com/fireharp/overseer/cmd"
	"github.com/fireharp/overseer/internal/start"
)

func main() { os.Exit(start.OnLargeStack(cmd.Main)) }
