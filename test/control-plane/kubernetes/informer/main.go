// Command informer uses an API server as operators written in Go do: typed and dynamic clients and informers, discovery,
// patches, server-side apply, retries on conflict and leader election. Its arguments are a kubeconfig and a namespace that is
// there; it prints, in JSON, what it saw. Two servers that behave alike make it print the same.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"reflect"
	"sort"
	"strconv"
	"sync"
	"time"

	core "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	applycore "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/util/retry"
)

const (
	limit   = 60 * time.Second
	resync  = time.Second
	writers = 3
	turns   = 60
)

var configMaps = core.SchemeGroupVersion.WithResource("configmaps")

type session struct {
	context   context.Context
	typed     kubernetes.Interface
	untyped   dynamic.Interface
	namespace string
}

func main() {
	seen, err := run(os.Args[1], os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, "informer:", err)
		os.Exit(1)
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(seen); err != nil {
		os.Exit(1)
	}
}

func run(kubeconfig, namespace string) (map[string]any, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	s := &session{
		context:   ctx,
		typed:     kubernetes.NewForConfigOrDie(config),
		untyped:   dynamic.NewForConfigOrDie(config),
		namespace: namespace,
	}
	seen := map[string]any{}
	for _, step := range []struct {
		name string
		run  func() (any, error)
	}{
		{"mapping", s.mapKinds},
		{"caches", s.compareCaches},
		{"patches", s.patch},
		{"conflict", s.conflict},
		{"leaders", s.elect},
	} {
		result, err := step.run()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", step.name, err)
		}
		seen[step.name] = result
	}
	return seen, nil
}

// mapKinds asks discovery where kinds are, as kubectl and controller-runtime do.
func (s *session) mapKinds() (any, error) {
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(s.typed.Discovery()))
	found := map[string]string{}
	for _, kind := range []schema.GroupKind{{Kind: "Pod"}, {Group: "apps", Kind: "StatefulSet"}, {Group: "none", Kind: "None"}} {
		mapping, err := mapper.RESTMapping(kind)
		if err != nil {
			found[kind.String()] = err.Error()
			continue
		}
		found[kind.String()] = mapping.Resource.String() + " " + string(mapping.Scope.Name())
	}
	return found, nil
}

// compareCaches lets several writers write while informers watch. When all is quiet, their caches must hold what a list has.
func (s *session) compareCaches() (any, error) {
	stop := make(chan struct{})
	defer close(stop)
	typed := informers.NewSharedInformerFactoryWithOptions(s.typed, resync, informers.WithNamespace(s.namespace))
	typedMaps := typed.Core().V1().ConfigMaps()
	deleted, resynced := newCounter(), newCounter()
	if _, err := typedMaps.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(before, after any) {
			if before.(*core.ConfigMap).ResourceVersion == after.(*core.ConfigMap).ResourceVersion {
				resynced.add(after.(*core.ConfigMap).Name)
			}
		},
		DeleteFunc: func(object any) {
			if gone, ok := object.(*core.ConfigMap); ok {
				deleted.add(gone.Name)
			}
		},
	}); err != nil {
		return nil, err
	}
	untyped := dynamicinformer.NewFilteredDynamicSharedInformerFactory(s.untyped, resync, s.namespace, nil)
	untypedMaps := untyped.ForResource(configMaps)
	untypedMaps.Informer()
	typed.Start(stop)
	untyped.Start(stop)
	typed.WaitForCacheSync(s.context.Done())
	untyped.WaitForCacheSync(s.context.Done())

	if err := s.write(); err != nil {
		return nil, err
	}
	list, err := s.typed.CoreV1().ConfigMaps(s.namespace).List(s.context, meta.ListOptions{})
	if err != nil {
		return nil, err
	}
	versions, contents := map[string]string{}, map[string]map[string]string{}
	for _, item := range list.Items {
		versions[item.Name], contents[item.Name] = item.ResourceVersion, item.Data
	}
	if err := wait.PollUntilContextCancel(s.context, 20*time.Millisecond, true, func(context.Context) (bool, error) {
		cached, err := typedMaps.Lister().List(labels.Everything())
		if err != nil {
			return false, err
		}
		return reflect.DeepEqual(versionsOf(cached), versions) && resynced.size() > 0, nil
	}); err != nil {
		return nil, fmt.Errorf("the typed cache differs from the list: %w", err)
	}
	if err := wait.PollUntilContextCancel(s.context, 20*time.Millisecond, true, func(context.Context) (bool, error) {
		cached, err := untypedMaps.Lister().List(labels.Everything())
		if err != nil {
			return false, err
		}
		found := map[string]string{}
		for _, object := range cached {
			one := object.(meta.Object)
			found[one.GetName()] = one.GetResourceVersion()
		}
		return reflect.DeepEqual(found, versions), nil
	}); err != nil {
		return nil, fmt.Errorf("the dynamic cache differs from the list: %w", err)
	}
	return map[string]any{"contents": contents, "deleted": deleted.names()}, nil
}

