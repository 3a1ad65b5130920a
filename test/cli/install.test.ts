import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { flagshipOf } from '../../src/cli/flagship.ts'
import { install } from '../../src/cli/install.ts'
import { konverge as flagship } from '../../src/cli/konverge-program.ts'
import { konverge, sentenceOf } from './konverge.ts'

const program = { ...flagship, controllers: flagshipOf() }
const limitMs = 120_000
const defaults = {
  program,
  flags: {},
  namespace: 'konverge-system',
  image: 'konverge:test',
  replicas: 2,
  namespaces: undefined as readonly string[] | undefined,
  allNamespaces: true,
  metrics: 'protected' as const,
  controllers: [] as readonly string[],
  name: 'konverge',
  includesDataPods: true,
  environment: {},
}

async function printed(options: Partial<typeof defaults> = {}): Promise<string> {
  let text = ''
  const write = (more: string) => {
    text += more
  }
  await install({ ...defaults, ...options, dryRun: true, write }, new AbortController().signal)
  return text
}

const documentsOf = (text: string) => parseAllDocuments(text, { version: '1.1' }).map((document) => document.toJS())
const argsOf = (text: string) =>
  documentsOf(text).find(({ kind }) => kind === 'Deployment').spec.template.spec.containers[0].args

describe('what konverge install prints', () => {
  it('is the CRDs first, then the operator and its rights, to be read in a review', async () => {
    const text = await printed()
    const documents = text.split('---\n')
    const isDefinition = (document: string) => document.includes('kind: CustomResourceDefinition\n')
    expect(documents.findIndex((document) => !isDefinition(document))).toBe(documents.filter(isDefinition).length)
    const rest = documents.filter((document) => !isDefinition(document)).join('---\n')
    await expect(rest).toMatchFileSnapshot('../golden/install.yaml')
  })

  it('is the same every time', async () => {
    expect(await printed()).toBe(await printed())
  })

  it('tells the operator what it was told', async () => {
    expect(argsOf(await printed())).toEqual(['run', '--metrics=protected'])
    expect(argsOf(await printed({ allNamespaces: false }))).toEqual([
      'run',
      '--namespaces=default',
      '--metrics=protected',
    ])
    expect(
      argsOf(
        await printed({ allNamespaces: false, namespaces: ['shop', 'games'], controllers: ['replicatedkvstores'] }),
      ),
    ).toEqual(['run', '--namespaces=shop,games', '--controllers=replicatedkvstores', '--metrics=protected'])
  })
})

describe('a second operator', () => {
  it('has its name in its namespace, its arguments and its lease', async () => {
    const { namespace: _, ...unplaced } = defaults
    let text = ''
    const write = (more: string) => {
      text += more
    }
    await install({ ...unplaced, name: 'games', dryRun: true, write }, new AbortController().signal)
    expect(argsOf(text)).toEqual(['run', '--name=games', '--metrics=protected'])
    const documents = documentsOf(text).filter(({ kind }) => kind !== 'CustomResourceDefinition')
    expect(documents.find(({ kind }) => kind === 'Deployment').metadata).toMatchObject({
      name: 'games',
      namespace: 'games-system',
    })
    const lease = documents.find(({ kind, metadata }) => kind === 'Role' && metadata.namespace === 'games-system')
    expect(JSON.stringify(lease)).toContain('"resourceNames":["games"]')
  })
})

describe('the definitions that konverge install prints', () => {
  const namesOf = (text: string) =>
    documentsOf(text)
      .filter(({ kind }) => kind === 'CustomResourceDefinition')
      .map(({ metadata }) => metadata.name)

  it('are of all kinds that the controllers deal with, as they wait for those which are not served', async () => {
    const [store, db, user, migration, backup] = [
      'replicatedkvstores',
      'databases',
      'databaseusers',
      'migrations',
      'backups',
    ].map((name) => `${name}.data.konverge.dev`)
    expect(namesOf(await printed())).toEqual([store, db, backup, user, migration])
    expect(namesOf(await printed({ controllers: ['databases'] }))).toEqual([db, backup, user, migration])
    expect(namesOf(await printed({ controllers: ['replicatedkvstores'] }))).toEqual([store])
  })
})

describe.concurrent('konverge install', { timeout: limitMs }, () => {
  it('prints without a cluster', async () => {
    const { exitCode, stdout, stderr } = await konverge(['install', '--dry-run'])
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(stdout).toMatch(/image: localhost\/konverge:\d/)
    expect(stdout).toContain('name: konverge-system.konverge.databases')
  })

  it.each([
    [['--name', 'a'.repeat(41)], /an operator cannot be called 'a{41}'; use at most 40 of a-z, 0-9 and '-'/],
    [['--namespace', 'A'], /OperatorInstall konverge: 'A' cannot be a namespace; use/],
    [['--namespaces', 'a,B'], /'B' cannot be a namespace/],
    [['--replicas', '0'], /--replicas/],
    [['--all-namespaces', '--namespaces', 'a'], /exclude each other/],
    [['--egress-ports', '443,x'], /--egress-ports/],
    [['--controllers', 'nothing'], /there is no controller 'nothing'; choose from replicatedkvstores/],
  ])('refuses %j with one sentence', async (args, message) => {
    const ended = await konverge(['install', '--dry-run', ...args])
    expect(sentenceOf(ended)).toMatch(message)
    expect(ended.exitCode).toBe(2)
  })

  it('says that it finds no cluster, when it is to apply', async () => {
    const ended = await konverge(['install'])
    expect(sentenceOf(ended)).toMatch(/kubeconfig|KUBECONFIG/)
    expect(ended.exitCode).toBe(1)
  })
})
