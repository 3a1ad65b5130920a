// Databases and DatabaseUsers on a real PostgreSQL, with a real API server.
import { attachToControlPlane } from '../control-plane/attach.ts'
import { RealStoryServer } from './real-story-server.ts'
import { describeDatabases } from './stories/databases.ts'

const cluster = attachToControlPlane()

describeDatabases(() => RealStoryServer.start(cluster))
