// Watched kinds: a change reconciles the resources that refer to the object, in any namespace, and no others. A Secret
// reconciles them too, and its values never enter memory (I11). Runs on every server.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { secretText } from '../../taint/secret-text.ts'
import type { StartStoryServer, StoryOperator, StoryServer } from '../story-server.ts'
import {
  farNamespace,
  guestObject,
  guests,
  houseObject,
  installVisits,
  keyObject,
  nearNamespace,
  removeVisits,
  type Visits,
} from '../visits.ts'

/** Time in which unwanted reconciles may appear after the first one. */
const quietMs = 1_000

const sesame = secretText('sesame')
const mellon = secretText('mellon')
const opensesame = secretText('opensesame')
const knockknock = secretText('knockknock')
const forged = secretText('forged')

export function describeWatches(start: StartStoryServer): void {
  const visits: Visits = { turns: [], held: [] }
  let server: StoryServer
  let operator: StoryOperator

  beforeAll(async () => {
    server = await start()
    await installVisits(server)
    await server.apply(houseObject('red', 'red'), houseObject('blue', 'blue'))
    // The annotation of kubectl apply contains a copy of the data.
    const copy = {
      'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({ stringData: { word: sesame } }),
      kept: 'yes',
    }
    const near = keyObject(nearNamespace, 'key', sesame)
    await server.apply({ ...near, metadata: { ...near.metadata, annotations: copy } })
    await server.apply(keyObject(farNamespace, 'key', mellon))
    operator = await server.startControllers({ controllers: [guests(visits)] })
    await server.apply(
      guestObject(nearNamespace, 'ann', { house: 'red', key: 'key' }),
      guestObject(farNamespace, 'ann', { house: 'red', key: 'key' }),
      guestObject(farNamespace, 'bob', { house: 'blue', key: 'none' }),
    )
    for (const [namespace, name] of [
      [nearNamespace, 'ann'],
      [farNamespace, 'ann'],
      [farNamespace, 'bob'],
    ] as const)
      await server.until({ what: `the badge of ${name}` }, async () => (await badge(namespace, name)) !== undefined)
    await server.pass(quietMs)
  })
  afterAll(async () => {
    await operator.stop()
    await removeVisits(server)
    await server.stop()
  })

  async function badge(namespace: string, name: string) {
    const found = await server.get({ namespace, kind: 'secret', name: `${name}-badge` })
    const { data = {} } = (found ?? {}) as { readonly data?: Readonly<Record<string, string>> } // A Secret.
    const text = (key: string) => Buffer.from(data[key] ?? '', 'base64').toString()
    return found === undefined ? undefined : { word: text('word'), color: text('color') }
  }
  const paint = (house: string, color: string) =>
    server.patch({ namespace: farNamespace, kind: 'house', name: house }, { spec: { color } })
  const near = { namespace: nearNamespace, kind: 'secret', name: 'key' }

  /** Returns the resources that `act` reconciled, by name, each once. */
  async function wokenBy(act: () => Promise<void>): Promise<readonly string[]> {
    const before = visits.turns.length
    await act()
    const isWoken = async () => visits.turns.length > before
    await server.until({ what: 'somebody to be woken' }, isWoken)
    await server.pass(quietMs)
    return [...new Set(visits.turns.slice(before))].sort()
  }

  describe('a watched resource', () => {
    it('reconciles the resources that name it, in every namespace, and no others', async () => {
      expect(await wokenBy(() => paint('red', 'crimson'))).toEqual([`${farNamespace}/ann`, `${nearNamespace}/ann`])
      expect(await badge(nearNamespace, 'ann')).toEqual({ word: sesame, color: 'crimson' })
      expect(await wokenBy(() => paint('blue', 'navy'))).toEqual([`${farNamespace}/bob`])
    })

    it('no longer reconciles a resource that now names another one, which reconciles it instead', async () => {
      const ann = { namespace: nearNamespace, kind: 'guest', name: 'ann' }
      const move = (name: string) => server.patch(ann, { spec: { house: { namespace: farNamespace, name } } })
      expect(await wokenBy(() => move('blue'))).toEqual([`${nearNamespace}/ann`])
      expect(await wokenBy(() => paint('red', 'scarlet'))).toEqual([`${farNamespace}/ann`])
      expect(await wokenBy(() => paint('blue', 'azure'))).toEqual([`${farNamespace}/bob`, `${nearNamespace}/ann`])
      expect(await badge(nearNamespace, 'ann')).toMatchObject({ color: 'azure' })
    })

    it('reconciles a resource that names it before it exists', async () => {
      const move = { spec: { house: { namespace: farNamespace, name: 'green' } } }
      await wokenBy(() => server.patch({ namespace: farNamespace, kind: 'guest', name: 'bob' }, move))
      expect(await wokenBy(() => server.apply(houseObject('green', 'olive')))).toEqual([`${farNamespace}/bob`])
      expect(await badge(farNamespace, 'bob')).toMatchObject({ color: 'olive' })
    })
  })

  describe('a Secret of which metadata alone is watched', () => {
    it('reconciles the resources that name it when only its data changes; they read it from the server', async () => {
      const data = { word: Buffer.from(opensesame).toString('base64') }
      expect(await wokenBy(() => server.patch(near, { data }))).toEqual([`${nearNamespace}/ann`])
      expect(await badge(nearNamespace, 'ann')).toMatchObject({ word: opensesame })
      expect(await badge(farNamespace, 'ann'), 'its namesake elsewhere').toMatchObject({ word: mellon })
    })

    it('reconciles them when it is deleted, and when it is created again', async () => {
      expect(await wokenBy(() => server.delete(near))).toEqual([`${nearNamespace}/ann`])
      expect(await badge(nearNamespace, 'ann')).toMatchObject({ word: '' })
      const again = keyObject(nearNamespace, 'key', knockknock)
      expect(await wokenBy(() => server.apply(again))).toEqual([`${nearNamespace}/ann`])
      expect(await badge(nearNamespace, 'ann')).toMatchObject({ word: knockknock })
    })

    it('may be a child of another resource, which still corrects its content', async () => {
      const eve = guestObject(farNamespace, 'eve', { house: 'red', key: 'ann-badge' })
      expect(await wokenBy(() => server.apply(eve))).toEqual([`${farNamespace}/eve`])
      const others = { data: { word: Buffer.from(forged).toString('base64') } }
      const forge = () => server.patch({ namespace: farNamespace, kind: 'secret', name: 'ann-badge' }, others)
      expect(await wokenBy(forge)).toEqual([`${farNamespace}/ann`, `${farNamespace}/eve`])
      expect(await badge(farNamespace, 'ann'), 'taken back').toMatchObject({ word: mellon })
      expect(await badge(farNamespace, 'eve'), 'followed').toMatchObject({ word: mellon })
    })

    it('is in memory without data, without its copy in an annotation, and without managedFields', async () => {
      const mine = visits.held.filter(({ metadata }) => metadata.name === 'key')
      expect(mine.length).toBeGreaterThan(3)
      for (const object of visits.held) {
        expect(Object.keys(object).sort()).toEqual(['apiVersion', 'kind', 'metadata'])
        expect(object.metadata).not.toHaveProperty('managedFields')
        expect(object).toMatchObject({ apiVersion: 'v1', kind: 'Secret', metadata: { uid: expect.any(String) } })
      }
      expect(mine.some(({ metadata }) => metadata.annotations?.['kept'] === 'yes')).toBe(true)
      const words = [sesame, mellon, opensesame, knockknock, forged]
      const spelled = [...words, ...words.map((word) => Buffer.from(word).toString('base64'))]
      const told = JSON.stringify([visits.held, operator.lines])
      expect(spelled.filter((word) => told.includes(word))).toEqual([])
    })
  })
}
