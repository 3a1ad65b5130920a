// Errors of synthesis. Each is a SynthError with one of these codes and a sentence that names the construct and the
// remedy. No error passes without a change.
import { CodedError } from '../base/errors.ts'

export type SynthErrorCode =
  /** `desired` returned a promise. Read facts in `observe`. */
  | 'AsyncBuild'
  /** `desired` threw. */
  | 'BuildFailed'
  | 'CyclicDependency'
  /** A dependency on a construct of another tree. */
  | 'DependencyOutside'
  /** Two constructs declare the same object. */
  | 'DuplicateObject'
  /** Include and Helm start processes; a chart in a chart names its objects by construct ids. */
  | 'ForbiddenConstruct'
  /** A declaration sets a field that belongs to the API server or to the runtime. */
  | 'ForbiddenField'
  /** The same input gave other bytes, or `desired` changed its input. */
  | 'ImpureBuild'
  /** A label or annotation that the API server would reject. */
  | 'InvalidLabel'
  | 'InvalidName'
  /** A field policy that cannot be kept, or a path that cannot be parsed. */
  | 'InvalidPolicy'
  /** `desired` returned neither a list nor nothing. */
  | 'InvalidReturn'
  /** The controller's `owns` lacks the kind. */
  | 'KindNotOwned'
  | 'MissingName'
  /** A Date, a NaN, a class instance, a function: not JSON. */
  | 'NotJson'
  | 'OverlayFailed'
  /** A child with the identity of its parent. */
  | 'OwnIdentity'
  /** A declaration sets a label or annotation of konverge.dev or a subdomain of it. */
  | 'ReservedKey'
  /** A namespace on a cluster-scoped kind, or none on a namespaced one. */
  | 'ScopeMismatch'
  /** An object without apiVersion or kind. */
  | 'UnknownKind'
  /** A construct's own validation failed. */
  | 'ValidationFailed'

export interface SynthErrorOptions {
  readonly code: SynthErrorCode
  /** One sentence: the construct, its problem and the remedy. */
  readonly message: string
  /** Below the chart, as in `store/service`. */
  readonly constructPath?: string | undefined
  readonly cause?: unknown
}

/** Error of every function in synth/. */
export class SynthError extends CodedError<SynthErrorCode> {
  override readonly name = 'SynthError'
  readonly constructPath: string | undefined

  constructor(options: SynthErrorOptions) {
    super({ ...options, remedy: 'stop' })
    this.constructPath = options.constructPath
  }
}
