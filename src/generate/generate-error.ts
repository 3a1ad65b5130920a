// Why could nothing be generated? Every refusal says which file, which path in it, and what to change.
import { CodedError } from '../base/errors.ts'

export type GenerateErrorCode =
  /** The folder cannot be read or is empty, or a file in it is not YAML. */
  | 'Unreadable'
  /** A document that is no CustomResourceDefinition of apiextensions.k8s.io/v1. */
  | 'NotACrd'
  /** A CustomResourceDefinition that lacks what the API server requires, or has it in a wrong form. */
  | 'InvalidCrd'
  /** A schema that is not structural, or that TypeScript cannot say. */
  | 'UnsupportedSchema'
  /** Two definitions would be written to one place. */
  | 'DuplicateKind'
  /** A file that we did not generate lies where one of ours would go. */
  | 'ForeignFile'
  /** `cdk8s import` is not installed, failed, or wrote something unforeseen. */
  | 'ImportFailed'

export interface GenerateErrorOptions {
  readonly code: GenerateErrorCode
  /** The file, as people know it. */
  readonly source: string
  /** Where in the document, such as `spec.versions[0].schema.openAPIV3Schema.properties.spec`; absent for the whole. */
  readonly path?: string
  /** What is wrong and what to do, as a sentence without a full stop. */
  readonly problem: string
  readonly cause?: unknown
}

/** A refusal to generate. Trying again does not help until the input changes. */
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
