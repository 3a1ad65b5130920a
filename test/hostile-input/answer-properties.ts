// Responses of broken or hostile servers: API servers, PostgreSQL, its programs, S3. They become facts or coded errors
// of bounded length.
import fc from 'fast-check'
import { restoreList } from '../../src/controllers/engines/postgres/logical/restore-list.ts'
import { toolFailure } from '../../src/controllers/engines/postgres/logical/tool-complaint.ts'
import { shapeIn } from '../../src/controllers/engines/postgres/migration/copy-plan.ts'
import { followedIn } from '../../src/controllers/engines/postgres/migration/follow-plan.ts'
import { leftoversIn } from '../../src/controllers/engines/postgres/migration/leftover.ts'
import { markIn } from '../../src/controllers/engines/postgres/migration/mark-statements.ts'
import { copyFacts } from '../../src/controllers/engines/postgres/physical/backup-manifest.ts'
import {
  publisherFacts,
  subscriberFacts,
} from '../../src/controllers/engines/postgres/replication/replication-answers.ts'
import { ServerMessages } from '../../src/controllers/engines/postgres/server-messages.ts'
import { engineErrorOf } from '../../src/controllers/engines/postgres/sqlstate.ts'
import { s3Failure } from '../../src/controllers/stores/s3-failure.ts'
import { retryAfterSecondsOf, warningsOf } from '../../src/kube/answer-headers.ts'
import { kubeErrorOf } from '../../src/kube/kube-errors.ts'
import { statusOf } from '../../src/kube/status-body.ts'
import { WatchFrameDecoder } from '../../src/kube/watch-frames.ts'
import { claim, claimClean, claimSentence, coded, type HostileProperty } from './claims.ts'
import { hostileBytes, hostileJsonText, hostileText, mutated } from './hostile-values.ts'
import { scanned } from './scanned-archive.ts'

const secret = 'S3cr3tS3cr3tS3cr3t'

const statusText = fc.oneof(
  hostileJsonText,
  mutated({
    kind: 'Status',
    message: 'no',
    reason: 'Invalid',
    code: 422,
    details: {
      name: 'a',
      kind: 'pods',
      retryAfterSeconds: 1,
      causes: [{ reason: 'FieldValueInvalid', message: 'm', field: 'spec' }],
    },
  }).map((value) => JSON.stringify(value) ?? ''),
)

