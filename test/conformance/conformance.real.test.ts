// Conformance suite on the real API server. It verifies the suite's expectations.
import { inject } from 'vitest'
import type {} from '../control-plane/vitest-global-setup.ts' // Types of provided values.
import { runAreas } from './area.ts'
import { areas } from './areas.ts'
import { realServer } from './real-server.ts'

runAreas(areas, 'real', () => realServer(inject('controlPlane')))
