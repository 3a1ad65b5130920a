// Checks that an operator with 50,000 resources stays stable. The embedded API server, the operator, and the editor are
// separate processes. A proxy between operator and server cuts watches and answers 410. Memory must stay flat, and no
// iteration of the operator's event loop may take more than 50 ms, without garbage collections.
//
// Run: npm run build && node bench/endurance.ts [minutes] [resources]. The results are in bench/README.md.
import { strict as assert } from 'node:assert'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as pass } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Fault } from '../test/fault-lab/fault.ts'
import { FaultProxy } from '../test/fault-lab/fault-proxy.ts'
import { type Access, Asker, inParallel, withOurServer } from './apiserver/over-http.ts'
import { childEvery, siteDefinition, siteName, siteObject, sitesPath } from './endurance/fleet.ts'
import type { Sample } from './endurance/operator.ts'

const limits = { heldMs: 50, growth: 1.1 }
const [minutes = '60', resources = '50000'] = process.argv.slice(2)
const count = Number(resources)
const durationMs = Number(minutes) * 60_000
const sampleMs = 30_000
/** Every tenth sample forces a collection first, so that the heap shows retained memory. */
const collectEvery = 10
const editsPerSecond = 20
const quietMs = 5_000
const giveUpMs = 3_600_000
/** One fault per minute: a cut stream resumes, a stream with 410 starts with a new list. */
const expired = { kind: 'refuse', status: 410, reason: 'Expired' } as const
const troubles: readonly Fault[] = [
  { match: { verb: 'watch', resource: 'sites', frame: 'any' }, effect: { kind: 'break' } },
  { match: { verb: 'watch', resource: 'sites', frame: 'any' }, effect: expired },
  { match: { verb: 'watch', resource: 'configmaps', frame: 'any' }, effect: { kind: 'break' } },
  { match: { verb: 'watch', resource: 'configmaps', frame: 'any' }, effect: expired },
]
const troubleMs = 60_000

say(`Node ${process.version}, ${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), load ${load()}`)
const folder = await mkdtemp(join(tmpdir(), 'konverge-endurance-'))
try {
  await withOurServer((access) => endure(access), ['--controllers', 'garbage-collector,namespace'])
} finally {
  await rm(folder, { recursive: true })
}

async function endure(access: Access): Promise<void> {
  const asker = new Asker(access)
  const proxy = await FaultProxy.start({ url: access.url, ca: access.ca })
  const kubeconfig = await proxy.writeKubeconfig(join(folder, 'kubeconfig'), access.token)
  let operator: ChildProcess | undefined
  try {
    await fill(asker)
    const file = fileURLToPath(new URL('./endurance/operator.ts', import.meta.url))
    operator = fork(file, [kubeconfig], { execArgv: ['--expose-gc'] })
    const started = performance.now()
    while (proxy.writes.length === 0) await pass(100)
    await settle(proxy)
    const first = await ask(operator, 'collect')
    say(`all at rest after ${((performance.now() - started) / 1_000).toFixed(0)} s: ${figures(first)}`)
    const samples = await disturb(asker, proxy, operator)
    await settle(proxy)
    const last = await ask(operator, 'collect')
    say(`at rest again: ${figures(last)}`)
    await checkTruth(asker)
    judge(samples, first, last)
  } finally {
    operator?.disconnect()
    if (operator !== undefined && operator.exitCode === null) await once(operator, 'exit')
    await proxy.stop()
    asker.close()
  }
}

async function fill(asker: Asker): Promise<void> {
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
  await asker.ask('POST', definitions, JSON.stringify(siteDefinition))
  while (
    !(await asker.ask('GET', sitesPath).then(
      () => true,
      () => false,
    ))
  )
    await pass(50)
  const bodies = Array.from({ length: count }, (_, index) => JSON.stringify(siteObject(index)))
  await inParallel(bodies, (body) => asker.ask('POST', sitesPath, body))
  say(`${count} resources are there, load ${load()}`)
}

/** Waits until the operator has sent no change for some seconds. */
async function settle(proxy: FaultProxy): Promise<void> {
  const startedMs = performance.now()
  for (let quietSinceMs = startedMs; performance.now() - quietSinceMs < quietMs; await pass(1_000)) {
    assert(performance.now() - startedMs < giveUpMs, 'the operator does not come to rest')
    if (proxy.writes.length > 0) quietSinceMs = performance.now()
    // The record of calls would grow with the duration.
    proxy.calls.length = 0
  }
}

