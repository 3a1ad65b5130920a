// Fixture: schedules of backups on any API server, with a Database that is reported ready and with nothing that runs
// their pods.
import { backup } from '../../../src/controllers/backup/backup.ts'
import { slotAnnotation } from '../../../src/controllers/backup/desired-work.ts'
import { Hand } from '../../e2e/hand.ts'
import type { StoryOperator, StoryServer } from '../../e2e/story-server.ts'
import { openLabels } from '../open-labels.ts'

export interface Start {
  /** Milliseconds since the epoch. */
  readonly scheduledAtMs: number
  /** Start of the Job that makes the backup, to the second. */
  readonly startedAtMs: number
}

const namespace = 'first-backups'
const apiVersion = 'data.konverge.dev/v1alpha1'
const minuteMs = 60_000
/** A schedule for a minute that passes before the API server has it would start an hour later. */
const marginMs = 30_000

export class ScheduledBackups {
  readonly #server: StoryServer
  readonly #operator: StoryOperator
  readonly #hand: Hand

  private constructor(server: StoryServer, operator: StoryOperator) {
    this.#server = server
    this.#operator = operator
    this.#hand = new Hand(server, namespace)
  }

  static async start(server: StoryServer): Promise<ScheduledBackups> {
    await server.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
    const hand = new Hand(server, namespace)
    const stringData = { host: 'db', port: '5432', username: 'admin', password: 'not-used-by-any-pod' }
    await hand.create({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'server', labels: openLabels },
      stringData,
    })
    const provider = { server: { connectionSecretRef: { name: 'server' }, sslMode: 'disable' } }
    await hand.create({ apiVersion, kind: 'Database', metadata: { name: 'crm' }, spec: { provider } })
    const identity = { systemIdentifier: '7', databaseOID: 16384 }
    const status = { phase: 'Ready', identity, observedGeneration: 1 }
    await hand.patch('database', 'crm', { status }, { subresource: 'status' })
    const controllers = [backup({ image: 'konverge:missing' })]
    return new ScheduledBackups(server, await server.startControllers({ controllers, userAgent: 'first-backups/1' }))
  }

  /** Creates them one after the other, each for one of the next minutes in turn; returns the times. */
  async createSchedules(count: number, minutes = 1): Promise<readonly number[]> {
    const times: number[] = []
    for (let at = 0; at < count; at++) {
      const nextMs = (Math.floor((this.#server.nowMs() + marginMs) / minuteMs) + 1 + (at % minutes)) * minuteMs
      await this.#hand.create({
        apiVersion,
        kind: 'Backup',
        metadata: { name: `s${at}` },
        spec: {
          databaseRef: { name: 'crm' },
          target: { pvc: { claimName: 'backups' } },
          verify: { mode: 'None' },
          schedule: `${new Date(nextMs).getUTCMinutes()} * * * *`,
        },
      })
      times.push(nextMs)
    }
    return times
  }

  /** Waits until each has a Job; in the order of the schedules. */
  async starts(count: number): Promise<readonly Start[]> {
    let found: readonly Start[] = []
    const what = `the first backups of ${count} schedules to start`
    await this.#server.until({ what, limitMs: 600_000, everyMs: 10_000 }, async () => {
      const [backups, jobs] = await Promise.all([this.#hand.list('backup'), this.#hand.list('job')])
      found = Array.from({ length: count }, (_, at) => {
        const backup = backups.find(({ metadata }) => metadata.name.startsWith(`s${at}-`))
        const job = backup && jobs.find(({ metadata }) => metadata.name.startsWith(`${backup.metadata.name}-`))
        return {
          scheduledAtMs: Date.parse(backup?.metadata.annotations?.[slotAnnotation] ?? ''),
          startedAtMs: Date.parse(
            (job?.metadata as { creationTimestamp?: string } | undefined)?.creationTimestamp ?? '',
          ),
        }
      })
      return found.every(({ startedAtMs }) => Number.isFinite(startedAtMs))
    })
    return found
  }

  async stop(): Promise<void> {
    await this.#operator.stop()
    for (const { metadata } of await this.#hand.list('backup')) {
      await this.#hand.patch('backup', metadata.name, { metadata: { finalizers: null } })
    }
    await this.#hand.delete('namespace', namespace)
    await this.#server.stop()
  }
}
