// What becomes of the volumes of a store on the server in this process, when it shrinks, grows and comes again?
import { EmbeddedStoryServer } from './embedded-story-server.ts'
import { describeVolumes } from './stories/volumes.ts'

describeVolumes(EmbeddedStoryServer.start)
