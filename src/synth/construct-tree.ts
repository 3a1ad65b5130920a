// Constructs of one chart, parents first. Invariant: forbidden constructs are rejected, and the constructs' own
// validations have run. cdk8s' app-level synthesis is never used, because it re-reads the whole tree.
import { ApiObject, Chart } from 'cdk8s'
import type { IConstruct } from 'constructs'
import { messageOf } from '../base/errors.ts'
import { pathOf } from './construct-path.ts'
import { SynthError } from './synth-errors.ts'

export interface ConstructTree {
  /** Parents before children; the chart first. */
  readonly constructs: readonly IConstruct[]
  /** The API objects among them, in the same order. */
  readonly apiObjects: readonly ApiObject[]
}

/** Reads a chart. Throws a SynthError of code `ForbiddenConstruct` or `ValidationFailed`. */
export function readTree(chart: Chart): ConstructTree {
  if (chart.node.root.node.children.length > 1) {
    throw forbidden(
      chart,
      'is not alone in its app: objects of another chart would be lost; build into the chart that is given',
    )
  }
  const constructs = chart.node.findAll()
  for (const construct of constructs) rejectForbidden(construct, chart)
  validate(constructs)
  return { constructs, apiObjects: constructs.filter((construct) => ApiObject.isApiObject(construct)) }
}

function rejectForbidden(construct: IConstruct, chart: Chart): void {
  if (isInclude(construct)) {
    const instead = 'parse the manifest once at start-up and make ApiObjects of it'
    throw forbidden(construct, `is an Include or Helm construct, which starts a process in every turn; ${instead}`)
  }
  if (construct !== chart && Chart.isChart(construct)) {
    throw forbidden(
      construct,
      'is a Chart inside the chart, and would name its objects by construct ids; extend Construct instead',
    )
  }
}

/**
 * Compares the class names that jsii assigns, because a second copy of cdk8s has another class. Helm extends Include.
 */
function isInclude(construct: IConstruct): boolean {
  const rtti = Symbol.for('jsii.rtti')
  for (let type: unknown = construct.constructor; typeof type === 'function'; type = Object.getPrototypeOf(type)) {
    const described: unknown = Object.getOwnPropertyDescriptor(type, rtti)?.value
    if (typeof described === 'object' && described !== null && 'fqn' in described && described.fqn === 'cdk8s.Include')
      return true
  }
  return false
}

function validate(constructs: readonly IConstruct[]): void {
  const complaints = constructs.flatMap((construct) =>
    complaintsOf(construct).map((said) => `${pathOf(construct)}: ${said}`),
  )
  if (complaints.length === 0) return
  throw new SynthError({ code: 'ValidationFailed', message: `the constructs are not valid: ${complaints.join('; ')}` })
}

function complaintsOf(construct: IConstruct): readonly string[] {
  try {
    return construct.node.validate()
  } catch (thrown) {
    return [`its validation threw: ${messageOf(thrown)}`]
  }
}

function forbidden(construct: IConstruct, problem: string): SynthError {
  const constructPath = pathOf(construct)
  return new SynthError({ code: 'ForbiddenConstruct', message: `construct ${constructPath} ${problem}`, constructPath })
}
