package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	runtimejson "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/coordination/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/discovery/install"
	_ "k8s.io/kubernetes/pkg/apis/events/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	"k8s.io/kubernetes/pkg/capabilities"
	"k8s.io/kubernetes/pkg/registry/apps/controllerrevision"
	"k8s.io/kubernetes/pkg/registry/apps/daemonset"
	"k8s.io/kubernetes/pkg/registry/apps/deployment"
	"k8s.io/kubernetes/pkg/registry/apps/replicaset"
	"k8s.io/kubernetes/pkg/registry/apps/statefulset"
	"k8s.io/kubernetes/pkg/registry/autoscaling/horizontalpodautoscaler"
	"k8s.io/kubernetes/pkg/registry/batch/cronjob"
	"k8s.io/kubernetes/pkg/registry/batch/job"
	"k8s.io/kubernetes/pkg/registry/coordination/lease"
	"k8s.io/kubernetes/pkg/registry/core/configmap"
	"k8s.io/kubernetes/pkg/registry/core/endpoint"
	"k8s.io/kubernetes/pkg/registry/core/event"
	"k8s.io/kubernetes/pkg/registry/core/namespace"
	"k8s.io/kubernetes/pkg/registry/core/node"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolume"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolumeclaim"
	"k8s.io/kubernetes/pkg/registry/core/pod"
	"k8s.io/kubernetes/pkg/registry/core/podtemplate"
	"k8s.io/kubernetes/pkg/registry/core/secret"
	"k8s.io/kubernetes/pkg/registry/core/service"
	"k8s.io/kubernetes/pkg/registry/core/serviceaccount"
	"k8s.io/kubernetes/pkg/registry/discovery/endpointslice"
	"k8s.io/kubernetes/pkg/registry/networking/ingress"
	"k8s.io/kubernetes/pkg/registry/networking/ingressclass"
	"k8s.io/kubernetes/pkg/registry/networking/networkpolicy"
	"k8s.io/kubernetes/pkg/registry/policy/poddisruptionbudget"
	"k8s.io/kubernetes/pkg/registry/rbac/clusterrole"
	"k8s.io/kubernetes/pkg/registry/rbac/clusterrolebinding"
	"k8s.io/kubernetes/pkg/registry/rbac/role"
	"k8s.io/kubernetes/pkg/registry/rbac/rolebinding"
	"k8s.io/kubernetes/pkg/registry/scheduling/priorityclass"
	"k8s.io/kubernetes/pkg/registry/storage/storageclass"
)

// Processing of an object of a built-in kind by its registry, one operation per question:
//
//	default   decode with defaults, and encode
//	create    default, prepare for creation, validate, warn, and encode
//	update    the same against `old`
//	status    the same through the status subresource
//
// An answer to all but `default` has `errors` (empty if the object is accepted), `warnings` and `object`.
// `metadata` is processed as by rest.BeforeCreate and rest.BeforeUpdate, without their validation.
func init() {
	register("builtin-kinds", answerBuiltinKind)
	// Settings of the test control plane.
	capabilities.Setup(true, 0)
	// The only clock of a strategy that can be set.
	persistentvolume.NowFunc = func() metav1.Time { return metav1.NewTime(time.Unix(1_700_000_000, 0)) }
}

// strategies of one kind: of its main endpoint, and of its status if it has one.
type strategies struct {
	main   rest.RESTCreateUpdateStrategy
	status rest.RESTUpdateStrategy
}

func plural(kind string) string {
	lower := strings.ToLower(kind)
	switch {
	case strings.HasSuffix(lower, "s"):
		return lower + "es"
	case strings.HasSuffix(lower, "y"):
		return strings.TrimSuffix(lower, "y") + "ies"
	}
	return lower + "s"
}

