package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"

	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/endpoints/filters/impersonation"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

type impersonationRights struct {
	Verb, Group, Resource, Subresource, Namespace, Name string
}

// Successive requests through one filter, with all permissions. Each answer is the resulting user, or the rejection.
type impersonationQuestion struct {
	Rights   []impersonationRights
	Requests []struct {
		User    user.DefaultInfo
		Headers map[string][]string
		Info    request.RequestInfo
	}
}

func init() {
	register("impersonation", func(line json.RawMessage) (any, error) {
		var asked impersonationQuestion
		if err := json.Unmarshal(line, &asked); err != nil {
			return nil, err
		}
		var found any
		end := http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
			who, _ := request.UserFrom(req.Context())
			found = map[string]any{"name": who.GetName(), "uid": who.GetUID(), "groups": who.GetGroups(), "extra": who.GetExtra()}
		})
		filter := impersonation.WithConstrainedImpersonation(end, authorizer.AuthorizerFunc(asked.authorize), legacyscheme.Codecs)
		answers := []any{}
		for _, one := range asked.Requests {
			req := httptest.NewRequest("GET", "/", nil)
			for name, values := range one.Headers {
				for _, value := range values {
					req.Header.Add(name, value)
				}
			}
			ctx := request.WithRequestInfo(request.WithUser(req.Context(), &one.User), &one.Info)
			answer := httptest.NewRecorder()
			found = nil
			filter.ServeHTTP(answer, req.WithContext(ctx))
			if found == nil {
				var status struct {
					Message string
					Code    int
				}
				if err := json.Unmarshal(answer.Body.Bytes(), &status); err != nil {
					return nil, err
				}
				found = map[string]any{"code": status.Code, "message": status.Message}
			}
			answers = append(answers, found)
		}
		return answers, nil
	})
}

func (q *impersonationQuestion) authorize(_ context.Context, wanted authorizer.Attributes) (authorizer.Decision, string, error) {
	is := func(given, asked string) bool { return given == "*" || given == asked }
	for _, right := range q.Rights {
		if is(right.Verb, wanted.GetVerb()) && is(right.Group, wanted.GetAPIGroup()) && is(right.Resource, wanted.GetResource()) &&
			is(right.Subresource, wanted.GetSubresource()) && is(right.Namespace, wanted.GetNamespace()) && is(right.Name, wanted.GetName()) {
			return authorizer.DecisionAllow, "", nil
		}
	}
	return authorizer.DecisionNoOpinion, "", nil
}
