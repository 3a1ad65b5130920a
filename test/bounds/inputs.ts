// Texts of users, servers, stores and the API server that the operator's process parses or evaluates, each with its
// bound and worst value. bench/hostile-input.ts measures the rows: none may stop the event loop for 50 ms, or need more
// than 64 MiB. docs/security.md shows the same rows. parse-sites.test.ts finds new places that parse.
import { createSecureContext, rootCertificates } from 'node:tls'
import { parseYaml } from '../../src/apiserver/yaml-text.ts'
import { dueSlot } from '../../src/controllers/backup/due-slot.ts'
import type { RetainedBackup } from '../../src/controllers/backup/retention.ts'
import { retain } from '../../src/controllers/backup/retention.ts'
import { readSchedule } from '../../src/controllers/backup/schedule.ts'
import { workReportIn } from '../../src/controllers/backup/work-report.ts'
import { serverConnection } from '../../src/controllers/database/server-connection.ts'
import { serverSecrets } from '../../src/controllers/database/server-secrets.ts'
import { bindingManifest, isUntouched } from '../../src/controllers/database-user/binding-secret.ts'
import { reservedKeyProblem, sizeProblem } from '../../src/controllers/database-user/secret-problem.ts'
import { hasReached } from '../../src/controllers/engines/log-position.ts'
import { ledgerIn } from '../../src/controllers/engines/postgres/globals/ledger.ts'
import { jsonAnswer, slicedJsonAnswer } from '../../src/controllers/engines/postgres/json-answer.ts'
import { tokenIn } from '../../src/controllers/engines/postgres/mark.ts'
import { isSameSetting } from '../../src/controllers/engines/postgres/role-setting.ts'
import { isScramVerifier, passwordProblem, verifierMatches } from '../../src/controllers/engines/postgres/scram.ts'
import { ServerMessages } from '../../src/controllers/engines/postgres/server-messages.ts'
import { signature } from '../../src/controllers/engines/postgres/sql-text.ts'
import { engineErrorOf } from '../../src/controllers/engines/postgres/sqlstate.ts'
import type { SlicedWork } from '../../src/controllers/engines/slice-runner.ts'
import { specSteps } from '../../src/controllers/migration/spec-steps.ts'
import { planHash } from '../../src/controllers/migration/step-digest.ts'
import { reportIn } from '../../src/controllers/migration/worker-report.ts'
import { labelledSecrets } from '../../src/controllers/references/reference-policy.ts'
import { fieldSetOf } from '../../src/diff/field-set.ts'
import { durationMs, isBeingDeleted, type LiveObject } from '../../src/index.ts'
import { retryAfterSecondsOf, warningsOf } from '../../src/kube/answer-headers.ts'
import { withoutValues } from '../../src/kube/quoted-values.ts'
import { statusOf } from '../../src/kube/status-body.ts'
import { WatchFrameDecoder } from '../../src/kube/watch-frames.ts'
import { compareQuantities, parseQuantity } from '../../src/object/quantity.ts'
import { recordedReach } from '../../src/reconcile/inventory.ts'
import { steeringOf } from '../../src/reconcile/steering.ts'
import { openLabels } from '../controllers/open-labels.ts'
import { comparisons } from './comparisons.ts'
import { worstJson } from './worst-json.ts'

export interface BoundedInput {
  readonly input: string
  /** Author of the text. */
  readonly from: 'user' | 'server' | 'worker' | 'API server'
  readonly bound: string
  /** Prepares the worst value. The returned function is measured, or each slice of it, and returns a short result. */
  readonly worst: () => () => unknown
  readonly comesTo: unknown
}

export function isSliced(outcome: unknown): outcome is SlicedWork<unknown> {
  return typeof outcome === 'object' && outcome !== null && 'next' in outcome
}

const nowMs = Date.parse('2026-11-05T10:00:00Z')
const [kib, mib] = [1_024, 1_048_576]
/** Largest object that the API server stores, and largest annotations of an object, in bytes. */
const [objectBytes, annotationBytes] = [1.5 * mib, 256 * kib]
/** Deepest JSON that the API server reads. */
const deepestLevel = 10_000

