import { describe, expect, it } from 'vitest'
import type { InformerHealth } from '../../src/cache/informer.ts'
import { type Runner, readinessChecks, unreadinessOf } from '../../src/operator/readiness-checks.ts'
import { HealthRegistry } from '../../src/telemetry/health.ts'

const watch = (resource: string, state: InformerHealth['state'], lastError?: string): InformerHealth => ({
  resource,
  selection: '',
  state,
  lastError,
  sinceMs: 0,
  lastResourceVersion: undefined,
  lastFrameAtMs: undefined,
})
const runner = (more: Partial<Runner> = {}): Runner => ({
  name: 'stores',
  isPrepared: true,
  health: [watch('pods', 'synced')],
  ...more,
})

describe('a controller', () => {
  it.each<{ title: string; given: Partial<Runner>; sentence: string | undefined }>([
    { title: 'that works and sees is ready', given: {}, sentence: undefined },
    { title: 'without watches that works is ready', given: { health: [] }, sentence: undefined },
    {
      title: 'whose caches are filling says so',
      given: { isPrepared: false, health: [watch('pods', 'starting')] },
      sentence: 'pods: the first list is on its way',
    },
    {
      title: 'whose caches are full and that has not begun says so',
      given: { isPrepared: false },
      sentence: 'the caches are in step and the first turns are about to begin',
    },
    {
      title: 'that waits for a CRD passes on what the watch says',
      given: { isPrepared: false, health: [watch('stores', 'waiting', 'install its CRD'), watch('pods', 'synced')] },
      sentence: 'stores: install its CRD',
    },
    {
      title: 'that has lost a watch is not ready although it works',
      given: { health: [watch('pods', 'failing', 'may not list pods')] },
      sentence: 'pods: may not list pods',
    },
    {
      title: 'names every watch in trouble, in one sentence',
      given: { health: [watch('a', 'failing', 'x'), watch('b', 'synced'), watch('c', 'starting')] },
      sentence: 'a: x; c: the first list is on its way',
    },
    {
      title: 'names what failed before what has only begun',
      given: { health: [...Array.from({ length: 5 }, () => watch('a', 'starting')), watch('b', 'waiting', 'no CRD')] },
      sentence: 'b: no CRD; a: the first list is on its way; a: the first list is on its way; and 3 more of 6 watches',
    },
    {
      title: 'names the first three of many watches in trouble',
      given: { health: Array.from({ length: 1_100 }, (_, at) => watch(`r${at}`, 'failing', 'x')) },
      sentence: 'r0: x; r1: x; r2: x; and 1097 more of 1100 watches',
    },
  ])('$title', ({ given, sentence }) => {
    expect(unreadinessOf(runner(given))).toBe(sentence)
  })
})

describe('readiness', () => {
  it('checks each controller at every probe, and names it', () => {
    let isPrepared = false
    const slow: Runner = {
      name: 'slow',
      get isPrepared() {
        return isPrepared
      },
      health: [],
    }
    const registry = new HealthRegistry()
    for (const check of readinessChecks([runner(), slow])) registry.add(check)
    expect(registry.report('ready')).toMatchObject({
      isOk: false,
      passed: [{ name: 'stores' }],
      failures: [{ name: 'slow' }],
    })
    expect(registry.report('live')).toMatchObject({ isOk: true, passed: [] })
    isPrepared = true
    expect(registry.report('ready').isOk).toBe(true)
  })
})
