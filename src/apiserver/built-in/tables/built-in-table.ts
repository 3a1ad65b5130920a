// How does `kubectl get` show the objects of a built-in kind? The columns are data, the cells are made from the object.
import type { PrinterColumn, Table } from '../../strategy.ts'
import { horizontalPodAutoscalerCells } from './autoscaler-cells.ts'
import type { Cells } from './cell.ts'
import { coreCells } from './core-cells.ts'
import { networkCells } from './network-cells.ts'
import { podCells } from './pod-cells.ts'
import { workloadCells } from './workload-cells.ts'

const cellsByKind: Readonly<Record<string, Cells>> = {
  ...coreCells,
  ...networkCells,
  ...workloadCells,
  HorizontalPodAutoscaler: horizontalPodAutoscalerCells,
  Pod: podCells,
}

/** The table of a kind; objects are shown in the version in which they are kept. Undefined for a kind without one. */
export function builtInTable(kind: string, columns: () => readonly PrinterColumn[]): Table | undefined {
  const cells = Object.hasOwn(cellsByKind, kind) ? cellsByKind[kind] : undefined
  if (cells === undefined) return undefined
  return {
    get columns() {
      return columns()
    },
    cells,
  }
}
