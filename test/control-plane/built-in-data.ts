// Generator of src/apiserver/built-in/data from a real control plane and the oracles. Run it after a change of the
// version in
// kubernetes/go.mod: `node test/control-plane/built-in-data.ts` (one minute) rewrites the files. Tests compare them
// with the same
// sources.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import type { KindName } from '../../src/apiserver/built-in/built-in-data-loader.ts'
import { keptKinds } from '../../src/apiserver/built-in/catalogue.ts'
import type { Json } from '../../src/base/json.ts'
import { askProgram } from '../oracles/program.ts'
import { findOrBuildProgram } from './binary-builder.ts'
import { type ControlPlane, startControlPlane } from './control-plane.ts'
import { waitUntil } from './wait-until.ts'

const folder = join(import.meta.dirname, '../../src/apiserver/built-in/data')

/** Kinds that the server reads but never stores. */
const passingKinds: readonly KindName[] = [
  { group: '', version: 'v1', kind: 'Binding' },
  { group: '', version: 'v1', kind: 'DeleteOptions' },
  { group: 'autoscaling', version: 'v1', kind: 'Scale' },
  { group: 'policy', version: 'v1', kind: 'Eviction' },
  ...['SelfSubjectReview', 'TokenRequest', 'TokenReview'].map((kind) => reviewed('authentication.k8s.io', kind)),
  ...['LocalSubjectAccessReview', 'SelfSubjectAccessReview', 'SelfSubjectRulesReview', 'SubjectAccessReview'].map(
    (kind) => reviewed('authorization.k8s.io', kind),
  ),
]

function reviewed(group: string, kind: string): KindName {
  return { group, version: 'v1', kind }
}

/** Kinds whose types the table contains. */
export const typedKinds: readonly KindName[] = [
  ...keptKinds.map(({ group, version, kind }) => ({ group, version, kind })),
  ...passingKinds,
]

/** Stored documents: their file names, and their paths on the real server. */
export const documents: readonly { readonly file: string; readonly path: string }[] = [
  ...new Map(typedKinds.map(({ group, version }) => [`${group}/${version}`, { group, version }])).values(),
].map(({ group, version }) => ({
  file: `openapi-${group === '' ? 'core' : group}-${version}.json.br`,
  path: group === '' ? `/openapi/v3/api/${version}` : `/openapi/v3/apis/${group}/${version}`,
}))

