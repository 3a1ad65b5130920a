// How do messages name a construct? By its path below the chart, as its author wrote the ids; the chart's own id is ours.
import type { IConstruct } from 'constructs'

/** `store/service`, or `the chart`. */
export function pathOf(construct: IConstruct): string {
  return construct.node.path.split('/').slice(1).join('/') || 'the chart'
}
