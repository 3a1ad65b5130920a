// Places of the operator's process that pass a text to a parser, each with its bound. A new one fails this test until
// it has a row in inputs.ts, or a reason why no other party writes its text. Folders that no operator loads in a
// cluster are exempt.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { inputs } from './inputs.ts'

const root = new URL('../..', import.meta.url).pathname

/** Calls that may cost more than one pass over the text. */
const parsers =
  /JSON\.parse\(|\bparseExactly\(|\bnew RegExp\(|\.matchAll\(|\bBigInt\(|\bpbkdf2|\bX509Certificate\(|DateTimeFormat\(|\bnew Cron|from 'yaml'|from 're2js'|'libpg-query'|createSecureContext|createPublicKey\(/g

/** The embedded API server and node serve the user who starts them; commands read definitions and manifests. */
const elsewhere = /^src\/(apiserver|local-node|testing|generate|cli)\//

/** Workers run in their own pods with a memory limit, and the operator sees their death. */
const inWorker = 'in a worker'
/** Text that the operator has written, and that no other party may write. */
const own = 'text of the operator'
function row(beginning: string): string {
  const { input, bound } = inputs.find((known) => known.input.startsWith(beginning)) ?? {}
  if (input === undefined || bound === undefined) throw new Error(`inputs.ts has no row ${beginning}`)
  return `${input}: ${bound}`
}

const known: Readonly<Record<string, readonly [count: number, bound: string]>> = {
  'src/base/claim-provisioner.ts': [1, 'file of the person who starts konverge dev'],
  'src/base/duration.ts': [2, row('duration')],
  'src/base/kubernetes-yaml.ts': [3, 'file of the person who starts a command'],
  'src/base/self-signed-certificate.ts': [1, own],
  'src/base/wire-json.ts': [7, 'by the rows of its callers'],
  'src/controllers/backup/fill-worker.ts': [2, inWorker],
  'src/controllers/backup/manifest.ts': [1, inWorker],
  'src/controllers/backup/retention.ts': [1, row('retention')],
  'src/controllers/backup/schedule.ts': [4, row('cron')],
  'src/controllers/backup/work-order.ts': [2, own],
  'src/controllers/database-user/binding-secret.ts': [1, row('template of a Secret')],
  'src/controllers/database/server-secrets.ts': [1, row('certificate of a server')],
  'src/controllers/database/upgrade/prepare-order.ts': [1, own],
  'src/controllers/database/upgrade/upgrade-resource.ts': [1, row('quantity')],
  'src/controllers/engines/contents-difference.ts': [3, inWorker],
  'src/controllers/engines/log-position.ts': [2, row('position in a log')],
  'src/controllers/engines/postgres/sliced-json.ts': [4, row('answer of a server')],
  'src/controllers/engines/postgres/globals/ledger.ts': [1, row('mark')],
  'src/controllers/engines/postgres/logical/frozen-session-client.ts': [3, inWorker],
  'src/controllers/engines/postgres/logical/logical-driver.ts': [3, inWorker],
  'src/controllers/engines/postgres/logical/tool-complaint.ts': [1, inWorker],
  'src/controllers/engines/postgres/mark.ts': [1, row('mark')],
  'src/controllers/engines/postgres/migration/copy-plan.ts': [2, inWorker],
  'src/controllers/engines/postgres/physical/backup-manifest.ts': [1, inWorker],
  'src/controllers/engines/postgres/physical/held-session-client.ts': [1, inWorker],
  'src/controllers/engines/postgres/review/parser-loader.ts': [1, 'in a process of its own: review-runner.test.ts'],
  'src/controllers/engines/postgres/review/review-words.ts': [1, own],
  'src/controllers/engines/postgres/review/review-worker.ts': [1, own],
  'src/controllers/engines/postgres/scram.ts': [2, row('password and verifier')],
  'src/controllers/engines/postgres/sql-text.ts': [1, row('signature')],
  'src/controllers/migration/worker-report.ts': [1, row('last words')],
  'src/controllers/worker/json-object.ts': [1, row('last words')],
  'src/controllers/upgrade/upgrade-observations.ts': [1, own],
  'src/diff/field-path.ts': [1, row('managed fields')],
  'src/kube/answer-headers.ts': [1, row('headers')],
  'src/kube/exec-credential.ts': [1, 'program that the kubeconfig names'],
  'src/kube/file-credentials-loader.ts': [2, 'file of the person who starts the operator'],
  'src/kube/http-client.ts': [3, 'file of the person who starts the operator'],
  'src/kube/kube-config.ts': [1, 'file of the person who starts the operator'],
  'src/kube/rest-client.ts': [1, row('object of the API server')],
  'src/kube/known-texts.ts': [2, row('rejection of the API server')],
  'src/kube/quoted-values.ts': [3, row('rejection of the API server')],
  'src/kube/status-body.ts': [1, row('rejection of the API server')],
  'src/kube/watch-frames.ts': [1, row('object of the API server')],
  'src/object/quantity.ts': [9, row('quantity')],
  'src/synth/field-selector.ts': [1, own],
}

it('knows every place that parses, and its bound', () => {
  const found = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .map((path) => `src/${path}`)
    .filter((path) => path.endsWith('.ts') && !elsewhere.test(path))
    .flatMap((path) => {
      const code = readFileSync(join(root, path), 'utf8').replace(/^\s*(\/\/|\/?\*).*$/gm, '')
      const count = code.match(parsers)?.length ?? 0
      return count === 0 ? [] : [[path, count] as const]
    })
  const bounds = Object.entries(known).map(([path, [count]]) => [path, count] as const)
  expect(Object.fromEntries(found), 'give it a row in inputs.ts').toEqual(Object.fromEntries(bounds))
})
