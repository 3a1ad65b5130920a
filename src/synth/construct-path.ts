// Name of a construct in messages: its path below the chart, made of the author's ids without the chart's own id.
import type { IConstruct } from 'constructs'

/** `store/service`, or `the chart`. */
export function pathOf(construct: IConstruct): string {
  return construct.node.path.split('/').slice(1).join('/') || 'the chart'
}
