// Errors of the generator. Each names the file, the path in it, and the remedy.
import { CodedError } from '../base/errors.ts'

export type GenerateErrorCode =
  /** The folder is unreadable or empty, or a file in it is not YAML. */
  | 'Unreadable'
  /** The document is not a CustomResourceDefinition of apiextensions.k8s.io/v1. */
  | 'NotACrd'
  /** The CustomResourceDefinition lacks a field that the API server requires, or has it in a wrong form. */
  | 'InvalidCrd'
  /** The schema is not structural, or TypeScript cannot express it. */
  | 'UnsupportedSchema'
  /** Two definitions have the same output path. */
  | 'DuplicateKind'
  /** A file that the generator did not write is at an output path. */
  | 'ForeignFile'
  /** `cdk8s import` is not installed, failed, or wrote unexpected output. */
  | 'ImportFailed'

export interface GenerateErrorOptions {
  readonly code: GenerateErrorCode
  /** Path of the file in messages. */
  readonly source: string
  /** Path in the document, such as `spec.versions[0].schema.openAPIV3Schema.properties.spec`; absent for the whole. */
  readonly path?: string
  /** The problem and the remedy, as a sentence without a full stop. */
  readonly problem: string
  readonly cause?: unknown
}

/** Error of the generator. A retry does not help until the input changes. */
export class GenerateError extends CodedError<GenerateErrorCode> {
  override readonly name = 'GenerateError'
  readonly source: string
  readonly path: string

  constructor({ code, source, path = '', problem, cause }: GenerateErrorOptions) {
    const message = `generate from ${source}: ${path === '' ? '' : `${path}: `}${problem}`
    super({ code, message, remedy: 'stop', cause })
    this.source = source
    this.path = path
  }
}
