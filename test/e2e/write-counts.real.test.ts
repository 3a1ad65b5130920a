// Requests that the operator sends for 300 stores on a real cluster, counted in the audit log. The control plane is its own.
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
  stores: 300,
  namespaces: 10,
})
