// The CRD of Database and its rules on a real API server.
import { startControlPlane } from '../control-plane/control-plane.ts'
import { OwnRealServer } from '../e2e/real-story-server.ts'
import { installDefinitions } from '../e2e/stores.ts'
import { describeDatabase } from './database-story.ts'

describeDatabase(async () => {
  const server = new OwnRealServer(await startControlPlane({ controllers: false }))
  await installDefinitions(server)
  return server
})
