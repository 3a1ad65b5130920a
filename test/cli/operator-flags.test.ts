import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { konverge, sentenceOf } from './konverge.ts'

const program = fileURLToPath(new URL('zone-program.ts', import.meta.url))
const ask = (...args: readonly string[]) => konverge(args, {}, program)
const install = ['install', '--dry-run', '--image', 'registry.example.com/zones:2']

describe.concurrent('flags of an operator', { timeout: 300_000 }, () => {
  it('are passed to the pods by install', async () => {
    const { stdout, stderr } = await ask(...install, '--read-only', '--domain', 'example.com')
    expect(stderr).toBe('')
    const objects = parseAllDocuments(stdout).map((document) => document.toJS())
    const { args } = objects.find(({ kind }) => kind === 'Deployment').spec.template.spec.containers[0]
    expect(args).toEqual(['run', '--namespaces=default', '--metrics=protected', '--domain=example.com', '--read-only'])
  })

  it('are rejected with the operator’s message', async () => {
    const ended = await ask(...install, '--domain', 'local')
    expect(sentenceOf(ended)).toMatch(/^zones: .*--domain.*'local' has no dot; give a domain such as example\.com;/)
    expect(ended.exitCode).toBe(2)
  })

  it.each([['install'], ['run']])('reject a --selector of %s that selects everything', async (command) => {
    const ended = await ask(command, '--shard', 'eu', '--selector', ',')
    expect(sentenceOf(ended)).toMatch(/^zones: .*--selector.*It selects everything; name a label, as in region=eu/)
    expect(ended.exitCode).toBe(2)
  })

  it('exist only for the commands that they name', async () => {
    expect((await ask('run', '--help')).stdout).toContain('--slow')
    expect(sentenceOf(await ask(...install, '--slow'))).toMatch(
      /unknown option '--slow'; zones install --help lists all options$/,
    )
  })
})

describe.concurrent('a program without CRDs and image', { timeout: 300_000 }, () => {
  it('is not installed without an image', async () => {
    const ended = await ask('install', '--dry-run')
    expect(sentenceOf(ended)).toBe('zones: --image is missing: give the container image of the operator')
    expect(ended.exitCode).toBe(2)
  })

  it('grants people no rights on kinds that others define', async () => {
    const { stdout } = await ask(...install)
    expect(stdout).not.toMatch(/aggregate-to|CustomResourceDefinition/)
  })

  it('previews a built-in kind of Kubernetes', async () => {
    const input = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n'
    const { stdout, stderr } = await konverge(['preview', '-f', '-', '--domain', 'example.com'], { input }, program)
    expect(stderr).toBe('')
    expect(parse(stdout)).toMatchObject({ kind: 'Secret', metadata: { namespace: 'default', name: 'zone' } })
    const nameless = await konverge(['preview', '-f', '-'], { input: input.replace('name: a', '') }, program)
    expect(sentenceOf(nameless)).toMatch(
      /-: ConfigMap .* is refused: metadata\.name is missing; give the object a name$/,
    )
    expect(nameless.exitCode).toBe(2)
  })
})
