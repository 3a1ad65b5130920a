// Fault injection into a worker and its store during a backup. A folder has a fault at each step of the worker.
// A bucket has a fault at each request, where the store can fail too. Both count leftovers of interrupted puts.
import { readdir } from 'node:fs/promises'
import { systemClock } from '../../../src/base/clock.ts'
import type { ArtifactStore } from '../../../src/controllers/stores/artifact-store.ts'
import { FolderStore } from '../../../src/controllers/stores/folder-store-driver.ts'
import { S3Store, type S3StoreOptions } from '../../../src/controllers/stores/s3-store-driver.ts'
import type { Place } from '../../crash-runs/crash-workflow.ts'
import { type StatementBlow, statementPlaces } from '../../crash-runs/places.ts'
import { bucket, s3At, uploadsUnderWay } from '../../s3/on-s3.ts'
import type { S3Proxy, S3Verdict } from '../../s3/s3-proxy.ts'
import { MortalStore, type MortalStoreOptions } from './mortal-store.ts'

export interface StruckStore {
  readonly options: MortalStoreOptions
  /** Number of faults that the store has seen. */
  count(): number
}

export interface StoreUnderTest<Blow> {
  isDeath(blow: Blow): boolean
  /** Store of one worker process, which `kill` ends. */
  struck(blow: Blow | undefined, kill: () => void): StruckStore
  /** Store of the last process, without faults. */
  calm(attempt: string): ArtifactStore
  /** Points at which the last process could have been interrupted. */
  places(): readonly Place<Blow>[]
  /** Incomplete files and unfinished uploads; `stored`: number of complete files. */
  broken(stored: number): Promise<number>
  stop(): Promise<void>
}

export class FolderUnderTest implements StoreUnderTest<number> {
  readonly #folder: string
  #last: MortalStore | undefined

  constructor(folder: string) {
    this.#folder = folder
  }

  isDeath(): boolean {
    return true
  }

  struck(dieAt: number | undefined): StruckStore {
    return { options: { folder: this.#folder, dieAt }, count: () => 0 }
  }

  calm(attempt: string): ArtifactStore {
    this.#last = new MortalStore(new FolderStore({ folder: this.#folder, attempt }))
    return this.#last
  }

  places(): readonly Place<number>[] {
    const steps = [...(this.#last?.steps ?? [])]
    return steps.map((step, at) => ({ title: `killed at step ${at + 1} of the store: ${step}`, blow: at + 1 }))
  }

  async broken(stored: number): Promise<number> {
    const entries = await readdir(this.#folder, { recursive: true, withFileTypes: true })
    return entries.filter((entry) => entry.isFile()).length - stored
  }

  async stop(): Promise<void> {}
}

/** `away`: from there on the store answers no request, until the worker gives up. */
const fates = ['killedBefore', 'killedAfter', 'cutBefore', 'cutAfter', 'fails', 'hangs', 'away'] as const
type BucketBlow = StatementBlow<(typeof fates)[number]>

export class BucketUnderTest implements StoreUnderTest<BucketBlow> {
  readonly #proxy: S3Proxy
  readonly #options: Omit<S3StoreOptions, 'clock'>
  readonly #moto: string
  #last: S3Store | undefined

  private constructor(moto: string, proxy: S3Proxy, options: Omit<S3StoreOptions, 'clock'>) {
    this.#moto = moto
    this.#proxy = proxy
    this.#options = options
  }

  static async start(moto: string): Promise<BucketUnderTest> {
    const { proxy, access } = await s3At(moto)
    return new BucketUnderTest(moto, proxy, { bucket, prefix: 'prod/', access })
  }

  isDeath({ fate }: BucketBlow): boolean {
    return fate.startsWith('killed')
  }

  struck(blow: BucketBlow | undefined, kill: () => void): StruckStore {
    let [seen, count] = [0, 0]
    this.#proxy.judge = (): S3Verdict => {
      seen += 1
      if (blow === undefined) return 'pass'
      if (seen > blow.index && blow.fate === 'away') return { status: 503, code: 'ServiceUnavailable' }
      if (seen !== blow.index) return 'pass'
      count += 1
      if (blow.fate.startsWith('killed')) kill()
      return verdicts[blow.fate]
    }
    const limits = { connectMs: 1_000, silenceMs: 1_000, attempts: 3 }
    return { options: { s3: { ...this.#options, limits } }, count: () => count }
  }

  calm(): ArtifactStore {
    this.#proxy.judge = () => 'pass'
    this.#proxy.forget()
    this.#last = new S3Store({ ...this.#options, clock: systemClock })
    return this.#last
  }

  places(): readonly Place<BucketBlow>[] {
    const lines = this.#proxy.requests.map(({ line }) => line.replace(/prod\/.*\//, '…/'))
    if (!lines.some((line) => line.includes('partNumber'))) throw new Error('the backup went up in one piece')
    return statementPlaces(lines, fates).map(({ title, blow }) => ({
      title: title.replace('statement', 'request'),
      blow,
    }))
  }

  broken(): Promise<number> {
    return uploadsUnderWay(this.#moto)
  }

  async stop(): Promise<void> {
    await this.#last?.close()
    await this.#proxy.stop()
  }
}

const verdicts: Readonly<Record<BucketBlow['fate'], S3Verdict>> = {
  killedBefore: 'cutBefore',
  killedAfter: 'cutAfter',
  cutBefore: 'cutBefore',
  cutAfter: 'cutAfter',
  fails: { status: 500, code: 'InternalError' },
  hangs: 'hang',
  away: { status: 503, code: 'ServiceUnavailable' },
}
