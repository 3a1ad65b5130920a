// Authorization of requests by the API server, as in controller-runtime: a TokenReview identifies the sender, and a
// SubjectAccessReview checks the path. Invariants: verdicts are cached by a hash of the token for a limited time, and a
// flood of tokens does not reach the API server.
import { createHash } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import { TokenBucket } from '../base/token-bucket.ts'
import type { KubeClient } from '../kube/client.ts'
import type { KubeObject } from '../object/object.ts'
import { defineResource, type Resource } from '../object/resource.ts'

export type AccessVerdict = 'allowed' | 'unauthenticated' | 'forbidden' | 'busy'

export interface AccessReviewClientOptions {
  readonly clock: Clock
  /** Unfenced client: a standby serves metrics too, and reviews change nothing. */
  readonly client: Pick<KubeClient, 'create'>
}

const allowedMs = 60_000
const deniedMs = 10_000
/** Maximum number of cached verdicts. */
const maxAnswers = 256
const maxTokenLength = 16_384
const reviewRate = { perSecond: 5, burst: 20 }
const reviewLimitMs = 10_000
const fieldManager = 'konverge-metrics'

const tokenReview = reviewOf('authentication.k8s.io', 'TokenReview', 'tokenreviews')
const accessReview = reviewOf('authorization.k8s.io', 'SubjectAccessReview', 'subjectaccessreviews')

interface Answer {
  readonly verdict: AccessVerdict
  readonly untilMs: number
}

/** Fields of a review's status that the verdict depends on. */
interface ReviewStatus {
  readonly authenticated?: boolean
  readonly allowed?: boolean
  readonly user?: {
    readonly username?: string
    readonly uid?: string
    readonly groups?: readonly string[]
    readonly extra?: object
  }
}

export class AccessReviewClient {
  readonly #options: AccessReviewClientOptions
  readonly #answers = new Map<string, Answer>()
  readonly #bucket = new TokenBucket(reviewRate)

  constructor(options: AccessReviewClientOptions) {
    this.#options = options
  }

  /**
   * Returns the verdict for a request. `authorization` is the raw header. Rejects like the client if the API server
   * does not answer.
   */
  async verdictOn(authorization: string | undefined, path: string): Promise<AccessVerdict> {
    const token = /^Bearer ([\w.~+/=-]+)$/i.exec(authorization?.slice(0, maxTokenLength) ?? '')?.[1]
    if (token === undefined) return 'unauthenticated'
    const { clock } = this.#options
    const key = createHash('sha256')
      .update(JSON.stringify([token, path]))
      .digest('hex')
    const known = this.#answers.get(key)
    if (known !== undefined && clock.now() < known.untilMs) return known.verdict
    if (this.#bucket.take(clock.now()) > 0) return 'busy'
    const verdict = await this.#ask(token, path)
    this.#answers.delete(key)
    const [oldest] = this.#answers.keys()
    if (oldest !== undefined && this.#answers.size >= maxAnswers) this.#answers.delete(oldest)
    const keptMs = verdict === 'allowed' ? allowedMs : deniedMs
    this.#answers.set(key, { verdict, untilMs: clock.now() + keptMs })
    return verdict
  }

  async #ask(token: string, path: string): Promise<AccessVerdict> {
    const { authenticated, user } = await this.#review(tokenReview, { token })
    if (authenticated !== true || user?.username === undefined) return 'unauthenticated'
    const { username, uid, groups, extra } = user
    const nonResourceAttributes = { path, verb: 'get' }
    const { allowed } = await this.#review(accessReview, { user: username, uid, groups, extra, nonResourceAttributes })
    return allowed === true ? 'allowed' : 'forbidden'
  }

  async #review(resource: Resource, spec: object): Promise<ReviewStatus> {
    const { group, version, kind } = resource
    // Sound: a review has no name, because the API server does not store it.
    const review = { apiVersion: `${group}/${version}`, kind, metadata: {}, spec } as unknown as KubeObject
    const limit = AbortSignal.timeout(reviewLimitMs)
    const { status } = await this.#options.client.create(resource, review, { fieldManager }, limit)
    return (status ?? {}) as ReviewStatus // Sound: by the schema of its kind.
  }
}

function reviewOf(group: string, kind: string, plural: string): Resource {
  return defineResource({ group, version: 'v1', kind, plural, scope: 'Cluster' })
}
