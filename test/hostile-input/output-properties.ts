// Output of the operator for any input: conditions, Events, log lines, names, labels, and keys of connection Secrets.
import fc from 'fast-check'
import { databaseHosts, databaseServerNames } from '../../constructs/index.ts'
import { systemClock } from '../../src/base/clock.ts'
import { backupFolder } from '../../src/controllers/backup/artifact-layout.ts'
import { restoreNames } from '../../src/controllers/backup/restore-names.ts'
import { instanceIdentifier, snapshotIdentifier } from '../../src/controllers/database/rds/instance-name.ts'
import {
  connectionSource,
  type DatabaseObject,
  serverConnection,
} from '../../src/controllers/database/server-connection.ts'
import { bindingManifest } from '../../src/controllers/database-user/binding-secret.ts'
import { labelledSecrets } from '../../src/controllers/references/reference-policy.ts'
import { killedTry } from '../../src/controllers/worker/killed-try.ts'
import type { LiveObject } from '../../src/object/object.ts'
import type { Outcome } from '../../src/reconcile/outcome.ts'
import { nextStatus } from '../../src/reconcile/status.ts'
import { applySetId } from '../../src/synth/membership.ts'
import { annotationsProblem, labelsProblem, nameProblem } from '../../src/synth/metadata-rules.ts'
import { childName, isDnsLabel1035 } from '../../src/synth/names.ts'
import { eventObject } from '../../src/telemetry/event-object.ts'
import { createLogger } from '../../src/telemetry/logger.ts'
import { redact } from '../../src/telemetry/redact.ts'
import { openLabels } from '../controllers/open-labels.ts'
import { claim, claimClean, claimOneLine, claimSentence, coded, type HostileProperty } from './claims.ts'
import { hostileJson, hostileName, hostileText, hostileTexts } from './hostile-values.ts'

/** Source: meta/v1 Condition. */
const reasonPattern = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/
const [longestReason, longestMessage] = [1_024, 32_768]
const labelValue = /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/

const lines: string[] = []
const log = createLogger({ clock: systemClock, destination: { write: (line) => void lines.push(line) } })

/** Claims that PostgreSQL's protocol can carry the credential: bounded length, no NUL. */
function claimCredential(text: string): void {
  claim(!text.includes('\0'), () => 'a credential has the character NUL, which ends it in the protocol')
  claim(text.length <= 8_192, () => `a credential has ${text.length} characters`)
}

const wellFormed = hostileText
  .map((text) => text.toWellFormed())
  .filter((text) => text !== '.' && text !== '..' && text !== '')

const database = {
  apiVersion: 'data.konverge.dev/v1alpha1',
  kind: 'Database',
  metadata: { name: 'a', namespace: 'b', uid: 'u', resourceVersion: '1' },
  spec: {
    provider: {
      server: { connectionSecretRef: { name: 'server' }, maintenanceDatabase: 'postgres', sslMode: 'verify-full' },
    },
  },
} as unknown as DatabaseObject // Only the fields that are read.

const objectName = fc.stringMatching(/^[a-z]([-a-z0-9]{0,35}[a-z0-9])?$/)

function isName(name: string): boolean {
  return name.length <= 63 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name)
}

const claimReason = fc.oneof(hostileText, fc.constant('Word'))

const outcome: fc.Arbitrary<Outcome> = fc.oneof(
  fc.constant({ kind: 'settled' } as const),
  hostileText.map((on) => ({ kind: 'waiting', on }) as const),
  fc.tuple(claimReason, hostileText).map(([reason, message]) => ({ kind: 'retry', reason, message }) as const),
  fc
    .tuple(claimReason, hostileText)
    .map(([reason, message]) => ({ kind: 'stopped', reason, message: message.repeat(100) }) as const),
)