/** Document of all kinds in OpenAPI v2, as JSON and as protocol buffers. */
export const wholeDocument = {
  path: '/openapi/v2',
  forms: [
    { file: 'openapi-v2.json.br', accept: 'application/json' },
    { file: 'openapi-v2.pb.br', accept: 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf' },
  ],
} as const

/** Returns the content of the table of types. */
export async function typesText(oracles: string): Promise<string> {
  const [answer] = await askProgram(oracles, 'built-in-types', [typedKinds.map((name) => ({ ...name }))])
  if (answer?.value === undefined) throw new Error(`no table of types: ${answer?.error}`)
  const { kinds, types } = answer.value as unknown as { readonly kinds: readonly number[]; readonly types: unknown }
  const named = typedKinds.map(({ group, version, kind }, index) => [`${group}/${version}/${kind}`, kinds[index]])
  return JSON.stringify({ kinds: Object.fromEntries(named), types })
}

/** Returns the content of the table columns of each kind. */
export async function columnsText(oracles: string): Promise<string> {
  const answers = await askProgram(
    oracles,
    'printers',
    keptKinds.map(({ group, version, kind }) => ({ kind: { group, version, kind }, object: {} })),
  )
  const columns = keptKinds.map(({ group, version, kind }, index) => {
    const { value, error } = answers[index] ?? {}
    if (value === undefined) throw new Error(`no columns of ${kind}: ${error}`)
    return [`${group}/${version}/${kind}`, (value as { readonly columns: Json }).columns] // Form of the oracle.
  })
  return JSON.stringify(Object.fromEntries(columns))
}

/** Paths of the objects that every cluster has from the start. */
const bootstrapPaths = [
  ...['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'].map(
    (plural) => `/apis/rbac.authorization.k8s.io/v1/${plural}`,
  ),
  '/apis/scheduling.k8s.io/v1/priorityclasses',
]

/** Returns the content of the bootstrap roles, bindings and priority classes; `get` reads them from a server. */
export async function bootstrapText(get: (path: string) => Promise<string>): Promise<string> {
  const objects: Json[] = []
  for (const path of bootstrapPaths) {
    const { apiVersion, kind, items } = JSON.parse(await get(path)) as BootstrapList
    for (const { metadata, ...rest } of items) {
      if (!isOfTheServer(metadata)) continue
      const { uid: _uid, resourceVersion: _version, creationTimestamp: _created, managedFields, ...lasting } = metadata
      const timeless = managedFields.map(({ time: _time, ...entry }) => entry)
      const itself = {
        apiVersion,
        kind: kind.replace(/List$/, ''),
        metadata: { ...lasting, managedFields: timeless },
        ...rest,
      }
      objects.push(itself as unknown as Json) // Parsed from JSON.
    }
  }
  return JSON.stringify(objects)
}

interface BootstrapList {
  readonly apiVersion: string
  readonly kind: string
  readonly items: readonly { readonly metadata: BootstrapMetadata }[]
}

interface BootstrapMetadata extends Readonly<Record<string, Json | undefined>> {
  readonly name: string
  readonly labels?: Readonly<Record<string, string>>
  readonly managedFields: readonly Readonly<Record<string, Json>>[]
}

function isOfTheServer({ name, labels }: BootstrapMetadata): boolean {
  return labels?.['kubernetes.io/bootstrapping'] === 'rbac-defaults' || /^system-(?:node|cluster)-critical$/.test(name)
}

/**
 * Returns the content of the documents of two custom kinds, one namespaced and one cluster-scoped. Their names are
 * placeholders for
 * those of other kinds.
 */
async function customTemplatesText(controlPlane: ControlPlane): Promise<string> {
  const scopes = [
    ['placeholder', 'Namespaced'],
    ['everywhere', 'Cluster'],
  ] as const
  const texts: string[] = []
  for (const [word, scope] of scopes) {
    await controlPlane.create(
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      templateDefinition(word, scope),
    )
    const path = `/openapi/v3/apis/${word}.example/v7placeholder`
    const what = `the document of ${word}`
    await waitUntil({ what }, async () => {
      const { status, text } = await controlPlane.request({ method: 'GET', path })
      if (status === 200)
        texts.push(text.trim().replaceAll(word, 'placeholder').replaceAll(capital(word), 'Placeholder'))
      return status === 200
    })
  }
  const [namespaced, cluster] = texts
  return `{"namespaced":${namespaced},"cluster":${cluster}}`
}

function templateDefinition(word: string, scope: 'Namespaced' | 'Cluster'): object {
  const replicas = { type: 'object', properties: { replicas: { type: 'integer' } } }
  const version = {
    name: 'v7placeholder',
    served: true,
    storage: true,
    subresources: {
      status: {},
      scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
    },
    schema: { openAPIV3Schema: { type: 'object', properties: { spec: replicas, status: replicas } } },
  }
  const [kind, listKind] = [`${capital(word)}kind`, `${capital(word)}listkind`]
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${word}plurals.${word}.example` },
    spec: { group: `${word}.example`, scope, names: { plural: `${word}plurals`, kind, listKind }, versions: [version] },
  }
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

async function write(): Promise<void> {
  const oracles = await findOrBuildProgram('oracles', process.env)
  const texts = new Map<string, string | Buffer>([
    ['types.json.br', await typesText(oracles)],
    ['columns.json.br', await columnsText(oracles)],
  ])
  const controlPlane = await startControlPlane()
  for (const { file, path } of documents) {
    const { status, text } = await controlPlane.request({ method: 'GET', path })
    if (status !== 200) throw new Error(`${path} answered ${status}`)
    texts.set(file, text)
  }
  const { path, forms } = wholeDocument
  for (const { file, accept } of forms)
    texts.set(file, (await controlPlane.request({ method: 'GET', path, accept })).bytes)
  const get = async (path: string) => (await controlPlane.request({ method: 'GET', path })).text
  const admin = '/apis/rbac.authorization.k8s.io/v1/clusterroles/admin'
  const what = 'the rules of the aggregated roles'
  await waitUntil({ what }, async () => !(await get(admin)).includes('"rules":null'))
  texts.set('openapi-custom.json.br', await customTemplatesText(controlPlane))
  texts.set('bootstrap.json.br', await bootstrapText(get))
  await controlPlane.stop()
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const [file, text] of texts) keep(file, text)
  const version = /k8s\.io\/kubernetes (v\S+)/.exec(
    readFileSync(join(import.meta.dirname, 'kubernetes/go.mod'), 'utf8'),
  )?.[1]
  writeFileSync(
    join(folder, 'README.md'),
    `What Kubernetes ${version} publishes about its built-in kinds, compressed with brotli. Written by
\`node test/control-plane/built-in-data.ts\`; tests compare it with the real server.

- \`openapi-<group>-<version>.json.br\`: the documents of /openapi/v3, byte for byte.
- \`openapi-v2.json.br\`, \`openapi-v2.pb.br\`: the document of /openapi/v2, in both its forms.
- \`types.json.br\`: how the Go types behind the kinds read and write JSON and protocol buffers; see \`../go-type.ts\`.
- \`columns.json.br\`: the columns of \`kubectl get\` for each kind.
- \`openapi-custom.json.br\`: the documents of two custom kinds, to be put under the names of others.
- \`bootstrap.json.br\`: the roles, bindings and priorities that the server makes for itself.
`,
  )
}

function keep(file: string, text: string | Buffer): void {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 22 }
  writeFileSync(join(folder, file), brotliCompressSync(text, { params }))
}

if (import.meta.main) await write()
