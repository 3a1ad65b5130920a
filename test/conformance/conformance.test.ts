// Conformance suite on the embedded API server, with the same expectations as on the real one.
import { runAreas } from './area.ts'
import { areas } from './areas.ts'
import { embeddedServer } from './embedded-server.ts'

runAreas(areas, 'embedded', embeddedServer)
