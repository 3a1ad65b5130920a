import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { CommandError } from '../../src/cli/command-error.ts'
import { flagshipOf } from '../../src/cli/flagship.ts'
import { konverge as flagship } from '../../src/cli/konverge-program.ts'
import { preview } from '../../src/cli/preview.ts'
import { konverge, sentenceOf, withFiles } from './konverge.ts'

const program = { ...flagship, controllers: flagshipOf() }
const limitMs = 120_000

interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
}

/** Objects by kind and name, each as JSON text; the order of documents has no effect. */
function byIdentity(yaml: string, version: '1.1' | '1.2' = '1.1'): Readonly<Record<string, string>> {
  const objects = parseAllDocuments(yaml, { version }).map((document): Manifest => document.toJS())
  return Object.fromEntries(
    objects.map((object) => [`${object.kind} ${object.metadata.name}`, JSON.stringify(sorted(object))]),
  )
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1))
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]))
}

const store = (more: string, name = 'cart') => `apiVersion: data.konverge.dev/v1alpha1
kind: ReplicatedKVStore
metadata:
  name: ${name}
  namespace: shop
spec:
  image: valkey/valkey:8.0
${more}`

const database = (provider: string, more: string) => `apiVersion: data.konverge.dev/v1alpha1
kind: Database
metadata: { name: crm, namespace: shop }
spec:
  provider: { ${provider} }
${more}`

describe.concurrent('konverge preview', { timeout: limitMs }, () => {
  it.each(['kv-store', 'kv-store-custom'])('prints the golden manifests of %s', async (name) => {
    const { exitCode, stdout, stderr } = await konverge(['preview', '-f', `examples/${name}.yaml`])
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(byIdentity(stdout)).toEqual(byIdentity(await readFile(`test/golden/${name}.k8s.yaml`, 'utf8')))
  })

  it('prints what the plain cdk8s app prints', async () => {
    await withFiles({}, async (folder) => {
      const env = { ...process.env, CDK8S_OUTDIR: folder }
      await promisify(execFile)(process.execPath, ['examples/cdk8s-app/main.ts'], { env, timeout: limitMs })
      const [file = ''] = await readdir(folder)
      const { stdout } = await konverge(['preview', '-f', 'examples/kv-store.yaml'])
      expect(byIdentity(stdout)).toEqual(byIdentity(await readFile(join(folder, file), 'utf8')))
    })
  })

  it('prints dependencies before their dependents', async () => {
    const { stdout } = await konverge(['preview', '-f', 'examples/kv-store.yaml'])
    const order = Object.keys(byIdentity(stdout))
    const place = (identity: string) => {
      expect(order).toContain(identity)
      return order.indexOf(identity)
    }
    for (const first of ['ServiceAccount cart', 'Service cart', 'Service cart-headless'])
      expect(place(first)).toBeLessThan(place('StatefulSet cart'))
    expect(place('StatefulSet cart')).toBeLessThan(place('PodDisruptionBudget cart'))
  })

  it('reads several documents and files in the given order', async () => {
    const files = { 'two.yaml': `${store('', 'one')}---\n${store('', 'two')}`, 'more.yaml': store('', 'three') }
    await withFiles(files, async (folder) => {
      const args = ['preview', '-f', join(folder, 'two.yaml'), join(folder, 'more.yaml')]
      const { stdout } = await konverge(args)
      const sets = Object.keys(byIdentity(stdout)).filter((identity) => identity.startsWith('StatefulSet'))
      expect(sets).toEqual(['StatefulSet one', 'StatefulSet two', 'StatefulSet three'])
    })
  })

  it('reads standard input', async () => {
    const { exitCode, stdout } = await konverge(['preview', '-f', '-'], { input: store('') })
    expect(exitCode).toBe(0)
    expect(Object.keys(byIdentity(stdout))).toContain('StatefulSet cart')
  })

  it('fills in defaults of the CRD', async () => {
    const { stdout } = await konverge(['preview', '-f', '-'], { input: store('') })
    const set = JSON.parse(byIdentity(stdout)['StatefulSet cart'] ?? '{}') as { readonly spec: object }
    expect(set.spec).toMatchObject({
      replicas: 1,
      volumeClaimTemplates: [{ spec: { resources: { requests: { storage: '1Gi' } } } }],
    })
  })

  it('treats a field without a value as absent, as the API server does', async () => {
    const { exitCode, stderr } = await konverge(['preview', '-f', '-'], {
      input: store('  storageClassName:\n  replicas: null\n'),
    })
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  })

  it('reads a bare word as a boolean, as kubectl does', async () => {
    const { exitCode, stderr } = await konverge(['preview', '-f', '-'], {
      input: store('  env:\n    - { name: MODE, value: on }\n'),
    })
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: expect.stringContaining('spec.env[0].value in body must be of type string: "boolean"'),
    })
  })

  it('reads times and dates as strings, as kubectl does', async () => {
    const { stdout } = await konverge(['preview', '-f', '-'], {
      input: store('  env:\n    - { name: A, value: 12:30:45 }\n    - { name: B, value: 2001-12-14 }\n'),
    })
    const set = byIdentity(stdout)['StatefulSet cart'] ?? ''
    expect(set).toContain('{"name":"A","value":"12:30:45"},{"name":"B","value":"2001-12-14"}')
  })

  it('writes strings that a reader of YAML 1.1, such as kubectl, reads as strings', async () => {
    const values = ['yes', 'off', '0777', '0o17', '1_000', '12:30:45', '2001-12-14', 'null', '1e3', '0x1F']
    const env = values.map((value, index) => `    - { name: V${index}, value: ${JSON.stringify(value)} }`).join('\n')
    const { stdout } = await konverge(['preview', '-f', '-'], { input: store(`  env:\n${env}\n`) })
    for (const version of ['1.1', '1.2'] as const) {
      const set = byIdentity(stdout, version)['StatefulSet cart'] ?? ''
      for (const value of values)
        expect(set, `${value} in YAML ${version}`).toContain(`"value":${JSON.stringify(value)}`)
    }
  })

  it('prints no owner, label or annotation of a live parent', async () => {
    const { stdout } = await konverge(['preview', '-f', 'examples/kv-store-custom.yaml'])
    expect(stdout).not.toMatch(
      /ownerReferences|applyset\.kubernetes\.io|konverge\.dev\/(owned-by|managed-by|apply-order)|uid/,
    )
  })
})