async function disturb(asker: Asker, proxy: FaultProxy, operator: ChildProcess): Promise<readonly Sample[]> {
  const samples: Sample[] = []
  const startedMs = performance.now()
  const ended = () => performance.now() - startedMs >= durationMs
  let [edits, restarts] = [0, 0]
  const editing = async () => {
    for (; !ended(); await pass(1_000 / editsPerSecond)) {
      edits += 1
      const index = Math.floor(Math.random() * count)
      const body = { ...siteObject(index), metadata: { name: siteName(index) }, spec: { page: `edit ${edits}` } }
      await asker.ask('PATCH', `${sitesPath}/${siteName(index)}?fieldManager=editor&force=true`, JSON.stringify(body))
    }
  }
  const troubling = async () => {
    for (let round = 0; !ended(); round++) {
      await pass(Math.min(troubleMs, durationMs))
      const trouble = troubles[round % troubles.length]
      if (trouble !== undefined) proxy.inject({ ...trouble })
      restarts += 1
    }
  }
  const sampling = async () => {
    for (let round = 1; !ended(); round++) {
      await pass(Math.min(sampleMs, durationMs))
      proxy.calls.length = 0
      const isCollected = round % collectEvery === 0
      const sample = await ask(operator, isCollected ? 'collect' : 'sample')
      samples.push(sample)
      say(
        `${minutesSince(startedMs)} min${isCollected ? ', collected' : ''}: ${figures(sample)}, ${edits} edits, ${restarts} cuts`,
      )
    }
  }
  await Promise.all([editing(), troubling(), sampling()])
  return samples
}

/** Checks every hundredth site, and its page. */
async function checkTruth(asker: Asker): Promise<void> {
  for (let index = 0; index < count; index += 100) {
    // As the server returns objects of these kinds.
    const site = JSON.parse(await asker.ask('GET', `${sitesPath}/${siteName(index)}`)) as {
      metadata: { generation: number }
      spec: { page: string }
      status: { observedGeneration: number; conditions: readonly { type: string; status: string }[] }
    }
    assert.equal(site.status.observedGeneration, site.metadata.generation, siteName(index))
    assert.equal(site.status.conditions.find(({ type }) => type === 'Ready')?.status, 'True', siteName(index))
    if (index % childEvery !== 0) continue
    const child = await asker.ask('GET', `/api/v1/namespaces/default/configmaps/${siteName(index)}-page`)
    assert.equal((JSON.parse(child) as { data: { index: string } }).data.index, site.spec.page)
  }
}

function judge(samples: readonly Sample[], first: Sample, last: Sample): void {
  const most = (of: (sample: Sample) => number) => Math.max(...[...samples, last].map(of))
  const growth = last.heapBytes / first.heapBytes
  const verdicts = [
    {
      text: `heap grew to ${growth.toFixed(2)} of what it was (limit ${limits.growth})`,
      isGood: growth <= limits.growth,
    },
    {
      text: `loop held for ${most(({ ownMs }) => ownMs).toFixed(0)} ms at most (limit ${limits.heldMs})`,
      isGood: most(({ ownMs }) => ownMs) <= limits.heldMs,
    },
  ]
  for (const { text, isGood } of verdicts) say(`${isGood ? 'good' : 'BAD'}: ${text}`)
  say(
    `with collections ${most(({ heldMs }) => heldMs).toFixed(0)} ms, the longest collection ${most(({ collectionMs }) => collectionMs).toFixed(0)} ms, ` +
      `memory of the process ${mebibytes(most(({ rssBytes }) => rssBytes))} at most`,
  )
  if (verdicts.some(({ isGood }) => !isGood)) process.exitCode = 1
}

async function ask(operator: ChildProcess, what: 'sample' | 'collect'): Promise<Sample> {
  const answered = once(operator, 'message', { signal: AbortSignal.timeout(60_000) })
  operator.send(what)
  const [sample] = await answered
  return sample as Sample // The operator sends nothing else.
}

function figures({ heapBytes, rssBytes, heldMs, byClockMs, ownMs, collectionMs }: Sample): string {
  return (
    `heap ${mebibytes(heapBytes)}, process ${mebibytes(rssBytes)}; loop held ${ownMs.toFixed(0)} ms, ${heldMs.toFixed(0)} ms with collections ` +
    `(longest ${collectionMs.toFixed(0)} ms), ${byClockMs.toFixed(0)} ms by the clock`
  )
}

function minutesSince(startedMs: number): string {
  return ((performance.now() - startedMs) / 60_000).toFixed(1)
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
