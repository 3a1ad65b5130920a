// Command control-plane is the Kubernetes control plane that the tests run against, in one multi-call binary:
// the first argument, or the name it was started by, chooses the program. One binary links the shared libraries once,
// which is a third of the size and of the build time of five.
//
// Three variables let a test process own what it starts, whatever becomes of it:
//
//	CONTROL_PLANE_PARENT_PIPE  if set, a server ends when its standard input ends.
//	CONTROL_PLANE_LEFTOVERS    glob patterns, separated by colons; what they match is removed at that moment.
//	CONTROL_PLANE_VOLUME_MARK  the first six bytes, in hexadecimal, of every UUID the process makes, see markVolumes.
package main

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
	_ "time/tzdata" // CronJob time zones.

	"github.com/google/uuid"
	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	_ "k8s.io/client-go/plugin/pkg/client/auth" // kubectl's credential plugins.
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	kubectl "k8s.io/kubectl/pkg/cmd"
	kubectlutil "k8s.io/kubectl/pkg/cmd/util"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

var programs = map[string]func(args []string){
	"etcd":                    runEtcd,
	"kube-apiserver":          server(apiserver.NewAPIServerCommand),
	"kube-controller-manager": server(controllermanager.NewControllerManagerCommand),
	"kube-scheduler":          server(func() *cobra.Command { return scheduler.NewSchedulerCommand() }),
	"kubectl":                 runKubectl,
}

func main() {
	args := os.Args
	if _, ok := programs[filepath.Base(args[0])]; !ok {
		args = args[1:]
	}
	if len(args) > 0 {
		if run, ok := programs[filepath.Base(args[0])]; ok {
			// The commands read os.Args themselves, so it has to look as if each had been started alone.
			os.Args = append([]string{filepath.Base(args[0])}, args[1:]...)
			run(os.Args)
			return
		}
	}
	fmt.Fprintln(os.Stderr, "control-plane: the first argument must be etcd, kube-apiserver, kube-controller-manager, kube-scheduler or kubectl")
	os.Exit(2)
}

func runEtcd(args []string) {
	dieWithParent()
	etcdmain.Main(args)
}

func server(newCommand func() *cobra.Command) func([]string) {
	return func([]string) {
		dieWithParent()
		markVolumes()
		os.Exit(cli.Run(newCommand()))
	}
}

// runKubectl has no life line: its standard input may be a manifest.
func runKubectl([]string) {
	if err := cli.RunNoErrOutput(kubectl.NewDefaultKubectlCommand()); err != nil {
		kubectlutil.CheckErr(err)
	}
}

// maxRemovals bounds removeUntilGone to two minutes.
const maxRemovals = 120

// dieWithParent ends the process when standard input ends. The test process holds the other end of that pipe, and the
// kernel closes it however the test process ends, SIGKILL included.
func dieWithParent() {
	if os.Getenv("CONTROL_PLANE_PARENT_PIPE") == "" {
		return
	}
	leftovers := filepath.SplitList(os.Getenv("CONTROL_PLANE_LEFTOVERS"))
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		removeUntilGone(leftovers)
		os.Exit(0)
	}()
}

// removeUntilGone removes what the patterns match until a second later nothing matches any more. The other programs see the same end of file, but
// on a busy machine one of them may write after a removal.
func removeUntilGone(patterns []string) {
	for pass := 0; pass < maxRemovals && len(patterns) > 0; pass++ {
		time.Sleep(time.Second)
		isGone := true
		for _, pattern := range patterns {
			paths, _ := filepath.Glob(pattern)
			for _, path := range paths {
				isGone = false
				_ = os.RemoveAll(path)
			}
		}
		if isGone {
			return
		}
	}
}

// markVolumes makes the folders of the host-path provisioner, /tmp/hostpath_pv/<UUID>, recognisable as those of one
// control plane: the path is fixed in Kubernetes and shared by all of them. Ten random bytes remain in each UUID.
func markVolumes() {
	mark, err := hex.DecodeString(os.Getenv("CONTROL_PLANE_VOLUME_MARK"))
	if err != nil || len(mark) == 0 {
		return
	}
	uuid.SetRand(markedRandom(mark))
}

type markedRandom []byte

func (mark markedRandom) Read(target []byte) (int, error) {
	count, err := rand.Read(target)
	copy(target, mark)
	return count, err
}
