// Amazon RDS for a suite: one moto for all its tests, and for each test its own proxy, which starts empty.
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { MotoServer } from './moto-server.ts'
import { RdsProxy } from './rds-proxy.ts'

/** The first run on a machine installs moto. */
const startLimitMs = 11 * 60_000

/**
 * Starts moto for a suite. Call it in a suite, and its result in a test.
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
