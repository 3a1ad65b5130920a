package main

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"sync"

	"github.com/go-logr/logr"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/conversion"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apiserver/pkg/endpoints/openapi"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/klog/v2"
	"k8s.io/kube-openapi/pkg/builder3"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	generatedopenapi "k8s.io/kubernetes/pkg/generated/openapi"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/yaml"
)

// Results of a sequence of writes to an object by server-side apply and managedFields. For each write, the answer has
// the object before it (`live`), the object that an update would store (`updated`), and either the result (`object`) or
// the rejection. Times are fixed: write number N happens N minutes after the start of the year.
//
// `smd-decode` decodes objects of built-in kinds with defaults, as the server does with merged objects.
func init() {
	register("smd", answerWrites)
	register("smd-decode", func(question json.RawMessage) (any, error) {
		var kind metav1.TypeMeta
		if err := json.Unmarshal(question, &kind); err != nil {
			return nil, err
		}
		gvk := kind.GroupVersionKind()
		internal, err := runtime.Decode(legacyscheme.Codecs.UniversalDecoder(), question)
		if err != nil {
			return nil, err
		}
		object, err := legacyscheme.Scheme.ConvertToVersion(internal, gvk.GroupVersion())
		if err != nil {
			return nil, err
		}
		return asJSON(object, gvk)
	})
}

type writesQuestion struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// Schemas of a custom kind by version; empty for a built-in kind.
	Schemas map[string]*apiextensionsv1.JSONSchemaProps `json:"schemas"`
	// Paths, by subresource, whose ownership its writes never change.
	ResetFields map[string][][]string `json:"resetFields"`
	// One sequence of writes for each object.
	Objects [][]write `json:"objects"`
}

type write struct {
	// Default: that of the question.
	APIVersion  string          `json:"apiVersion"`
	Manager     string          `json:"manager"`
	Subresource string          `json:"subresource"`
	Force       bool            `json:"force"`
	Apply       json.RawMessage `json:"apply"`
	// A merge patch of the live object that results in the object of an update.
	Patch json.RawMessage `json:"patch"`
}

type writeAnswer struct {
	Live    any            `json:"live,omitempty"`
	Updated any            `json:"updated,omitempty"`
	Object  any            `json:"object,omitempty"`
	Status  *metav1.Status `json:"status,omitempty"`
}

type mergeKind struct {
	typeConverter managedfields.TypeConverter
	converter     runtime.ObjectConvertor
	defaulter     runtime.ObjectDefaulter
	creater       runtime.ObjectCreater
	isCustom      bool
	hub           func(schema.GroupVersion) schema.GroupVersion
	decode        func([]byte, schema.GroupVersion) (runtime.Object, error)
}

func answerWrites(question json.RawMessage) (any, error) {
	// It logs faults; the answer shows them.
	klog.SetLogger(logr.Discard())
	var asked writesQuestion
	if err := json.Unmarshal(question, &asked); err != nil {
		return nil, err
	}
	kind, err := mergeKindOf(asked)
	if err != nil {
		return nil, err
	}
	answers := [][]writeAnswer{}
	for _, writes := range asked.Objects {
		answer, err := doWrites(kind, asked, writes)
		if err != nil {
			return nil, err
		}
		answers = append(answers, answer)
	}
	return answers, nil
}

func doWrites(kind *mergeKind, asked writesQuestion, writes []write) ([]writeAnswer, error) {
	var live runtime.Object
	answers := []writeAnswer{}
	for index, write := range writes {
		if write.APIVersion == "" {
			write.APIVersion = asked.APIVersion
		}
		answer, result, err := doWrite(kind, asked, write, live, fmt.Sprintf("2024-01-01T00:%02d:%02dZ", index/60, index%60))
		if err != nil {
			return nil, err
		}
		answers = append(answers, answer)
		if result != nil {
			live = result
		}
	}
	return answers, nil
}

