package main

import (
	"context"
	"encoding/json"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apiserver/pkg/authentication/user"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/kubernetes/pkg/registry/rbac/validation"
)

// Rules that a user has, and rules that the user grants. The answer is the rejection; empty if allowed.
func init() {
	register("escalation", func(question json.RawMessage) (any, error) {
		var asked struct{ Held, Given []rbacv1.PolicyRule }
		if err := json.Unmarshal(question, &asked); err != nil {
			return nil, err
		}
		role := &rbacv1.ClusterRole{Rules: asked.Held}
		role.Name = "held"
		bound := &rbacv1.ClusterRoleBinding{
			RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "held"},
			Subjects: []rbacv1.Subject{{Kind: "User", Name: "ann"}},
		}
		resolver, _ := validation.NewTestRuleResolver(nil, nil, []*rbacv1.ClusterRole{role}, []*rbacv1.ClusterRoleBinding{bound})
		ctx := genericapirequest.WithUser(context.Background(), &user.DefaultInfo{Name: "ann", Groups: []string{"staff", "all"}})
		if err := validation.ConfirmNoEscalation(ctx, resolver, asked.Given); err != nil {
			return err.Error(), nil
		}
		return "", nil
	})
}
