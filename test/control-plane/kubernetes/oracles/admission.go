package main

import (
	"context"
	"encoding/json"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/initializer"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	utilcompatibility "k8s.io/apiserver/pkg/util/compatibility"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/plugin/pkg/admission/defaulttolerationseconds"
	"k8s.io/kubernetes/plugin/pkg/admission/nodetaint"
	"k8s.io/kubernetes/plugin/pkg/admission/priority"
	"k8s.io/kubernetes/plugin/pkg/admission/serviceaccount"
	"k8s.io/kubernetes/plugin/pkg/admission/storage/persistentvolume/resize"
	"k8s.io/kubernetes/plugin/pkg/admission/storage/storageclass/setdefault"
	"k8s.io/kubernetes/plugin/pkg/admission/storage/storageobjectinuseprotection"
)

// In the order of k8s.io/kubernetes/pkg/kubeapiserver/options/plugins.go.
var admissionOrder = []string{
	serviceaccount.PluginName, nodetaint.PluginName, priority.PluginName, defaulttolerationseconds.PluginName,
	setdefault.PluginName, storageobjectinuseprotection.PluginName, resize.PluginName,
}

// Plugin chains live as long as the program: there are few worlds, and their informers start slowly.
var admissionChains = map[string]admission.Interface{}

// Admission of an object that is created or updated in a world of other objects.
func init() {
	register("admission", func(question json.RawMessage) (any, error) {
		var asked struct {
			Operation, Name, Namespace, Resource, Subresource string
			Object, Old                                       json.RawMessage
			World                                             []json.RawMessage
		}
		if err := json.Unmarshal(question, &asked); err != nil {
			return nil, err
		}
		object, gvk, err := decodeDefaulted(asked.Object)
		if err != nil {
			return nil, err
		}
		var old runtime.Object
		if asked.Old != nil {
			if old, _, err = decodeDefaulted(asked.Old); err != nil {
				return nil, err
			}
		}
		chain, err := chainIn(asked.World)
		if err != nil {
			return nil, err
		}
		resource := schema.GroupVersionResource{Group: gvk.Group, Version: gvk.Version, Resource: asked.Resource}
		attributes := admission.NewAttributesRecord(object, old, *gvk, asked.Namespace, asked.Name, resource, asked.Subresource,
			admission.Operation(asked.Operation), nil, false, &user.DefaultInfo{Name: "admin"})
		scheme := admission.NewObjectInterfacesFromScheme(legacyscheme.Scheme)
		err = chain.(admission.MutationInterface).Admit(context.Background(), attributes, scheme)
		if err == nil {
			err = chain.(admission.ValidationInterface).Validate(context.Background(), attributes, scheme)
		}
		return admittedOrRefused(object, gvk.GroupVersion(), err)
	})
}

func chainIn(world []json.RawMessage) (admission.Interface, error) {
	key, err := json.Marshal(world)
	if err != nil {
		return nil, err
	}
	if known, found := admissionChains[string(key)]; found {
		return known, nil
	}
	objects := []runtime.Object{}
	for _, text := range world {
		object, _, err := clientscheme.Codecs.UniversalDeserializer().Decode(text, nil, nil)
		if err != nil {
			return nil, err
		}
		objects = append(objects, object)
	}
	client := fake.NewSimpleClientset(objects...)
	factory := informers.NewSharedInformerFactory(client, 0)
	plugins := admission.NewPlugins()
	for _, register := range []func(*admission.Plugins){
		serviceaccount.Register, nodetaint.Register, priority.Register, defaulttolerationseconds.Register,
		setdefault.Register, storageobjectinuseprotection.Register, resize.Register,
	} {
		register(plugins)
	}
	config, err := admission.ReadAdmissionConfiguration(admissionOrder, "", nil)
	if err != nil {
		return nil, err
	}
	forever := make(chan struct{})
	gates := utilfeature.DefaultFeatureGate
	version := utilcompatibility.DefaultBuildEffectiveVersion()
	prepared := initializer.New(client, nil, factory, authorizerfactory.NewAlwaysAllowAuthorizer(), gates, version, forever, nil)
	chain, err := plugins.NewFromPlugins(admissionOrder, config, prepared, admission.DecoratorFunc(
		func(handler admission.Interface, _ string) admission.Interface { return handler }))
	if err != nil {
		return nil, err
	}
	factory.Start(forever)
	factory.WaitForCacheSync(forever)
	admissionChains[string(key)] = chain
	return chain, nil
}