func doWrite(kind *mergeKind, asked writesQuestion, write write, live runtime.Object, now string) (writeAnswer, runtime.Object, error) {
	answer := writeAnswer{}
	gv, err := schema.ParseGroupVersion(write.APIVersion)
	if err != nil {
		return answer, nil, err
	}
	gvk := gv.WithKind(asked.Kind)
	resetFields := map[fieldpath.APIVersion]*fieldpath.Set{}
	if paths, ok := asked.ResetFields[write.Subresource]; ok {
		set := fieldpath.NewSet()
		for _, path := range paths {
			parts := []any{}
			for _, part := range path {
				parts = append(parts, part)
			}
			set.Insert(fieldpath.MakePathOrDie(parts...))
		}
		for version := range asked.Schemas {
			resetFields[fieldpath.APIVersion(gvk.Group+"/"+version)] = set
		}
		resetFields[fieldpath.APIVersion(write.APIVersion)] = set
	}
	newManager := managedfields.NewDefaultFieldManager
	if kind.isCustom {
		newManager = managedfields.NewDefaultCRDFieldManager
	}
	manager, err := newManager(kind.typeConverter, kind.converter, kind.defaulter, kind.creater, gvk, kind.hub(gv), write.Subresource, fieldpath.NewExcludeFilterSetMap(resetFields))
	if err != nil {
		return answer, nil, err
	}
	before := live
	if before == nil {
		if before, err = kind.creater.New(gvk); err != nil {
			return answer, nil, err
		}
	} else {
		if before, err = kind.converter.ConvertToVersion(before, gv); err != nil {
			return answer, nil, err
		}
		if answer.Live, err = asJSON(before, gvk); err != nil {
			return answer, nil, err
		}
		// Only stored objects have been internal before.
		if before, err = kind.converter.ConvertToVersion(before, kind.hub(gv)); err != nil {
			return answer, nil, err
		}
	}
	var result runtime.Object
	if write.Apply != nil {
		patch := &unstructured.Unstructured{Object: map[string]any{}}
		if err := yaml.Unmarshal(write.Apply, &patch.Object); err != nil {
			return answer, nil, err
		}
		if result, err = manager.Apply(before, patch, write.Manager, write.Force); err != nil {
			answer.Status = mergeRefusal(err)
			return answer, nil, nil
		}
	} else {
		body, err := json.Marshal(answer.Live)
		if answer.Live == nil {
			body, err = json.Marshal(map[string]any{"apiVersion": write.APIVersion, "kind": asked.Kind})
		}
		if err != nil {
			return answer, nil, err
		}
		if body, err = jsonpatch.MergePatch(body, write.Patch); err != nil {
			return answer, nil, err
		}
		updated, err := kind.decode(body, gv)
		if err != nil {
			return answer, nil, err
		}
		if answer.Updated, err = asJSON(updated, gvk); err != nil {
			return answer, nil, err
		}
		if updated, err = kind.converter.ConvertToVersion(updated, kind.hub(gv)); err != nil {
			return answer, nil, err
		}
		result = manager.UpdateNoErrors(before.DeepCopyObject(), updated.DeepCopyObject(), write.Manager)
	}
	if err := setTimes(result, now); err != nil {
		return answer, nil, err
	}
	if result, err = kind.converter.ConvertToVersion(result, gv); err != nil {
		return answer, nil, err
	}
	if answer.Object, err = asJSON(result, gvk); err != nil {
		return answer, nil, err
	}
	stored := result.DeepCopyObject()
	if kind.isCustom {
		// As read from the store, with whole numbers as integers.
		text, err := json.Marshal(stored)
		if err != nil {
			return answer, nil, err
		}
		if stored, err = kind.decode(text, gv); err != nil {
			return answer, nil, err
		}
	}
	accessor, err := meta.Accessor(stored)
	if err != nil {
		return answer, nil, err
	}
	accessor.SetUID("8a5ee3b5-6b8c-4a0c-9b5a-3f1d6f4f4f4f")
	return answer, stored, nil
}

// setTimes replaces the machine's times by the test's, and sorts the entries by them.
func setTimes(object runtime.Object, now string) error {
	accessor, err := meta.Accessor(object)
	if err != nil {
		return err
	}
	entries := accessor.GetManagedFields()
	if len(entries) == 0 {
		return nil
	}
	for index := range entries {
		if entries[index].Time != nil && entries[index].Time.Year() > 2024 {
			var time metav1.Time
			if err := json.Unmarshal([]byte(`"`+now+`"`), &time); err != nil {
				return err
			}
			entries[index].Time = &time
		}
	}
	order := func(entry metav1.ManagedFieldsEntry) string {
		seconds := int64(0)
		if entry.Time != nil {
			seconds = entry.Time.Unix()
		}
		return fmt.Sprintf("%s\x00%012d\x00%s\x00%s\x00%s", entry.Operation, seconds, entry.Manager, entry.APIVersion, entry.Subresource)
	}
	sort.SliceStable(entries, func(i, j int) bool { return order(entries[i]) < order(entries[j]) })
	accessor.SetManagedFields(entries)
	return nil
}

func mergeRefusal(err error) *metav1.Status {
	if status, ok := err.(apierrors.APIStatus); ok {
		found := status.Status()
		if found.Details != nil {
			sort.SliceStable(found.Details.Causes, func(i, j int) bool {
				return found.Details.Causes[i].Message < found.Details.Causes[j].Message
			})
		}
		return &found
	}
	return &metav1.Status{Code: 500, Message: err.Error()}
}

