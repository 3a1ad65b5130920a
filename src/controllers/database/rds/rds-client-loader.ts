// Clients of the AWS SDK, which is loaded when the first Database asks for RDS and not before: it is large, and most operators never need it.
// One client an access; the SDK itself tries nothing twice, as that is the runtime's to decide. Answers are bounded in bytes and time.
import type { RDS } from '@aws-sdk/client-rds'
import type { ExternalTools } from '../../../index.ts'
import { answerStep, boundAnswers, usualAnswers } from '../../stores/answer-watcher.ts'
import type { AwsAccess } from './instance.ts'
import { RdsError } from './rds-failure.ts'

type Sdk = typeof import('@aws-sdk/client-rds')

interface Known {
  readonly client: RDS
  uses: number
}

export interface RdsClientLoaderOptions {
  /** Called instead of AWS's own address, for tests. */
  readonly endpoint?: string | undefined
  /** Default: from the package @aws-sdk/client-rds. */
  readonly loadSdk?: (() => Promise<Sdk>) | undefined
}

const connectLimitMs = 5_000
const answerLimitMs = 30_000
/** Every rotation of credentials makes a client; the one used longest ago goes. */
const mostClients = 32

export class RdsClientLoader {
  readonly #endpoint: string | undefined
  readonly #loadSdk: () => Promise<Sdk>
  readonly #clients = new Map<string, Known>()

  readonly #clock: ExternalTools['clock']

  constructor({ endpoint, loadSdk }: RdsClientLoaderOptions, clock: ExternalTools['clock']) {
    this.#clock = clock
    this.#endpoint = endpoint
    this.#loadSdk = loadSdk ?? (() => import('@aws-sdk/client-rds'))
  }

  /** Does the work with the client of this access. No other access takes the client away before the work is done. */
  async use<T>(access: AwsAccess, work: (client: RDS) => Promise<T>): Promise<T> {
    const known = this.#knownFor(await this.#sdk(), access)
    known.uses++
    try {
      return await work(known.client)
    } finally {
      known.uses--
      this.#dropOldest()
    }
  }

  close(): void {
    for (const { client } of this.#clients.values()) client.destroy()
    this.#clients.clear()
  }

  #knownFor(sdk: Sdk, access: AwsAccess): Known {
    const key = JSON.stringify(access)
    const known = this.#clients.get(key) ?? { client: this.#clientOf(sdk, access), uses: 0 }
    this.#clients.delete(key)
    this.#clients.set(key, known)
    return known
  }

  /** Clients in use stay: to destroy one would end the calls of another namespace. They are as few as resources reconciled at once. */
  #dropOldest(): void {
    for (const [oldest, { client, uses }] of this.#clients) {
      if (this.#clients.size <= mostClients) return
      if (uses > 0) continue
      this.#clients.delete(oldest)
      client.destroy()
    }
  }

  /** Node remembers what it has loaded. */
  async #sdk(): Promise<Sdk> {
    try {
      return await this.#loadSdk()
    } catch {
      const message =
        'provider.rds needs the AWS SDK, which is not installed with the operator: npm install @aws-sdk/client-rds@3'
      throw new RdsError({ code: 'SdkMissing', message, remedy: 'stop', retryAfterMs: 10 * 60_000 })
    }
  }

  #clientOf({ RDS }: Sdk, { region, credentials }: AwsAccess): RDS {
    const client = new RDS({
      region,
      maxAttempts: 1,
      requestHandler: {
        connectionTimeout: connectLimitMs,
        requestTimeout: answerLimitMs,
        throwOnRequestTimeout: true,
      },
      ...(credentials.kind === 'keys' ? { credentials: { ...credentials } } : {}),
      ...(this.#endpoint === undefined ? {} : { endpoint: this.#endpoint }),
    })
    const limits = { ...usualAnswers, limitMs: answerLimitMs, clock: this.#clock, isDownload: () => false }
    client.middlewareStack.add(boundAnswers(limits), answerStep)
    return client
  }
}
