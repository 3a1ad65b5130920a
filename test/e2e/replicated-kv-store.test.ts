// Does the operator do its work on the server in this process, as it does on a real cluster?
import { EmbeddedStoryServer } from './embedded-story-server.ts'
import { describeManyStores, describeOneStore } from './stories/kv-store.ts'

describeManyStores(EmbeddedStoryServer.start, 40)
describeOneStore(EmbeddedStoryServer.start)
