// The three steps in which an archive moves to another folder, each with its effect, its observation and its
// compensation. Every function may be repeated, and makes no decisions about other steps.
import { CodedError, type SagaCall, type SagaResource, type SagaStep, type StepObservation } from '../../src/index.ts'
import type { ArchiveFacts, ArchiveSpec, ArchiveStatus } from './archive-kind.ts'
import type { Files } from './files.ts'

type Scene = SagaResource<ArchiveSpec, ArchiveStatus, ArchiveFacts>
type Call = SagaCall<Scene>

/** Copies the files to the new folder, which carries the mark of this move. */
export class CopyStep implements SagaStep<Scene> {
  readonly name = 'Copy'
  readonly #files: Files

  constructor(files: Files) {
    this.#files = files
  }

  async verify({ input: { from, to = '' }, token }: Call): Promise<StepObservation> {
    if ((await this.#files.markOf(to)) !== token) return { kind: 'missing' }
    const there = new Set(await this.#files.list(to))
    const wanted = from === undefined ? [] : ((await this.#files.list(from)) ?? [])
    if (wanted.every((name) => there.has(name))) return { kind: 'done' }
    return { kind: 'broken', reason: 'Incomplete', message: 'only part of the files is there', isTerminal: false }
  }

  async run({ input: { from, to = '' }, token }: Call): Promise<void> {
    const isForeign = (await this.#files.list(to)) !== undefined && (await this.#files.markOf(to)) !== token
    if (isForeign) {
      throw new CodedError({ code: 'FolderInUse', message: `there is a folder ${to} already`, remedy: 'stop' })
    }
    await this.#files.copy(from, to, token)
  }

  async compensate({ input: { to = '' } }: Call): Promise<void> {
    await this.#files.remove(to)
  }
}

/** Switches readers to the new folder: the point of no return, because they may write there too. */
export class SwitchStep implements SagaStep<Scene> {
  readonly name = 'Switch'
  readonly #files: Files

  constructor(files: Files) {
    this.#files = files
  }

  async verify({ object, input: { to = '' } }: Call): Promise<StepObservation> {
    return (await this.#files.pointer(object.metadata.name)) === to ? { kind: 'done' } : { kind: 'missing' }
  }

  async run({ object, input: { to = '' } }: Call): Promise<void> {
    await this.#files.point(object.metadata.name, to)
  }
}

/** Removes the old folder. */
export class CleanStep implements SagaStep<Scene> {
  readonly name = 'Clean'
  readonly #files: Files

  constructor(files: Files) {
    this.#files = files
  }

  async verify({ input: { from } }: Call): Promise<StepObservation> {
    const isThere = from !== undefined && (await this.#files.list(from)) !== undefined
    return isThere ? { kind: 'missing' } : { kind: 'done' }
  }

  async run({ input: { from } }: Call): Promise<void> {
    if (from !== undefined) await this.#files.remove(from)
  }
}
