// Volumes of a store that shrinks, grows and is created again, on the embedded server.
import { EmbeddedStoryServer } from './embedded-story-server.ts'
import { describeVolumes } from './stories/volumes.ts'

describeVolumes(EmbeddedStoryServer.start)
