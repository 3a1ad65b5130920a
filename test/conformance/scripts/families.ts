// Families of scripts: one arbitrary each. fast-check generates scripts from a seed and shrinks failing ones.
import type fc from 'fast-check'
import { builtInSteps } from './families/built-ins.ts'
import { deletionSteps } from './families/deletions.ts'
import { mistakeSteps } from './families/mistakes.ts'
import { listSteps, watchSteps } from './families/reads.ts'
import { schemaSteps } from './families/schemas.ts'
import { applySteps, patchSteps, updateSteps } from './families/writes.ts'
import { isAsked } from './known-differences.ts'
import type { Family, Script, Step } from './script.ts'

export interface ScriptFamily {
  readonly family: Family
  readonly scripts: fc.Arbitrary<Script>
  /** Share of all steps; small for families that wait for controllers. */
  readonly share: number
}

export const families: readonly ScriptFamily[] = [
  of('apply', applySteps, 0.3),
  of('list', listSteps, 0.14),
  of('watch', watchSteps, 0.08),
  of('patch', patchSteps, 0.14),
  of('update', updateSteps, 0.12),
  of('error', mistakeSteps, 0.14),
  of('built-in', builtInSteps, 0.2),
  of('schema', schemaSteps, 0.05),
  of('delete', deletionSteps, 0.03),
]

function of(family: Family, steps: fc.Arbitrary<Step[]>, share: number): ScriptFamily {
  return { family, share, scripts: steps.map((steps) => ({ family, steps: steps.filter(isAsked) })) }
}