func asJSON(object runtime.Object, gvk schema.GroupVersionKind) (any, error) {
	object = object.DeepCopyObject()
	object.GetObjectKind().SetGroupVersionKind(gvk)
	text, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	return json.RawMessage(text), nil
}

func mergeKindOf(asked writesQuestion) (*mergeKind, error) {
	if len(asked.Schemas) > 0 {
		return customMergeKind(asked)
	}
	gv, err := schema.ParseGroupVersion(asked.APIVersion)
	if err != nil {
		return nil, err
	}
	typeConverter, err := builtInTypes(gv.WithKind(asked.Kind))
	if err != nil {
		return nil, err
	}
	scheme := legacyscheme.Scheme
	return &mergeKind{
		typeConverter: typeConverter,
		converter:     scheme,
		defaulter:     scheme,
		creater:       scheme,
		hub: func(gv schema.GroupVersion) schema.GroupVersion {
			return schema.GroupVersion{Group: gv.Group, Version: runtime.APIVersionInternal}
		},
		decode: func(body []byte, gv schema.GroupVersion) (runtime.Object, error) {
			return runtime.Decode(legacyscheme.Codecs.UniversalDecoder(gv), body)
		},
	}, nil
}

var openAPIConfig = sync.OnceValue(func() func(...string) (map[string]*spec.Schema, error) {
	config := genericapiserver.DefaultOpenAPIV3Config(generatedopenapi.GetOpenAPIDefinitions, openapi.NewDefinitionNamer(legacyscheme.Scheme))
	return func(names ...string) (map[string]*spec.Schema, error) {
		return builder3.BuildOpenAPIDefinitionsForResources(config, names...)
	}
})

var knownTypes = map[schema.GroupVersionKind]managedfields.TypeConverter{}

func builtInTypes(gvk schema.GroupVersionKind) (managedfields.TypeConverter, error) {
	if known := knownTypes[gvk]; known != nil {
		return known, nil
	}
	object, err := legacyscheme.Scheme.New(gvk)
	if err != nil {
		return nil, err
	}
	named, ok := object.(interface{ OpenAPIModelName() string })
	if !ok {
		return nil, fmt.Errorf("%v has no name in the published schemas", gvk)
	}
	models, err := openAPIConfig()(named.OpenAPIModelName())
	if err != nil {
		return nil, err
	}
	types, err := managedfields.NewTypeConverter(models, false)
	knownTypes[gvk] = types
	return types, err
}

type unstructuredMaker struct{}

func (unstructuredMaker) New(gvk schema.GroupVersionKind) (runtime.Object, error) {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(gvk)
	return object, nil
}

// Defaults are set after the merge; this oracle only merges.
type noDefaults struct{}

func (noDefaults) Default(runtime.Object) {}

func customMergeKind(asked writesQuestion) (*mergeKind, error) {
	group, _, _ := strings.Cut(asked.APIVersion, "/")
	crd := &apiextensionsv1.CustomResourceDefinition{}
	crd.Name = "tests." + group
	crd.Spec.Group = group
	crd.Spec.Scope = apiextensionsv1.NamespaceScoped
	crd.Spec.Names = apiextensionsv1.CustomResourceDefinitionNames{Plural: "tests", Kind: asked.Kind, ListKind: asked.Kind + "List"}
	crd.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{Strategy: apiextensionsv1.NoneConverter}
	for name, schema := range asked.Schemas {
		version := apiextensionsv1.CustomResourceDefinitionVersion{Name: name, Served: true}
		version.Schema = &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: schema}
		crd.Spec.Versions = append(crd.Spec.Versions, version)
	}
	models := map[string]*spec.Schema{}
	for _, version := range crd.Spec.Versions {
		published, err := builder.BuildOpenAPIV3(crd, version.Name, builder.Options{})
		if err != nil {
			return nil, err
		}
		for name, model := range published.Components.Schemas {
			models[name] = model
		}
	}
	typeConverter, err := managedfields.NewTypeConverter(models, false)
	if err != nil {
		return nil, err
	}
	factory, err := conversion.NewCRConverterFactory(nil, nil)
	if err != nil {
		return nil, err
	}
	converter, _, err := factory.NewConverter(crd)
	if err != nil {
		return nil, err
	}
	return &mergeKind{
		typeConverter: typeConverter,
		converter:     converter,
		defaulter:     noDefaults{},
		creater:       unstructuredMaker{},
		isCustom:      true,
		hub:           func(gv schema.GroupVersion) schema.GroupVersion { return gv },
		decode: func(body []byte, gv schema.GroupVersion) (runtime.Object, error) {
			object := &unstructured.Unstructured{}
			return object, object.UnmarshalJSON(body)
		},
	}, nil
}
