// Speed and memory of the embedded API server, alone and compared with the real one. Its own figures exclude HTTP and
// count the processor time of the process. The ratios come from the same requests over HTTPS to both, in one run. Run:
// npm run build && node bench/apiserver.ts [start] [in-process] [watch] [http]; without arguments all four, in four
// minutes. The results are in bench/README.md.
import { readFile } from 'node:fs/promises'
import { cpus, loadavg } from 'node:os'
import process from 'node:process'
import { startControlPlane } from '../test/control-plane/control-plane.ts'
import { type InProcessFigures, inProcess, watched } from './apiserver/in-process.ts'
import { configMaps, loads } from './apiserver/loads.ts'
import { bestOf } from './apiserver/measure.ts'
import { type Access, define, type HttpFigures, overHttp, withOurServer } from './apiserver/over-http.ts'
import { startFigures } from './apiserver/start.ts'

const objects = 10_000
const rounds = 3
const watchers = 200
const watchedObjects = 2_000
const appliedObjects = 4_000
const overHttpObjects = 500

const parts: Readonly<Record<string, () => Promise<void>>> = { start, 'in-process': alone, watch, http: beside }

const chosen = process.argv.slice(2)
say(`Node ${process.version}, ${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), load ${load()}`)
for (const [name, run] of Object.entries(parts)) if (chosen.length === 0 || chosen.includes(name)) await run()
say(`load ${load()} at the end`)

async function start(): Promise<void> {
  const { nodeMs, programMs, testMs } = await startFigures()
  say(
    `to the first answer: ${ms(programMs)} of konverge apiserver over HTTPS, ${ms(testMs)} of a test's own cluster; ` +
      `Node alone takes ${ms(nodeMs)}`,
  )
}

async function alone(): Promise<void> {
  for (const one of loads) {
    const found: InProcessFigures[] = []
    for (let round = 0; round < rounds; round++) found.push(await inProcess(one, objects, appliedObjects))
    const most = (of: (figures: InProcessFigures) => number) => Math.max(...found.map(of))
    const least = (of: (figures: InProcessFigures) => number) => Math.min(...found.map(of))
    say(
      `${one.title}: ${count(most((figures) => figures.createsPerSecond))} creates/s, ` +
        `${count(most((figures) => figures.appliesPerSecond))} no-op applies/s ` +
        `(${count(most((figures) => figures.firstAppliesPerSecond))}/s the first time), ` +
        `list of ${objects} in ${ms(least((figures) => figures.listMs))} ` +
        `(${least((figures) => figures.listMegabytes).toFixed(0)} MB), ` +
        `${(least((figures) => figures.heapBytesPerObject) / 1_024).toFixed(1)} KiB of heap per object, ` +
        `${(least((figures) => figures.storedBytes) / 1_024).toFixed(1)} KiB of it its text`,
    )
  }
}

async function watch(): Promise<void> {
  const best = (watching: number) => bestOf(rounds, () => watched(configMaps, watchedObjects, watching), 'more')
  const [without, withAll] = [await best(0), await best(watchers)]
  say(
    `${watchers} watchers: ${count(withAll)} creates/s (${count(without)} with none), ${count(withAll * watchers)} events/s`,
  )
}

async function beside(): Promise<void> {
  const startedMs = performance.now()
  const controlPlane = await startControlPlane({ controllers: false })
  say(`the real one takes ${ms(performance.now() - startedMs)} to its first answer, etcd included`)
  try {
    const real: Access = {
      url: controlPlane.url,
      ca: await readFile(controlPlane.caFile, 'utf8'),
      token: controlPlane.token,
    }
    await withOurServer(
      async (ours) => {
        for (const access of [ours, real]) await define(access)
        for (const one of loads) {
          const [our, their] = [
            await overHttp(ours, one, rounds, overHttpObjects),
            await overHttp(real, one, rounds, overHttpObjects),
          ]
          say(`${one.title} over HTTPS: ${ratios(our, their)}`)
        }
      },
      ['--controllers', 'none'],
    )
  } finally {
    await controlPlane.stop()
  }
}

/** Speed of the embedded server as a multiple of the real one's. */
function ratios(our: HttpFigures, their: HttpFigures): string {
  const [creates, applies] = [our.createsPerSecond, our.appliesPerSecond]
  return (
    `creates ${times(creates / their.createsPerSecond)} the real one's (${count(creates)}/s), ` +
    `no-op applies ${times(applies / their.appliesPerSecond)} (${count(applies)}/s), ` +
    `lists of ${rounds * overHttpObjects} ${times(their.listMs / our.listMs)} (${ms(our.listMs)})`
  )
}

function times(ratio: number): string {
  return `${ratio.toFixed(1)} ×`
}

function ms(value: number): string {
  return `${value.toFixed(0)} ms`
}

function count(value: number): string {
  return String(Math.round(value / 10) * 10)
}

function load(): string {
  return loadavg()
    .map((average) => average.toFixed(1))
    .join(' ')
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