func versionsOf(maps []*core.ConfigMap) map[string]string {
	versions := map[string]string{}
	for _, one := range maps {
		versions[one.Name] = one.ResourceVersion
	}
	return versions
}

// write runs all writers to their end. Each has objects of its own, and all count in one that they share.
func (s *session) write() error {
	client := s.typed.CoreV1().ConfigMaps(s.namespace)
	if _, err := client.Create(s.context, newMap("count", "0"), meta.CreateOptions{}); err != nil {
		return err
	}
	var group sync.WaitGroup
	failures := make(chan error, writers)
	for writer := range writers {
		group.Go(func() {
			random := rand.New(rand.NewSource(int64(writer)))
			for turn := range turns {
				if err := s.writeOnce(fmt.Sprintf("map-%d-%d", writer, random.Intn(6)), random.Intn(5), turn); err != nil {
					failures <- err
					return
				}
			}
		})
	}
	group.Wait()
	close(failures)
	return <-failures
}

func (s *session) writeOnce(name string, action, turn int) error {
	client := s.typed.CoreV1().ConfigMaps(s.namespace)
	var err error
	switch action {
	case 0:
		_, err = client.Create(s.context, newMap(name, strconv.Itoa(turn)), meta.CreateOptions{})
	case 1:
		err = client.Delete(s.context, name, meta.DeleteOptions{})
	case 2:
		patch := fmt.Sprintf(`{"data":{"value":"%d"}}`, turn)
		_, err = client.Patch(s.context, name, types.StrategicMergePatchType, []byte(patch), meta.PatchOptions{})
	case 3:
		_, err = client.Apply(s.context, applycore.ConfigMap(name, s.namespace).WithData(map[string]string{"applied": strconv.Itoa(turn)}),
			meta.ApplyOptions{FieldManager: "informer-apply", Force: true})
	default:
		err = retry.RetryOnConflict(wait.Backoff{Steps: 100, Duration: time.Millisecond, Factor: 1.1, Jitter: 1}, func() error {
			count, err := client.Get(s.context, "count", meta.GetOptions{})
			if err != nil {
				return err
			}
			number, _ := strconv.Atoi(count.Data["value"])
			count.Data["value"] = strconv.Itoa(number + 1)
			_, err = client.Update(s.context, count, meta.UpdateOptions{})
			return err
		})
	}
	if apierrors.IsNotFound(err) || apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

func newMap(name, value string) *core.ConfigMap {
	return &core.ConfigMap{ObjectMeta: meta.ObjectMeta{Name: name}, Data: map[string]string{"value": value}}
}

// patch changes one object in every way that there is.
func (s *session) patch() (any, error) {
	client := s.typed.CoreV1().ConfigMaps(s.namespace)
	if _, err := client.Create(s.context, newMap("patched", "1"), meta.CreateOptions{}); err != nil {
		return nil, err
	}
	seen := []map[string]string{}
	for _, patch := range []struct {
		kind types.PatchType
		body string
	}{
		{types.JSONPatchType, `[{"op":"add","path":"/data/json","value":"1"}]`},
		{types.MergePatchType, `{"data":{"merge":"1","value":null}}`},
		{types.StrategicMergePatchType, `{"data":{"strategic":"1"}}`},
		{types.ApplyYAMLPatchType, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: patched}\ndata: {applied: '1'}\n"},
		{types.MergePatchType, `{"data":{"merge":1}}`},
	} {
		options := meta.PatchOptions{FieldManager: "informer-patch"}
		patched, err := client.Patch(s.context, "patched", patch.kind, []byte(patch.body), options)
		if err != nil {
			seen = append(seen, map[string]string{"reason": string(apierrors.ReasonForError(err))})
			continue
		}
		seen = append(seen, patched.Data)
	}
	return seen, nil
}

// conflict applies over another manager's field, and updates what has changed meanwhile.
func (s *session) conflict() (any, error) {
	client := s.typed.CoreV1().ConfigMaps(s.namespace)
	apply := func(manager, value string, force bool) error {
		_, err := client.Apply(s.context, applycore.ConfigMap("contested", s.namespace).WithData(map[string]string{"value": value}),
			meta.ApplyOptions{FieldManager: manager, Force: force})
		return err
	}
	if err := apply("first", "1", false); err != nil {
		return nil, err
	}
	refused := apply("second", "2", false)
	if err := apply("second", "2", true); err != nil {
		return nil, err
	}
	stale, err := client.Get(s.context, "contested", meta.GetOptions{})
	if err != nil {
		return nil, err
	}
	if err := apply("second", "3", true); err != nil {
		return nil, err
	}
	_, outdated := client.Update(s.context, stale, meta.UpdateOptions{})
	return []string{fmt.Sprint(refused), fmt.Sprint(outdated)}, nil
}

// elect lets two candidates lead one after the other.
func (s *session) elect() (any, error) {
	leaders := []string{}
	for _, identity := range []string{"one", "two"} {
		term, resign := context.WithCancel(s.context)
		leaderelection.RunOrDie(term, leaderelection.LeaderElectionConfig{
			Lock: &resourcelock.LeaseLock{
				LeaseMeta:  meta.ObjectMeta{Namespace: s.namespace, Name: "leader"},
				Client:     s.typed.CoordinationV1(),
				LockConfig: resourcelock.ResourceLockConfig{Identity: identity},
			},
			LeaseDuration:   3 * time.Second,
			RenewDeadline:   2 * time.Second,
			RetryPeriod:     100 * time.Millisecond,
			ReleaseOnCancel: true,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(context.Context) {
					leaders = append(leaders, identity)
					time.Sleep(300 * time.Millisecond) // Long enough for some renewals.
					resign()
				},
				OnStoppedLeading: func() {},
			},
		})
		resign()
	}
	lease, err := s.typed.CoordinationV1().Leases(s.namespace).Get(s.context, "leader", meta.GetOptions{})
	if err != nil {
		return nil, err
	}
	return map[string]any{"leaders": leaders, "holder": *lease.Spec.HolderIdentity, "transitions": *lease.Spec.LeaseTransitions}, nil
}

type counter struct {
	lock   sync.Mutex
	counts map[string]int
}

func newCounter() *counter {
	return &counter{counts: map[string]int{}}
}

func (c *counter) add(name string) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.counts[name]++
}

func (c *counter) size() int {
	c.lock.Lock()
	defer c.lock.Unlock()
	return len(c.counts)
}

func (c *counter) names() []string {
	c.lock.Lock()
	defer c.lock.Unlock()
	names := []string{}
	for name := range c.counts {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