const frameBytes = mutated({
  type: 'ADDED',
  object: { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a', resourceVersion: '1' } },
}).map((value) => Buffer.from(`${JSON.stringify(value)}\n`))

const tableText = mutated({
  isPartitioned: false,
  heirs: [{ schema: 'a', name: 'b' }],
  columns: [{ name: 'a', typeSchema: 'b', typeName: 'c', isGenerated: false }],
  keys: [['a']],
  rowEstimate: 1,
  sequences: [{ column: 'a', name: 'b', oid: '1', isSettable: true, lastValue: '1' }],
}).map((value) => JSON.stringify(value) ?? '')

const publisherText = fc.oneof(
  hostileJsonText,
  mutated({
    tables: null,
    sequences: null,
    login: { comment: 'konverge {}', role: 'a' },
    publication: null,
    slot: { name: 'a', confirmed: null },
    subscription: { comment: null },
  }).map((value) => JSON.stringify(value) ?? ''),
)

const copyText = mutated({ Files: [{}], 'WAL-Ranges': [{ Timeline: 1, 'Start-LSN': '0/1', 'End-LSN': '0/2' }] }).map(
  (value) => JSON.stringify(value) ?? '',
)

export const answerProperties: readonly HostileProperty[] = [
  {
    name: 'a refusal of the API server becomes a KubeError of bounded length',
    property: fc.property(statusText, fc.integer({ min: 400, max: 599 }), (text, httpStatus) => {
      const error = kubeErrorOf({ attempt: 'get Pod a/b', httpStatus, body: statusOf(text) })
      claimSentence(error.message)
      for (const { reason, message, field } of error.causes)
        claim(
          [reason, message, field].every((part) => typeof part === 'string'),
          () => text,
        )
      claimClean(error.causes)
    }),
  },
  {
    name: 'a watch stream becomes frames or a KubeError',
    property: fc.property(fc.array(fc.oneof(hostileBytes, frameBytes), { maxLength: 4 }), (chunks) => {
      const decoder = new WatchFrameDecoder({ attempt: 'watch Pod', maxLineBytes: 4_096 })
      coded(() => {
        for (const chunk of chunks) claimClean([...decoder.push(chunk)])
        claimClean([...decoder.end()])
      })
    }),
  },
  {
    name: 'headers of an answer become seconds and texts',
    property: fc.property(hostileText, hostileText, (retryAfter, warning) => {
      const seconds = retryAfterSecondsOf(retryAfter)
      claim(seconds === undefined || seconds < 1e9, () => retryAfter)
      for (const text of warningsOf(`299 - "${warning}"`)) claim(typeof text === 'string', () => warning)
    }),
  },
  {
    name: 'bytes of a database server become whole messages, or end the connection',
    property: fc.property(fc.array(hostileBytes, { maxLength: 4 }), (chunks) => {
      const messages = new ServerMessages()
      for (const chunk of chunks) {
        try {
          for (const message of messages.read(Buffer.from(chunk)))
            claim(message.length >= 5, () => 'a message has no head')
        } catch (error) {
          claim(error instanceof Error && error.message.startsWith('the server sends '), () => String(error))
          return
        }
      }
    }),
  },
  {
    name: 'a failure of a database server becomes an EngineError of bounded length',
    property: fc.property(
      hostileText,
      hostileText,
      fc.option(hostileText, { nil: undefined }),
      fc.boolean(),
      (code, message, detail, isFromServer) => {
        const error = engineErrorOf(
          { code, message, detail, constraint: detail, isFromServer },
          { attempt: 'look', admin: 'op', role: message },
        )
        claimSentence(error.message)
      },
    ),
  },
  {
    name: 'complaints of programs become coded errors of bounded length',
    property: fc.property(hostileText, hostileText, (printed, about) => {
      const error = toolFailure({
        program: 'pg_dump',
        exit: 1,
        printed: `pg_dump: error: ${printed}\n${printed}`,
        about,
      })
      claimSentence(error.message)
      restoreList(printed, { schemas: [about] } as unknown as Parameters<typeof restoreList>[1])
    }),
  },
  {
    name: 'a failure of a store becomes a StoreError of bounded length without its secrets',
    property: fc.property(
      hostileText,
      hostileText,
      fc.option(fc.nat(600), { nil: undefined }),
      (name, message, httpStatusCode) => {
        const thrown = Object.assign(new Error(`${message}${secret}${message}`), {
          name,
          $metadata: { httpStatusCode },
        })
        const error = s3Failure(thrown, { attempt: 'store a', place: 's3://b', secrets: [secret] })
        claim(error !== undefined, () => 'it is no failure')
        claimSentence(error?.message ?? '')
        claim(!(error?.message ?? '').includes(secret.slice(0, 8)), () => error?.message ?? '')
      },
    ),
  },
  {
    name: 'what a database holds of a migration is read, or refused by a coded error',
    property: fc.property(hostileJsonText, tableText, hostileText, (text, table, state) => {
      for (const shape of [text, table]) claimClean(coded(() => shapeIn(shape)))
      claimClean(coded(() => leftoversIn(text)))
      coded(() => followedIn(text))
      coded(() =>
        markIn({ name: text, ordinal: text, state, checksum: text, plan: null, attempts: text, message: text }),
      )
    }),
  },
  {
    name: 'what both sides of a replication answer is read, or refused by a coded error',
    property: fc.property(publisherText, (text) => {
      claimClean(coded(() => publisherFacts(text)))
      claimClean(coded(() => subscriberFacts(text)))
    }),
  },
  {
    name: 'what pg_basebackup says of a copy is read, or is nothing',
    property: fc.property(fc.oneof(hostileJsonText, copyText), (text) => claimClean(copyFacts(text))),
  },
  {
    name: 'an archive of a server leads to files inside of its folder, or is refused',
    property: fc.property(
      hostileText,
      fc.oneof(hostileText, fc.stringMatching(/^[0-7]{11}$/)),
      fc.constantFrom('0', '5', '2', '', 'x'),
      hostileBytes,
      scanned,
    ),
  },
]
