// Command kwok plays the nodes of the test control plane: it writes the status that a kubelet would write, by the
// Stage files beside this file. It is kwok's own main (sigs.k8s.io/kwok/cmd/kwok) plus a life line to the parent.
package main

import (
	"io"
	"os"

	"github.com/spf13/pflag"
	"sigs.k8s.io/kwok/pkg/config"
	"sigs.k8s.io/kwok/pkg/kwok/cmd"
	"sigs.k8s.io/kwok/pkg/log"
	"sigs.k8s.io/kwok/pkg/utils/signals"
)

func main() {
	dieWithParent()

	flags := pflag.NewFlagSet("global", pflag.ContinueOnError)
	flags.ParseErrorsAllowlist.UnknownFlags = true
	flags.Usage = func() {}

	ctx, logger := log.InitFlags(signals.SetupSignalContext(), flags)
	ctx, err := config.InitFlags(ctx, flags)
	if err != nil {
		logger.Error("Cannot read the configuration", "err", err)
		os.Exit(1)
	}
	command := cmd.NewCommand(ctx)
	command.PersistentFlags().AddFlagSet(flags)
	if err := command.ExecuteContext(ctx); err != nil {
		logger.Error("Stopped", "err", err)
		os.Exit(1)
	}
}

// dieWithParent ends the process when standard input ends. The test process holds the other end of that pipe, and the
// kernel closes it however the test process ends, SIGKILL included.
func dieWithParent() {
	if os.Getenv("CONTROL_PLANE_PARENT_PIPE") == "" {
		return
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
}
