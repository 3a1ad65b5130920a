// Does a real API server take the definition of ReplicatedKVStore, and keep from the store what would break it?
import { startControlPlane } from '../control-plane/control-plane.ts'
import { OwnRealServer } from '../e2e/real-story-server.ts'
import { installDefinitions } from '../e2e/stores.ts'
import { describeDefinition } from './definition-story.ts'

describeDefinition(async () => {
  const server = new OwnRealServer(await startControlPlane({ controllers: false }))
  await installDefinitions(server)
  return server
})
