// How does a suite get an Amazon RDS? One moto for all its tests, and for each of them a proxy of its own in front, which starts with
// nothing in it.
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { MotoServer } from './moto-server.ts'
import { RdsProxy } from './rds-proxy.ts'

/** The first time on a machine moto is installed. */
const startLimitMs = 11 * 60_000

/**
 * Call it in a suite; what it returns, in a test.
 *
 * @example
 * const startRds = rdsForSuite()
 * it('…', async () => { const rds = await startRds() })
 */
export function rdsForSuite(): () => Promise<RdsProxy> {
  let moto: MotoServer | undefined
  beforeAll(async () => {
    moto = await MotoServer.start()
  }, startLimitMs)
  afterAll(() => moto?.stop())
  return async () => {
    if (moto === undefined) throw new Error('moto has not been started yet; ask for RDS in a test.')
    const proxy = await RdsProxy.start(moto.url)
    onTestFinished(() => proxy.stop())
    return proxy
  }
}
