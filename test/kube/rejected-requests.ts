// Requests that the API server rejects, one for each wording of a field error. Recorded responses:
// rejected-requests.recorded.json.
import type { JsonObject } from '../../src/base/json.ts'
import type { ApiRequest } from '../control-plane/api-request.ts'

export interface RejectedRequest extends Pick<ApiRequest, 'method' | 'path' | 'contentType'> {
  readonly name: string
  readonly body: JsonObject | readonly JsonObject[]
}

export const namespace = 'rejected-requests'
const core = `/api/v1/namespaces/${namespace}`
const apps = `/apis/apps/v1/namespaces/${namespace}`
const batch = `/apis/batch/v1/namespaces/${namespace}`
export const doors = `/apis/rejected.example.com/v1/namespaces/${namespace}/doors`

const text = { type: 'string' }
const rules = [
  { rule: '!has(self.replicas) || self.replicas <= 5', message: 'at most five replicas' },
  { rule: '!has(self.host) || !self.host.startsWith("bad")', messageExpression: '"the host " + self.host + " is bad"' },
  { rule: '!has(self.replicas) || self.replicas != 4' },
]
const doorSpec = {
  type: 'object',
  properties: {
    replicas: { type: 'integer', maximum: 100 },
    host: text,
    short: { ...text, maxLength: 5 },
    lower: { ...text, pattern: '^[a-z]+$' },
    mode: { ...text, enum: ['Primary', 'Replica'] },
    fixed: { ...text, 'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'fixed is immutable' }] },
    password: {
      ...text,
      'x-kubernetes-validations': [{ rule: 'self.size() > 9', message: 'choose a longer "password"' }],
    },
    few: { type: 'array', maxItems: 1, items: text },
    set: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
    at: { ...text, format: 'date-time' },
    must: { type: 'object', required: ['key'], properties: { key: text } },
  },
  'x-kubernetes-validations': rules,
}

export const doorDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'doors.rejected.example.com' },
  spec: {
    group: 'rejected.example.com',
    names: { kind: 'Door', listKind: 'DoorList', plural: 'doors', singular: 'door' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: doorSpec } } },
      },
    ],
  },
}

const policy = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name: namespace },
  spec: {
    matchConstraints: {
      resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
    },
    validations: [
      {
        expression: "!('denied' in object.data)",
        messageExpression: "'the value ' + object.data['denied'] + ' is not allowed'",
      },
    ],
  },
}

const policyBinding = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicyBinding',
  metadata: { name: namespace },
  spec: {
    policyName: namespace,
    validationActions: ['Deny'],
    matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } },
  },
}

const container = (more: JsonObject = {}): JsonObject => ({ name: 'app', image: 'app:1', ...more })
const pod = (more: JsonObject, spec: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'pod' },
  spec: { automountServiceAccountToken: false, containers: [container(more)], ...spec },
})
const deployment = (name: string, labels: JsonObject, more: JsonObject = {}): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels }, spec: { containers: [container()] } },
    ...more,
  },
})
const job = (template: JsonObject, name = 'job'): JsonObject => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name },
  spec: { template: { spec: { containers: [container()], ...template } } },
})
const service = (name: string, spec: JsonObject): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: { ports: [{ name: 'http', port: 80 }], ...spec },
})
const configMap = (name: string, data: JsonObject, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  data,
})
const door = (name: string, spec: JsonObject): JsonObject => ({
  apiVersion: 'rejected.example.com/v1',
  kind: 'Door',
  metadata: { name },
  spec,
})

/** Objects that exist before, in this order of creation. */
export const groundwork: readonly (readonly [string, JsonObject])[] = [
  ['/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }],
  ['/apis/apiextensions.k8s.io/v1/customresourcedefinitions', doorDefinition],
  ['/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies', policy],
  ['/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings', policyBinding],
  [`${core}/serviceaccounts`, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } }],
]
export const liveObjects: readonly (readonly [string, JsonObject])[] = [
  [`${apps}/deployments`, deployment('live', { app: 'live' })],
  [`${core}/pods`, { ...pod({ env: [{ name: 'TOKEN', value: 'oLd-T0ken-7' }] }), metadata: { name: 'live' } }],
  [doors, door('live', { fixed: 'live-F1xed-value' })],
]

const post = (name: string, path: string, body: JsonObject): RejectedRequest => ({ name, method: 'POST', path, body })
const merge = (name: string, path: string, body: JsonObject): RejectedRequest => ({
  name,
  method: 'PATCH',
  contentType: 'application/merge-patch+json',
  path,
  body,
})

