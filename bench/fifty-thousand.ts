// Cost of 50,000 resources for an operator, as processor time of its thread. It fails above limits that machine load
// alone cannot reach.
//
// Run: npm run build && node bench/fifty-thousand.ts. The results are in bench/README.md.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { cpus, loadavg } from 'node:os'
import process from 'node:process'
import { setTimeout as pass } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Asker, inParallel, withOurServer } from './apiserver/over-http.ts'
import { siteDefinition, siteObject, sitesPath } from './endurance/fleet.ts'
import { appliedAgain, catchUpMs, listUs, scrape, wave } from './fifty-thousand/in-memory.ts'
import type { ListFigures } from './fifty-thousand/reader.ts'

const count = 50_000
const [writes, children, rewritten] = [16_000, 1_000, 20_000]

say(`Node ${process.version}, ${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), load ${load()}`)

const scraped = await scrape(count)
say(
  `/metrics with ${count} resources and 5 conditions each: ${scraped.series} series of conditions, ${(scraped.bytes / 1_024).toFixed(0)} KiB, ` +
    `loop held for ${scraped.heldMs.toFixed(1)} ms (wanted 20)`,
)
check('series of conditions', scraped.series, 6_000)
check('ms of a scrape', scraped.heldMs, 100)

const [list, listOfFewer] = [await listUs(count), await listUs(count / 10)]
say(`live.list of 10 of ${count}: ${list.toFixed(1)} µs, of ${count / 10}: ${listOfFewer.toFixed(1)} µs`)
check('times as long in ten times the objects', list / listOfFewer, 8)

const [caughtUp, caughtUpFewer] = [await catchUpMs(writes), await catchUpMs(writes / 4)]
say(`catching up with ${writes} writes: ${caughtUp.toFixed(0)} ms, with ${writes / 4}: ${caughtUpFewer.toFixed(0)} ms`)
check('times as long for four times the writes', caughtUp / caughtUpFewer, 10)

const { most, statusCharacters, made } = await wave(children)
say(
  `${made} children in one wave: ${most} requests at once, status of ${statusCharacters} characters when all fail (wanted 8192)`,
)
check('requests at once', most, 16)
check('characters of the status', statusCharacters, 8_192)

const again = appliedAgain(rewritten)
say(`${rewritten} children that the server rewrites: ${again} applied again`)
check('applied again', again, 0)

await withOurServer(lists, ['--controllers', 'none'])
say(`load ${load()} at the end`)

async function lists(access: Parameters<Parameters<typeof withOurServer>[0]>[0], kubeconfig: string): Promise<void> {
  const asker = new Asker(access)
  await asker.ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', JSON.stringify(siteDefinition))
  while (
    !(await asker.ask('GET', sitesPath).then(
      () => true,
      () => false,
    ))
  )
    await pass(50)
  const bodies = Array.from({ length: count }, (_, index) => JSON.stringify(siteObject(index)))
  await inParallel(bodies, (body) => asker.ask('POST', sitesPath, body))
  asker.close()
  const file = fileURLToPath(new URL('./fifty-thousand/reader.ts', import.meta.url))
  const reader = fork(file, [kubeconfig], { execArgv: ['--expose-gc'] })
  reader.on('message', (message) => report(message as ListFigures)) // It sends nothing else.
  const [code] = await once(reader, 'exit')
  if (code !== 0) process.exitCode = 1
}

function report({ way, first, again, steadyBytes, peakBytes }: ListFigures): void {
  const ratio = peakBytes / steadyBytes
  const held = ({ ownMs, heldMs, collectionMs }: ListFigures['first']) =>
    `loop held for ${ownMs.toFixed(0)} ms, ${heldMs.toFixed(0)} ms with collections (longest ${collectionMs.toFixed(0)} ms)`
  say(
    `list of ${count} over ${way}: ${held(first)}; after a 410: ${held(again)} (wanted 20); ` +
      `held ${mebibytes(steadyBytes)}, at most ${ratio.toFixed(2)} of it (wanted 1.3)`,
  )
  check(`ms of the loop over ${way}`, Math.max(first.ownMs, again.ownMs), 50)
  check(`peak over ${way}`, ratio, 1.3)
}

function check(what: string, found: number, limit: number): void {
  if (found <= limit) return
  say(`BAD: ${what}: ${found.toFixed(2)}, limit ${limit}`)
  process.exitCode = 1
}

function mebibytes(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(0)} MiB`
}

function load(): string {
  return loadavg()
    .map((average) => average.toFixed(1))
    .join(' ')
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
