// Does the inventory hold on the server in this process?
import { EmbeddedStoryServer } from './embedded-story-server.ts'
import { describeInventory } from './stories/inventory.ts'

describeInventory(EmbeddedStoryServer.start)
