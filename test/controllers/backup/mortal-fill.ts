// A worker as a process for tests that kill it: fills the volume of its one argument. At file operation number `dieAt`
// it kills itself and its child processes. It writes the number of operations.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import process from 'node:process'
import { systemClock } from '../../../src/base/clock.ts'
import { systemSecrets } from '../../../src/base/random.ts'
import type { FillOrder } from '../../../src/controllers/backup/fill-order.ts'
import type { ServerUser } from '../../../src/controllers/engines/physical-engine.ts'
import { FolderStore } from '../../../src/controllers/stores/folder-store-driver.ts'

export interface MortalFill {
  readonly order: FillOrder
  readonly storeFolder: string
  readonly volume: string
  readonly workFolder: string
  readonly password: string
  readonly user: ServerUser | undefined
  /** Number from 1; undefined: it stays alive. */
  readonly dieAt: number | undefined
}

// Sound: the test that starts this process writes it.
const { order, storeFolder, volume, workFolder, password, user, dieAt } = JSON.parse(
  process.argv[2] ?? '',
) as MortalFill
let operations = 0

function reach(): void {
  operations += 1
  if (operations === dieAt) process.kill(-process.pid, 'SIGKILL')
}

type Operations = Record<string, (...args: unknown[]) => unknown>

/** The process may die before and after each call. The number of pieces of a file is not deterministic. */
function makeMortal(of: object, names: readonly string[]): void {
  // Arguments and results are passed on.
  const operationsOf = of as Operations
  for (const name of names) {
    const operation = operationsOf[name]
    if (operation === undefined) throw new Error(`there is no ${name}`)
    operationsOf[name] = async function (this: unknown, ...args) {
      reach()
      const result = await operation.apply(this, args)
      reach()
      return result
    }
  }
}

const probe = await fs.promises.open(import.meta.filename, 'r')
makeMortal(Object.getPrototypeOf(probe) as object, ['chown', 'sync'])
makeMortal(fs.promises, ['open', 'mkdir', 'mkdtemp', 'readdir', 'rename', 'rm', 'writeFile', 'chmod', 'chown'])
syncBuiltinESMExports()

// Imported here, so that the modules use the replaced file operations.
const { fillVolume } = await import('./fill-volume.ts')
const { enginesFor } = await import('./fill-engines.ts')
operations = 0
const store = new FolderStore({ folder: storeFolder, attempt: 'mortal' })
const tools = { store, volume, workFolder, password, user, secrets: systemSecrets, clock: systemClock }
await fillVolume(order, { ...tools, ...enginesFor(volume, user) }, new AbortController().signal)
process.stdout.write(String(operations))
process.exit(0)
