// Names of children that declare metadata.generateName.
import { describe, expect, it } from 'vitest'
import { nameKeyAnnotation } from '../../src/synth/membership.ts'
import { overlay } from '../../src/synth/overlay.ts'
import { addObject, type PlainObject } from '../../src/synth/plain-object.ts'
import { namesOf, parent, refusalOf, synth } from './fixture.ts'

const job = (generateName: string, key?: string, kind = 'Job'): PlainObject => ({
  apiVersion: 'batch/v1',
  kind,
  metadata: { generateName, ...(key === undefined ? {} : { annotations: { [nameKeyAnnotation]: key } }) },
})
const nameOf = (object: PlainObject, of = parent) => namesOf(synth(() => [object], { parent: of }))[0]

describe('a child with generateName', () => {
  it('has the same name in every synthesis, which its construct knows', () => {
    let name: string | undefined
    const set = synth((chart) => {
      name = addObject(chart, job('run-', '1')).name
    })
    expect(name).toMatch(/^run-[0-9a-f]{10}$/)
    expect(namesOf(set)).toEqual([name])
    expect(nameOf(job('run-', '1'))).toBe(name)
  })

  it('has another name for another key, prefix, kind or parent', () => {
    const other = { ...parent, metadata: { ...parent.metadata, uid: 'uid-9' } }
    const names = [job('run-'), job('run-', '1'), job('run-', '2'), job('other-', '1'), job('run-', '1', 'CronJob')]
    expect(new Set([...names.map((object) => nameOf(object)), nameOf(job('run-', '1'), other)]).size).toBe(6)
  })

  it('is applied without generateName, and shows its key', () => {
    const [desired] = synth(() => [job('run-', '7')]).objects
    expect(desired?.object.metadata).not.toHaveProperty('generateName')
    expect(desired?.object.metadata.annotations).toMatchObject({ [nameKeyAnnotation]: '7' })
  })

  it('has a name within the limit of its kind', () => {
    expect(nameOf(job('a'.repeat(80)))).toHaveLength(63)
    expect(nameOf(job('a'.repeat(80), undefined, 'CronJob'))).toHaveLength(52)
  })

  it('gets the default name if generateName is empty', () => {
    expect(nameOf(job(''))).toBe('store-job')
  })

  it('needs another key if another child has the same one', () => {
    expect(refusalOf(() => synth(() => [job('run-'), job('run-')]))).toMatchObject({ code: 'DuplicateObject' })
  })

  it('has no other name', () => {
    const named = { ...job('run-'), metadata: { name: 'a', generateName: 'run-' } }
    const late = () =>
      synth((chart) => {
        const body = { metadata: { annotations: { [nameKeyAnnotation]: '1' } } }
        overlay(addObject(chart, job('run-')), { type: 'merge', body })
      })
    for (const run of [() => synth(() => [named]), late])
      expect(refusalOf(run)).toMatchObject({ code: 'InvalidName', message: expect.stringContaining('generateName') })
  })
})
