import { describe, expect, it } from 'vitest'
import { databaseHints } from '../../../src/cli/dev/database-hints.ts'
import { lookAround, type Sights } from '../../../src/cli/dev/look-around.ts'

const sights: Sights = {
  kinds: ['kv', 'db', 'dbu', 'mig', 'bak'],
  hints: '',
  kubeconfigPath: '/here/kubeconfig',
  metricsUrl: 'http://127.0.0.1:1/metrics',
  operatorLog: '/here/log',
}

describe('what there is to try', () => {
  it('is a login to the database where there is one, at its address here', () => {
    const text = databaseHints({ hasStore: true, databaseAddress: '127.51.0.7' })
    expect(text).toContain('.data.uri}')
    expect(text).toContain('&hostaddr=127.51.0.7&sslmode=require"\n')
    expect(text).toContain('127.51.0.7:5432')
  })

  it('is no login where no database is reached', () => {
    expect(databaseHints({ hasStore: true })).not.toMatch(/psql|Log in/)
  })

  it('names the sample store only when it exists', () => {
    const hints = databaseHints({ hasStore: true })
    expect(hints).toContain('kubectl -n shop scale kv cart --replicas=5')
    expect(lookAround({ ...sights, hints })).toContain(hints)
    const without = lookAround({ ...sights, hints: databaseHints({ hasStore: false }) })
    expect(without).not.toMatch(/cart|shop/)
    expect(without).toContain('kubectl get kv,db,dbu,mig,bak -A')
    expect(without).toContain('Metrics  http://127.0.0.1:1/metrics')
  })

  it('is told with what stays at the end', () => {
    expect(lookAround(sights)).toContain('leaves nothing behind')
    expect(lookAround({ ...sights, keptFolder: '/kept' })).toContain('keeps all that was written in /kept')
  })
})
