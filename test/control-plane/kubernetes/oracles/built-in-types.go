package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsserver "k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/authentication/install"
	_ "k8s.io/kubernetes/pkg/apis/authorization/install"
	_ "k8s.io/kubernetes/pkg/apis/node/install"
)

// Facts about the Go types of built-in kinds that OpenAPI lacks and the decoder shows: names, the order of fields, and
// the fields that are omitted when empty. The question lists kinds as {group, version, kind}.
//
// The answer has two parts: kinds, the index of each kind's type in the order of the question, and types. A type is
// [form, Go's name, …]: a pointer, list or map has the index of its element type, a struct its fields. Each field is
// [name, index of its type, when it is omitted ("", "empty" or "zero"), its embedding structs, its protobuf numbers
// from the outermost of these structs to itself, empty if it has none], and its patch strategy and merge key, if any.
func init() {
	register("built-in-types", func(question json.RawMessage) (any, error) {
		var kinds []schema.GroupVersionKind
		if err := json.Unmarshal(question, &kinds); err != nil {
			return nil, err
		}
		table := &typeTable{indices: map[reflect.Type]int{}}
		indices := []int{}
		for _, kind := range kinds {
			object, err := schemeOf(kind).New(kind)
			if err != nil {
				return nil, err
			}
			indices = append(indices, table.index(reflect.TypeOf(object).Elem()))
		}
		return map[string]any{"kinds": indices, "types": table.types}, nil
	})
}

// schemeOf returns the scheme of a kind: custom resource definitions have their own server and scheme.
func schemeOf(kind schema.GroupVersionKind) *runtime.Scheme {
	if kind.Group == apiextensions.GroupName {
		return apiextensionsserver.Scheme
	}
	return legacyscheme.Scheme
}

type typeTable struct {
	indices map[reflect.Type]int
	types   []any
}

// Types with their own JSON methods.
var ownForms = map[reflect.Type]string{
	reflect.TypeFor[meta.Time]():                                  "time",
	reflect.TypeFor[meta.MicroTime]():                             "microTime",
	reflect.TypeFor[meta.FieldsV1]():                              "raw",
	reflect.TypeFor[runtime.RawExtension]():                       "raw",
	reflect.TypeFor[apiextensions.JSON]():                         "raw",
	reflect.TypeFor[resource.Quantity]():                          "quantity",
	reflect.TypeFor[intstr.IntOrString]():                         "intOrString",
	reflect.TypeFor[[]byte]():                                     "bytes",
	reflect.TypeFor[apiextensions.JSONSchemaPropsOrArray]():       "schemaOrList",
	reflect.TypeFor[apiextensions.JSONSchemaPropsOrBool]():        "schemaOrBool",
	reflect.TypeFor[apiextensions.JSONSchemaPropsOrStringArray](): "schemaOrStrings",
}

func (table *typeTable) index(t reflect.Type) int {
	if known, ok := table.indices[t]; ok {
		return known
	}
	index := len(table.types)
	table.indices[t] = index
	table.types = append(table.types, nil)
	table.types[index] = table.describe(t)
	return index
}

func (table *typeTable) describe(t reflect.Type) []any {
	if form, ok := ownForms[t]; ok {
		if strings.HasPrefix(form, "schema") {
			return []any{form, t.String(), table.index(reflect.TypeFor[apiextensions.JSONSchemaProps]())}
		}
		return []any{form, t.String()}
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		panic(fmt.Sprintf("%v reads itself in a way that this table has no name for", t))
	}
	switch t.Kind() {
	case reflect.String, reflect.Bool, reflect.Int32, reflect.Int64, reflect.Float64:
		return []any{t.Kind().String(), t.String()}
	case reflect.Int:
		return []any{"int64", t.String()}
	case reflect.Pointer:
		return []any{"pointer", t.String(), table.index(t.Elem())}
	case reflect.Slice:
		return []any{"list", t.String(), table.index(t.Elem())}
	case reflect.Map:
		if t.Key().Kind() != reflect.String {
			panic(fmt.Sprintf("%v has keys that are no strings", t))
		}
		return []any{"map", t.String(), table.index(t.Elem())}
	case reflect.Struct:
		return []any{"struct", t.String(), table.fields(t, []string{}, []string{})}
	default:
		panic(fmt.Sprintf("%v is of a kind that this table has no name for", t))
	}
}

// fields lists the fields of a struct for encoding/json, with those of embedded structs inline.
func (table *typeTable) fields(t reflect.Type, embedded, numbers []string) []any {
	fields := []any{}
	for i := range t.NumField() {
		field := t.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" || (!field.IsExported() && !field.Anonymous) {
			continue
		}
		if field.Anonymous && name == "" && field.Type.Kind() == reflect.Struct {
			inner := append(append([]string{}, embedded...), field.Name)
			fields = append(fields, table.fields(field.Type, inner, append(append([]string{}, numbers...), wireNumber(field)))...)
			continue
		}
		if name == "" {
			name = field.Name
		}
		left := ""
		if field.Tag.Get("json") != "" && strings.Contains(options, "omitzero") && field.Type != reflect.TypeFor[meta.Time]() {
			panic(fmt.Sprintf("%v.%s is left out when zero, and is no time", t, field.Name))
		}
		for option := range strings.SplitSeq(options, ",") {
			switch option {
			case "omitempty":
				if left != "zero" {
					left = "empty"
				}
			case "omitzero":
				left = "zero"
			case "", "inline":
			default:
				panic(fmt.Sprintf("%v.%s has the option %s, which this table has no name for", t, field.Name, option))
			}
		}
		line := []any{name, table.index(field.Type), left, strings.Join(embedded, "."), wirePath(numbers, wireNumber(field))}
		if strategy := field.Tag.Get("patchStrategy"); strategy != "" {
			line = append(line, strategy, field.Tag.Get("patchMergeKey"))
		}
		fields = append(fields, line)
	}
	return fields
}

// wireNumber returns the field's protobuf number; empty if it has none.
func wireNumber(field reflect.StructField) string {
	parts := strings.Split(field.Tag.Get("protobuf"), ",")
	if len(parts) < 2 {
		return ""
	}
	return parts[1]
}

func wirePath(outer []string, number string) string {
	path := append(append([]string{}, outer...), number)
	for _, each := range path {
		if each == "" {
			return ""
		}
	}
	return strings.Join(path, ".")
}