export const outputProperties: readonly HostileProperty[] = [
  {
    name: 'conditions have a reason and a message that the API server takes',
    property: fc.property(outcome, claimReason, hostileText, (ended, reason, message) => {
      const claimed = { type: 'Own', status: 'True', reason, message: message.repeat(200) } as const
      const report = { fields: {}, conditions: [claimed] }
      const status = nextStatus({
        previous: undefined,
        report,
        outcome: ended,
        generation: 1,
        now: '2026-01-01T00:00:00Z',
      })
      for (const condition of status.conditions ?? []) {
        claim(
          reasonPattern.test(condition.reason) && condition.reason.length <= longestReason,
          () => `the reason ${JSON.stringify(condition.reason)}`,
        )
        claim(condition.message.length <= longestMessage, () => `a message of ${condition.message.length} characters`)
      }
      claimClean(status)
    }),
  },
  {
    name: 'what ended a pod is told by a reason and a message',
    property: fc.property(hostileText, hostileText, (reason, message) => {
      const pod = {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'a', uid: 'u', resourceVersion: '1' },
        status: { phase: 'Failed', reason, message },
      }
      const report = killedTry(pod as unknown as LiveObject)
      if (report !== undefined) claimSentence(report.message, 64 * 1024)
    }),
  },
  {
    name: 'an Event has texts and a name that the API server takes',
    property: fc.property(hostileName, hostileText, hostileText, (name, reason, note) => {
      const regarding = { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'a' } }
      const event = eventObject({
        report: { regarding, type: 'Normal', reason, action: reason, note: note.repeat(20) },
        reporter: { controller: 'konverge.dev/operator', instance: reason },
        uniqueSuffix: '0a',
        eventTime: '2026-01-01T00:00:00.000000Z',
      })
      const {
        note: told,
        reason: word,
        reportingInstance: instance,
      } = event as unknown as Readonly<Record<string, string>>
      claim(Buffer.byteLength(told ?? '') <= 1_024, () => 'the note is too long')
      claim(
        Buffer.byteLength(word ?? '') <= 128 && Buffer.byteLength(instance ?? '') <= 128,
        () => 'a word is too long',
      )
      claim(nameProblem('Event', event.metadata.name) === undefined, () => event.metadata.name)
    }),
  },
  {
    name: 'a log line is one line of JSON that no terminal obeys',
    property: fc.property(hostileText, hostileText, hostileJson, (message, text, value) => {
      lines.length = 0
      log.with({ text }).info({ [text]: text, value, err: Object.assign(new Error(text), { code: text }) }, message)
      claim(lines.length === 1, () => `${lines.length} lines were written`)
      const [line = ''] = lines
      claim(line.endsWith('\n'), () => 'the line does not end')
      claimOneLine(line.slice(0, -1))
      JSON.parse(line)
    }),
  },
  {
    name: 'fields of a log line are plain and bounded',
    property: fc.property(hostileJson, (value) => claimClean(redact({ value, list: [value, value] }))),
  },
  {
    name: 'a name of a child is a DNS label, and another for another parent or leaf',
    property: fc.property(
      hostileName,
      hostileName,
      hostileName,
      hostileName,
      fc.integer({ min: 32, max: 63 }),
      (parent, leaf, otherParent, otherLeaf, longest) => {
        const name = childName(parent, leaf, longest)
        claim(isDnsLabel1035(name) && name.length <= longest, () => name)
        const other = childName(otherParent, otherLeaf, longest)
        claim(
          name !== other || (parent === otherParent && leaf === otherLeaf),
          () => `${name} is the name of two children`,
        )
      },
    ),
  },
  {
    name: 'names and labels that are made of an object are valid',
    property: fc.property(objectName, objectName, hostileText, (name, namespace, uid) => {
      const id = applySetId({ apiVersion: 'v1', kind: uid, metadata: { name: uid, namespace } })
      claim(labelValue.test(id), () => id)
      const names = databaseServerNames(name)
      for (const made of [names.adminSecret, names.clientService, names.statefulSet]) claim(isName(made), () => made)
      for (const host of databaseHosts(name, namespace)) claim(host.split('.').every(isName), () => host)
      const instance = instanceIdentifier({ namespace, name, uid })
      claim(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(instance) && instance.length <= 63, () => instance)
      const snapshot = snapshotIdentifier({ namespace, name, uid: uid.slice(0, 36) })
      claim(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(snapshot) && snapshot.length <= 255, () => snapshot)
      backupFolder({ namespace, database: name, databaseUid: 'u', slotMs: 0, backupUid: 'b' })
    }),
  },
  {
    name: 'the names of a restore fit into PostgreSQL and differ',
    property: fc.property(
      fc.stringMatching(/^[a-z_][a-z0-9_]{0,62}$/),
      fc.stringMatching(/^[a-z0-9]{1,20}$/),
      (live, request) => {
        const names = Object.values(restoreNames(live, request))
        claim(new Set(names).size === 3, () => names.join())
        for (const name of names) claim(Buffer.byteLength(name) <= 63, () => name)
      },
    ),
  },
  {
    name: 'rules for labels and annotations answer about every key and value',
    property: fc.property(hostileTexts, (texts) => {
      const problems = [
        labelsProblem(texts),
        annotationsProblem(texts),
        ...Object.keys(texts).map((name) => nameProblem('ConfigMap', name)),
      ]
      for (const problem of problems) claim(problem === undefined || problem.length > 0, () => 'a problem has no words')
    }),
  },
  {
    name: 'a connection Secret leads to one host and port, or to a sentence without its values',
    property: fc.property(hostileText, hostileText, hostileText, hostileText, (host, port, username, password) => {
      const texts = { host, port, username, password: `${password}S3cr3tS3cr3t`, 'ca.crt': password }
      const data = Object.fromEntries(
        Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
      )
      const secret = {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'server', uid: 'u', resourceVersion: '1', labels: openLabels },
        data,
      }
      const source = connectionSource(database)
      const connection = serverConnection({
        source,
        secrets: new Map([['server', secret as LiveObject]]),
        service: undefined,
        policy: labelledSecrets,
      })
      if (connection.kind === 'unknown') {
        claimSentence(connection.message, 1_024)
        claimOneLine(connection.message)
        claim(!connection.message.includes('S3cr3t'), () => connection.message)
        return
      }
      const { access } = connection
      claim(/^[A-Za-z0-9_.:%-]{1,255}$/.test(access.host), () => `a host of ${access.host.length} characters`)
      claim(Number.isInteger(access.port) && access.port >= 1 && access.port <= 65_535, () => String(access.port))
      for (const text of [access.username, access.password]) claimCredential(text)
    }),
  },
  {
    name: 'addresses in a binding Secret lead to the host, user and database that they name',
    property: fc.property(wellFormed, wellFormed, wellFormed, hostileTexts, (username, password, name, template) => {
      const target = { host: 'db.example', port: 5_432, sslMode: 'verify-full', databases: [name] }
      const held = {
        active: { username, password, verifier: 'v' },
        rotatedAtMs: 0,
        generation: 1,
        source: 'generate',
      } as const
      const made = coded(() => bindingManifest({ target, held, template }))
      if (!('value' in made)) return
      const { data } = made.value
      const uri = new URL(Buffer.from(data['uri'] ?? '', 'base64').toString())
      const said = [uri.hostname, uri.port, uri.username, uri.password, uri.pathname.slice(1)].map(decodeURIComponent)
      const wanted = ['db.example', '5432', username, password, name]
      claim(
        JSON.stringify(said) === JSON.stringify(wanted),
        () => `${JSON.stringify(said)} instead of ${JSON.stringify(wanted)}`,
      )
    }),
  },
]
