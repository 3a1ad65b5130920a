package main

import (
	"encoding/json"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// managedFields of an object after a write of its replicas through the scale subresource.
func init() {
	register("smd-scale", func(question json.RawMessage) (any, error) {
		var asked struct {
			APIVersion string                      `json:"apiVersion"`
			Entries    []metav1.ManagedFieldsEntry `json:"entries"`
			// By version; nil if the version has no scale.
			Replicas map[string][]string `json:"replicas"`
			Old      int32               `json:"old"`
			New      int32               `json:"new"`
			Manager  string              `json:"manager"`
		}
		if err := json.Unmarshal(question, &asked); err != nil {
			return nil, err
		}
		gv, err := schema.ParseGroupVersion(asked.APIVersion)
		if err != nil {
			return nil, err
		}
		mappings := managedfields.ResourcePathMappings{}
		for version, path := range asked.Replicas {
			mappings[version] = nil
			for _, part := range path {
				mappings[version] = append(mappings[version], fieldpath.FieldNameElement(part))
			}
		}
		handler := managedfields.NewScaleHandler(asked.Entries, gv, mappings)
		shown, err := handler.ToSubresource()
		if err != nil {
			return nil, err
		}
		gvk := autoscalingv1.SchemeGroupVersion.WithKind("Scale")
		typeConverter, err := builtInTypes(gvk)
		if err != nil {
			return nil, err
		}
		scheme := legacyscheme.Scheme
		hub := schema.GroupVersion{Group: gvk.Group, Version: runtime.APIVersionInternal}
		manager, err := managedfields.NewDefaultFieldManager(typeConverter, scheme, scheme, scheme, gvk, hub, "scale", nil)
		if err != nil {
			return nil, err
		}
		live := &autoscalingv1.Scale{ObjectMeta: metav1.ObjectMeta{UID: types.UID("known"), ManagedFields: shown}}
		live.SetGroupVersionKind(gvk)
		changed := live.DeepCopy()
		live.Spec.Replicas, changed.Spec.Replicas = asked.Old, asked.New
		recorded := manager.UpdateNoErrors(live, changed, asked.Manager).(*autoscalingv1.Scale)
		return handler.ToParent(recorded.ManagedFields)
	})
}
