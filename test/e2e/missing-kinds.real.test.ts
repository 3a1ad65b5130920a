// Kinds whose CRD is installed late or removed, on a real API server.
import { attachToControlPlane } from '../control-plane/attach.ts'
import { RealStoryServer } from './real-story-server.ts'
import { describeMissingKinds } from './stories/missing-kinds.ts'

const cluster = attachToControlPlane()

describeMissingKinds(() => RealStoryServer.start(cluster))
