// Replicas that cannot reach the Lease, on a control plane that is not shared because its API server stops.
import { startControlPlane } from '../control-plane/control-plane.ts'
import { OwnRealServer } from './real-story-server.ts'
import { installDefinitions } from './stores.ts'
import { describeLeadershipFaults } from './stories/leadership-faults.ts'

describeLeadershipFaults(async () => {
  const server = new OwnRealServer(await startControlPlane({ controllers: false }))
  await installDefinitions(server)
  return server
})
