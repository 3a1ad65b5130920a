// Rejections of a controller in a preview, which has no cluster to look anything up in.

import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { Website } from '../../examples/01-minimal/website.ts'
import { CommandError } from '../../src/cli/command-error.ts'
import { preview } from '../../src/cli/preview.ts'
import { ConfigMap, type Controller, type ControllerOptions, defineController, objectOf } from '../../src/index.ts'
import { withFiles } from './konverge.ts'

type Options = ControllerOptions<{ readonly image: string; readonly replicas: number }, object, unknown>

const website = (over: Partial<Options>): Controller =>
  defineController<{ readonly image: string; readonly replicas: number }, object, unknown>(Website, {
    owns: [ConfigMap],
    reads: [ConfigMap],
    desired: () => [objectOf(ConfigMap, { data: { a: 'b' } })],
    ...over,
  })

const manifest = (replicas: number) =>
  `apiVersion: example.com/v1\nkind: Website\nmetadata: { name: home }\nspec: { image: nginx, replicas: ${replicas} }\n`
const most = { reason: 'TooMany', message: 'at most two replicas' }
const tooMany: Options['validate'] = ({ object }) => (object.spec.replicas > 2 ? most : undefined)

/** Returns the printed kinds, or the error message. */
async function previewed(controller: Controller, text: string): Promise<readonly string[] | string> {
  let written = ''
  const write = (more: string) => {
    written += more
  }
  const program = {
    ...{ name: 'websites', version: '1', controllers: [controller] },
    crds: new URL('../../examples/01-minimal/website.crd.yaml', import.meta.url),
  }
  return await withFiles({ 'website.yaml': text }, async (folder) => {
    const files = [`${folder}/website.yaml`]
    try {
      await preview({ program, flags: {}, environment: {}, files, write }, new AbortController().signal)
      return parseAllDocuments(written).map((document) => (document.toJS() as { kind: string }).kind)
    } catch (thrown) {
      if (!(thrown instanceof CommandError)) throw thrown
      expect([written, thrown.exitCode]).toEqual(['', 2])
      return thrown.message.replace(folder, '')
    }
  })
}

describe('preview of a resource that its controller rejects', () => {
  const rejected = '/website.yaml: Website home: at most two replicas'

  it('prints the rejection and no manifest', async () => {
    const controller = website({ validate: tooMany })
    expect(await previewed(controller, manifest(3))).toBe(rejected)
    expect(await previewed(controller, `${manifest(1)}---\n${manifest(3)}`)).toBe(rejected)
    expect(await previewed(controller, manifest(2))).toEqual(['ConfigMap'])
  })

  it('rejects it by the spec, whatever observe reads', async () => {
    const observe: Options['observe'] = async ({ object, live }) => ({
      theme: await live.find(ConfigMap, { namespace: object.metadata.namespace, name: 'theme' }),
    })
    expect(await previewed(website({ observe, validate: tooMany }), manifest(3))).toBe(rejected)
  })

  it('rejects it by facts that depend on the resource alone', async () => {
    const observe: Options['observe'] = async ({ object }) => ({ count: object.spec.replicas })
    const refuse: Options['validate'] = ({ facts }) => ((facts as { count: number }).count > 2 ? most : undefined)
    expect(await previewed(website({ observe, validate: refuse }), manifest(3))).toBe(rejected)
  })

  it.each([
    ['an object', async (found: unknown) => ({ found: found !== undefined })],
    ['a plain value', async (found: unknown) => found !== undefined],
  ])('prints the manifests without a fact that only a cluster has, in %s', async (_, factsOf) => {
    const observe: Options['observe'] = async ({ live }) =>
      await factsOf(await live.find(ConfigMap, { namespace: 'default', name: 'theme' }))
    const refuse: Options['validate'] = ({ facts }) =>
      facts === true || (facts as { found?: boolean }).found === true
        ? undefined
        : { message: 'there is no ConfigMap theme; make one' }
    expect(await previewed(website({ observe, validate: refuse }), manifest(1))).toEqual(['ConfigMap'])
  })
})
