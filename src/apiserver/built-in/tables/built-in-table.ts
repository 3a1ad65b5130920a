// Tables of `kubectl get` for built-in kinds. Columns are data; the cells come from the object.
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

/** Returns the table of a kind, for objects in their stored version; undefined for a kind without one. */
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
