// Warnings about added finalizers whose name could collide with others.
// Source: k8s.io/apiextensions-apiserver/pkg/registry/customresource/validator.go.
import type { JsonObject } from '../../base/json.ts'
import { structAt, textsAt } from '../built-in/field-walk.ts'
import { goQuoted } from '../field-error.ts'
import { labelKeyFaults } from '../name-rules.ts'

const standard: ReadonlySet<string> = new Set(['orphan', 'foregroundDeletion', 'kubernetes'])

/** Returns texts for Warning headers; `old` is absent on creation. */
export function finalizerWarnings(object: JsonObject, old: JsonObject | undefined): string[] {
  const known = new Set(finalizersOf(old))
  const added = new Set(finalizersOf(object).filter((finalizer) => !known.has(finalizer)))
  return [...added].sort().flatMap(warningsOf)
}

function finalizersOf(object: JsonObject | undefined): readonly string[] {
  return textsAt(structAt(object, 'metadata'), 'finalizers')
}

function warningsOf(finalizer: string): string[] {
  const head = `metadata.finalizers: ${goQuoted(finalizer)}:`
  const faults = labelKeyFaults(finalizer).map((fault) => `${head} ${fault}`)
  if (finalizer.includes('/') || standard.has(finalizer)) return faults
  const addition = finalizer.includes('.') ? ' including a path (/)' : ''
  return [
    ...faults,
    `${head} prefer a domain-qualified finalizer name${addition} to avoid accidental conflicts with other finalizer writers`,
  ]
}
