// `npm run hostile-input`: `--runs` hostile inputs for all readers and writers. The last line of output counts them.
import process from 'node:process'
import { parseArgs } from 'node:util'
import { loadHostileProperties, runHostile } from './hostile-runner.ts'

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    only: { type: 'string', default: '' },
  },
})
const [runs, seed] = [Number(values.runs), Number(values.seed)]
const properties = (await loadHostileProperties()).filter(({ name }) => name.includes(values.only))
const share = Math.ceil(runs / Math.max(1, properties.length))
let [cases, failures] = [0, 0]
process.stdout.write(`${properties.length} properties, ${share} cases each, seed ${seed}\n`)
for (const property of properties) {
  const run = runHostile(property, share, seed)
  cases += run.cases
  if (run.failure !== undefined) failures += 1
  const verdict = run.failure === undefined ? 'ok' : 'FAILED'
  process.stdout.write(`${verdict}  ${run.cases} cases  ${(run.tookMs / 1_000).toFixed(1)} s  ${run.name}\n`)
  if (run.failure !== undefined) process.stdout.write(`${run.failure}\n`)
}
process.stdout.write(
  `${cases} cases, ${properties.length - failures} properties hold, ${failures} failed, seed ${seed}\n`,
)
process.exitCode = failures === 0 && properties.length > 0 ? 0 : 1
