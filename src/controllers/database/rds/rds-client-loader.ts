// Clients of the AWS SDK, which is loaded when the first Database asks for RDS and not before: it is large, and most operators never need it.
// One client an access; the SDK itself tries nothing twice, as that is the runtime's to decide. Answers are bounded in bytes and time.
import type { RDS } from '@aws-sdk/client-rds'
import type { ExternalTools } from '../../../index.ts'
import { answerStep, boundAnswers, usualAnswers } from '../../stores/answer-watcher.ts'
import type { AwsAccess } from './instance.ts'
import { RdsError } from './rds-failure.ts'

type Sdk = typeof import('@aws-sdk/client-rds')

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
  readonly #clients = new Map<string, RDS>()

  readonly #clock: ExternalTools['clock']

  constructor({ endpoint, loadSdk }: RdsClientLoaderOptions, clock: ExternalTools['clock']) {
    this.#clock = clock
    this.#endpoint = endpoint
    this.#loadSdk = loadSdk ?? (() => import('@aws-sdk/client-rds'))
  }

  async clientFor(access: AwsAccess): Promise<RDS> {
    const sdk = await this.#sdk()
    const key = JSON.stringify(access)
    const client = this.#clients.get(key) ?? this.#clientOf(sdk, access)
    this.#clients.delete(key)
    this.#clients.set(key, client)
    for (const [oldest, former] of this.#clients) {
      if (this.#clients.size <= mostClients) break
      this.#clients.delete(oldest)
      former.destroy()
    }
    return client
  }

  close(): void {
    for (const client of this.#clients.values()) client.destroy()
    this.#clients.clear()
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