describe('konverge preview rejects, with exit code 2, one sentence and no output,', () => {
  it.each([
    {
      title: 'a wrong type',
      text: store('  replicas: three\n'),
      says: /spec\.replicas in body must be of type integer: "string"/,
    },
    {
      title: 'a value out of bounds',
      text: store('  replicas: 0\n'),
      says: /spec\.replicas in body should be greater than or equal to 1/,
    },
    {
      title: 'an unknown field',
      text: store('  replica: 3\n'),
      says: /strict decoding error: unknown field "spec\.replica"$/,
    },
    {
      title: 'an unknown field further in',
      text: store('  storage: { siez: 1Gi }\n'),
      says: /unknown field "spec\.storage\.siez"$/,
    },
    {
      title: 'a missing required field',
      text: store('').replace('  image: valkey/valkey:8.0\n', '  replicas: 1\n'),
      says: /spec\.image: Required value/,
    },
    { title: 'a missing spec', text: store('').replace(/spec:[\s\S]*/, ''), says: /spec: Required value/ },
    {
      title: 'a value that is not in the enumeration',
      text: store('  pvcRetention: { whenDeleted: Maybe }\n'),
      says: /spec\.pvcRetention\.whenDeleted: Unsupported value: "Maybe": supported values: "Retain", "Delete"/,
    },
    {
      title: 'a fault in a list',
      text: store('  env: [{ name: A }, { value: x }]\n'),
      says: /spec\.env\[1\]\.name: Required value/,
    },
    {
      title: 'a variable that the operator sets',
      text: store('  env: [{ name: KV_PEERS, value: x }]\n'),
      says: /spec\.env\[0\]\.name: .*POD_NAME and KV_PEERS are set by the operator/,
    },
    {
      title: 'a name that Services cannot take',
      text: store('', '1st'),
      says: /ReplicatedKVStore 1st is refused: .*metadata\.name: .*must start with a letter/,
    },
    {
      title: 'a database with two providers, by a rule of its definition',
      text: database('inCluster: {}, server: { connectionSecretRef: { name: admin } }', ''),
      says: /Database crm is refused: .*spec\.provider: .*set exactly one of inCluster, server and rds$/,
    },
    {
      title: 'several things at once, each with its sentence',
      text: database("inCluster: { storage: { size: '0' } }", '  deletionPolicy: Snapshot\n'),
      says: /\[.*provider\.inCluster and provider\.rds require version.*deletionPolicy Snapshot requires snapshotTarget.*a quantity greater than zero/,
    },
    {
      title: 'a list with one name twice',
      text: database('server: { connectionSecretRef: { name: admin } }', '  schemas: [{ name: a }, { name: a }]\n'),
      says: /spec\.schemas\[1\]: Duplicate value: {"name":"a"}$/,
    },
    { title: 'a name that is a number', text: store('', '123'), says: /ObjectMeta\.name of type string/ },
    {
      title: 'no name',
      text: store('').replace('  name: cart\n', ''),
      says: /metadata\.name: Required value: name or generateName is required/,
    },
    {
      title: 'no metadata',
      text: store('').replace(/metadata:[\s\S]*(?=spec:)/, ''),
      says: /metadata\.name: Required value: name or generateName is required/,
    },
    {
      title: 'a label that is no text',
      text: store('').replace('  namespace: shop', '  labels: { size: 3 }'),
      says: /cannot unmarshal number into Go struct field ObjectMeta\.labels of type string/,
    },
    {
      title: 'a version that is not served',
      text: store('').replace('v1alpha1', 'v9'),
      says: /apiVersion data\.konverge\.dev\/v9 is not served for ReplicatedKVStore/,
    },
    {
      title: 'a kind that is not ours',
      text: 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: x }\n',
      says: /no controller for ConfigMap; there is one for ReplicatedKVStore/,
    },
    { title: 'a document without a kind', text: 'a: 1\n', says: /with apiVersion and kind/ },
    { title: 'a document that is no object', text: '- 1\n- 2\n', says: /with apiVersion and kind/ },
    { title: 'bad YAML', text: 'apiVersion: [v1,\nkind: x\n', says: /at line 2, column 1$/ },
    { title: 'a key that is there twice', text: 'kind: A\nkind: B\n', says: /Map keys must be unique at line 2/ },
    { title: 'an alias of nothing', text: 'a: *b\n', says: /Unresolved alias.*: b$/ },
    {
      title: 'aliases that explode',
      text: `a: &a [x]\n${'bcdefgh'.replace(/./g, (name) => {
        const before = String.fromCharCode(name.charCodeAt(0) - 1)
        return `${name}: &${name} [${Array(10).fill(`*${before}`).join(', ')}]\n`
      })}`,
      says: /Excessive alias count/,
    },
    { title: 'an empty file', text: '', says: /there is no object in this file/ },
    { title: 'a file of empty documents', text: '---\n---\n# nothing\n', says: /there is no object in this file/ },
    {
      title: 'one bad document among good ones, writing none of them,',
      text: `${store('')}---\n${store('  replicas: 0\n', 'other')}`,
      says: /ReplicatedKVStore other is refused: .*spec\.replicas/,
    },
  ])('$title', async ({ text, says }) => {
    await withFiles({ 'store.yaml': text }, async (folder) => {
      const file = join(folder, 'store.yaml')
      const { message, exitCode } = await refusalOf(file)
      expect(message).toMatch(says)
      expect(message.startsWith(`${file}: `)).toBe(true)
      expect(message).not.toContain('\n')
      expect(exitCode).toBe(2)
    })
  })

  it.each([
    { title: 'a file that is not there', file: 'not/there.yaml', says: /cannot read not\/there\.yaml: ENOENT/ },
    { title: 'a folder', file: 'examples', says: /cannot read examples: EISDIR/ },
  ])('$title', async ({ file, says }) => {
    expect(await refusalOf(file)).toMatchObject({ message: expect.stringMatching(says), exitCode: 2 })
  })

  it('as a process, too', { timeout: limitMs }, async () => {
    const ended = await konverge(['preview', '-f', '-'], { input: `${store('')}---\n${store('  replicas: 0\n')}` })
    expect(sentenceOf(ended)).toBe(
      'konverge: -: ReplicatedKVStore cart is refused: ReplicatedKVStore.data.konverge.dev "cart" is invalid: ' +
        'spec.replicas: Invalid value: 0: spec.replicas in body should be greater than or equal to 1',
    )
    expect(ended.exitCode).toBe(2)
  })
})

async function refusalOf(file: string): Promise<CommandError> {
  const written: string[] = []
  const write = (text: string) => void written.push(text)
  const options = { program, flags: {}, environment: {}, files: [file], write }
  try {
    await preview(options, new AbortController().signal)
  } catch (thrown) {
    expect(written).toEqual([])
    if (thrown instanceof CommandError) return thrown
    throw thrown
  }
  throw new Error(`nothing was refused; written was ${written.join('')}`)
}
