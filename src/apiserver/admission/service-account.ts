// Admission of a pod's service account: the namespace's default account if none is named,
// and a token volume at the usual path in every container.
// Source: k8s.io/kubernetes/plugin/pkg/admission/serviceaccount.
import type { Json, JsonObject } from '../../base/json.ts'
import type { Random } from '../../base/random.ts'
import {
  mapAt,
  type Struct,
  structAt,
  structsAt,
  textAt,
  valueAt,
  withField,
  withItems,
  withStruct,
} from '../built-in/field-walk.ts'
import { locatedContainers } from '../built-in/pod-spec-validation.ts'
import { generatedName } from '../generated-name.ts'
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts'
import { refusal } from './namespace-lifecycle.ts'

const mirrorAnnotation = 'kubernetes.io/config.mirror'
const mountableAnnotation = 'kubernetes.io/enforce-mountable-secrets'
const volumePrefix = 'kube-api-access-'
const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount'
/**
 * Lifetime of tokens in seconds: an hour and seven seconds, which upstream uses to detect clients that never reread
 * them.
 */
const tokenSeconds = 3607
const truths = new Set(['1', 't', 'T', 'TRUE', 'true', 'True'])

/** Creates the plugin. `random` generates names of token volumes. */
export function serviceAccountAdmission(random: Random): AdmissionPlugin {
  return {
    mutate: (request) => {
      if (!isNewPod(request) || isMirror(request.object)) {
        judge(request)
        return request.object
      }
      const pod = withStruct(request.object, 'spec', (spec) => admitted(spec, request, random))
      judge({ ...request, object: pod })
      return pod
    },
    validate: judge,
  }
}

function isNewPod({ operation, resource, subresource, object }: AdmissionRequest): boolean {
  const isPod = resource.group === '' && resource.plural === 'pods' && subresource === ''
  return isPod && operation === 'CREATE' && object !== undefined
}

function isMirror(pod: JsonObject): boolean {
  return Object.hasOwn(mapAt(mapAt(pod, 'metadata'), 'annotations'), mirrorAnnotation)
}

function admitted(spec: JsonObject, request: AdmissionRequest, random: Random): JsonObject {
  const name = textAt(spec, 'serviceAccountName') || 'default'
  const account = accountOf(request, name)
  const named = withField(withField(spec, 'serviceAccountName', name), 'serviceAccount', name)
  const mounts =
    valueAt(spec, 'automountServiceAccountToken') ?? valueAt(account, 'automountServiceAccountToken') ?? true
  const mounted = mounts === true ? withToken(named, random) : named
  const secrets = structsAt(account, 'imagePullSecrets')
  if (secrets.length === 0 || structsAt(spec, 'imagePullSecrets').length > 0) return mounted
  return withField(
    mounted,
    'imagePullSecrets',
    secrets.map((secret) => ({ name: textAt(secret, 'name') })),
  )
}

function accountOf(request: AdmissionRequest, name: string): JsonObject {
  const { namespace, world } = request
  const found = world.get({ shelf: 'serviceaccounts', namespace, name })
  if (found !== undefined) return found.object
  const missing = `serviceaccount ${JSON.stringify(name)} not found`
  throw refusal(request, `error looking up service account ${namespace}/${name}: ${missing}`)
}

function withToken(spec: JsonObject, random: Random): JsonObject {
  const existing = structsAt(spec, 'volumes').find((volume) => textAt(volume, 'name').startsWith(volumePrefix))
  const name = existing === undefined ? generatedName(volumePrefix, random) : textAt(existing, 'name')
  const mount = { name, readOnly: true, mountPath }
  const mounted = ['initContainers', 'containers'].reduce(
    (result, list) => withItems(result, list, (container) => withMount(container, mount)),
    spec,
  )
  if (existing !== undefined || mounted === spec) return mounted
  return withField(mounted, 'volumes', [...structsAt(spec, 'volumes'), tokenVolume(name)])
}

function withMount(container: JsonObject, mount: JsonObject): JsonObject {
  const mounts = structsAt(container, 'volumeMounts')
  const isTaken = mounts.some((other) => textAt(other, 'mountPath') === mountPath)
  return isTaken ? container : withField(container, 'volumeMounts', [...mounts, mount])
}

