// Compares the output of every test with every Secret value that the test has used. A test fails if its output contains
// one, or if its Secret values are too short to find. Runs in every project of vitest.config.ts.
import { relative } from 'node:path'
import { afterAll, afterEach, expect } from 'vitest'
import { exemptions } from './exemptions.ts'
import { Taint } from './taint.ts'
import { Taps } from './taps.ts'

const root = new URL('../..', import.meta.url).pathname
const taint = new Taint()
const taps = new Taps(taint)
taps.childProcesses()
Object.assign(globalThis, { [Symbol.for('konverge.taps')]: taps, [Symbol.for('konverge.taint')]: taint })

afterEach(checkTaint)
// Checks output after the last test, for example of stopping servers.
afterAll(checkTaint)

function checkTaint(): void {
  const path = relative(root, expect.getState().testPath ?? '')
  const exempt = exemptions.filter(({ files }) => files.test(path))
  const leaks = taint.takeLeaks().filter((leak) => !exempt.some(({ leaks }) => leaks?.(leak) === true))
  const unmarkable = taint.takeUnmarkable()
  if (leaks.length > 0) throw new Error(`Secret values left the program:\n${JSON.stringify(leaks, null, 1)}`)
  if (unmarkable.length > 0 && !exempt.some(({ shortValues }) => shortValues === true))
    throw new Error(`Secret values are too short to be found; make them by secretText(): ${unmarkable.join(', ')}`)
}
