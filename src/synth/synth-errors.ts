// Why can a resource not be synthesized? Every refusal is a SynthError with one of these codes and a sentence that names
// the construct and says what to change. None of them passes by itself.
import { CodedError } from '../base/errors.ts'

export type SynthErrorCode =
  /** `desired` returned a promise: facts are gathered in `observe`. */
  | 'AsyncBuild'
  /** `desired` threw. */
  | 'BuildFailed'
  | 'CyclicDependency'
  /** A dependency on a construct of another tree. */
  | 'DependencyOutside'
  /** Two constructs make the same object. */
  | 'DuplicateObject'
  /** Include and Helm start processes; a chart in a chart names its objects by construct ids. */
  | 'ForbiddenConstruct'
  /** A field that belongs to the API server or to the runtime was declared. */
  | 'ForbiddenField'
  /** The same input gave other bytes, or the input was changed. */
  | 'ImpureBuild'
  /** A label or annotation that the API server would refuse. */
  | 'InvalidLabel'
  | 'InvalidName'
  /** A field policy that cannot be kept, or a path that cannot be read. */
  | 'InvalidPolicy'
  /** `desired` returned neither a list nor nothing. */
  | 'InvalidReturn'
  /** A kind that is missing in the controller's `owns`. */
  | 'KindNotOwned'
  | 'MissingName'
  /** A Date, a NaN, a class instance, a function: not JSON. */
  | 'NotJson'
  | 'OverlayFailed'
  /** A child that is the parent itself. */
  | 'OwnIdentity'
  /** A label or annotation of konverge.dev or a subdomain of it was declared. */
  | 'ReservedKey'
  /** A namespace on a cluster-scoped kind, or none on a namespaced one. */
  | 'ScopeMismatch'
  /** An object without apiVersion or kind. */
  | 'UnknownKind'
  /** A construct's own validation failed. */
  | 'ValidationFailed'

export interface SynthErrorOptions {
  readonly code: SynthErrorCode
  /** One sentence: what is wrong with which construct, and what to do. */
  readonly message: string
  /** Below the chart, as in `store/service`. */
  readonly constructPath?: string | undefined
  readonly cause?: unknown
}

/** Thrown by everything in synth/. */
export class SynthError extends CodedError<SynthErrorCode> {
  override readonly name = 'SynthError'
  readonly constructPath: string | undefined

  constructor(options: SynthErrorOptions) {
    super({ ...options, remedy: 'stop' })
    this.constructPath = options.constructPath
  }
}
