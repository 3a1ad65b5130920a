// Life of stores on the embedded server.
import { EmbeddedStoryServer } from './embedded-story-server.ts'
import { describeManyStores, describeOneStore } from './stories/kv-store.ts'

describeManyStores(EmbeddedStoryServer.start, 40)
describeOneStore(EmbeddedStoryServer.start)
