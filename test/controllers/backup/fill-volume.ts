// Both steps of a worker that fills a volume, in one process.
import type { FillOrder } from '../../../src/controllers/backup/fill-order.ts'
import {
  type FetchingTools,
  type FilledIdentity,
  fetchFilling,
  type SettlingTools,
  settleFilling,
} from '../../../src/controllers/backup/fill-worker.ts'

export type FillTools = FetchingTools & SettlingTools

export async function fillVolume(order: FillOrder, tools: FillTools, signal: AbortSignal): Promise<FilledIdentity> {
  await fetchFilling(order, tools, signal)
  return await settleFilling(order, tools, signal)
}
