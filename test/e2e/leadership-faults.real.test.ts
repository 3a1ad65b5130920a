// What do replicas do when they cannot reach the lease on a real cluster? A control plane of their own, because its API server goes away.
import { startControlPlane } from '../control-plane/control-plane.ts'
import { OwnRealServer } from './real-story-server.ts'
import { installDefinitions } from './stores.ts'
import { describeLeadershipFaults } from './stories/leadership-faults.ts'

describeLeadershipFaults(async () => {
  const server = new OwnRealServer(await startControlPlane({ controllers: false }))
  await installDefinitions(server)
  return server
})
