package main

import (
	"context"
	"encoding/json"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/kubernetes/pkg/registry/rbac/validation"
	"k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac"
)

// A request and all roles; the answer is the decision with its reason.
type rbacQuestion struct {
	User struct {
		Name   string
		Groups []string
	}
	Attributes struct {
		IsResourceRequest                                              bool
		Verb, Group, Resource, Subresource, Namespace, Name, Path string
	}
	Roles               []*rbacv1.Role
	RoleBindings        []*rbacv1.RoleBinding
	ClusterRoles        []*rbacv1.ClusterRole
	ClusterRoleBindings []*rbacv1.ClusterRoleBinding
}

func init() {
	register("rbac", func(question json.RawMessage) (any, error) {
		var asked rbacQuestion
		if err := json.Unmarshal(question, &asked); err != nil {
			return nil, err
		}
		_, roles := validation.NewTestRuleResolver(asked.Roles, asked.RoleBindings, asked.ClusterRoles, asked.ClusterRoleBindings)
		attributes := authorizer.AttributesRecord{
			User:            &user.DefaultInfo{Name: asked.User.Name, Groups: asked.User.Groups},
			Verb:            asked.Attributes.Verb,
			Namespace:       asked.Attributes.Namespace,
			APIGroup:        asked.Attributes.Group,
			Resource:        asked.Attributes.Resource,
			Subresource:     asked.Attributes.Subresource,
			Name:            asked.Attributes.Name,
			Path:            asked.Attributes.Path,
			ResourceRequest: asked.Attributes.IsResourceRequest,
		}
		decision, reason, err := rbac.New(roles, roles, roles, roles).Authorize(context.Background(), attributes)
		if err != nil {
			return nil, err
		}
		return map[string]any{"isAllowed": decision == authorizer.DecisionAllow, "reason": reason}, nil
	})
}
