// The inventory on the embedded server.
import { EmbeddedStoryServer } from './embedded-story-server.ts'
import { describeInventory } from './stories/inventory.ts'

describeInventory(EmbeddedStoryServer.start)
