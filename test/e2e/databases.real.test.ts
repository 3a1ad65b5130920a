// Does the operator look after databases and their users on a real cluster, with a real PostgreSQL?
import { attachToControlPlane } from '../control-plane/attach.ts'
import { RealStoryServer } from './real-story-server.ts'
import { describeDatabases } from './stories/databases.ts'

const cluster = attachToControlPlane()

describeDatabases(() => RealStoryServer.start(cluster))