var builtinKinds = map[string]strategies{
	"v1/ConfigMap":                                    {configmap.Strategy, nil},
	"v1/Endpoints":                                    {endpoint.Strategy, nil},
	"v1/Event":                                        {event.Strategy, nil},
	"v1/Namespace":                                    {namespace.Strategy, namespace.StatusStrategy},
	"v1/Node":                                         {node.Strategy, node.StatusStrategy},
	"v1/PersistentVolume":                             {persistentvolume.Strategy, persistentvolume.StatusStrategy},
	"v1/PersistentVolumeClaim":                        {persistentvolumeclaim.Strategy, persistentvolumeclaim.StatusStrategy},
	"v1/Pod":                                          {pod.Strategy, pod.StatusStrategy},
	"v1/PodTemplate":                                  {podtemplate.Strategy, nil},
	"v1/Secret":                                       {secret.Strategy, nil},
	"v1/Service":                                      {service.Strategy, service.StatusStrategy},
	"v1/ServiceAccount":                               {serviceaccount.Strategy, nil},
	"apps/v1/ControllerRevision":                      {controllerrevision.Strategy, nil},
	"apps/v1/DaemonSet":                               {daemonset.Strategy, daemonset.StatusStrategy},
	"apps/v1/Deployment":                              {deployment.Strategy, deployment.StatusStrategy},
	"apps/v1/ReplicaSet":                              {replicaset.Strategy, replicaset.StatusStrategy},
	"apps/v1/StatefulSet":                             {statefulset.Strategy, statefulset.StatusStrategy},
	"batch/v1/CronJob":                                {cronjob.Strategy, cronjob.StatusStrategy},
	"batch/v1/Job":                                    {job.Strategy, job.StatusStrategy},
	"coordination.k8s.io/v1/Lease":                    {lease.Strategy, nil},
	"discovery.k8s.io/v1/EndpointSlice":               {endpointslice.Strategy, nil},
	"events.k8s.io/v1/Event":                          {event.Strategy, nil},
	"autoscaling/v1/HorizontalPodAutoscaler":          {horizontalpodautoscaler.Strategy, horizontalpodautoscaler.StatusStrategy},
	"autoscaling/v2/HorizontalPodAutoscaler":          {horizontalpodautoscaler.Strategy, horizontalpodautoscaler.StatusStrategy},
	"networking.k8s.io/v1/Ingress":                    {ingress.Strategy, ingress.StatusStrategy},
	"networking.k8s.io/v1/IngressClass":               {ingressclass.Strategy, nil},
	"networking.k8s.io/v1/NetworkPolicy":              {networkpolicy.Strategy, nil},
	"policy/v1/PodDisruptionBudget":                   {poddisruptionbudget.Strategy, poddisruptionbudget.StatusStrategy},
	"rbac.authorization.k8s.io/v1/ClusterRole":        {clusterrole.Strategy, nil},
	"rbac.authorization.k8s.io/v1/ClusterRoleBinding": {clusterrolebinding.Strategy, nil},
	"rbac.authorization.k8s.io/v1/Role":               {role.Strategy, nil},
	"rbac.authorization.k8s.io/v1/RoleBinding":        {rolebinding.Strategy, nil},
	"scheduling.k8s.io/v1/PriorityClass":              {priorityclass.Strategy, nil},
	"storage.k8s.io/v1/StorageClass":                  {storageclass.Strategy, nil},
}

type fieldFault struct {
	Type  field.ErrorType `json:"type"`
	Field string          `json:"field"`
	Text  string          `json:"text"`
}

type kindAnswer struct {
	Errors   []fieldFault    `json:"errors"`
	Warnings []string        `json:"warnings"`
	Object   json.RawMessage `json:"object,omitempty"`
}

func answerBuiltinKind(question json.RawMessage) (any, error) {
	var asked struct {
		Operation string          `json:"operation"`
		Object    json.RawMessage `json:"object"`
		Old       json.RawMessage `json:"old"`
	}
	if err := json.Unmarshal(question, &asked); err != nil {
		return nil, err
	}
	object, gvk, err := decodeDefaulted(asked.Object)
	if err != nil {
		return nil, err
	}
	if asked.Operation == "default" {
		return encodeVersioned(object, gvk.GroupVersion())
	}
	known, found := builtinKinds[gvk.GroupVersion().String()+"/"+gvk.Kind]
	if !found {
		return nil, fmt.Errorf("no strategy for %s", gvk)
	}
	accessor, err := meta.Accessor(object)
	if err != nil {
		return nil, err
	}
	ctx := requestContext(*gvk, accessor.GetNamespace(), accessor.GetName(), asked.Operation)
	if asked.Operation == "create" {
		return create(ctx, known.main, object, gvk.GroupVersion())
	}
	old, _, err := decodeDefaulted(asked.Old)
	if err != nil {
		return nil, fmt.Errorf("old: %w", err)
	}
	switch asked.Operation {
	case "update":
		return update(ctx, known.main, object, old, gvk.GroupVersion())
	case "status":
		if known.status == nil {
			return nil, fmt.Errorf("%s has no status endpoint", gvk)
		}
		return update(ctx, known.status, object, old, gvk.GroupVersion())
	}
	return nil, fmt.Errorf("no operation %q", asked.Operation)
}

