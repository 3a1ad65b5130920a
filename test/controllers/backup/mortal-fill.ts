// A worker as a process of its own, for tests that kill it: fills the volume that its one argument says, and ends. At the file operation of the number
// `dieAt` it kills itself with all that it has started. It writes how many there were.
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
  /** From 1; undefined: it lives. */
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

/** Each call of one of them is a place to die at, before it and after it. How many pieces a file is written in, chance has a say in. */
function makeMortal(of: object, names: readonly string[]): void {
  // Whatever they take and give, it is passed on.
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

// Only now, so that they see what was made of the file operations.
const { fillVolume } = await import('./fill-volume.ts')
const { enginesFor } = await import('./fill-engines.ts')
operations = 0
const store = new FolderStore({ folder: storeFolder, attempt: 'mortal' })
const tools = { store, volume, workFolder, password, user, secrets: systemSecrets, clock: systemClock }
await fillVolume(order, { ...tools, ...enginesFor(volume, user) }, new AbortController().signal)
process.stdout.write(String(operations))
process.exit(0)