function tokenVolume(name: string): JsonObject {
  const sources: readonly Json[] = [
    { serviceAccountToken: { expirationSeconds: tokenSeconds, path: 'token' } },
    { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
    {
      downwardAPI: {
        items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
      },
    },
  ]
  return { name, projected: { sources, defaultMode: 420 } }
}

/** Throws StatusError (403) for a pod that the rules of its account forbid. */
function judge(request: AdmissionRequest): void {
  const { object: pod, namespace } = request
  if (!isNewPod(request) || pod === undefined) return
  const spec = mapAt(pod, 'spec')
  if (isMirror(pod)) return judgeMirror(request, spec)
  const name = textAt(spec, 'serviceAccountName')
  if (name === '')
    throw refusal(
      request,
      `no service account specified for pod ${namespace}/${textAt(mapAt(pod, 'metadata'), 'name')}`,
    )
  const account = accountOf(request, name)
  const fault = isLimited(account) ? secretFault(spec, account) : undefined
  if (fault !== undefined) throw refusal(request, fault)
}

function judgeMirror(request: AdmissionRequest, spec: JsonObject): void {
  if (textAt(spec, 'serviceAccountName') !== '')
    throw refusal(request, 'a mirror pod may not reference service accounts')
  const volumes = structsAt(spec, 'volumes')
  const sources = volumes.flatMap((volume) => structsAt(structAt(volume, 'projected'), 'sources'))
  const hasSecrets =
    structsAt(spec, 'imagePullSecrets').length > 0 ||
    volumes.some((volume) => structAt(volume, 'secret') !== undefined) ||
    sources.some((source) => structAt(source, 'secret') !== undefined) ||
    locatedContainers(spec, '').some(({ container }) => secretsOfEnv(container).length > 0)
  if (hasSecrets) throw refusal(request, 'a mirror pod may not reference secrets')
  if (sources.some((source) => structAt(source, 'serviceAccountToken') !== undefined))
    throw refusal(request, 'a mirror pod may not use ServiceAccountToken volume projections')
}

function isLimited(account: JsonObject): boolean {
  return truths.has(textAt(mapAt(mapAt(account, 'metadata'), 'annotations'), mountableAnnotation))
}

/** Returns the error for the first Secret that the account does not list, or undefined. */
function secretFault(spec: JsonObject, account: JsonObject): string | undefined {
  const known = new Set(structsAt(account, 'secrets').map((secret) => textAt(secret, 'name')))
  const by = `is not allowed because service account ${textAt(mapAt(account, 'metadata'), 'name')} does not reference that`
  for (const volume of structsAt(spec, 'volumes')) {
    const secret = structAt(volume, 'secret')
    const name = textAt(secret, 'secretName')
    if (secret !== undefined && !known.has(name)) return `volume with secret.secretName="${name}" ${by} secret`
  }
  for (const { container, path } of locatedContainers(spec, '')) {
    const foreign = secretsOfEnv(container).find(({ secret }) => !known.has(secret))
    const kind = path.startsWith('.initContainers') ? 'init container' : 'container'
    if (foreign !== undefined)
      return `${kind} ${textAt(container, 'name')} with ${foreign.place} referencing secret.secretName="${foreign.secret}" ${by} secret`
  }
  const pullable = new Set(structsAt(account, 'imagePullSecrets').map((secret) => textAt(secret, 'name')))
  const pulled = structsAt(spec, 'imagePullSecrets').map((secret) => textAt(secret, 'name'))
  const at = pulled.findIndex((name) => !pullable.has(name))
  return at < 0 ? undefined : `imagePullSecrets[${at}].name="${pulled[at]}" ${by} imagePullSecret`
}

interface SecretUse {
  readonly place: string
  readonly secret: string
}

function secretsOfEnv(container: JsonObject): readonly SecretUse[] {
  const named = (reference: Struct, place: string): readonly SecretUse[] =>
    reference === undefined ? [] : [{ place, secret: textAt(reference, 'name') }]
  return [
    ...structsAt(container, 'env').flatMap((variable) =>
      named(structAt(structAt(variable, 'valueFrom'), 'secretKeyRef'), `envVar ${textAt(variable, 'name')}`),
    ),
    ...structsAt(container, 'envFrom').flatMap((source) => named(structAt(source, 'secretRef'), 'envFrom')),
  ]
}
