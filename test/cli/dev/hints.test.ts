import { describe, expect, it } from 'vitest'
import { databaseHints } from '../../../src/cli/dev/database-hints.ts'
import { type Hints, lookAround } from '../../../src/cli/dev/hints.ts'

const sights: Hints = {
  kinds: ['kv', 'db', 'dbu', 'mig', 'bak'],
  hints: '',
  kubeconfigPath: '/here/kubeconfig',
  metricsUrl: 'http://127.0.0.1:1/metrics',
  operatorLog: '/here/log',
}

describe('the hints', () => {
  it('show a login to the database at its local address', () => {
    const text = databaseHints({ hasStore: true, databaseAddress: '127.51.0.7' })
    expect(text).toContain('.data.uri}')
    expect(text).toContain('&hostaddr=127.51.0.7&sslmode=require"\n')
    expect(text).toContain('127.51.0.7:5432')
  })

  it('show no login without a reachable database', () => {
    expect(databaseHints({ hasStore: true })).not.toMatch(/psql|Log in/)
  })

  it('name the sample store only if it exists', () => {
    const hints = databaseHints({ hasStore: true })
    expect(hints).toContain('kubectl -n shop scale kv cart --replicas=5')
    expect(lookAround({ ...sights, hints })).toContain(hints)
    const without = lookAround({ ...sights, hints: databaseHints({ hasStore: false }) })
    expect(without).not.toMatch(/cart|shop/)
    expect(without).toContain('kubectl get kv,db,dbu,mig,bak -A')
    expect(without).toContain('Metrics  http://127.0.0.1:1/metrics')
  })

  it('name what remains at the end', () => {
    expect(lookAround(sights)).toContain('leaves nothing behind')
    expect(lookAround({ ...sights, keptFolder: '/kept' })).toContain('keeps all that was written in /kept')
  })
})
