// Rights of the operator for Databases of each provider, on a real API server.
import { attachToControlPlane } from '../control-plane/attach.ts'
import { RealStoryServer } from './real-story-server.ts'
import { describeDatabaseProviders } from './stories/database-providers.ts'

const cluster = attachToControlPlane()

describeDatabaseProviders(() => RealStoryServer.start(cluster))
