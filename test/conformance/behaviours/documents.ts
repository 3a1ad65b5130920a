// Documents and representations of the API server: discovery, versions, OpenAPI, Table, PartialObjectMetadata.
// It also covers their access rights.
import { expect } from 'vitest'
import type { JsonObject } from '../../../src/base/json.ts'
import { area } from '../area.ts'
import { configMap, configMaps, object, roleBindings, roles, serviceAccounts, widget, widgets } from '../kinds.ts'
import { at, type Stage, taken, textAt } from '../stage.ts'

const asTable = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' }
const partial = { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' }
const partialList = { accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1' }

function read(stage: Stage, path: string, headers: Readonly<Record<string, string>> = {}) {
  return stage.server.request({ method: 'GET', path, headers })
}

async function review(stage: Stage, attributes: JsonObject, headers: Readonly<Record<string, string>> = {}) {
  const body = { spec: { resourceAttributes: attributes } }
  const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
  return await stage.server.request({ method: 'POST', path, headers, body })
}

const onlyThese =
  'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf'

export const documents = area('documents', (it) => {
  it('reports that it is healthy', async (stage) => {
    for (const path of ['/healthz', '/livez', '/readyz']) {
      const { status, body, headers } = await read(stage, path)
      expect([status, body, headers['content-type']]).toEqual([200, 'ok', 'text/plain; charset=utf-8'])
    }
  })

  it('publishes all built-in kinds in one OpenAPI v2 document, in two formats', async (stage) => {
    const whole = await read(stage, '/openapi/v2')
    expect(at(whole.body, 'swagger')).toBe('2.0')
    expect(Object.keys(at(whole.body, 'definitions') ?? {})).toContain('io.k8s.api.apps.v1.StatefulSet')
    expect(whole.headers['content-type']).toBe('application/json')
    expect(whole.headers['vary']?.split(', ')).toContain('Accept')
    const { etag = '' } = whole.headers
    expect(etag).toMatch(/^"[0-9A-F]{128}"$/)
    expect((await read(stage, '/openapi/v2', { 'if-none-match': etag })).status).toBe(304)
    for (const name of ['v2.v1.0', 'v2@v1.0']) {
      const accept = `application/com.github.proto-openapi.spec.${name}+protobuf`
      const { status, headers } = await read(stage, '/openapi/v2', { accept })
      expect([status, headers['content-type'], headers['etag']]).toEqual([
        200,
        'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
        etag,
      ])
    }
    expect((await read(stage, '/openapi/v2', { accept: 'text/html' })).status).toBe(406)
    expect((await read(stage, '/openapi/v2/more')).status).toBe(404)
  })

  it('says its version', async (stage) => {
    const { body } = await read(stage, '/version')
    expect(body).toMatchObject({ major: '1', minor: '36' })
    expect(at(body, 'gitVersion')).toMatch(/^v1\.36\./)
  })

  it('lists core versions and groups', async (stage) => {
    expect((await read(stage, '/api')).body).toMatchObject({ kind: 'APIVersions', versions: ['v1'] })
    const { body } = await read(stage, '/apis')
    expect(body).toMatchObject({ kind: 'APIGroupList', apiVersion: 'v1' })
    const group = (at(body, 'groups') as readonly JsonObject[]).find(({ name }) => name === 'apps')
    const version = { groupVersion: 'apps/v1', version: 'v1' }
    expect(group).toEqual({ name: 'apps', versions: [version], preferredVersion: version })
  })

  it('describes one group', async (stage) => {
    const version = { groupVersion: 'conformance.konverge.dev/v1', version: 'v1' }
    expect((await read(stage, '/apis/conformance.konverge.dev')).body).toEqual({
      kind: 'APIGroup',
      apiVersion: 'v1',
      name: 'conformance.konverge.dev',
      versions: [version],
      preferredVersion: version,
    })
  })

  it('lists the resources of a custom group', async (stage) => {
    const { body } = await read(stage, '/apis/conformance.konverge.dev/v1')
    expect(body).toMatchObject({
      kind: 'APIResourceList',
      apiVersion: 'v1',
      groupVersion: 'conformance.konverge.dev/v1',
    })
    expect(at(body, 'resources.0')).toEqual({
      name: 'widgets',
      singularName: 'widget',
      namespaced: true,
      kind: 'Widget',
      verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
      shortNames: ['wd'],
      storageVersionHash: expect.any(String),
    })
    expect(at(body, 'resources.1')).toEqual({
      name: 'widgets/status',
      singularName: '',
      namespaced: true,
      kind: 'Widget',
      verbs: ['get', 'patch', 'update'],
    })
    expect(at(body, 'resources.2')).toMatchObject({
      name: 'widgets/scale',
      group: 'autoscaling',
      version: 'v1',
      kind: 'Scale',
    })
  })

  it('lists the resources of the core version with their verbs and short names', async (stage) => {
    const { body } = await read(stage, '/api/v1')
    const resources = at(body, 'resources') as readonly JsonObject[]
    expect(resources.find(({ name }) => name === 'configmaps')).toMatchObject({
      singularName: 'configmap',
      namespaced: true,
      kind: 'ConfigMap',
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
      shortNames: ['cm'],
    })
  })

  it('returns aggregated discovery if the client accepts it', async (stage) => {
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
    const { body, headers } = await read(stage, '/apis', { accept })
    expect(headers['content-type']).toBe(accept)
    expect(body).toMatchObject({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2' })
    const groups = at(body, 'items') as readonly JsonObject[]
    const own = groups.find((group) => at(group, 'metadata.name') === 'conformance.konverge.dev')
    expect(at(own, 'versions.0.resources.0')).toMatchObject({
      resource: 'widgets',
      responseKind: { group: 'conformance.konverge.dev', version: 'v1', kind: 'Widget' },
      scope: 'Namespaced',
      singularResource: 'widget',
      shortNames: ['wd'],
    })
  })

  it('returns aggregated discovery also after the plain form, and in YAML', async (stage) => {
    const form = 'g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
    for (const path of ['/api', '/apis']) {
      const after = await read(stage, path, { accept: `application/json,application/json;${form}` })
      expect(at(after.body, 'kind'), 'also after the plain form').toBe('APIGroupDiscoveryList')
      const yaml = await read(stage, path, { accept: `application/yaml;${form}` })
      expect(yaml.headers['content-type']).toBe(`application/yaml;${form}`)
      expect(yaml.body).toMatch(/^apiVersion: apidiscovery.k8s.io\/v2\nitems:\n/)
    }
  })

  it('rejects discovery in unsupported formats, unless the client accepts another one', async (stage) => {
    const unknown = [
      'as=Nonsense',
      'as=APIGroupDiscoveryList',
      'as=APIGroupDiscoveryList;g=apidiscovery.k8s.io;v=v9',
      'as=Table;g=meta.k8s.io;v=v1',
      'v=v2',
      'sv=v1',
      'stream=other',
    ]
    for (const path of ['/api', '/apis', '/apis/apps', '/apis/apps/v1', '/api/v1']) {
      for (const form of unknown) {
        const { status, body } = await read(stage, path, { accept: `application/json;${form}` })
        expect([path, form, status, at(body, 'message')]).toEqual([path, form, 406, onlyThese])
        const plain = await read(stage, path, { accept: `application/json;${form},application/json` })
        expect([path, form, plain.status]).toEqual([path, form, 200])
      }
      for (const form of ['as=;g=;v=', 'as', 'as=a=b', 'charset=utf-8;charset=utf-8', 'stream=watch', 'q=x'])
        expect((await read(stage, path, { accept: `application/json;${form}` })).status, form).toBe(200)
    }
  })

  it('returns objects in the formats of meta.k8s.io and no other', async (stage) => {
    const wanted = [
      ['as=Table;g=meta.k8s.io;v=v1', 'Table'],
      ['as=Table;g=meta.k8s.io;v=v1beta1', 'Table'],
      // The last of two equal parameters wins; one without a value does not count.
      ['as=Table;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1', 'PartialObjectMetadataList'],
      ['as=;g=;v=', 'WidgetList'],
      ['stream=watch', 'WidgetList'],
      ['as=Table;g=meta.k8s.io', 'Status'],
      ['as=Table;g=meta.k8s.io;v=v9', 'Status'],
      ['as=Table;v=v1', 'Status'],
      ['as=Nonsense;g=meta.k8s.io;v=v1', 'Status'],
      ['v=v1', 'Status'],
      ['sv=v9', 'Status'],
      ['sv=v1', 'WidgetList'],
    ]
    for (const [form = '', kind] of wanted) {
      const { body } = await stage.list(widgets, {}, { headers: { accept: `application/json;${form}` } })
      expect([form, at(body, 'kind')]).toEqual([form, kind])
    }
  })

  it('reports in JSON that YAML lacks such a format', async (stage) => {
    const accept = 'application/yaml;as=Nonsense;g=meta.k8s.io;v=v1'
    const { status, body, headers } = await stage.list(widgets, {}, { headers: { accept } })
    expect([status, headers['content-type'], at(body, 'message')]).toEqual([406, 'application/json', onlyThese])
    const absent = await stage.get(widgets, 'absent', { headers: { accept: 'application/yaml' } })
    expect([absent.status, absent.headers['content-type']]).toEqual([404, 'application/yaml'])
    const asTable = 'application/yaml;as=Table;g=meta.k8s.io;v=v1'
    const { status: code, headers: its } = await stage.get(widgets, 'absent', { headers: { accept: asTable } })
    expect([code, its['content-type']]).toEqual([404, 'application/json'])
  })

  it('rejects a body whose media type has a parameter with two values', async (stage) => {
    for (const type of ['application/json', 'application/yaml']) {
      const headers = { 'content-type': `${type};charset=utf-8;Charset=utf-7` }
      const { status, body } = await stage.create(configMaps, configMap('twice', {}), { headers })
      expect([status, at(body, 'reason')]).toEqual([415, 'UnsupportedMediaType'])
      const same = { 'content-type': `${type};charset=utf-8; CHARSET=utf-8` }
      const made = await stage.create(configMaps, configMap(`twice-${type.slice(12)}`, {}), { headers: same })
      expect(made.status).toBe(201)
    }
  })

  it('indexes OpenAPI documents by group and version, with a hash of the content', async (stage) => {
    const { body, headers } = await read(stage, '/openapi/v3')
    expect(headers['content-type']).toBe('text/plain; charset=utf-8')
    const entry = at(at(body, 'paths'), 'apis/apps/v1') ?? (at(body, 'paths') as JsonObject)['apis/apps/v1']
    expect(at(entry, 'serverRelativeURL')).toMatch(/^\/openapi\/v3\/apis\/apps\/v1\?hash=[0-9A-F]+$/)
  })

  it('publishes the schema of a custom kind', async (stage) => {
    const { body } = await stage.eventually(
      () => read(stage, '/openapi/v3/apis/conformance.konverge.dev/v1'),
      ({ status }) => status === 200,
    )
    const schemas = at(body, 'components.schemas') as JsonObject
    const widgetSchema = schemas['dev.konverge.conformance.v1.Widget']
    expect(at(widgetSchema, 'properties.spec.properties.color')).toEqual({
      type: 'string',
      enum: ['red', 'green', 'blue'],
    })
    expect(at(widgetSchema, 'x-kubernetes-group-version-kind')).toEqual([
      { group: 'conformance.konverge.dev', kind: 'Widget', version: 'v1' },
    ])
  })

  it('shows a custom object as a table', async (stage) => {
    await stage.made(widgets, widget('shown', { size: 3 }))
    const { body, headers } = await stage.get(widgets, 'shown', { headers: asTable })
    expect(headers['content-type']).toBe('application/json')
    expect(body).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' })
    const columns = at(body, 'columnDefinitions') as readonly JsonObject[]
    expect(columns.map(({ name, type, priority }) => [name, type, priority])).toEqual([
      ['Name', 'string', 0],
      ['Size', 'integer', 0],
      ['Phase', 'string', 1],
    ])
    expect(at(body, 'rows.0.cells')).toEqual(['shown', 3, null])
    expect(at(body, 'rows.0.object.kind')).toBe('PartialObjectMetadata')
  })

  it('returns the rows of a table with the requested part of the object', async (stage) => {
    await stage.made(widgets, widget('rows', { size: 3 }))
    const none = await stage.get(widgets, 'rows', { headers: asTable, query: { includeObject: 'None' } })
    expect(at(none.body, 'rows.0.object')).toBeNull()
    const whole = await stage.get(widgets, 'rows', { headers: asTable, query: { includeObject: 'Object' } })
    expect(at(whole.body, 'rows.0.object.spec.size')).toBe(3)
  })

  it('shows config maps as a table', async (stage) => {
    await stage.made(configMaps, configMap('table', { a: '1', b: '2' }))
    const { body } = await stage.list(configMaps, { fieldSelector: 'metadata.name=table' }, { headers: asTable })
    expect((at(body, 'columnDefinitions') as readonly JsonObject[]).map(({ name }) => name)).toEqual([
      'Name',
      'Data',
      'Age',
    ])
    expect(at(body, 'rows.0.cells')).toEqual(['table', 2, expect.stringMatching(/^[0-9]+s$/)])
    expect(at(body, 'metadata.resourceVersion')).toBeTypeOf('string')
  })

  it('returns only metadata', async (stage) => {
    await stage.made(widgets, widget('alone', { size: 3 }))
    const one = await stage.get(widgets, 'alone', { headers: partial })
    expect(one.body).toMatchObject({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { name: 'alone' },
    })
    expect(at(one.body, 'spec')).toBeUndefined()
    const list = await stage.list(widgets, { fieldSelector: 'metadata.name=alone' }, { headers: partialList })
    expect(list.body).toMatchObject({ kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1' })
    expect(at(list.body, 'items.0.metadata.name')).toBe('alone')
  })

  it('responds in YAML if the client accepts it', async (stage) => {
    await stage.made(configMaps, configMap('yaml', { a: '1' }))
    const { body, headers } = await stage.get(configMaps, 'yaml', { headers: { accept: 'application/yaml' } })
    expect(headers['content-type']).toBe('application/yaml')
    expect(body).toMatch(/^apiVersion: v1\ndata:\n {2}a: "1"\nkind: ConfigMap\n/)
  })

  it('streams no watch in YAML', async (stage) => {
    for (const kind of [configMaps, widgets]) {
      const query = { watch: true, timeoutSeconds: 1 }
      const { status, body } = await stage.list(kind, query, { headers: { accept: 'application/yaml' } })
      expect([status, String(body).includes('only the following media types are accepted')]).toEqual([406, true])
    }
  })

  it('grants an impersonated user exactly the permissions of its roles', async (stage) => {
    const headers = { 'impersonate-user': 'reader' }
    const refused = await stage.list(configMaps, {}, { headers })
    expect(refused.status).toBe(403)
    expect(at(refused.body, 'message')).toBe(
      `configmaps is forbidden: User "reader" cannot list resource "configmaps" in API group "" in the namespace "${stage.namespace}"`,
    )
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }]
    await stage.made(roles, object(roles, 'reader', { rules }))
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' }
    const subjects = [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'reader' }]
    await stage.made(roleBindings, object(roleBindings, 'reader', { roleRef, subjects }))
    await stage.eventually(
      () => stage.list(configMaps, {}, { headers }),
      ({ status }) => status === 200,
    )
    expect((await stage.get(configMaps, 'kube-root-ca.crt', { headers })).status).toBe(403)
  })

  it('answers a SelfSubjectAccessReview', async (stage) => {
    const attributes = { namespace: stage.namespace, verb: 'get', resource: 'pods' }
    const { status, body } = await review(stage, attributes)
    expect(status).toBe(201)
    expect(at(body, 'status.allowed')).toBe(true)
    const other = await review(stage, attributes, {
      'impersonate-user': 'stranger',
      'impersonate-group': 'system:authenticated',
    })
    expect(taken(other)['status']).toEqual({ allowed: false })
  })

  it('answers a SelfSubjectReview and a SelfSubjectRulesReview', async (stage) => {
    const ask = async (group: string, kind: string, spec: JsonObject) => {
      const path = `/apis/${group}/v1/${kind.toLowerCase()}s`
      const body = { kind, apiVersion: `${group}/v1`, metadata: { labels: { a: 'b' } }, spec }
      return taken(await stage.server.request({ method: 'POST', path, body }))
    }
    const who = await ask('authentication.k8s.io', 'SelfSubjectReview', {})
    expect(who['metadata']).toEqual({ creationTimestamp: expect.stringMatching(/^\d{4}-.*Z$/) })
    expect(Object.keys(who).sort()).toEqual(['apiVersion', 'kind', 'metadata', 'status'])
    const rules = await ask('authorization.k8s.io', 'SelfSubjectRulesReview', { namespace: stage.namespace })
    expect([rules['metadata'], rules['spec']]).toEqual([{}, {}])
  })

  it('rejects impersonation without permission', async (stage) => {
    const headers = { 'impersonate-user': 'admin' }
    const { status, body } = await stage.server.request({
      method: 'GET',
      path: stage.path(configMaps),
      headers,
      as: 'nobody',
    })
    expect(status).toBe(403)
    expect(at(body, 'message')).toBe(
      `configmaps is forbidden: User "nobody" cannot impersonate-on:user-info:list resource "configmaps" in API group "" in the namespace "${stage.namespace}"`,
    )
  })

  it('shows an anonymous user its health and version, and nothing else', async (stage) => {
    const status = async (path: string, authorization?: string) => {
      const headers = authorization === undefined ? {} : { authorization }
      return (await stage.server.request({ method: 'GET', path, headers, as: 'none' })).status
    }
    for (const path of ['/healthz', '/livez', '/readyz', '/version']) expect(await status(path), path).toBe(200)
    for (const path of ['/api', '/apis', '/openapi/v3', '/metrics', '/api/v1/namespaces'])
      expect(await status(path), path).toBe(403)
    for (const authorization of ['Bearer', 'Basic YTpi', 'Bearer  two-blanks'])
      expect(await status('/version', authorization), authorization).toBe(200)
    expect(await status('/version', 'bearer wrong')).toBe(401)
  })

  it('reveals the user of a token only for the token’s audiences', async (stage) => {
    await stage.made(serviceAccounts, object(serviceAccounts, 'reviewed'))
    const path = `${stage.path(serviceAccounts, 'reviewed')}/token`
    const asked = (audiences: readonly string[]) => ({
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { audiences },
    })
    const made = taken(await stage.server.request({ method: 'POST', path, body: asked(['vault']) }))
    const review = async (audiences: readonly string[]) => {
      const { body } = await stage.server.request({
        method: 'POST',
        path: '/apis/authentication.k8s.io/v1/tokenreviews',
        body: {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenReview',
          spec: { token: textAt(made, 'status.token'), audiences },
        },
      })
      return [at(body, 'status.authenticated'), at(body, 'status.audiences'), at(body, 'status.error')]
    }
    expect(await review(['vault', 'other'])).toEqual([true, ['vault'], undefined])
    const refused = 'token audiences ["vault"] is invalid for the target audiences'
    expect(await review(['other'])).toEqual([undefined, undefined, `[invalid bearer token, ${refused} ["other"]]`])
    const own = 'https://kubernetes.default.svc.cluster.local'
    expect(await review([])).toEqual([undefined, undefined, `[invalid bearer token, ${refused} ["${own}"]]`])
  })

  it('rejects a grant of permissions that the user lacks', async (stage) => {
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['*'] }]
    const manage = [{ apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles'], verbs: ['create'] }]
    await stage.made(roles, object(roles, 'manager', { rules: manage }))
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'manager' }
    const subjects = [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'manager' }]
    await stage.made(roleBindings, object(roleBindings, 'manager', { roleRef, subjects }))
    const headers = { 'impersonate-user': 'manager' }
    const { body } = await stage.eventually(
      () => stage.create(roles, object(roles, 'greedy', { rules }), { headers }),
      ({ body }) => String(at(body, 'message')).includes('attempting to grant'),
    )
    expect(at(body, 'message')).toBe(
      'roles.rbac.authorization.k8s.io "greedy" is forbidden: user "manager" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["configmaps"], Verbs:["*"]}',
    )
  })

  it('reports an absent role when a user binds it', async (stage) => {
    const rules = [{ apiGroups: ['rbac.authorization.k8s.io'], resources: ['rolebindings'], verbs: ['create'] }]
    await stage.made(roles, object(roles, 'binder', { rules }))
    const apiGroup = 'rbac.authorization.k8s.io'
    const subjects = [{ kind: 'User', apiGroup, name: 'binder' }]
    const bound = (name: string, role: string) =>
      object(roleBindings, name, { roleRef: { apiGroup, kind: 'Role', name: role }, subjects })
    await stage.made(roleBindings, bound('binder', 'binder'))
    const headers = { 'impersonate-user': 'binder' }
    const { body } = await stage.eventually(
      () => stage.create(roleBindings, bound('vain', 'absent'), { headers }),
      ({ status }) => status === 404,
    )
    expect(at(body, 'message')).toBe('rolebindings.rbac.authorization.k8s.io "absent" not found')
  })
})
