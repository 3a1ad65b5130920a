// Broken clusters on the embedded server.
import { EmbeddedStoryServer } from './embedded-story-server.ts'
import { installDefinitions } from './stores.ts'
import { describeFaults } from './stories/faults.ts'

describeFaults({
  start: () => EmbeddedStoryServer.start({ hasDefinitions: false }),
  install: installDefinitions,
  stopLimitMs: 10_000,
})