/**
 * A value that must not appear in messages. It is not from a Secret, so that the taint check does not search for it.
 */
export const privateText = 'pR1vate$Text'

export const rejectedRequests: readonly RejectedRequest[] = [
  post('rule with a message', doors, door('a', { replicas: 9 })),
  post('rule with a message about a value', doors, door('a', { password: 'hunter2' })),
  post('rule with a message that quotes the value', doors, door('a', { host: `bad-${privateText}` })),
  post('rule without a message', doors, door('a', { replicas: 4 })),
  post('required field of a schema', doors, door('a', { must: {} })),
  post('required field with its values', `${batch}/jobs`, job({})),
  post('required name', `${batch}/jobs`, job({}, '')),
  post('unsupported value', `${batch}/jobs`, job({ restartPolicy: 'Sometimes' })),
  post('value outside of an enumeration', doors, door('a', { mode: privateText })),
  post('forbidden field', `${core}/pods`, pod({}, { ephemeralContainers: [container({ name: 'debug' })] })),
  post(
    'forbidden node port',
    `${core}/services`,
    service('a', { type: 'ClusterIP', ports: [{ name: 'http', port: 80, nodePort: 30_080 }] }),
  ),
  merge('forbidden change', `${core}/pods/live`, {
    spec: { containers: [container({ env: [{ name: 'TOKEN', value: privateText }] })] },
  }),
  post(
    'duplicate word',
    `${core}/services`,
    service('a', {
      ports: [
        { name: 'http', port: 80 },
        { name: 'http', port: 81 },
      ],
    }),
  ),
  post(
    'duplicate structure',
    `${core}/services`,
    service('a', {
      ports: [
        { name: 'http', port: 80 },
        { name: 'more', port: 80 },
      ],
    }),
  ),
  post('duplicate in a set', doors, door('a', { set: [privateText, privateText] })),
  merge('immutable field', `${apps}/deployments/live`, {
    spec: { selector: { matchLabels: { app: 'other' } }, template: { metadata: { labels: { app: 'other' } } } },
  }),
  merge('immutable field by a rule', `${doors}/live`, { spec: { fixed: privateText } }),
  post('too long', doors, door('a', { short: privateText })),
  post('too long a name', `${core}/configmaps`, configMap('a'.repeat(300), {})),
  post(
    'too large annotations',
    `${core}/configmaps`,
    configMap('a', {}, { annotations: { note: privateText.repeat(30_000) } }),
  ),
  post('too many items', doors, door('a', { few: [privateText, 'b'] })),
  post('number above the maximum', doors, door('a', { replicas: 101 })),
  post('pattern', doors, door('a', { lower: privateText })),
  post('format', doors, door('a', { at: privateText })),
  post('type', doors, door('a', { replicas: privateText })),
  post('type of a built-in field', `${apps}/deployments`, deployment('a', { app: 'a' }, { replicas: privateText })),
  post(
    'quantity above its limit',
    `${core}/pods`,
    pod({ resources: { requests: { memory: '2Gi' }, limits: { memory: '1Gi' } } }),
  ),
  post('text that is no quantity', `${core}/pods`, pod({ resources: { requests: { memory: privateText } } })),
  post('structured value', `${apps}/deployments`, deployment('a', { app: privateText.replace('$', '-') })),
  post('label', `${core}/configmaps`, configMap('a', {}, { labels: { note: privateText } })),
  post('not found', `${core}/pods`, pod({ volumeMounts: [{ name: 'data', mountPath: '/data' }] })),
  post('two causes', `${batch}/jobs`, { ...job({}), metadata: { labels: { a: privateText }, name: 'a' } }),
  post('three causes', doors, door('a', { replicas: 9, short: privateText, mode: 'Other' })),
  post(
    'three causes of a built-in kind',
    `${core}/pods`,
    pod({ image: ' ', imagePullPolicy: 'Now', ports: [{ containerPort: 0 }] }),
  ),
  post('base64', `${core}/secrets`, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'a' },
    data: { a: 'no%base64!' },
  }),
  post('policy that quotes the value', `${core}/configmaps`, configMap('a', { denied: privateText })),
  {
    name: 'patch of a missing path',
    method: 'PATCH',
    contentType: 'application/json-patch+json',
    path: `${apps}/deployments/live`,
    body: [{ op: 'test', path: '/spec/replicas', value: privateText }],
  },
]
