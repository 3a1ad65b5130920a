// Engines for a process that fills a volume outside of a test runner.
import { systemClock } from '../../../src/base/clock.ts'
import { silentInstruments } from '../../../src/base/instrument.ts'
import { systemRandom } from '../../../src/base/random.ts'
import { postgresLogicalEngine } from '../../../src/controllers/engines/postgres/logical/logical-driver.ts'
import { postgresPhysicalEngine } from '../../../src/controllers/engines/postgres/physical/physical-driver.ts'
import { postgresEngine } from '../../../src/controllers/engines/postgres/postgres-driver.ts'
import type { FillTools } from './fill-volume.ts'

export function enginesFor(
  workFolder: string,
  user: FillTools['user'],
): Pick<FillTools, 'engine' | 'logical' | 'physical'> {
  const { log, tracer } = silentInstruments
  const places = { versions: '/usr/lib/postgresql', folders: [] }
  const engine = postgresEngine({
    ...{ clock: systemClock, random: systemRandom, log, tracer },
    endpoint: (name) => ({ name, isOpen: false, call: (_, run, signal) => run(signal) }),
    atStop: () => undefined,
  })
  return {
    engine,
    logical: postgresLogicalEngine({ clock: systemClock, places, workFolder }),
    physical: postgresPhysicalEngine({ clock: systemClock, places, workFolder, user }),
  }
}
