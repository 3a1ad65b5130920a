import { describe, expect, it } from 'vitest'
import { HealthRegistry, healthText } from '../../src/telemetry/health.ts'

function registryWith(answers: Readonly<Record<string, string | undefined>>) {
  const registry = new HealthRegistry()
  for (const [name, answer] of Object.entries(answers)) registry.add({ probe: 'ready', name, check: () => answer })
  return registry
}

describe('HealthRegistry', () => {
  it('passes without checks', () => {
    expect(new HealthRegistry().report('live')).toEqual({ isOk: true, failures: [], passed: [] })
  })

  it('fails if any check of the probe fails, and names it with the reason', () => {
    const registry = registryWith({ caches: undefined, leader: 'the lease is held by another' })
    expect(registry.report('ready')).toEqual({
      isOk: false,
      failures: [{ name: 'leader', sentence: 'the lease is held by another' }],
      passed: [{ name: 'caches', note: undefined }],
    })
  })

  it('separates the probes', () => {
    const registry = registryWith({ caches: 'not synced' })
    registry.add({ probe: 'live', name: 'caches', check: () => undefined })
    expect([registry.report('live').isOk, registry.report('ready').isOk]).toEqual([true, false])
  })

  it('treats a check that throws as failed', () => {
    const registry = new HealthRegistry()
    const check = () => {
      throw new Error('boom')
    }
    registry.add({ probe: 'live', name: 'bad', check })
    expect(registry.report('live').failures).toEqual([{ name: 'bad', sentence: 'the check itself failed: boom' }])
  })

  it('no longer runs a removed check, and accepts its name again', () => {
    const registry = new HealthRegistry()
    const check = { probe: 'ready', name: 'a', check: () => 'no' } as const
    const remove = registry.add(check)
    expect(() => registry.add(check)).toThrow('health check ready/a is added once')
    remove()
    expect(registry.report('ready').isOk).toBe(true)
    registry.add(check)
    expect(registry.report('ready').isOk).toBe(false)
  })
})

describe('healthText', () => {
  it.each([
    { answers: { a: undefined }, isVerbose: false, text: 'ok\n' },
    { answers: { a: undefined }, isVerbose: true, text: '[+] a: ok\ncheck passed\n' },
    {
      answers: { a: undefined, b: 'it is late' },
      isVerbose: false,
      text: '[+] a: ok\n[-] b: it is late\ncheck failed\n',
    },
  ])('is $text', ({ answers, isVerbose, text }) => {
    expect(healthText(registryWith(answers).report('ready'), { isVerbose })).toBe(text)
  })
})
