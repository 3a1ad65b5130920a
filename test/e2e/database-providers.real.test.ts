// Does the operator have the rights for Databases of every provider on a real cluster?
import { attachToControlPlane } from '../control-plane/attach.ts'
import { RealStoryServer } from './real-story-server.ts'
import { describeDatabaseProviders } from './stories/database-providers.ts'

const cluster = attachToControlPlane()

describeDatabaseProviders(() => RealStoryServer.start(cluster))