export const inputs: readonly BoundedInput[] = [
  ...['* * * 1-9 *', '*/5 * * 1-9 *', '0 0 31 2,4,6,9,11 *', '0 0 30W,31W 2 *', '0 0 * 2 1#5'].map((expression) => ({
    input: `cron ${expression}`,
    from: 'user' as const,
    bound: '100 characters; times 5 minutes apart; search of 50 years; 100 missed times are counted',
    worst: () => () => {
      const reading = readSchedule({ expression, timeZone: 'Australia/Lord_Howe' }, nowMs)
      if (reading.kind === 'refused') return reading.reason
      const { schedule } = reading
      return dueSlot(
        {
          ...{ schedule, isSuspended: false, createdAtMs: 0, isImmediate: false, handledSlotMs: 0, active: [] },
          ...{ startingDeadlineMs: 604_800_000, concurrency: 'Forbid', proving: [] },
        },
        nowMs,
      ).kind
    },
    comesTo:
      { '* * * 1-9 *': 'ScheduleTooFrequent', '0 0 * 2 1#5': 'wait', '*/5 * * 1-9 *': 'wait' }[expression] ??
      'NoSchedule',
  })),
  {
    input: 'time zone',
    from: 'user',
    bound: '64 characters; names of IANA, of which one calendar each is kept',
    worst: () => () => {
      const read = (timeZone: string) => readSchedule({ expression: '30 2 * * *', timeZone }, nowMs).kind
      return [...Array.from({ length: 50 }, (_, at) => `Etc/GMT+${at}`), '+23:59', 'x'.repeat(objectBytes)]
        .map(read)
        .at(-1)
    },
    comesTo: 'refused',
  },
  {
    input: 'retention of 2,000 Backups',
    from: 'user',
    bound: 'a calendar day for each Backup and rule',
    worst: () => {
      const backups: readonly RetainedBackup[] = Array.from({ length: 2_000 }, (_, at) => ({
        ...{
          name: `nightly-${at}`,
          takenAtMs: nowMs - at * 300_000,
          state: 'Completed' as const,
          isVerified: at % 2 === 0,
        },
        ...{ databaseUID: `u${at % 100}`, isAwaited: false },
      }))
      const policy = { keepLast: 1, keepDaily: 1_000, keepWeekly: 1_000, keepMonthly: 1_000, timeZone: 'Asia/Kolkata' }
      return () => retain(backups, policy, nowMs).removed.length > 0
    },
    comesTo: true,
  },
  {
    input: 'duration',
    from: 'user',
    bound: '20 characters in fields; an annotation in others; one pass',
    worst: () => {
      const text = `${'1s'.repeat(annotationBytes / 2 - 1)}x`
      return () => durationMs(text)
    },
    comesTo: undefined,
  },
  {
    input: 'YAML body of the embedded API server',
    from: 'user',
    bound: '16,384 tokens, 256 KiB, 100 levels; larger objects as JSON',
    worst: () => {
      const text = `[${'{a: 1},'.repeat(1_800)}]`
      return () => JSON.stringify(parseYaml(text).value).length
    },
    comesTo: 14_401,
  },
  {
    input: 'longer YAML body of the embedded API server',
    from: 'user',
    bound: '16,384 tokens, 256 KiB, 100 levels; larger objects as JSON',
    worst: () => {
      const text = `[${'{a: 1},'.repeat(32_000)}]`
      return () => {
        try {
          return parseYaml(text).value
        } catch (error) {
          return error instanceof Error ? error.name : error
        }
      }
    },
    comesTo: 'WireJsonError',
  },
  {
    input: 'annotations that steer',
    from: 'user',
    bound: '256 KiB, by the API server; one pass',
    worst: () => {
      const annotations = { 'konverge.dev/reconcile-interval': '9h'.repeat(annotationBytes / 2 - 50) }
      return () => steeringOf(object({ annotations })).intervalMs !== 0
    },
    comesTo: true,
  },
  {
    input: 'inventory of a parent',
    from: 'user',
    bound: '256 KiB, by the API server; one pass',
    worst: () => {
      const namespaces = Array.from({ length: 20_000 }, (_, at) => `n${at}`).join(',')
      const annotations = { 'applyset.kubernetes.io/additional-namespaces': namespaces }
      return () => typeof recordedReach(object({ annotations }))
    },
    comesTo: 'object',
  },
  ...['9'.repeat(annotationBytes), '9e999999999', `0.${'0'.repeat(1_000)}1`, '1e-999999999'].map((text) => ({
    input: `quantity ${text.slice(0, 12)}`,
    from: 'user' as const,
    bound: 'length and exponent have limits',
    worst: () => () => {
      const one = parseQuantity(text)
      const gigabyte = parseQuantity('1Gi')
      return one === undefined || gigabyte === undefined ? 'none' : typeof compareQuantities(one, gigabyte)
    },
    comesTo: text.includes('e') ? 'number' : 'none',
  })),
  {
    input: 'texts of steps, beside their review',
    from: 'user',
    bound: '1,000,000 bytes together',
    worst: () => {
      const sql = `SELECT '${'"'.repeat(9_980)}'`
      const steps = Array.from({ length: 100 }, (_, at) => ({
        ...{ name: `s${at}`, type: 'SQL' as const, sql, transaction: true, timeout: '5m', lockTimeout: '5s' },
      }))
      return () => {
        const made = specSteps({ steps, texts: new Map(), home: 'shop' })
        return 'kind' in made ? made.kind : planHash(made).length
      }
    },
    comesTo: 16,
  },
  {
    input: 'certificates that are trusted',
    from: 'user',
    bound: '512 KiB',
    worst: () => {
      const bundle = `${rootCertificates.join('\n')}\n`
      const pem = bundle.repeat(Math.floor((512 * kib) / bundle.length))
      const one = `${rootCertificates[0]}\n`
      const large = one.repeat(Math.floor((512 * kib) / one.length))
      return () =>
        [
          typeof createSecureContext({ ca: pem }),
          typeof createSecureContext({ ca: large }),
          trustIn(`${large}${large}`),
        ].at(-1)
    },
    comesTo: 'InvalidCertificate',
  },
  {
    input: 'line breaks in a value of a Secret',
    from: 'user',
    bound: '1 MiB, looked at once',
    worst: () => {
      const pem = `${'\n'.repeat(0.7 * mib)}x`
      return () => trustIn(pem)
    },
    comesTo: 'InvalidCertificate',
  },
  {
    input: 'certificate of a server of ours',
    from: 'user',
    bound: '1 MiB, by the API server; the first certificate alone is read',
    worst: () => {
      const data = { 'tls.crt': `${rootCertificates.join('\n')}\n`.repeat(4), 'tls.key': 'x', password: 'y'.repeat(64) }
      const secret = object({}, { data: encoded(data) })
      const draw = {
        name: 'orders',
        namespace: 'shop',
        nowMs,
        secrets: { bytes: (count: number) => Buffer.alloc(count, 7) },
      }
      return () => typeof serverSecrets({ admin: secret, tls: secret, ...draw } as never)
    },
    comesTo: 'object',
  },
  {
    input: 'password and verifier in a Secret',
    from: 'user',
    bound: '16,384 rounds are computed; passwords have 1,000 bytes',
    worst: () => {
      const keys = `$${'A'.repeat(43)}=:${'A'.repeat(43)}=`
      const dear = `SCRAM-SHA-256$999999999:${'A'.repeat(22)}==${keys}`
      const long = `SCRAM-SHA-256$16384:${'A'.repeat(mib)}${keys}`
      return () =>
        [verifierMatches(dear, 'x'), verifierMatches(long, 'x'), isScramVerifier(long), passwordProblem(long)].slice(
          0,
          2,
        )
    },
    comesTo: [false, false],
  },
  {
    input: 'template of a Secret',
    from: 'user',
    bound: '1,000,000 bytes of keys and values, counted before they are built',
    worst: () => {
      const ca = 'c'.repeat(512 * kib)
      const place = {
        host: 'db',
        port: 5_432,
        sslMode: 'disable',
        databases: Array.from({ length: 32 }, () => 'a'.repeat(63)),
      }
      const held = {
        active: { username: 'u_a', password: 'p'.repeat(1_000), verifier: 'v' },
        ...{ rotatedAtMs: 0, generation: 1, source: 'supplied' as const },
      }
      const texts = ['{{ca.crt}}'.repeat(409), `${'{{'.repeat(1_000)}${' '.repeat(1_000)}`, `{{${'a'.repeat(4_000)}`]
      return () =>
        texts.map((text) => {
          const template = Object.fromEntries(Array.from({ length: 32 }, (_, at) => [`k${at}`, text]))
          return sizeProblem('web-db', { target: { ...place, ca }, held, template })?.reason
        })
    },
    comesTo: ['SecretTooLarge', undefined, undefined],
  },
  {
    input: 'template of the largest Secret',
    from: 'user',
    bound: 'as above',
    worst: () => {
      const ca = 'c'.repeat(512 * kib)
      const target = { host: 'db', port: 5_432, sslMode: 'disable', databases: ['shop'], ca }
      const held = {
        active: { username: 'u_a', password: 'p', verifier: 'v' },
        ...{ rotatedAtMs: 0, generation: 1, source: 'generate' as const },
      }
      const template = { host2: '{{host}}'.repeat(512), more: 'x'.repeat(4_096) }
      return () => {
        const { labels, annotations, data } = bindingManifest({ target, held, template })
        return isUntouched(object({ labels, annotations }, { data }))
      }
    },
    comesTo: true,
  },
  {
    input: 'labels and annotations of a spec',
    from: 'user',
    bound: '64 of a map; one pass',
    worst: () => {
      const annotations = Object.fromEntries(
        Array.from({ length: 64 }, (_, at) => [`${at}${'.konverge.dev'.repeat(1_800)}`, '']),
      )
      return () => reservedKeyProblem({ annotations })
    },
    comesTo: undefined,
  },
  {
    input: 'texts of Secrets in an error',
    from: 'API server',
    bound: 'each text once',
    worst: () => {
      const message = 'redacted] '.repeat(800)
      const texts = Array.from({ length: 50_000 }, () => 'redacted]')
      return () => withoutValues(message, texts).length
    },
    comesTo: 8_800,
  },
  ...['depth', 'members', 'values'].map((what) => ({
    input: `mark in a comment, of much ${what}`,
    from: 'server' as const,
    bound: '512 KiB',
    worst: () => {
      const comment = `konverge ${worstJson(what, mib / 2 - 20)}`
      const longer = `konverge ${worstJson(what, 8 * mib)}`
      return () => tokenIn(comment) ?? ledgerIn(longer)
    },
    comesTo: undefined,
  })),
  ...['depth', 'members', 'values', 'bytes'].map((what) => ({
    input: `answer of a server, of much ${what}`,
    from: 'server' as const,
    bound: '10 MiB on the wire; JSON of 8 MiB, 600,000 values, 1,000 members of an object and 64 levels',
    worst: () => {
      const text = worstJson(what, 8 * mib - 20)
      return () => {
        try {
          return typeof jsonAnswer(text, 'x')
        } catch (error) {
          return error instanceof Error ? error.name : error
        }
      }
    },
    comesTo: what === 'bytes' ? 'object' : 'EngineError',
  })),
  {
    input: 'answer of a server, of as many values as it may have',
    from: 'server',
    bound: 'as above; slices of 5 ms',
    worst: () => {
      const text = `[${'{"k":[]},'.repeat(190_000)}{}]`
      return function* parsed() {
        return ((yield* slicedJsonAnswer(text, 'x')) as readonly object[]).length
      }
    },
    comesTo: 190_001,
  },
  {
    input: 'answer of a server, of short texts that are all different',
    from: 'server',
    bound: 'as above; slices of 5 ms',
    worst: () => {
      const names = Array.from({ length: 590_000 }, (_, at) => at.toString(36))
      const text = JSON.stringify({ names })
      return function* parsed() {
        return Object.keys((yield* slicedJsonAnswer(text, 'x')) as object)
      }
    },
    comesTo: ['names'],
  },
  {
    input: 'answer of a server, of members whose names are all different',
    from: 'server',
    bound: 'as above; 8,192 different names',
    worst: () => {
      const members = Array.from({ length: 299_000 }, (_, at) => ({ [at.toString(36)]: 1 }))
      const text = JSON.stringify(members)
      return () => {
        try {
          return typeof jsonAnswer(text, 'x')
        } catch (error) {
          return error instanceof Error ? error.name : error
        }
      }
    },
    comesTo: 'EngineError',
  },
  {
    input: 'bytes of a server, one by one',
    from: 'server',
    bound: 'one piece for each message',
    worst: () => {
      const bytes = Buffer.concat([Buffer.from([0x44, 0, 0, 0xff, 0xff]), Buffer.alloc(65_531)])
      const pieces = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1))
      return () => {
        const messages = new ServerMessages()
        return pieces.flatMap((piece) => [...messages.read(piece)]).length
      }
    },
    comesTo: 1,
  },
  {
    input: 'error of a server',
    from: 'server',
    bound: '10 MiB; a condition shows 32 KiB',
    worst: () => {
      const message = 'permission denied '.repeat(550_000)
      const failure = { code: '42501', message, detail: message, constraint: undefined, isFromServer: true }
      return () => engineErrorOf(failure, { attempt: 'observe', admin: 'me' }).code
    },
    comesTo: 'InsufficientPrivilege',
  },
  {
    input: 'setting of a role',
    from: 'server',
    bound: 'one pass',
    worst: () => {
      const text = `a${' '.repeat(mib)}"${'"",'.repeat(100_000)}`
      return () => isSameSetting('search_path', text, 'a')
    },
    comesTo: false,
  },
  {
    input: 'signature of a function',
    from: 'server',
    bound: 'a pattern with one way to match',
    worst: () => {
      const text = `f(${'"'.repeat(100_000)}!)`
      return () => {
        try {
          return signature('public', text)
        } catch (error) {
          return error instanceof Error ? error.name : error
        }
      }
    },
    comesTo: 'EngineError',
  },
  {
    input: 'position in a log',
    from: 'server',
    bound: 'linear',
    worst: () => {
      const text = `${'F'.repeat(mib)}/${'F'.repeat(mib)}`
      return () => hasReached(text, '0/0')
    },
    comesTo: true,
  },
  ...['depth', 'members'].map((what) => ({
    input: `last words of a worker, of much ${what}`,
    from: 'worker' as const,
    bound: '4 KiB, as a kubelet takes',
    worst: () => {
      const text = worstJson(what, objectBytes / 2)
      return () => reportIn(text) ?? workReportIn(text)
    },
    comesTo: undefined,
  })),
  ...['labels', 'depth'].map((what) => ({
    input: `object of the API server, of much ${what}`,
    from: 'API server' as const,
    bound: '1.5 MiB, as etcd stores; 16 MiB for a frame',
    worst: () => {
      const deep = worstJson('depth', 2 * deepestLevel)
      const lists = Array.from({ length: objectBytes / deep.length }, () => deep)
      const long = what === 'labels' ? worstJson('members', objectBytes / 2) : `[${lists.join(',')}]`
      const metadata = `{"name":"a","${what === 'labels' ? 'labels' : 'x'}":${long}}`
      const line = Buffer.from(
        `{"type":"ADDED","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":${metadata}}}\n`,
      )
      return () => [...new WatchFrameDecoder({ attempt: 'watch' }).push(line)].length
    },
    comesTo: 1,
  })),
  {
    input: 'managed fields of a child',
    from: 'API server',
    bound: '1.5 MiB; of our own manager alone',
    worst: () => {
      const fields = Object.fromEntries(Array.from({ length: 30_000 }, (_, at) => [`f:key-of-a-label-${at}`, {}]))
      return () => typeof fieldSetOf({ 'f:metadata': { 'f:labels': fields } })
    },
    comesTo: 'object',
  },
  {
    input: 'rejection of the API server',
    from: 'API server',
    bound: '256 KiB; 200 characters of what is longer, or no Status',
    worst: () => {
      const texts = [worstJson('depth', 256 * kib), worstJson('depth', objectBytes)]
      return () => texts.map((text) => String(statusOf(text)?.['message']).length)
    },
    comesTo: [9, 200],
  },
  {
    input: 'headers of the API server',
    from: 'API server',
    bound: '16 KiB, by the client',
    worst: () => {
      const text = `${'299 - "\\'.repeat(2_000)}"`
      return () => [warningsOf(text).length <= 2_000, retryAfterSecondsOf('9'.repeat(16_000))]
    },
    comesTo: [true, undefined],
  },
  ...comparisons,
]

function object(metadata: object, rest: object = {}): LiveObject {
  const whole = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'a', namespace: 'shop', uid: 'u', resourceVersion: '1', ...metadata },
  }
  return { ...whole, ...rest } as LiveObject // As from the API server.
}

function encoded(data: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]))
}

function trustIn(pem: string): string {
  const data = encoded({ host: 'db', port: '5432', username: 'me', password: 'secret', 'ca.crt': pem })
  const secret = object({ name: 'server', labels: openLabels }, { data })
  const source = { secret: 'server', caSecret: undefined, service: undefined, sideService: undefined }
  const connection = serverConnection({
    source: { ...source, uid: 'u', maintenanceDatabase: 'postgres', tls: 'verify-full', isOurs: false },
    secrets: new Map([['server', secret]]),
    service: undefined,
    sideService: undefined,
    policy: labelledSecrets,
  })
  return isBeingDeleted(secret) || connection.kind !== 'unknown' ? connection.kind : connection.reason
}
