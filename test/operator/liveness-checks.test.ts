import { describe, expect, it } from 'vitest'
import { livenessChecks } from '../../src/operator/liveness-checks.ts'
import { HealthRegistry } from '../../src/telemetry/health.ts'

describe('liveness', () => {
  it.each([
    { title: 'an idle controller', idleForMs: 0, isOk: true },
    { title: 'a controller with slow reconciles', idleForMs: 599_000, isOk: true },
    { title: 'a controller that reconciles nothing of what is ready', idleForMs: 601_000, isOk: false },
  ])('passes for $title: $isOk', ({ idleForMs, isOk }) => {
    const health = new HealthRegistry()
    const runner = { name: 'sites.example.dev', idleForMs, reconcileLimitMs: 300_000 }
    for (const check of livenessChecks([runner])) health.add(check)
    expect(health.report('live').isOk).toBe(isOk)
    expect(health.report('ready').isOk).toBe(true)
  })

  it('names the stuck controller and the duration', () => {
    const [check] = livenessChecks([{ name: 'sites.example.dev', idleForMs: 660_000, reconcileLimitMs: 300_000 }])
    expect(check?.check()).toBe('resources are ready, and no reconcile has begun or ended for 660 s')
  })
})