func create(ctx context.Context, strategy rest.RESTCreateStrategy, object runtime.Object, version schema.GroupVersion) (any, error) {
	strategy.PrepareForCreate(ctx, object)
	if faults := strategy.Validate(ctx, object); len(faults) > 0 {
		return kindAnswer{Errors: faultsOf(faults), Warnings: []string{}}, nil
	}
	warnings := strategy.WarningsOnCreate(ctx, object)
	strategy.Canonicalize(object)
	return accepted(object, version, warnings)
}

func update(ctx context.Context, strategy rest.RESTUpdateStrategy, object, old runtime.Object, version schema.GroupVersion) (any, error) {
	fresh, err := meta.Accessor(object)
	if err != nil {
		return nil, err
	}
	before, err := meta.Accessor(old)
	if err != nil {
		return nil, err
	}
	fresh.SetGeneration(before.GetGeneration())
	strategy.PrepareForUpdate(ctx, object, old)
	if len(fresh.GetUID()) == 0 {
		fresh.SetUID(before.GetUID())
	}
	if created := before.GetCreationTimestamp(); !created.IsZero() {
		fresh.SetCreationTimestamp(created)
	}
	if !before.GetDeletionTimestamp().IsZero() {
		fresh.SetDeletionTimestamp(before.GetDeletionTimestamp())
	}
	if before.GetDeletionGracePeriodSeconds() != nil && fresh.GetDeletionGracePeriodSeconds() == nil {
		fresh.SetDeletionGracePeriodSeconds(before.GetDeletionGracePeriodSeconds())
	}
	if faults := strategy.ValidateUpdate(ctx, object, old); len(faults) > 0 {
		return kindAnswer{Errors: faultsOf(faults), Warnings: []string{}}, nil
	}
	warnings := strategy.WarningsOnUpdate(ctx, object, old)
	strategy.Canonicalize(object)
	return accepted(object, version, warnings)
}

func accepted(object runtime.Object, version schema.GroupVersion, warnings []string) (any, error) {
	encoded, err := encodeVersioned(object, version)
	if err != nil {
		return nil, err
	}
	if warnings == nil {
		warnings = []string{}
	}
	return kindAnswer{Errors: []fieldFault{}, Warnings: warnings, Object: encoded}, nil
}

func faultsOf(faults field.ErrorList) []fieldFault {
	found := []fieldFault{}
	for _, fault := range faults {
		found = append(found, fieldFault{Type: fault.Type, Field: fault.Field, Text: fault.ErrorBody()})
	}
	return found
}

// requestContext returns the context values that handlers set and strategies read.
func requestContext(gvk schema.GroupVersionKind, namespace, name, operation string) context.Context {
	ctx := request.WithNamespace(context.Background(), namespace)
	ctx = request.WithUser(ctx, &user.DefaultInfo{Name: "admin", Groups: []string{user.SystemPrivilegedGroup}})
	info := &request.RequestInfo{
		IsResourceRequest: true, APIGroup: gvk.Group, APIVersion: gvk.Version,
		Resource: plural(gvk.Kind), Namespace: namespace, Name: name, Verb: "update",
	}
	if operation == "create" {
		info.Verb = "create"
	}
	if operation == "status" {
		info.Subresource = "status"
	}
	return request.WithRequestInfo(ctx, info)
}

var builtinSerializer = runtimejson.NewSerializerWithOptions(runtimejson.DefaultMetaFactory, legacyscheme.Scheme, legacyscheme.Scheme, runtimejson.SerializerOptions{})

// decodeDefaulted returns the internal form of an object, as the handlers decode a body.
func decodeDefaulted(text json.RawMessage) (runtime.Object, *schema.GroupVersionKind, error) {
	decoder := legacyscheme.Codecs.DecoderToVersion(builtinSerializer, runtime.InternalGroupVersioner)
	return decoder.Decode(text, nil, nil)
}

func encodeVersioned(object runtime.Object, version schema.GroupVersion) (json.RawMessage, error) {
	encoder := legacyscheme.Codecs.EncoderForVersion(builtinSerializer, version)
	encoded, err := runtime.Encode(encoder, object)
	return json.RawMessage(strings.TrimSpace(string(encoded))), err
}
