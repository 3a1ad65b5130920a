// How much does the operator write for a thousand stores on a real cluster? The audit log counts. A control plane of its own.
import { startControlPlane } from '../control-plane/control-plane.ts'
import { OwnRealServer } from './real-story-server.ts'
import { installDefinitions } from './stores.ts'
import { describeWriteCounts } from './stories/write-counts.ts'

describeWriteCounts({
  start: async () => {
    const server = new OwnRealServer(await startControlPlane({ kwok: { nodes: 10 }, auditLog: true }))
    await installDefinitions(server)
    return server
  },
  stores: 1_000,
  namespaces: 20,
})
